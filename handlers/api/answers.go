// Package api is the public interface under /api/v1.
//
// types.go, with types_precision.go, is its contract: every answer is one of those types as
// JSON, and openapi.json is made from them by go generate. A snapshot of the store goes in at
// [Builder.Build], which encodes the answers of every route once into a [Answers] of prepared
// bodies. The router finds the [route] of a request; its parameters are checked, its body is
// looked up and served. Those of a park are encoded when they are first asked for; /health,
// whose ages follow the clock, answers about subscriptions and errors for each request.
package api

import (
	"slices"
	"sync"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/handlers/httpcache"
	"vigia/store"
	"vigia/store/catalogue"
)

// How many hours of forecast are shown where nothing else is asked, and at most.
const (
	horizon  = snapshot.Horizon
	farthest = snapshot.WeatherHorizon
)

// historyDays is how many days of history are shown.
const historyDays = 7

// Builder is what every snapshot of a server has in common.
type Builder struct {
	BaseURL string // public address without a trailing slash; empty makes links without host
	Version string // of the program
	// HasPage reports whether the site serves a path, so that no link leads nowhere; nil
	// is none. The pages of parks and of alerts are taken to exist.
	HasPage func(path string) bool
	// PagesUntil is the instant from which the pages beside the answers are no longer true;
	// zero is never.
	PagesUntil time.Time
	// Subscriptions returns the state of the channels.
	Subscriptions SubscriptionService
	// Certificate returns when the first certificate of the service's own HTTPS ends, zero
	// before there is one, and whether one is missing, or ends soon and is not renewed. nil
	// is a service that leaves TLS to another.
	Certificate func() (expires time.Time, failing bool)
	// Backups returns when the newest copy of the file was made, zero for never, and
	// whether the daily one cannot be made; nil is a service that makes none.
	Backups func() (at time.Time, failing bool)
	// Jobs returns how the last run of each periodic job went.
	Jobs func() []store.JobStatus
	// FileFault returns why the last write to the file was refused, or what was found
	// damaged; nil when all is well.
	FileFault func() error
}

// Answers are every answer of the API at one publication. It is immutable.
type Answers struct {
	bySlug map[string]int

	parks      *httpcache.Body
	park       []parkBodies        // as Catalogue.Parks
	alerts     func() *alertBodies // of all parks; nil while unknown
	alertByID  map[string]func() *httpcache.Body
	precision  *httpcache.Body
	thresholds *httpcache.Body
	health     healthFacts
	catalogue  *catalogue.Catalogue
	simulated  bool

	current      bool // there are estimates, and they hold
	until        time.Time
	nextAt       time.Time
	modified     time.Time
	lastModified []string
}

// parkBodies are the answers of one park.
type parkBodies struct {
	detail, trails func() *httpcache.Body
	history        func(days int) *httpcache.Body
	forecast       func(hours int) *httpcache.Body // nil while unknown
	alerts         func() *alertBodies             // nil while unknown
}

// build is the state of making one snapshot.
type build struct {
	Builder
	e        *store.Snapshot
	now      time.Time
	view     snapshot.View
	bySlug   map[string]int // parks
	known    []bool         // by park: an estimate of a trail has a state now
	official []official     // by park
	terms    EstimateTerms
}

// Build encodes a snapshot as it stands at now. modified is when its answers last
// changed. Past the snapshot's validity, or without estimates, every answer shows that there
// are no data.
func (o Builder) Build(e *store.Snapshot, now, modified time.Time) *Answers {
	e = AsOf(e, now)
	b := o.begin(e, now)
	s := &Answers{
		bySlug:       b.bySlug,
		parks:        body(b.parkList()),
		precision:    body(precision(e.Verification)),
		thresholds:   body(b.thresholds()),
		health:       b.healthFacts(),
		catalogue:    e.Catalogue,
		simulated:    e.Simulated,
		current:      slices.Contains(b.known, true),
		alertByID:    b.alertsByID(),
		park:         b.parks(),
		until:        b.until(),
		nextAt:       e.NextAt,
		modified:     modified,
		lastModified: httpcache.LastModified(modified),
	}
	if s.current {
		s.alerts = sync.OnceValue(func() *alertBodies { return b.alertLists(allParks) })
	}
	return s
}

// begin returns the state of making the answers of a snapshot.
func (o Builder) begin(e *store.Snapshot, now time.Time) *build {
	b := &build{Builder: o, e: e, now: now, view: e.At(now), bySlug: make(map[string]int, len(e.Catalogue.Parks))}
	b.known, b.official = make([]bool, len(e.Catalogue.Parks)), make([]official, len(e.Catalogue.Parks))
	for p := range b.known {
		b.bySlug[e.Catalogue.Parks[p].Slug] = p
		b.official[p] = b.officialOf(p)
		state := b.view.Park(p, 0)
		b.known[p] = state.Known()
	}
	b.terms = b.estimateTerms()
	return b
}

// parks returns the bodies of every park.
func (b *build) parks() []parkBodies {
	parks := make([]parkBodies, len(b.e.Catalogue.Parks))
	for p := range parks {
		parks[p] = b.parkBodies(p)
	}
	return parks
}

// parkBodies returns the bodies of a park. Each is made when it is first asked for: those
// of most parks are never read between two publications.
func (b *build) parkBodies(p int) parkBodies {
	bodies := parkBodies{
		detail:  sync.OnceValue(func() *httpcache.Body { return body(b.parkDetail(p, b.trailsOfPark(p))) }),
		trails:  sync.OnceValue(func() *httpcache.Body { return body(b.trailsOfPark(p)) }),
		history: series(func(days int) []History { return b.histories(p, days) }, historyDays),
	}
	if b.known[p] {
		bodies.alerts = sync.OnceValue(func() *alertBodies { return b.alertLists(p) })
	}
	if b.view.Reach(p) > 0 {
		bodies.forecast = series(func(hours int) []Forecast { return b.forecasts(p, hours) }, horizon, farthest)
	}
	return bodies
}

// Until returns the instant from which the snapshot is no longer true: an alert begins or
// ends, the hour or the day turns, the estimates expire, or an official notice ends or is
// out of date.
// Zero is never.
func (s *Answers) Until() time.Time { return s.until }

// HoldsAt reports whether the answers are true at an instant after that of Build.
func (s *Answers) HoldsAt(now time.Time) bool { return s.until.IsZero() || now.Before(s.until) }

// AsOf returns the snapshot without its estimates once they are past their validity. Its
// alerts stay, as outdated ones: nothing has taken them back.
func AsOf(e *store.Snapshot, now time.Time) *store.Snapshot {
	if e.IssuedAt.IsZero() || now.Before(e.ValidUntil) {
		return e
	}
	over := *e
	over.Trails, over.Reason = nil, hazard.EstimateOver
	return &over
}

func (b *build) until() time.Time {
	var until time.Time
	consider := func(t time.Time) {
		if t.After(b.now) && (until.IsZero() || t.Before(until)) {
			until = t
		}
	}
	consider(b.PagesUntil)
	consider(b.e.Notices.NextChange(b.now))
	if !b.e.IssuedAt.IsZero() && b.now.Before(b.e.ValidUntil) {
		consider(b.e.ValidUntil)
		consider(b.now.Truncate(time.Hour).Add(time.Hour))
	}
	for i := range b.e.Alerts {
		if !b.e.Alerts[i].Cancelled {
			consider(b.e.Alerts[i].Start)
			consider(b.e.Alerts[i].End)
		}
	}
	return until
}

// latest returns a trail's estimate for the present hour, nil when there is none.
func (b *build) latest(trail int) *hazard.Estimate {
	if hours := b.view.HoursOf(trail); len(hours) > 0 {
		return &hours[0]
	}
	return nil
}
