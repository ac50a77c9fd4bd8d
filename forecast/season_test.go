package forecast

import (
	"flag"
	"maps"
	"math"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/forecast/simulate"
	"vigia/forecast/simulatetest"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/catalogue/cataloguetest"
)

var seasonDays = flag.Int("season", 4, "days of the simulated season; from 20 on with 60 trails")

// season gathers how steady the alerts of a season were.
type season struct {
	cycles, runs, trails int
	alerts               map[string]alert.Alert      // as last seen
	reopened             int                         // alerts that opened where one was withdrawn less than a day before
	messages             int                         // to somebody who follows every park, one a park and cycle
	levels               map[string]*flipSeries      // by park, hazard and valid hour
	told                 map[string]*alert.Delivered // by park
	initial              map[string]time.Time
}

// flipSeries are the levels that successive runs gave for one valid hour, as the
// alerts had it and as the estimates alone have it.
type flipSeries struct{ alerts, estimates []float64 }

// flipFlop is the flip-flop index of forecasts for one valid time: how much more
// they moved to and fro than they had to (Griffiths, Foley, Ioannou and Leeuwenburg
// 2019). It needs three of them.
func flipFlop(series []float64) (float64, bool) {
	if len(series) < 3 {
		return 0, false
	}
	moved, low, high := 0.0, series[0], series[0]
	for i := 1; i < len(series); i++ {
		moved += math.Abs(series[i] - series[i-1])
		low, high = min(low, series[i]), max(high, series[i])
	}
	return (moved - (high - low)) / float64(len(series)-2), true
}

// TestSeason measures how often alerts change their mind over simulated weather.
// The figures are logged; a season of 75 days takes some minutes:
//
//	go test -run Season -v -timeout 30m ./forecast -season 75
func TestSeason(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and races nothing that others do not")
	}
	w := newWorld(t)
	if *seasonDays >= 20 {
		w.contents = cataloguetest.Scaled(60)
	}
	w.weather = simulatetest.New(simulate.Options{Seed: 11, Clock: w.clock})
	w.server.Config.Handler = w.weather
	w.restart(t)
	f := &season{alerts: map[string]alert.Alert{}, told: map[string]*alert.Delivered{}, levels: map[string]*flipSeries{}, trails: len(w.contents.Trails)}
	for hour := range *seasonDays * 24 {
		f.see(w.cycle(t), w.engine, w.contents)
		next := noon.Add(time.Duration(hour+1) * time.Hour)
		w.clock.Advance(next.Sub(w.clock.Now()))
		w.published.keepLast()
	}
	f.report(t)
}

// see takes a cycle's outcome into account.
func (f *season) see(e *store.Snapshot, engine *Engine, c *catalogue.Catalogue) {
	f.cycles++
	f.tell(engine.alerts, e.IssuedAt)
	for _, a := range e.Alerts {
		if _, known := f.alerts[a.ID]; !known && f.follows(&a) {
			f.reopened++
		}
		f.alerts[a.ID] = a
	}
	if maps.EqualFunc(f.initial, engine.counted, time.Time.Equal) {
		return
	}
	f.runs++
	f.initial = maps.Clone(engine.counted)
	for p := range c.Parks {
		for k := 1; k < Hours; k++ {
			if at := e.Hour.Add(time.Duration(k) * time.Hour); at.Hour()%6 == 0 {
				f.note(e, c, p, k, at)
			}
		}
	}
}

// tell tells a person who follows all of it what is due.
func (f *season) tell(alerts []alert.Alert, now time.Time) {
	parks := map[string][]*alert.Alert{}
	for i := range alerts {
		if a := &alerts[i]; a.Level > alert.NoLevel {
			parks[a.Park] = append(parks[a.Park], a)
		}
	}
	for park, alerts := range parks {
		if f.told[park] == nil {
			f.told[park] = &alert.Delivered{}
		}
		sent := false
		for _, n := range f.told[park].News(alerts, &alert.Filter{}, now) {
			if !n.Due.After(now) {
				f.told[park].Add(&n.Part, n.What, n.Filter, now)
				sent = true
			}
		}
		if sent {
			f.messages++
		}
	}
}

// follows reports whether an alert opens where another was withdrawn within a day.
func (f *season) follows(a *alert.Alert) bool {
	for _, old := range f.alerts {
		last := old.Changes[len(old.Changes)-1]
		if old.Park == a.Park && last.What == alert.Withdrawn && a.IssuedAt.Sub(last.At) < 24*time.Hour &&
			old.Start.Before(a.End) && a.Start.Before(old.End) {
			return true
		}
	}
	return false
}

func (f *season) note(e *store.Snapshot, c *catalogue.Catalogue, p, k int, at time.Time) {
	for h := range hazard.Hazard(hazard.NumHazards) {
		given, estimated := alert.NoLevel, alert.NoLevel
		for i := range e.Alerts {
			if a := &e.Alerts[i]; a.Park == c.Parks[p].Slug && a.Active(e.IssuedAt) {
				for _, part := range a.Parts() {
					if part.Hazard == h && part.Start.Before(at) && at.Before(part.End) {
						given = max(given, part.Level)
					}
				}
			}
		}
		for t := c.Parks[p].FirstTrail; t < c.Parks[p].FirstTrail+c.Parks[p].NumTrails; t++ {
			for _, line := range e.Trails[t].Hours[k].Hazards {
				switch {
				case line.Hazard != h:
				case line.State == hazard.Red:
					estimated = alert.Danger
				case line.State == hazard.Amber && line.Confidence >= hazard.Medium && k <= 48:
					estimated = max(estimated, alert.Caution)
				}
			}
		}
		key := c.Parks[p].Slug + h.String() + at.Format(time.RFC3339)
		s := f.levels[key]
		if s == nil {
			s = &flipSeries{}
			f.levels[key] = s
		}
		s.alerts, s.estimates = append(s.alerts, float64(given)), append(s.estimates, float64(estimated))
	}
}

// report logs the figures and holds them against what was promised.
func (f *season) report(t *testing.T) {
	t.Helper()
	reversals, changes := 0, 0
	for _, a := range f.alerts {
		changes += len(a.Changes) - 1
		reversals += reversed(&a)
	}
	n := float64(max(len(f.alerts), 1))
	t.Logf("%d days, %d cycles of which %d counted as runs, %d trails", *seasonDays, f.cycles, f.runs, f.trails)
	t.Logf("%d alerts opened; %.2f changes and %.2f messages an alert", len(f.alerts), float64(changes)/n, float64(f.messages)/n)
	t.Logf("level reversals within an alert: %.2f in 10 alerts; opened again within a day of a withdrawal: %.2f in 10", 10*float64(reversals)/n, 10*float64(f.reopened)/n)
	var hours int
	var means, worst [2]float64
	for _, s := range f.levels {
		for i, series := range [][]float64{s.alerts, s.estimates} {
			index, ok := flipFlop(series)
			if high := maxOf(s.estimates); !ok || high == 0 {
				continue
			}
			if means[i], worst[i] = means[i]+index, max(worst[i], index); i == 0 {
				hours++
			}
		}
	}
	d := float64(max(hours, 1))
	t.Logf("flip-flop index over %d valid hours with a signal: alerts mean %.4f worst %.3f; estimates alone mean %.4f worst %.3f",
		hours, means[0]/d, worst[0], means[1]/d, worst[1])
	if len(f.alerts) == 0 || 10*float64(reversals)/n > 1 {
		t.Errorf("%d reversals in %d alerts", reversals, len(f.alerts))
	}
	if means[0] > means[1] {
		t.Error("the alerts move to and fro more than the estimates behind them")
	}
}

// reversed counts how often an alert's level turned round.
func reversed(a *alert.Alert) (n int) {
	direction := alert.Opened
	for _, c := range a.Changes {
		if c.What != alert.Raised && c.What != alert.Lowered {
			continue
		}
		if direction != alert.Opened && direction != c.What {
			n++
		}
		direction = c.What
	}
	return n
}

func maxOf(series []float64) float64 {
	high := 0.0
	for _, x := range series {
		high = max(high, x)
	}
	return high
}
