package simulate

import (
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// year counts what the rules say of the simulated weather of a year, in the day
// hours of a sample of trails and days.
type year struct {
	hours, trailDays int
	states           [hazard.Red + 1]int // hours, UV aside
	dayStates        [hazard.Red + 1]int // trail-days, everything counted
	hazards          [hazard.NumHazards][hazard.Red + 1]int
}

// columnsOf makes a model's run for places, from an hour on.
func columnsOf(seed uint64, m *model, run, start time.Time, hours int, places []catalogue.Location) *hazard.Columns {
	predict := forecast(seed, &query{model: m, start: start, hours: hours}, run)
	c := hazard.NewColumns(start, len(places), hours)
	for i, place := range places {
		for k, values := range predict(newSpot(place)) {
			for v, x := range values {
				if m.has(hazard.Variable(v)) {
					c.Set(hazard.Variable(v), i, k, x)
				}
			}
		}
	}
	return c
}

// sample assesses one day, with the three days before it that sums reach back to.
func (y *year) sample(cat *catalogue.Catalogue, rules *hazard.Rules, zone hazard.Zone, day time.Time, everyTrail int) {
	const past, ahead = 72, 25
	start := day.Add(-past * time.Hour)
	var places []catalogue.Location
	var sites []hazard.Site
	for i := 0; i < len(cat.Trails); i += everyTrail {
		trail := cat.Trails[i]
		if trail.Zone != zone {
			continue
		}
		site := hazard.Site{Zone: zone, Remote: trail.Remote, Fuel: trail.Fuel, Basin: trail.Basin, TimeZone: cat.Parks[trail.Park].TimeZone}
		for _, p := range trail.Points {
			site.Points = append(site.Points, hazard.Point{Exposure: p.Exposure, Critical: p.Critical, HeightM: p.Location.Elevation, At: len(places)})
			places = append(places, p.Location)
		}
		sites = append(sites, site)
	}
	var runs []hazard.Run
	for _, m := range models {
		run := m.newestRun(day)
		runs = append(runs, hazard.Run{Model: m.id, Init: run, Columns: columnsOf(7, m, run, start, past+ahead, places)})
	}
	assessor := rules.NewAssessor(runs, len(runs), day, 24)
	for _, site := range sites {
		y.count(assessor.Assess(site), site.TimeZone)
	}
}

func (y *year) count(estimates []hazard.Estimate, zone *time.Location) {
	worst := hazard.Unknown
	for _, e := range estimates {
		if h := e.Hour.In(zone).Hour(); h < 6 || h > 21 {
			continue
		}
		y.hours++
		worst = max(worst, e.State)
		state := hazard.Green
		for _, one := range e.Hazards {
			y.hazards[one.Hazard][one.State]++
			state = max(state, one.State)
		}
		y.states[state]++
	}
	y.trailDays++
	y.dayStates[worst]++
}

// TestYear holds the weather of a year to bounds that a walker would believe:
// most hours without a model alert, few red ones, and every hazard somewhere.
func TestYear(t *testing.T) {
	if underRace {
		t.Skip("much arithmetic in one goroutine: nothing to race")
	}
	cat, rules := catalogue.Default(), hazard.DefaultRules()
	const everyDays, everyTrail = 13, 2
	var all year
	for zone := hazard.Arid; zone <= hazard.Austral; zone++ {
		var y year
		for d := 0; d < 365; d += everyDays {
			y.sample(cat, rules, zone, time.Date(2026, 1, 3, 3, 0, 0, 0, time.UTC).AddDate(0, 0, d), everyTrail)
		}
		share := func(s hazard.State) float64 { return float64(y.states[s]) / float64(y.hours) }
		day := func(s hazard.State) float64 { return float64(y.dayStates[s]) / float64(y.trailDays) }
		t.Logf("%s: %d h; hours amber %.3f red %.3f; trail-days green %.3f amber %.3f red %.3f",
			zone, y.hours, share(hazard.Amber), share(hazard.Red), day(hazard.Green), day(hazard.Amber), day(hazard.Red))
		for h := range y.hazards {
			t.Logf("    %-14s amber %.4f red %.4f", hazard.Hazard(h), float64(y.hazards[h][hazard.Amber])/float64(y.hours), float64(y.hazards[h][hazard.Red])/float64(y.hours))
			for s := range y.hazards[h] {
				all.hazards[h][s] += y.hazards[h][s]
			}
		}
		if share(hazard.Amber) > 0.3 || share(hazard.Red) > 0.08 {
			t.Errorf("%s: amber %.3f (at most 0.3) or red %.3f (at most 0.08) of the day hours is too much", zone, share(hazard.Amber), share(hazard.Red))
		}
		if share(hazard.Amber) < 0.01 {
			t.Errorf("%s: amber %.4f of the day hours: nothing ever happens", zone, share(hazard.Amber))
		}
		if y.states[hazard.Unknown] != 0 {
			t.Errorf("%s: %d hours without a state", zone, y.states[hazard.Unknown])
		}
	}
	for h := range all.hazards {
		if all.hazards[h][hazard.Amber]+all.hazards[h][hazard.Red] == 0 {
			t.Errorf("%s never happens in a year", hazard.Hazard(h))
		}
	}
}
