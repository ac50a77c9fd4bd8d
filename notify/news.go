package notify

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"vigia/forecast/alert"
	"vigia/store/catalogue"
	"vigia/store/subscription"
)

// filterFor returns which part of a park's alerts somebody asked for, nil for none.
func filterFor(p *subscription.Preferences, park *catalogue.Park) *alert.Filter {
	f := &alert.Filter{Hazards: p.Hazards, Level: max(p.MinLevel, alert.Caution)}
	if p.Trip != nil {
		f.From, f.To = tripDays(p.Trip, park.TimeZone)
	}
	if slices.Contains(p.Parks, park.Slug) {
		return f
	}
	for _, place := range p.Trails {
		if in, trail, _ := strings.Cut(place, "/"); in == park.Slug {
			f.Trails = append(f.Trails, trail)
		}
	}
	if len(f.Trails) == 0 {
		return nil
	}
	return f
}

// timing returns when news may go, at the end of quiet hours unless it is urgent, and
// from when on it is of no use: when the alert ends, a day later where it tells of an
// end.
func timing(n *alert.News, quiet *subscription.Quiet, zone *time.Location) (due, expires time.Time, urgent bool) {
	switch {
	case n.What == alert.Ended:
		expires = n.Part.End.Add(day)
	case n.What == alert.Withdrawn:
		expires = n.Due.Add(day)
	case n.Part.Level == alert.Danger:
		return n.Due, n.Part.End, true
	default:
		expires = n.Part.End
	}
	due, _ = quietEnd(quiet, n.Due, zone)
	return due, expires, false
}

// byPark returns the alerts that were issued, by their parks.
func byPark(all []alert.Alert) map[string][]*alert.Alert {
	parks := map[string][]*alert.Alert{}
	for i := range all {
		if a := &all[i]; a.Level > alert.NoLevel {
			parks[a.Park] = append(parks[a.Park], a)
		}
	}
	return parks
}

// worseFirst orders alerts as they are told: those that hold before those that are over,
// then the higher level, then the earlier start.
func worseFirst(a, b *alert.Alert, aOver, bOver bool) int {
	return cmp.Or(trueLast(aOver, bOver), cmp.Compare(b.Level, a.Level), a.Start.Compare(b.Start))
}

func trueLast(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
