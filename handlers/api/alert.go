package api

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/handlers/httpcache"
	"vigia/store/catalogue"
	"vigia/web/wording"
)

// alertBodies are lists of alerts: all, and those of one level.
type alertBodies [alert.Danger + 1]*httpcache.Body

// allParks stands for the index of a park where every park is meant.
const allParks = -1

// activeAlerts returns the alerts of a park that are in force or scheduled. There are
// none while the estimates behind them are unknown.
func (b *build) activeAlerts(park int) []*alert.Alert {
	if park != allParks && !b.known[park] {
		return nil
	}
	return b.openAlerts(park)
}

// outdatedAlerts returns a park's alerts that nothing has taken back since the data
// became too old or the estimates ran out. They are shown with a validity that is past.
func (b *build) outdatedAlerts(park int) []*alert.Alert {
	if b.known[park] || !b.outdated() {
		return nil
	}
	return b.openAlerts(park)
}

// outdated reports whether there were estimates, which do not hold any more.
func (b *build) outdated() bool {
	return b.e.Reason == hazard.DataTooOld || b.e.Reason == hazard.EstimateOver
}

// openAlerts returns the alerts of a park whose time is not over: those in force first,
// then the worse, then the earlier.
func (b *build) openAlerts(park int) []*alert.Alert {
	var active []*alert.Alert
	for i := range b.e.Alerts {
		a := &b.e.Alerts[i]
		if a.Active(b.now) && (park == allParks || a.Park == b.e.Catalogue.Parks[park].Slug) {
			active = append(active, a)
		}
	}
	slices.SortStableFunc(active, func(x, y *alert.Alert) int {
		return cmp.Or(
			cmp.Compare(y.PhaseAt(b.now), x.PhaseAt(b.now)), // InForce after Scheduled in number
			cmp.Compare(y.Level, x.Level),
			x.Start.Compare(y.Start),
		)
	})
	return active
}

// alertLists returns the answers with the active alerts of a park.
func (b *build) alertLists(park int) *alertBodies {
	all := listOf(b.activeAlerts(park), b.alert)
	bodies := alertBodies{alert.NoLevel: body(all)}
	for _, level := range []alert.Level{alert.Caution, alert.Danger} {
		bodies[level] = body(slices.DeleteFunc(slices.Clone(all), func(a Alert) bool { return a.Level != Level(level.String()) }))
	}
	return &bodies
}

// alertsByID returns what makes the answer of each alert that is kept, once it is asked
// for. It is nil for an alert whose time is not over while nothing was ever known of its
// park.
func (b *build) alertsByID() map[string]func() *httpcache.Body {
	bodies := make(map[string]func() *httpcache.Body, len(b.e.Alerts)+len(b.e.Ended))
	for _, list := range [][]alert.Alert{b.e.Alerts, b.e.Ended} {
		for i := range list {
			a := &list[i]
			park, listed := b.bySlug[a.Park]
			if a.Active(b.now) && !b.outdated() && !(listed && b.known[park]) {
				bodies[a.ID] = nil
				continue
			}
			bodies[a.ID] = sync.OnceValue(func() *httpcache.Body { return body(b.alert(a)) })
		}
	}
	return bodies
}

func (b *build) alert(a *alert.Alert) Alert {
	// An alert may outlive its park in the catalogue.
	park, notices := &catalogue.Park{Name: a.Park, ZoneName: "UTC", TimeZone: time.UTC}, official{}.notices()
	if p, ok := b.bySlug[a.Park]; ok {
		park, notices = &b.e.Catalogue.Parks[p], b.official[p].onTrails(a.Trails)
	}
	said := wording.Localizer{Language: wording.Spanish, Now: b.now, Zone: park.TimeZone}
	worst := a.Worst()
	made := Alert{
		ID: a.ID, Version: a.Version, Situation: a.PhaseAt(b.now).String(),
		Level: Level(a.Level.String()), Hazard: Hazard(worst.Hazard.String()),
		Park: Slug(a.Park), ParkName: park.Name, Trails: named[Slug](a.Trails),
		Title: said.AlertTitle(a, park.Name), Summary: b.marked(said.AlertSummary(a, b.trailNames(a))),
		Advice: wording.Spanish.Advice(a.Hazards()...), Causes: causesOf(&worst), Hazards: hazardsOf(a),
		Confidence: orNull(Confidence(worst.Confidence.String())),
		IssuedAt:   instant(a.IssuedAt), UpdatedAt: instant(a.UpdatedAt), Start: instant(a.Start), End: instant(a.End),
		ValidUntil: instantOrNull(b.e.ValidUntil), TimeZone: park.ZoneName,
		Changes: listOf(a.Changes, func(c alert.Change) Change { return Change{c.Version, instant(c.At), said.Change(&c)} }),
		Source:  "modelo", OfficialNotices: notices,
	}
	made.Links.API, made.Links.Web = b.BaseURL+Prefix+"/alertas/"+a.ID, b.BaseURL+"/alertas/"+a.ID
	return made
}

// hazardsOf returns the hazards in an alert, the worst first and those that are over last.
func hazardsOf(a *alert.Alert) []HazardOfAlert {
	return listOf(a.Parts(), func(p alert.Part) HazardOfAlert {
		return HazardOfAlert{
			Hazard: Hazard(p.Hazard.String()), Level: Level(p.Level.String()), Start: instant(p.Start), End: instant(p.End),
			Trails: named[Slug](p.Trails), Causes: causesOf(&p), Agree: int(p.Agree), Total: int(p.Total),
		}
	})
}

func causesOf(p *alert.Part) []Cause {
	return listOf(p.Causes, func(c alert.Cause) Cause { return cause(&c.Cause, c.Trail, c.Place) })
}

// named returns texts as words of the API.
func named[T ~string](texts []string) []T {
	return listOf(texts, func(text string) T { return T(text) })
}

// trailNames returns the names of an alert's trails, in the catalogue's order.
func (b *build) trailNames(a *alert.Alert) (names []string) {
	park, ok := b.bySlug[a.Park]
	if !ok {
		return nil
	}
	for _, trail := range b.e.Catalogue.TrailsOf(park) {
		if slices.Contains(a.Trails, trail.Slug) {
			names = append(names, trail.Name)
		}
	}
	return names
}

// notice returns the sentence that goes with every park.
func (b *build) notice() string { return b.marked(wording.Spanish.Disclaimer()) }

// marked puts the mark of simulated weather before a text, when it is simulated.
func (b *build) marked(text string) string {
	if b.e.Simulated {
		return wording.Spanish.Marked(text)
	}
	return text
}
