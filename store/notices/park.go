package notices

import (
	"cmp"
	"slices"
	"time"

	"vigia/store/catalogue"
)

// Lasting is how long a notice stands without being obtained anew; from then on it
// is shown as out of date.
const Lasting = 48 * time.Hour

// Stale reports whether what was obtained at an instant is out of date. An instant
// well in the future was noted by a clock that was wrong: how old it is nobody
// knows.
func Stale(obtained, now time.Time) bool {
	return !now.Before(obtained.Add(Lasting)) || now.Before(obtained.Add(-ahead))
}

// Nearby is the level of a volcano as it concerns a park.
type Nearby struct {
	Volcanic
	Name       string // of the volcano
	DistanceKm float64
	Stale      bool
}

// Volcanic returns the levels of the volcanoes near a park, the highest level first,
// then the nearest. A volcano without a notice is absent: its level is unknown.
func (s *Set) Volcanic(c *catalogue.Catalogue, park int, now time.Time) (near []Nearby) {
	for _, v := range s[Volcanoes].Volcanic {
		i := slices.IndexFunc(c.Volcanoes, func(known catalogue.Volcano) bool { return known.Slug == v.Volcano })
		if i < 0 {
			continue // of another catalogue
		}
		for _, tie := range c.Volcanoes[i].Parks {
			if tie.Park == park {
				near = append(near, Nearby{Volcanic: v, Name: c.Volcanoes[i].Name, DistanceKm: tie.DistanceKm, Stale: Stale(v.ObtainedAt, now)})
			}
		}
	}
	slices.SortStableFunc(near, func(a, b Nearby) int {
		return cmp.Or(cmp.Compare(b.Level, a.Level), cmp.Compare(a.DistanceKm, b.DistanceKm))
	})
	return near
}

// Holding is a closure that holds now or later.
type Holding struct {
	Closure
	TrailName string // "" for the whole park
	InForce   bool   // it has begun
	Stale     bool
}

// Scope is parque or sendero.
func (h *Holding) Scope() string {
	if h.Trail == "" {
		return wholePark
	}
	return oneTrail
}

// Closed reports whether nobody may enter, as against with restrictions.
func (h *Holding) Closed() bool { return h.Situation == closed }

// Closures returns the closures of a park that are not over: those of the whole park
// first, what is closed before what is restricted, then by their beginning.
func (s *Set) Closures(c *catalogue.Catalogue, park int, now time.Time) (holding []Holding) {
	trails := c.TrailsOf(park)
	for _, closure := range s[Closures].Closures {
		if closure.Park != c.Parks[park].Slug || !closure.Until.IsZero() && !now.Before(closure.Until) {
			continue
		}
		h := Holding{Closure: closure, InForce: !now.Before(closure.From), Stale: Stale(closure.ObtainedAt, now)}
		if closure.Trail != "" {
			i := slices.IndexFunc(trails, func(t catalogue.Trail) bool { return t.Slug == closure.Trail })
			if i < 0 {
				continue // of another catalogue
			}
			h.TrailName = trails[i].Name
		}
		holding = append(holding, h)
	}
	slices.SortStableFunc(holding, func(a, b Holding) int {
		return cmp.Or(cmp.Compare(min(len(a.Trail), 1), min(len(b.Trail), 1)),
			cmp.Compare(a.Situation, b.Situation), a.From.Compare(b.From))
	})
	return holding
}

// Concerning returns those of a park's closures that concern a trail: its own and
// those of the whole park.
func Concerning(trail string, holding []Holding) (its []Holding) {
	for _, h := range holding {
		if h.Trail == "" || h.Trail == trail {
			its = append(its, h)
		}
	}
	return its
}

// InForce returns what is said now of a place beside our own state, wherever it is
// named: closures of the park that have begun, of single trails those given alone,
// and volcanoes above the level that is usual for them.
func (s *Set) InForce(c *catalogue.Catalogue, park int, now time.Time, trails []string) (closures []Holding, volcanic []Nearby) {
	closures = slices.DeleteFunc(s.Closures(c, park, now), func(h Holding) bool {
		return !h.InForce || h.Trail != "" && !slices.Contains(trails, h.Trail)
	})
	volcanic = slices.DeleteFunc(s.Volcanic(c, park, now), func(v Nearby) bool { return v.Level <= Green })
	return closures, volcanic
}

// ClosedWithin reports whether nobody may enter at some instant of a span. A closure
// without a beginning has begun, and one without an end does not end; being out of
// date opens nothing.
func ClosedWithin(holding []Holding, from, to time.Time) bool {
	return slices.ContainsFunc(holding, func(h Holding) bool {
		return h.Closed() && h.From.Before(to) && (h.Until.IsZero() || from.Before(h.Until))
	})
}

// NextChange is the first instant after now at which something of the set turns by
// the clock alone: a notice goes out of date, a closure begins or ends. Zero is never.
func (s *Set) NextChange(now time.Time) (next time.Time) {
	consider := func(t time.Time) {
		if t.After(now) && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	obtained := func(at time.Time) {
		if !at.IsZero() {
			consider(at.Add(Lasting))
			consider(at.Add(-ahead))
		}
	}
	for _, b := range s {
		obtained(b.ObtainedAt)
		for _, v := range b.Volcanic {
			obtained(v.ObtainedAt)
		}
		for _, c := range b.Closures {
			obtained(c.ObtainedAt)
			consider(c.From)
			consider(c.Until)
		}
	}
	return next
}
