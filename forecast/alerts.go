package forecast

import (
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
)

// moveAlerts moves the alerts on with the hours. While the clock cannot be right they
// stay as they are, since by a wrong one they would all be over: it is believed when
// it agrees with the last cycle kept, or with the provider, whose runs make estimates
// only while they are young by it.
//
// Their levels wait for the end of the cycle, since runs that come in within it count
// as one: only then, with closing, do they take the estimates into account, when a
// model brought a run that they have not seen yet. Whether a run is new is told by
// what is kept with the alerts, so that a restart in the middle of a cycle neither
// loses a run nor counts it twice. A run that comes late, after a failure, counts in
// the next hour: two runs in a row are two hours' at least.
func (e *Engine) moveAlerts(now time.Time, trails []store.TrailForecast, closing bool) []alert.Alert {
	if len(trails) == 0 {
		if e.o.Store.Doubts(now) {
			return e.alerts
		}
		return alert.Expire(e.alerts, now)
	}
	runs, _ := e.voting(now)
	if !closing || !newer(runs, e.counted) {
		return e.updateAlerts(now, trails, alert.Cycle{})
	}
	again := e.countedAt.Equal(now.Truncate(time.Hour))
	if !again {
		e.counted, e.countedAt = inits(runs), now.Truncate(time.Hour)
	}
	return e.updateAlerts(now, trails, alert.Cycle{Fresh: true, Again: again})
}

// uncounted tells whether a model brought a run that the alerts have not seen yet.
func (e *Engine) uncounted() bool {
	runs, _ := e.voting(e.now())
	return len(e.trails) > 0 && newer(runs, e.counted)
}

func (e *Engine) updateAlerts(now time.Time, trails []store.TrailForecast, cycle alert.Cycle) []alert.Alert {
	runs, _ := e.voting(now)
	exit := make([]store.TrailForecast, len(trails))
	if watched := e.watched(now); watched != nil {
		e.eachTrail(e.o.Rules.Exit(), runs, now.Truncate(time.Hour), exit, watched)
	}
	cycle.Now, cycle.Runs, cycle.Hysteresis = now, inits(runs), e.o.Rules.Hysteresis()
	return alert.Update(e.alerts, e.outlooks(trails, exit), cycle)
}

// watched marks the trails on which an alert is open, nil when there are none:
// only there it matters what the thresholds to leave one say.
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

// outlooks groups the estimates by park.
func (e *Engine) outlooks(trails, exit []store.TrailForecast) []alert.Outlook {
	c := e.o.Catalogue
	list := make([]alert.Outlook, len(c.Parks))
	for p := range c.Parks {
		list[p].Park = c.Parks[p].Slug
		for i, trail := range c.TrailsOf(p) {
			places := make([]string, len(trail.Points))
			for n, point := range trail.Points {
				places[n] = point.Name
			}
			at := c.Parks[p].FirstTrail + i
			list[p].Trails = append(list[p].Trails, alert.Trail{Slug: trail.Slug, Places: places, Hours: trails[at].Hours, Exit: exit[at].Hours})
		}
	}
	return list
}

// newer tells whether a run is one that was not counted yet.
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

// lastCounted gives the newest runs that alerts kept say they have seen.
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
