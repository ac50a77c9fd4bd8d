// Package api is the public interface under /api/v1.
//
// An edition of the store goes in at [Builder.Build], which encodes the
// answers of every route once and gives a [Snapshot] of prepared bodies. A request
// then passes [NewRouter]: httprouter finds the route, the parameters are
// checked, and the body is looked up and served. The long series of a park are
// encoded for the first who asks for them; /health, whose ages follow the clock, and
// errors are put together when asked for.
package api

import (
	"runtime"
	"sync"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/handlers/prepared"
	"vigia/store"
	"vigia/store/catalogue"
)

// horizon is how many hours of forecast are shown.
const horizon = 72

// historyDays is how many days of history are shown.
const historyDays = 7

// Builder holds what every snapshot of a server has in common.
type Builder struct {
	BaseURL string // public address without a trailing slash; empty makes links without host
	Version string // of the program
	// HasPage tells which paths the site serves, so that no link leads nowhere;
	// nil is none. The pages of parks and of alerts are taken to exist.
	HasPage func(path string) bool
	// Desk tells the state of the channels; nil is none.
	Desk Desk
	// Certificate tells of the certificate of the service's own HTTPS that ends
	// first: when, zero before there is one, and whether it is missing, or ends soon
	// and is not renewed. nil is a service that leaves TLS to another.
	Certificate func() (expires time.Time, failing bool)
	// Backups tells of the copies of the file; nil is none.
	Backups Backups
	// File tells whether what is to be kept can be; nil is that it always can.
	File File
}

// Snapshot is every answer of the API at one publication. It is immutable.
type Snapshot struct {
	bySlug map[string]int
	slugs  []string

	parks      *prepared.Body
	park       []parkBodies // as Catalogue.Parks
	alerts     *alertBodies // of all parks; nil while unknown
	precision  *prepared.Body
	thresholds *prepared.Body
	health     healthFacts
	catalogue  *catalogue.Catalogue

	current      bool // there are estimates, and they hold
	until        time.Time
	nextAt       time.Time
	modified     time.Time
	lastModified []string
}

// parkBodies are the answers of one park.
type parkBodies struct {
	detail, trails *prepared.Body
	history        func() *prepared.Sheaf
	forecast       func() *prepared.Sheaf // nil while unknown
	alerts         *alertBodies           // nil while unknown
}

// alertBodies are lists of alerts: all, and those of one level.
type alertBodies [alert.Danger + 1]*prepared.Body

// build is the state of making one snapshot.
type build struct {
	Builder
	e     *store.Edition
	now   time.Time
	first int // index of the present hour in the trails' hours
	local map[string][]string
	known []bool   // by park: an estimate of a trail has a state now
	fixed []byte   // the members that close every estimate
	trail [][]byte // encoded Trails, as Catalogue.Trails
}

// Build encodes an edition as it stands at now. modified is when what it shows
// last changed. Past the edition's validity, or without estimates, the snapshot
// says so in every answer.
func (o Builder) Build(e *store.Edition, now, modified time.Time) *Snapshot {
	return o.build(e, now, modified, nil)
}

// Expired gives the form of a snapshot's edition that is served from the end of
// its validity on: no level anywhere. The history is shared, for it does not
// expire.
func (o Builder) Expired(e *store.Edition, s *Snapshot) *Snapshot {
	return o.build(e, e.ValidUntil, e.ValidUntil, s.park)
}

// build makes a snapshot, with the histories of an earlier one if there is one.
func (o Builder) build(e *store.Edition, now, modified time.Time, earlier []parkBodies) *Snapshot {
	e = AsOf(e, now)
	b := &build{Builder: o, e: e, now: now, local: map[string][]string{}}
	if now.After(e.Hour) {
		b.first = int(now.Sub(e.Hour) / time.Hour)
	}
	b.known = make([]bool, len(e.Catalogue.Parks))
	for p := range b.known {
		b.known[p] = b.isKnown(p)
	}
	b.fixed = b.closingMembers()
	b.trail = make([][]byte, len(e.Catalogue.Trails))
	s := &Snapshot{
		bySlug:       make(map[string]int, len(e.Catalogue.Parks)),
		parks:        b.parkList(),
		precision:    b.precision(),
		thresholds:   b.thresholdList(),
		health:       b.healthFacts(),
		catalogue:    e.Catalogue,
		until:        b.until(),
		nextAt:       e.NextAt,
		modified:     modified,
		lastModified: prepared.LastModified(modified),
	}
	for p := range e.Catalogue.Parks {
		slug := e.Catalogue.Parks[p].Slug
		s.bySlug[slug] = p
		s.slugs = append(s.slugs, slug)
		s.current = s.current || b.known[p]
	}
	if s.current {
		s.alerts = b.alertLists(-1)
	}
	s.park = b.allParks(earlier)
	return s
}

// allParks makes the bodies of every park, on all processors. Each works on a
// copy of the build with clocks of its own.
func (b *build) allParks(earlier []parkBodies) []parkBodies {
	parks := make([]parkBodies, len(b.e.Catalogue.Parks))
	workers := min(runtime.GOMAXPROCS(0), len(parks))
	var done sync.WaitGroup
	for first := range workers {
		own := b.alone()
		done.Go(func() {
			for p := first; p < len(parks); p += workers {
				for t := range own.trailsOf(p) {
					w := writer{}
					own.writeTrail(&w, t)
					own.trail[t] = w.b
				}
				parks[p] = own.parkBodies(p)
				if earlier != nil {
					parks[p].history = earlier[p].history
				} else {
					parks[p].history = own.later(p, (*build).history)
				}
			}
		})
	}
	done.Wait()
	return parks
}

// alone gives a copy of the build for another goroutine.
func (b *build) alone() *build {
	own := *b
	own.local = map[string][]string{}
	return &own
}

// later makes a park's series when it is first asked for: they are most of what could
// be encoded, and of most parks nobody asks for them between two publications.
func (b *build) later(park int, series func(*build, int) *prepared.Sheaf) func() *prepared.Sheaf {
	return sync.OnceValue(func() *prepared.Sheaf { return series(b.alone(), park) })
}

// Until is the instant from which the snapshot is no longer true: an alert
// begins or ends, the hour turns, the estimates expire, or an official notice ends
// or is out of date. Zero is never.
func (s *Snapshot) Until() time.Time { return s.until }

// AsOf gives the edition without its estimates once they are past their validity.
// Its alerts stay, as outdated ones: nothing has taken them back.
func AsOf(e *store.Edition, now time.Time) *store.Edition {
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

func (b *build) parkBodies(p int) parkBodies {
	bodies := parkBodies{
		detail: b.parkDetail(p),
		trails: b.trailList(p),
	}
	if b.known[p] {
		bodies.alerts = b.alertLists(p)
	}
	if b.hasHours(p) {
		bodies.forecast = b.later(p, (*build).forecast)
	}
	return bodies
}

// hours gives a trail's estimates from the present hour on.
func (b *build) hours(trail int) []hazard.Estimate {
	if trail >= len(b.e.Trails) {
		return nil
	}
	hours := b.e.Trails[trail].Hours
	if b.first >= len(hours) {
		return nil
	}
	hours = hours[b.first:]
	return hours[:min(len(hours), horizon)]
}

// latest gives a trail's estimate for the present hour, nil when there is none.
func (b *build) latest(trail int) *hazard.Estimate {
	if hours := b.hours(trail); len(hours) > 0 {
		return &hours[0]
	}
	return nil
}

func (b *build) isKnown(park int) bool {
	for t := range b.trailsOf(park) {
		if latest := b.latest(t); latest != nil && latest.State != hazard.Unknown {
			return true
		}
	}
	return false
}

func (b *build) hasHours(park int) bool {
	for t := range b.trailsOf(park) {
		if len(b.hours(t)) > 0 {
			return true
		}
	}
	return false
}

// trailsOf ranges over the indexes of a park's trails.
func (b *build) trailsOf(park int) func(yield func(int) bool) {
	p := &b.e.Catalogue.Parks[park]
	return func(yield func(int) bool) {
		for t := p.FirstTrail; t < p.FirstTrail+p.NumTrails; t++ {
			if !yield(t) {
				return
			}
		}
	}
}

// reasonWithout says why a trail has no estimate for the present hour.
func (b *build) reasonWithout(trail int) hazard.Reason {
	switch {
	case b.e.Reason != hazard.NoReason:
		return b.e.Reason
	case trail < len(b.e.Trails) && len(b.e.Trails[trail].Hours) > 0:
		return hazard.EstimateOver
	default:
		return hazard.NoRuns
	}
}

func (b *build) link(path string) string { return b.BaseURL + path }

// linkIfPage gives the link of a page that may not exist.
func (b *build) linkIfPage(path string) string {
	if b.HasPage == nil || !b.HasPage(path) {
		return ""
	}
	return b.link(path)
}
