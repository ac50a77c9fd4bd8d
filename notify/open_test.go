package notify_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/notify"
	"vigia/notify/push/pushtest"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/storetest"
	"vigia/store/subscription"
)

// place is a service's folder of data with its open file.
type place struct {
	*testing.T
	folder string
	file   *store.Store
}

// keyPeriod is a push service that takes the keys of one time alone, with one browser.
type keyPeriod struct {
	*pushtest.Service
	wish  subscription.Subscription
	token string
}

// begin returns the push service for the keys that the folder has now.
func (p *place) begin() *keyPeriod {
	p.Helper()
	keys, err := notify.OpenKeys(filepath.Join(p.folder, store.KeyFile), clockwork.NewRealClock())
	if err != nil {
		p.Fatal(err)
	}
	r, err := pushtest.Listen(pushtest.Options{Key: keys.VAPIDPublic})
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = r.Close() })
	return &keyPeriod{Service: r}
}

// serve runs what the settings make of the folder, for push services.
func (p *place) serve(periods ...*keyPeriod) *notify.Notifier {
	p.Helper()
	var origins []string
	for _, e := range periods {
		origins = append(origins, e.Origin())
	}
	hosts, err := subscription.ParsePushHosts(origins)
	if err != nil {
		p.Fatal(err)
	}
	n, err := notify.Open(notify.Options{
		Folder: p.folder, PushHosts: hosts,
		Store: p.file, Catalogue: catalogue.Default(), BaseURL: "https://v.cl", Contact: "a@v.cl", Log: slog.New(slog.DiscardHandler), Clock: clockwork.NewRealClock(),
	})
	if err != nil {
		p.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = n.Run(ctx)
	}()
	p.Cleanup(func() { cancel(); <-ended })
	return n
}

// subscribe has a new browser of a keyPeriod subscribe to the park of Paine.
func (p *place) subscribe(n *notify.Notifier, e *keyPeriod) {
	p.Helper()
	hosts, err := subscription.ParsePushHosts([]string{e.Origin()})
	if err != nil {
		p.Fatal(err)
	}
	endpoint, key, auth := e.NewBrowser()
	target, err := subscription.ParseTarget(endpoint, key, auth, hosts)
	if err != nil {
		p.Fatal(err)
	}
	e.wish = subscription.Subscription{
		Channel: subscription.WebPush, Target: target, Consent: subscription.Consent{At: time.Now(), Policy: "1"},
		Preferences: subscription.Preferences{Parks: []string{"torres-del-paine"}, Conditions: subscription.Conditions{MinLevel: alert.Caution}},
	}
	proofs := make(chan string, 8)
	e.OnPush(endpoint, func(note pushtest.Push) { proofs <- note.Proof() })
	first := e.wish
	if _, err := n.AskBrowser(&first); err != nil {
		p.Fatal(err)
	}
	select {
	case proof := <-proofs:
		if e.token, err = n.Subscribe(&first, proof); err != nil {
			p.Fatal(err)
		}
	case <-time.After(20 * time.Second):
		p.Fatal("no proof came")
	}
}

// warn makes an alert for the park known, as a cycle does.
func (p *place) warn(n *notify.Notifier) {
	p.Helper()
	now := time.Now().UTC()
	p.cycle(n, 1, alert.Opened, alert.Track{Hazard: hazard.Wind, Level: alert.Danger, From: now.Add(2 * time.Hour), To: now.Add(4 * time.Hour)})
}

// cycle makes a version of the park's alert known, of hazards on one of its trails.
func (p *place) cycle(n *notify.Notifier, version int, what alert.ChangeKind, tracks ...alert.Track) {
	p.Helper()
	parks, now := catalogue.Default(), time.Now().UTC()
	rows := make([]store.HistoryRow, len(parks.Trails))
	for i := range rows {
		rows[i] = store.HistoryRow{Main: hazard.NoHazard, Medians: hazard.MissingMedians()}
	}
	for i := range tracks {
		tracks[i].Trail = parks.Trails[0].Slug
	}
	a := alert.Alert{ID: "viento", Park: "torres-del-paine", Version: version, IssuedAt: now, UpdatedAt: now}
	a.SetTracks(tracks)
	a.Changes = []alert.Change{{Version: version, At: now, What: what, Level: a.Level, Start: a.Start, End: a.End}}
	err := p.file.Commit(&store.Cycle{
		Catalogue: parks, Hour: now.Truncate(time.Hour), IssuedAt: now, Rows: rows, Alerts: []alert.Alert{a}, Estimates: true, Decide: n.Decide,
	})
	if err != nil {
		p.Fatal(err)
	}
	n.Wake()
}

// received reports whether a browser gets one more message than it had.
func (e *keyPeriod) received(had int, within time.Duration) bool {
	for end := time.Now().Add(within); time.Now().Before(end); <-time.After(10 * time.Millisecond) {
		if len(e.Pushes()) > had {
			return true
		}
	}
	return false
}

// A browser is reached by the key that it subscribed under, also when it changes its
// wishes later. The control is a service that has no such key any more.
func TestBrowsersAreReachedByTheKeysOfTheirTime(t *testing.T) {
	for _, ending := range []string{".previous", ".leaked", ".elsewhere"} {
		t.Run(ending, func(t *testing.T) {
			p := &place{T: t, folder: t.TempDir()}
			var err error
			if p.file, err = storetest.Open(filepath.Join(p.folder, "vigia.db"), store.Options{}); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { p.file.Close() })
			old := p.begin()
			t.Run("before", func(t *testing.T) {
				q := &place{t, p.folder, p.file}
				n := q.serve(old)
				q.subscribe(n, old)
				if !old.received(1, 20*time.Second) {
					t.Error("not welcomed")
				}
			})
			key := filepath.Join(p.folder, store.KeyFile)
			if err := os.Rename(key, key+ending); err != nil {
				t.Fatal(err)
			}
			present := p.begin()
			n := p.serve(old, present)
			p.subscribe(n, present)
			again := old.wish
			_, err = n.Subscribe(&again, old.token)
			if took := err == nil; took != (ending == ".previous") {
				t.Errorf("with the old token: %v", err)
			}
			present.received(1, 20*time.Second)
			hadOld, asked := len(old.Pushes()), old.Requests()
			hadNew := len(present.Pushes())
			p.warn(n)
			if !present.received(hadNew, 20*time.Second) {
				t.Error("who subscribed since received nothing")
			}
			if ending == ".elsewhere" {
				for end := time.Now().Add(20 * time.Second); old.Requests() == asked && time.Now().Before(end); {
					<-time.After(10 * time.Millisecond)
				}
				if old.Requests() == asked || len(old.Pushes()) > hadOld {
					t.Errorf("by keys that it does not know: %d requests, %d notes", old.Requests()-asked, len(old.Pushes())-hadOld)
				}
			} else if !old.received(hadOld, 20*time.Second) {
				t.Error("who subscribed before received nothing")
			}
		})
	}
}
