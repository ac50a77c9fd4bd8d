package notify

import (
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/snapshot"
	"vigia/store/notices"
)

// A message carries what official bodies say of the alert's trails when it goes out,
// and nothing of other trails, of what has ended or of what has not begun.
func TestMessagesCarryWhatIsOfficial(t *testing.T) {
	inWorld(t, func(w *world) {
		w.follower("luz", nil)
		w.n.o.Sun = func(int) snapshot.Sun { return snapshot.Sun{Index: 11} }
		now := time.Now().UTC()
		closure := func(trail string, from, until time.Time) notices.Closure {
			return notices.Closure{Park: paine, Trail: trail, Situation: "cerrado", From: from, Until: until, Source: "CONAF", ObtainedAt: now}
		}
		if err := w.store.SaveNotices(notices.Batch{Kind: notices.Closures, ObtainedAt: now, Closures: []notices.Closure{
			closure(torres, time.Time{}, time.Time{}), closure("otro", time.Time{}, time.Time{}),
			closure(torres, now.Add(time.Hour), time.Time{}), closure(torres, time.Time{}, now),
		}}); err != nil {
			t.Fatal(err)
		}
		w.issue("viento", nil, alert.Opened)
		w.expectAfter(0, "luz: news opened viento")
		w.push.mu.Lock()
		entry := w.push.sent[len(w.push.sent)-1].Entries[0]
		w.push.mu.Unlock()
		if len(entry.Closures) != 1 || entry.Closures[0].Trail != torres || !entry.Closures[0].From.IsZero() {
			t.Errorf("it carries %+v", entry.Closures)
		}
		if entry.Sun.Index != 11 {
			t.Errorf("nothing of the sun: %+v", entry.Sun)
		}
	})
}
