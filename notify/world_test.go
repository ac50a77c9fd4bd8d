package notify

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/goleak"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/notify/message"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/storetest"
	"vigia/store/subscription"
)

func TestMain(m *testing.M) {
	runChild()
	goleak.VerifyTestMain(m)
}

// noon is when the worlds begin: midday in the parks, in summer.
var noon = time.Date(2026, 11, 21, 15, 0, 0, 0, time.UTC)

const (
	paine  = "torres-del-paine" // with its trails baseTorres and pehoe
	torres = "base-torres"
)

// world is a service with its people, in a bubble whose clock runs as fast as
// nobody has anything to do.
type world struct {
	*testing.T
	store  *store.Store
	keys   *Keys
	parks  *catalogue.Catalogue
	mail   *script
	push   *script
	n      *Notifier
	path   string
	log    *logBuffer
	alerts map[string]issued
	stop   func()
	dark   bool // no estimates are possible
}

// inWorld runs a test in a world of its own. The notifier runs when the test asks
// for it (start).
func inWorld(t *testing.T, test func(w *world)) {
	t.Helper()
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		<-time.After(time.Until(noon))
		w := newWorld(t, folder)
		defer func() {
			if w.stop != nil {
				w.stop()
			}
			w.store.Close()
		}()
		test(w)
	})
}

func newWorld(t testing.TB, folder string) *world {
	w := &world{parks: catalogue.Default(), mail: newScript(), push: newScript(), log: &logBuffer{}, alerts: map[string]issued{}}
	w.T, _ = t.(*testing.T)
	w.path = filepath.Join(folder, "vigia.db")
	var err error
	if w.store, err = storetest.Open(w.path, store.Options{}); err != nil {
		t.Fatal(err)
	}
	if w.keys, err = OpenKeys(filepath.Join(folder, "vigia.key"), clockwork.NewRealClock()); err != nil {
		t.Fatal(err)
	}
	w.n = w.notifier(t, nil)
	return w
}

// notifier makes another one on the same store, as a restart does.
func (w *world) notifier(t testing.TB, change func(*Options)) *Notifier {
	t.Helper()
	o := Options{
		Store: w.store, Keys: w.keys, Catalogue: w.parks, Log: slog.New(slog.NewTextHandler(w.log, nil)),
		BaseURL: "https://v.cl", Contact: "a@v.cl", Mail: w.mail, Push: []Pusher{pusher{w.push}},
	}
	if change != nil {
		change(&o)
	}
	n, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// start lets the notifier run.
func (w *world) start() {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := w.n.Run(ctx); err != nil {
			w.Error(err)
		}
	})
	running.Go(func() {
		for ctx.Err() == nil {
			_ = w.n.Erase(ctx) // logged
			select {
			case <-time.After(time.Minute):
			case <-ctx.Done():
			}
		}
	})
	w.stop = func() {
		cancel()
		running.Wait()
		w.stop = nil
	}
	synctest.Wait()
}

// pass lets time go by until all is done that is to be done by then.
func (w *world) pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// skip stops the service for a time and starts it again.
func (w *world) skip(d time.Duration) {
	w.Helper()
	w.stop()
	<-time.After(d)
	w.n = w.notifier(w, nil)
	w.start()
}

// cycle keeps a cycle with the alerts as they are now.
func (w *world) cycle() {
	w.Helper()
	if err := w.commit(); err != nil {
		w.Fatal(err)
	}
	w.n.Wake()
}

func (w *world) commit() error {
	rows := make([]store.HistoryRow, len(w.parks.Trails))
	for i := range rows {
		rows[i] = store.HistoryRow{Main: hazard.NoHazard, Medians: hazard.MissingMedians()}
	}
	var alerts []alert.Alert
	for _, a := range w.alerts {
		alerts = append(alerts, a.now())
	}
	slices.SortFunc(alerts, func(a, b alert.Alert) int { return strings.Compare(a.ID, b.ID) })
	now := time.Now().UTC()
	return w.store.Commit(&store.Cycle{
		Catalogue: w.parks, Hour: now.Truncate(time.Hour), IssuedAt: now, Rows: rows, Alerts: alerts,
		Estimates: !w.dark, Decide: w.n.Decide,
	})
}

// issued is an alert as a test makes it: of one hazard, with the same hours on all of its
// trails, and of others besides.
type issued struct {
	alert.Alert
	Hazard hazard.Hazard
	Others []alert.Track
}

// now returns the alert as the cycle has it.
func (i *issued) now() alert.Alert {
	a, trails := i.Alert, i.Trails
	if len(trails) == 0 {
		trails = []string{""}
	}
	var tracks []alert.Track
	for _, trail := range trails {
		tracks = append(tracks, track(trail, i.Hazard, a.Level, a.Start, a.End))
	}
	for _, t := range append(tracks, i.Others...) {
		t.Over = !t.To.Add(time.Hour).After(time.Now())
		a.Tracks = append(a.Tracks, t)
	}
	a.SetTracks(a.Tracks)
	return a
}

// track is a hazard on a trail in a window.
func track(trail string, h hazard.Hazard, level alert.Level, start, end time.Time) alert.Track {
	return alert.Track{Trail: trail, Hazard: h, Level: level, From: start.Add(time.Hour), To: end.Add(-time.Hour), Reason: alert.Reason{Level: level, On: level}}
}

// issue makes an alert known, or changes one, as the next cycle will have it; what is
// the change in its history.
func (w *world) issue(id string, change func(a *issued), what ...alert.ChangeKind) {
	now := time.Now().UTC()
	a, known := w.alerts[id]
	if !known {
		a = issued{Alert: alert.Alert{
			ID: id, Park: paine, Level: alert.Caution, Trails: []string{torres},
			Start: now.Add(6 * time.Hour), End: now.Add(18 * time.Hour), IssuedAt: now,
		}}
	}
	a.UpdatedAt = now
	a.Version++
	if change != nil {
		change(&a)
	}
	a.Changes = append(slices.Clone(a.Changes), alert.Change{
		Version: a.Version, At: now, What: append(what, alert.Extended)[0], Hazard: a.Hazard, Level: a.Level, Start: a.Start, End: a.End,
	})
	w.alerts[id] = a
}

func raised(a *issued)  { a.Level = alert.Danger }
func dropped(a *issued) { a.Cancelled = true }

// preferences are those for the park of Paine.
func preferences(change func(p *subscription.Preferences)) subscription.Preferences {
	p := subscription.Preferences{Parks: []string{paine}, Conditions: subscription.Conditions{MinLevel: alert.Caution}}
	if change != nil {
		change(&p)
	}
	return p
}

// browser makes somebody a subscriber by Web Push, without the proof that it takes.
func (w *world) browser(name string, p subscription.Preferences) (token string) {
	w.Helper()
	s := &subscription.Subscription{
		Target: &subscription.Target{Endpoint: name}, Preferences: p, Consent: subscription.Consent{At: time.Now().UTC(), Policy: "1"},
	}
	w.update(func(tx *store.Tx) error { return w.n.activate(tx, s) })
	notifyWorker(w.n.queues[subscription.WebPush].wake)
	return w.keys.Token(s.ID)
}

// reader makes somebody a subscriber by e-mail, without the mails that it takes.
func (w *world) reader(address string, p subscription.Preferences) subscription.ID {
	w.Helper()
	now := time.Now().UTC()
	s := &subscription.Subscription{
		ID: subscription.NewID(), Channel: subscription.Email, Address: address, Preferences: p, CreatedAt: now, ConfirmedAt: now,
		Consent: subscription.Consent{At: now, Policy: "1"}, Ends: endOf(w.parks, &p),
	}
	w.update(func(tx *store.Tx) error { return tx.PutSubscription(s) })
	return s.ID
}

func (w *world) update(do func(tx *store.Tx) error) {
	w.Helper()
	if err := w.store.Update("test", do); err != nil {
		w.Fatal(err)
	}
}

func (w *world) view(do func(tx *store.Tx) error) {
	w.Helper()
	if err := w.store.View("test", do); err != nil {
		w.Fatal(err)
	}
}

// outcomes counts what became of messages.
func (w *world) outcomes() (counts [store.FailedOutcome + 1]int) {
	w.Helper()
	w.view(func(tx *store.Tx) error {
		return tx.EachOutcome(func(_ uint64, o store.Outcome, _ time.Time) error { counts[o]++; return nil })
	})
	return counts
}

// script is a sender that answers as it is told and notes what it was given.
type script struct {
	mu     sync.Mutex
	sent   []sending
	seen   int
	answer func(s *sending) message.Result // nil delivers
}

type sending struct {
	at time.Time
	to string
	message.Message
}

func newScript() *script { return &script{} }

// Send implements Mailer.
func (s *script) Send(ctx context.Context, b *message.Message, to string) message.Result {
	s.mu.Lock()
	one := sending{time.Now().UTC(), to, *b}
	answer := s.answer
	s.mu.Unlock()
	result := message.Result{}
	if answer != nil {
		result = answer(&one)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if result.Verdict == message.Delivered {
		s.sent = append(s.sent, one)
	}
	return result
}

// new returns what was delivered since it was asked last, a line each.
func (s *script) new() (lines []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.sent[s.seen:] {
		lines = append(lines, one.String())
	}
	s.seen = len(s.sent)
	slices.Sort(lines)
	return lines
}

// script is how all answer from now on.
func (s *script) script(answer func(s *sending) message.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

func always(v message.Verdict) func(*sending) message.Result {
	return func(*sending) message.Result { return message.Result{Verdict: v, Err: fmt.Errorf("as scripted")} }
}

// pusher makes a script a Pusher.
type pusher struct{ *script }

// Send implements Pusher.
func (p pusher) Send(ctx context.Context, b *message.Message, t *subscription.Target) message.Result {
	return p.script.Send(ctx, b, t.Endpoint)
}

var kinds = [...]string{"confirm", "welcome", "news", "no-data", "data-back", "test"}

var whats = [...]string{alert.Opened: "opened", alert.Raised: "raised", alert.Moved: "moved", alert.Ended: "ended", alert.Withdrawn: "withdrawn"}

// String returns who was told what, without the time.
func (s *sending) String() string {
	text := s.to + ": " + kinds[s.Kind]
	for _, e := range s.Entries {
		text += " " + whats[e.What] + " " + e.Alert.ID
	}
	return text
}

// expect compares what was delivered since it was asked last.
func (w *world) expect(s *script, want ...string) {
	w.Helper()
	if got := s.new(); !slices.Equal(got, want) {
		w.Errorf("%v: sent %q, want %q", time.Now().UTC().Format("02T15:04"), got, want)
	}
}

// logBuffer keeps what is logged.
type logBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBuffer) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), text)
}

var (
	_ clockwork.Clock = clockwork.NewRealClock()
	_ io.Writer       = (*logBuffer)(nil)
)
