package forecast

import (
	"slices"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
)

// moveAlerts returns the alerts as they are now. While the clock cannot be right they stay
// as they are, since by a wrong one they would all be over. The clock is believed when it
// agrees with the last cycle kept, or with the provider: its runs make estimates only while
// they are young by the clock.
//
// The levels of alerts wait for the end of the cycle, since runs that come in within it
// count as one. They follow the estimates only at the final stage, and only when a model
// brought a run that the alerts have not counted yet. The runs counted are kept with the
// alerts, so that a restart in the middle of a cycle neither loses a run nor counts it
// twice. A run that comes late, after a failure, counts in the next hour: two runs in a row
// are two hours' at least.
func (e *Engine) moveAlerts(now time.Time, runs []*heldRun, trails []store.TrailForecast, at stage) []alert.Alert {
	if len(trails) == 0 {
		if e.o.Store.DoubtsClock(now) {
			return e.alerts
		}
		return alert.Expire(e.alerts, now)
	}
	hour := now.Truncate(time.Hour)
	cycle := alert.Cycle{Now: now, Runs: inits(runs), Hysteresis: e.o.Rules.Hysteresis()}
	if at == final && e.hasUncountedRun(now) {
		cycle.Fresh, cycle.Again = true, e.countedAt.Equal(hour)
		if !cycle.Again {
			e.counted, e.countedAt = cycle.Runs, hour
		}
	}
	exit := make([]store.TrailForecast, len(trails))
	if watched := e.watched(now); watched != nil {
		e.eachTrail(e.o.Rules.Exit(), runs, hour, func(i int, site hazard.Site, reader *runReader, assessor *hazard.Assessor) {
			if watched[i] {
				exit[i].Hours = assessor.Assess(reader.read(site))
			}
		})
	}
	return alert.Update(e.alerts, e.byPark(trails, exit), cycle)
}

// hasUncountedRun reports whether a model that votes brought a run that the alerts have
// not counted.
func (e *Engine) hasUncountedRun(now time.Time) bool {
	return slices.ContainsFunc(e.models, func(m *model) bool { return m.votes(now) && m.run.Init.After(e.counted[m.id]) })
}

// watched marks the trails on which an alert is open, nil when there are none. Only these
// are estimated by the thresholds at which an alert ends.
func (e *Engine) watched(now time.Time) []bool {
	names := alert.Watched(e.alerts, now)
	if len(names) == 0 {
		return nil
	}
	wanted := make([]bool, len(e.sites))
	for i, trail := range e.o.Catalogue.Trails {
		wanted[i] = names[e.o.Catalogue.Parks[trail.Park].Slug+"/"+trail.Slug]
	}
	return wanted
}

// byPark groups the estimates by park.
func (e *Engine) byPark(trails, exit []store.TrailForecast) []alert.ParkEstimates {
	c := e.o.Catalogue
	list := make([]alert.ParkEstimates, len(c.Parks))
	for p := range c.Parks {
		list[p].Park = c.Parks[p].Slug
		for i, trail := range c.TrailsOf(p) {
			places := make([]string, len(trail.Points))
			for n, point := range trail.Points {
				places[n] = point.Name
			}
			at, name := c.Parks[p].FirstTrail+i, trail.Name
			if c.Parks[p].NumTrails == 1 {
				name = ""
			}
			list[p].Trails = append(list[p].Trails, alert.Trail{Slug: trail.Slug, Name: name, Places: places, Hours: trails[at].Hours, Exit: exit[at].Hours})
		}
	}
	return list
}

func inits(runs []*heldRun) map[string]time.Time {
	list := map[string]time.Time{}
	for _, run := range runs {
		list[run.model] = run.Init.UTC()
	}
	return list
}

// lastCounted returns the newest runs that the alerts kept have counted.
func lastCounted(alerts []alert.Alert) map[string]time.Time {
	counted := map[string]time.Time{}
	for i := range alerts {
		for model, init := range alerts[i].Runs {
			counted[model] = latest(counted[model], init)
		}
	}
	return counted
}
