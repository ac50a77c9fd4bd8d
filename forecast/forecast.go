// Package forecast runs the hourly cycle, the heart of Vigía.
//
// Read [Engine.Cycle] first: what is new at the provider is fetched, model by model → the
// runs that may vote are assessed for every trail and hour → the open alerts follow → one
// transaction writes the hour, the alerts and what was confirmed → the result goes to the
// publisher. A cycle without anything new estimates again from the runs that are held, so
// that the hours move on with the clock. Without a run that is young enough there is a
// reason instead of a level.
//
// Beside the cycle the package polls the feeds of official notices, and holds the
// [Schedule] of every periodic job of the service.
package forecast

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/forecast/noticefeed"
	"vigia/forecast/openmeteo"
	"vigia/forecast/snapshot"
	"vigia/forecast/verification"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/notices"
)

// Provider returns the weather that models predict. [openmeteo.Client] is the real one.
type Provider interface {
	LatestRun(ctx context.Context, model string) (openmeteo.RunInfo, error)
	Forecast(ctx context.Context, model string, places []catalogue.Location, groups []openmeteo.Group) (*openmeteo.Answer, error)
	WindAloft(ctx context.Context, model string, places []catalogue.Location) (*openmeteo.Answer, error)
	Ensemble(ctx context.Context, id string, places []catalogue.Location) (*openmeteo.Answer, error)
}

// Publisher shows estimates to the public. It must not keep the caller waiting for clients.
type Publisher interface {
	Publish(*store.Snapshot)
}

// Notifier notifies people of alerts. Decide is called within the transaction that keeps a
// cycle, Wake once that is on stable storage.
type Notifier interface {
	Decide(tx *store.Tx, c *store.Cycle, changed []*alert.Alert) error
	Wake()
}

// Options are what an Engine needs. All but the notices, Notifier, Archive and
// Progress are required.
type Options struct {
	Store     *store.Store
	Provider  Provider
	Usage     func() openmeteo.Usage // the provider's weight, for the health page
	Catalogue *catalogue.Catalogue
	Rules     *hazard.Rules
	Models    []string // ids, in the order asked
	Clock     clockwork.Clock
	Log       *slog.Logger
	Publisher Publisher
	Simulated bool
	WindAloft bool // it is asked for
	Ensembles bool // they are asked for, where the provider's day has room for them
	// NoticeURLs are the feeds of official notices by their kind, "" for none.
	NoticeURLs [notices.NumKinds]string
	UserAgent  string // sent to the feeds
	// Notifier, when set, decides with each cycle who is notified.
	Notifier Notifier
	// Archive, when set, is asked once a day what came of the estimates.
	Archive verification.Archive
	// Progress, when set, is called with each step of a cycle in plain Spanish.
	Progress func(step string)
}

const (
	// Hours is how far ahead estimates go, the current hour included: from now to
	// 72 h from now.
	Hours = 73
	// laterHours is how far ahead the weather beyond them goes, to the end of the seventh
	// local day, and laterSteps in how many steps.
	laterHours = snapshot.WeatherHorizon + 3
	laterSteps = (laterHours-snapshot.Horizon)/3 + 1
	// historyHours is how long issued estimates are kept.
	historyHours = 168
	// grace is how long after their hour estimates may still be shown, while the next are
	// being made.
	grace = 20 * time.Minute
	// staleAfter is the age of the last confirmation from which estimates are
	// marked as out of date: one missed cycle and a half.
	staleAfter = 90 * time.Minute
)

// Engine runs cycles, and holds what one leaves to the next.
type Engine struct {
	o          Options
	sites      []hazard.Site
	mostPoints int               // of a site
	critical   []bool            // by place of the catalogue: the critical point of a trail
	groups     []openmeteo.Group // what the places of the catalogue are asked for
	places     extraPlaces
	startedAt  time.Time
	holder     *holder // of what is published
	notices    *noticefeed.Poller
	stepAt     atomic.Pointer[time.Time] // when the cycle, or what waits for the next, last took a step

	mu     sync.Mutex // one cycle at a time; guards what follows
	models []*model
	extras []*extra
	alerts []alert.Alert // with those that wait for another run

	counted   map[string]time.Time // by model: the runs that the alerts have taken into account
	countedAt time.Time            // hour of the cycle that counted last

	cycled        bool      // a cycle has begun
	unpublished   bool      // a run came in that is not published yet
	publishedHour time.Time // by this process; zero before the first
	publishedAt   time.Time
	voters        int   // models that vote in what this process published last
	estimated     bool  // what this process published last has estimates
	commitErr     error // of the last commit
	undecided     bool  // something changed, and who is notified was not decided yet

	last atomic.Pointer[lastCycle] // nil before the first one ended

	verification *verification.Daily
}

// New makes an engine with what the store holds. The runs are read from it, so that a
// restart needs no call to the provider. A run or an alert that cannot be read is logged and
// left out: the next fetch brings another.
func New(o Options) (*Engine, error) {
	e := &Engine{o: o, sites: o.Catalogue.Sites(), startedAt: o.Clock.Now().Round(0)}
	e.critical = make([]bool, len(o.Catalogue.Locations))
	for _, site := range e.sites {
		e.mostPoints = max(e.mostPoints, len(site.Points))
		for _, point := range site.Points {
			e.critical[point.At] = e.critical[point.At] || point.Critical
		}
	}
	e.groups = openmeteo.Groups(e.sites, len(o.Catalogue.Locations))
	e.places = newExtraPlaces(&e.o)
	e.noteStep()
	confirmed, err := o.Store.Confirmed()
	if err != nil && !errors.Is(err, store.ErrNoFile) {
		return nil, fmt.Errorf("read what the models last confirmed: %w", err)
	}
	if e.alerts, err = o.Store.Alerts(); err != nil {
		e.logUnread("alerts not read; they are made anew from the estimates", err)
	}
	e.counted = lastCounted(e.alerts)
	for _, id := range o.Models {
		m := &model{id: id, limit: e.dataLimit(), confirmed: confirmed[id]}
		run, err := o.Store.Run(id, o.Catalogue.Locations)
		if err == nil {
			err = m.hold(run, e.critical)
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			e.logUnread("run not read; it will be fetched again", err, "model", id)
		}
		e.models = append(e.models, m)
	}
	e.addExtras()
	e.openNotices()
	e.verification = verification.Open(verification.Options{
		Store: o.Store, Catalogue: o.Catalogue, Rules: o.Rules, Clock: o.Clock, Log: o.Log, Archive: o.Archive, Step: e.noteStep,
	})
	return e, nil
}

// logUnread logs what cannot be read from the store, but not that there is no file, which
// is logged at the start.
func (e *Engine) logUnread(what string, err error, about ...any) {
	if !errors.Is(err, store.ErrNoFile) {
		e.o.Log.Error(what, append(about, "error", err)...)
	}
}

// dataLimit returns the age from which a run that was not confirmed has no vote.
func (e *Engine) dataLimit() time.Duration {
	return time.Duration(e.o.Rules.Hysteresis().DataHours) * time.Hour
}

// now returns the time of the wall clock alone. The monotonic reading stands still while a
// machine sleeps, and would make old data young.
func (e *Engine) now() time.Time { return e.o.Clock.Now().Round(0) }

func (e *Engine) logProgress(format string, args ...any) {
	if e.o.Progress != nil {
		e.o.Progress(fmt.Sprintf(format, args...))
	}
}
