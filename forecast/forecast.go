// Package forecast runs the hourly cycle, the heart of Vigía.
//
// Data passes through it as a story told from top to bottom: what is new at the
// provider is fetched, model by model, and kept ([Engine.renew]) → the runs that
// may vote are assessed for every trail and hour ([Engine.assess]) → the open
// alerts are brought up to date → one transaction writes the hour, the alerts
// and what was confirmed → the finished edition goes to the publisher. A cycle
// without anything new re-estimates from the runs that are held, so that the
// hours move on with the clock; without a run young enough the edition says so
// instead of giving a level.
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
	"vigia/forecast/openmeteo"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/notices"
)

// Provider gives the weather. [openmeteo.Client] is the real one.
type Provider interface {
	LatestRun(ctx context.Context, model string) (openmeteo.RunInfo, error)
	Forecast(ctx context.Context, model string, places []catalogue.Location) (*openmeteo.Answer, error)
}

// Publisher shows an edition to the public. It must not keep the caller waiting
// for clients.
type Publisher interface {
	Publish(*store.Edition)
}

// Notifier tells people of alerts. Decide is called within the transaction that keeps
// a cycle, Wake once it is on stable storage.
type Notifier interface {
	Decide(tx *store.Tx, c *store.Cycle, changed []store.ChangedAlert) error
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
	// NoticeURLs are the feeds of official notices by their kind, "" for none.
	NoticeURLs [notices.NumKinds]string
	UserAgent  string // sent to the feeds
	// Notifier, when set, decides with each cycle who is told.
	Notifier Notifier
	// Archive, when set, is asked once a day what came of the estimates.
	Archive Archive
	// Progress, when set, is told each step of a cycle in plain Spanish.
	Progress func(step string)
}

const (
	// Hours is how far ahead estimates go, the current hour included: from now to
	// 72 h from now.
	Hours = 73
	// historyHours is how long issued estimates are kept.
	historyHours = 168
	// grace is how long after its hour an edition may still be shown, while the
	// next is being made.
	grace = 20 * time.Minute
	// staleAfter is the age of the last confirmation from which estimates are
	// marked as out of date: one missed cycle and a half.
	staleAfter = 90 * time.Minute
)

// Engine is the cycle with what it holds between two runs of it.
type Engine struct {
	o         Options
	sites     []hazard.Site
	startedAt time.Time
	board     *board                    // where editions are shown
	feeds     []*feed                   // of official notices
	moved     atomic.Pointer[time.Time] // when the cycle, or what waits for the next, last took a step

	mu        sync.Mutex // one cycle at a time; guards what follows
	models    []*model
	alerts    []alert.Alert         // with those that wait for another run
	counted   map[string]time.Time  // by model: the runs that the alerts have taken into account
	countedAt time.Time             // hour of the cycle that counted last
	trails    []store.TrailForecast // of the last edition
	issued    time.Time             // hour of the last edition with this process's cycle; zero before the first
	issuedAt  time.Time             // of the last edition
	failing   error                 // of the last commit
	undecided bool                  // something changed, and who is told was not decided yet
	estimated bool                  // the last edition of this process has estimates

	last atomic.Pointer[lastCycle] // nil before the first one ended

	verifier     *verifier
	verification *store.Verification // nil before it was computed first
	verifyAt     time.Time           // no verification before this

	imported atomic.Pointer[store.Verification] // summary of observations that came in beside the cycle
}

// New takes up what the store holds. The runs are read from it, so that a
// restart needs no call to the provider. A run or an alert that cannot be read
// is logged and done without: the next fetch brings another.
func New(o Options) (*Engine, error) {
	e := &Engine{o: o, sites: sites(o.Catalogue), startedAt: o.Clock.Now().Round(0)}
	e.move()
	confirmed, err := o.Store.Confirmed()
	if err != nil {
		return nil, fmt.Errorf("read what the models last confirmed: %w", err)
	}
	if e.alerts, err = o.Store.Alerts(); err != nil {
		o.Log.Error("alerts not read; they are made anew from the estimates", "error", err)
	}
	e.counted = lastCounted(e.alerts)
	for _, id := range o.Models {
		m := &model{id: id, confirmed: confirmed[id]}
		m.run, err = o.Store.Run(id, o.Catalogue.Locations)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			o.Log.Error("run not read; it will be fetched again", "model", id, "error", err)
		}
		e.models = append(e.models, m)
	}
	e.takeUpNotices()
	e.openVerification()
	return e, nil
}

// sites puts the catalogue's trails in the form of the rules.
func sites(c *catalogue.Catalogue) []hazard.Site {
	list := make([]hazard.Site, len(c.Trails))
	for i, trail := range c.Trails {
		site := hazard.Site{Zone: trail.Zone, Remote: trail.Remote, Fuel: trail.Fuel, TimeZone: c.Parks[trail.Park].TimeZone}
		for _, p := range trail.Points {
			site.Points = append(site.Points, hazard.Point{Exposure: p.Exposure, Critical: p.Critical, At: p.At})
		}
		list[i] = site
	}
	return list
}

// now is the time of the wall clock alone. Ages and validity are told by the wall:
// the monotonic reading stands still while a machine sleeps, and would make old
// data young.
func (e *Engine) now() time.Time { return e.o.Clock.Now().Round(0) }

func (e *Engine) tell(format string, args ...any) {
	if e.o.Progress != nil {
		e.o.Progress(fmt.Sprintf(format, args...))
	}
}
