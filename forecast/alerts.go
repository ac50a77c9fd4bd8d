package forecast

import (
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
func (e *Engine) moveAlerts(now time.Time, trails []store.TrailForecast, at stage) []alert.Alert {
	if len(trails) == 0 {
		if e.o.Store.DoubtsClock(now) {
			return e.alerts
		}
		return alert.Expire(e.alerts, now)
	}
	runs, _ := e.votingRuns(now)
	if at != final || !newer(runs, e.counted) {
		return e.updateAlerts(now, trails, alert.Cycle{})
	}
	again := e.countedAt.Equal(now.Truncate(time.Hour))
	if !again {
		e.counted, e.countedAt = inits(runs), now.Truncate(time.Hour)
	}
	return e.updateAlerts(now, trails, alert.Cycle{Fresh: true, Again: again})
}

// hasUncountedRun reports whether a model brought a run that the alerts have not counted.
func (e *Engine) hasUncountedRun() bool {
	runs, _ := e.votingRuns(e.now())
	return len(e.trails) > 0 && newer(runs, e.counted)
}

func (e *Engine) updateAlerts(now time.Time, trails []store.TrailForecast, cycle alert.Cycle) []alert.Alert {
	runs, _ := e.votingRuns(now)
	exit := make([]store.TrailForecast, len(trails))
	if watched := e.watched(now); watched != nil {
		e.eachTrail(e.o.Rules.Exit(), runs, now.Truncate(time.Hour), exit, watched)
	}
	cycle.Now, cycle.Runs, cycle.Hysteresis = now, inits(runs), e.o.Rules.Hysteresis()
	return alert.Update(e.alerts, e.byPark(trails, exit), cycle)
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
			at := c.Parks[p].FirstTrail + i
			list[p].Trails = append(list[p].Trails, alert.Trail{Slug: trail.Slug, Name: trail.Name, Places: places, Hours: trails[at].Hours, Exit: exit[at].Hours})
		}
	}
	return list
}

// newer reports whether a run is one that was not counted yet.
func newer(runs []hazard.Run, counted map[string]time.Time) bool {
	for _, run := range runs {
		if run.Init.After(counted[run.Model]) {
			return true
		}
	}
	return false
}

func inits(runs []hazard.Run) map[string]time.Time {
	list := map[string]time.Time{}
	for _, run := range runs {
		list[run.Model] = run.Init.UTC()
	}
	return list
}

// lastCounted returns the newest runs that the alerts kept have counted.
func lastCounted(alerts []alert.Alert) map[string]time.Time {
	counted := map[string]time.Time{}
	for i := range alerts {
		for model, init := range alerts[i].Runs {
			if init.After(counted[model]) {
				counted[model] = init
			}
		}
	}
	return counted
}
