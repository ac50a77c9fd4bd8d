package handlers

import (
	"context"
	"time"

	"vigia/forecast/snapshot"
	"vigia/handlers/api"
	"vigia/handlers/site"
	"vigia/store"
)

// publication is a snapshot as it is served: each view is complete.
type publication struct {
	snap    *store.Snapshot
	current *view
	expired *view // from snapshot.ValidUntil on
}

// view is everything that is served at one time.
type view struct {
	api   *api.Answers
	pages *site.Pages
}

// Publish makes a snapshot what is served from now on.
func (s *Server) Publish(e *store.Snapshot) {
	s.building.Lock()
	defer s.building.Unlock()
	now := s.Clock.Now()
	p := &publication{snap: e, current: s.newView(e, now, now)}
	p.expired = p.current
	if now.Before(e.ValidUntil) {
		p.expired = s.newView(e, e.ValidUntil, e.ValidUntil)
	}
	s.shown.Store(p)
	select {
	case s.published <- struct{}{}:
	default: // it has been woken and not looked yet
	}
}

// newView makes what is served of a snapshot at an instant. modified is when it last
// changed.
func (s *Server) newView(e *store.Snapshot, now, modified time.Time) *view {
	v := &view{pages: s.Pages(api.AsOf(e, now), now)}
	b := api.Builder{BaseURL: s.BaseURL, Version: s.Version, Subscriptions: s.Subscriptions, Backups: s.Backups, Jobs: s.Jobs, FileFault: s.FileFault, PagesUntil: v.pages.Until(),
		HasPage: func(path string) bool { return v.pages.Page(path) != nil }}
	if s.Certificates != nil {
		b.Certificate = s.Certificates.Worst
	}
	v.api = b.Build(e, now, modified)
	return v
}

// at returns what is true at an instant. Past what the publication shows it is
// the expired form, made long before; between, where only an alert began or
// the hour turned, the view is made anew if the scheduled goroutine has not yet.
func (s *Server) at(now time.Time) *view {
	if v := s.shown.Load().at(now); v != nil {
		return v
	}
	return s.rebuild(now)
}

// clockSlack is how far a clock may be set back, as time servers do, before the
// estimates of the moment are doubted.
const clockSlack = 5 * time.Minute

// at returns the view that is true at an instant, nil when none is any more.
func (p *publication) at(now time.Time) *view {
	switch {
	case now.Before(p.snap.IssuedAt.Add(-clockSlack)):
		return p.expired // the clock was set back: how old the estimates are is not known
	case p.current.api.HoldsAt(now):
		return p.current
	case p.over(now) && p.expired.api.HoldsAt(now):
		return p.expired
	}
	return nil
}

// over reports whether the publication has no estimates at an instant.
func (p *publication) over(now time.Time) bool { return !now.Before(p.snap.ValidUntil) }

// rebuild makes the view of now from the snapshot that is shown.
func (s *Server) rebuild(now time.Time) *view {
	s.building.Lock()
	defer s.building.Unlock()
	p := s.shown.Load()
	if v := p.at(now); v != nil {
		return v // another one was faster
	}
	changed := p.current.api.Until()
	if last := p.expired.api.Until(); p.over(now) && last.After(changed) {
		changed = last
	}
	next := &publication{snap: p.snap, current: s.newView(p.snap, now, changed), expired: p.expired}
	if p.over(now) {
		next.expired = next.current
	}
	s.shown.Store(next)
	return next.current
}

// Snapshot returns what is published, nil before anything is.
func (s *Server) Snapshot() *store.Snapshot {
	if p := s.shown.Load(); p != nil {
		return p.snap
	}
	return nil
}

// Sun returns how strong the sun gets in a park by what is published.
func (s *Server) Sun(park int) snapshot.Sun {
	e := s.Snapshot()
	if e == nil {
		return snapshot.Sun{}
	}
	return e.ParkSun(e.At(s.Clock.Now()), park)
}

// rebuildAt is the next instant at which a view must be made; zero is never. For the
// end of the estimates there is one already, which an official notice may end.
func (p *publication) rebuildAt(now time.Time) time.Time {
	if until := p.current.api.Until(); !p.over(now) && until.Before(p.snap.ValidUntil) {
		return until
	}
	return p.expired.api.Until()
}

// rebuildWhenDue makes the next view when the one shown stops being true, so that no
// request has to wait for it.
func (s *Server) rebuildWhenDue(ctx context.Context) {
	for {
		select {
		case <-s.published: // what was, is seen now
		default:
		}
		var due <-chan time.Time
		stop := func() bool { return true }
		now := s.Clock.Now()
		if at := s.shown.Load().rebuildAt(now); !at.IsZero() {
			timer := s.Clock.NewTimer(at.Sub(now))
			due, stop = timer.Chan(), timer.Stop
		}
		select {
		case <-ctx.Done():
			stop()
			return
		case <-s.published:
		case <-due:
			s.at(s.Clock.Now())
		}
		stop()
	}
}
