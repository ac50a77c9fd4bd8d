package verification

import (
	"math"
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
)

// archiveLead is the least lead, in hours, that is compared with the archive: a
// later analysis shares too much with a short-range forecast to say how good it
// is (Bowler 2015).
const archiveLead = 24

// whole is the index of the trail as a whole among the subjects.
const whole = 0

// dayTruth is what came on a day, as far as one kind of truth knows.
type dayTruth struct {
	day    time.Time // midnight UTC of the local date
	known  int       // trail hours whose state as a whole is known
	trails []trailTruth
}

// trailTruth is a state for each subject and hour of the day, Unknown where the truth has
// none, and the values that came at the critical point, nil without any.
type trailTruth struct {
	states [store.NumSubjects][hazard.DayHours]hazard.State
	values *dayValues
}

// dayValues are values by variable and hour of the day, in steps of store.MeasuredSteps;
// NaN where there is none.
type dayValues [store.NumMeasured][hazard.DayHours]float64

func (v *verifier) newTruth(d time.Time) *dayTruth {
	return &dayTruth{day: d, trails: make([]trailTruth, len(v.sites))}
}

// count counts the known hours once all states are set.
func (t *dayTruth) count() *dayTruth {
	t.known = 0
	for i := range t.trails {
		for _, state := range t.trails[i].states[whole] {
			if state != hazard.Unknown {
				t.known++
			}
		}
	}
	return t
}

// assessTruth judges observed weather by the rules that judge the forecasts.
func (v *verifier) assessTruth(d time.Time, columns *hazard.Columns) *dayTruth {
	truth := v.newTruth(d)
	for _, trails := range v.byZone {
		var sites []judged
		for _, i := range trails {
			sites = append(sites, judged{i, v.sites[i]})
		}
		v.judge(truth, sites, columns, columns)
	}
	return truth.count()
}

// judged is a trail with its site as the columns of a truth have it.
type judged struct {
	trail int
	site  hazard.Site
}

// truthHours is how many hours of a truth are judged at once. The rules allow no red of a
// storm far ahead, and what came is not ahead at all.
const truthHours = 8

// judge judges sites of one time zone by the rules. The source of truth votes twice, since
// what came is no opinion that a second one must share: one severe value is red. values has
// what errors are measured by, also where it proves no level.
func (v *verifier) judge(truth *dayTruth, sites []judged, columns, values *hazard.Columns) {
	start := sites[0].site.DayStart(truth.day)
	runs := []hazard.Run{{Model: "truth", Columns: columns}, {Model: "truth again", Columns: columns}}
	for first := 0; first < hazard.DayHours; first += truthHours {
		assessor := v.rules.NewAssessor(runs, len(runs), start.Add(time.Duration(first)*time.Hour), truthHours)
		for i := range sites {
			truth.trails[sites[i].trail].set(truth.day, &sites[i].site, assessor.Assess(sites[i].site))
		}
	}
	for i := range sites {
		truth.trails[sites[i].trail].values = valuesOf(truth.day, &sites[i].site, values)
	}
}

func (t *trailTruth) set(d time.Time, site *hazard.Site, estimates []hazard.Estimate) {
	for j := range estimates {
		e := &estimates[j]
		date, k, walked := site.DayOf(e.Hour)
		if !walked || !date.Equal(d) {
			continue
		}
		t.states[whole][k] = e.State
		for i := range e.Hazards {
			t.states[1+e.Hazards[i].Hazard][k] = e.Hazards[i].State
		}
	}
}

// valuesOf reads the values of a day at the critical point, nil when there is none.
func valuesOf(d time.Time, site *hazard.Site, columns *hazard.Columns) *dayValues {
	values, point, any := new(dayValues), criticalPoint(site), false
	start := site.DayStart(d)
	for v, variable := range store.Measured {
		for k := range hazard.DayHours {
			at := int(start.Add(time.Duration(k)*time.Hour).Sub(columns.Start) / time.Hour)
			x := columns.At(variable, point.At, at)
			values[v][k] = math.Round(x * store.MeasuredSteps[v])
			any = any || x == x
		}
	}
	if !any {
		return nil
	}
	return values
}

// flips are the flip-flop indices of a day's trail hours.
type flips struct {
	sum float64
	n   int
}

// ownTruth takes the estimates that were issued for their own hour, and how much
// those before went back and forth.
func (v *verifier) ownTruth(d time.Time) (*dayTruth, flips, error) {
	truth := v.newTruth(d)
	var f flips
	levels := make([][hazard.DayHours][store.NumLogged]float64, len(v.sites)) // oldest forecast first
	for i := range levels {
		for k := range levels[i] {
			for l := range levels[i][k] {
				levels[i][k][l] = math.NaN()
			}
		}
	}
	err := v.eachIssued(d, func(lead int, hour *store.IssuedHour, indexOf []int) {
		for i := range hour.Leads[lead] {
			row, k := &hour.Leads[lead][i], indexOf[i]
			if k < 0 {
				continue
			}
			if row.State != hazard.Unknown {
				levels[i][k][store.NumLogged-1-lead] = float64(row.State)
			}
			if lead == 0 {
				ownState(&truth.trails[i], k, row)
			}
		}
	})
	for i := range levels {
		for k := range levels[i] {
			if index, ok := FlipFlop(levels[i][k][:]); ok {
				f.sum += index
				f.n++
			}
		}
	}
	return truth.count(), f, err
}

func ownState(truth *trailTruth, k int, row *store.IssuedRow) {
	truth.states[whole][k] = row.State
	for h := range row.Hazards {
		truth.states[1+h][k] = row.Hazards[h].State
	}
}

// eachIssued goes through all that was logged for the hours of a day: lead is an index of
// store.LoggedLeads, indexOf has for each trail which hour of the day it is by its clock, -1
// where it is none.
func (v *verifier) eachIssued(d time.Time, do func(lead int, hour *store.IssuedHour, indexOf []int)) error {
	first, last := v.span(d)
	farthest := time.Duration(store.LoggedLeads[store.NumLogged-1]) * time.Hour
	indexOf := make([]int, len(v.sites))
	return v.store.Issued(v.catalogue, first.Add(-farthest), last, func(hour *store.IssuedHour) error {
		for lead, hours := range store.LoggedLeads {
			if v.indexHours(d, hour.Hour.Add(time.Duration(hours)*time.Hour), indexOf) {
				do(lead, hour, indexOf)
			}
		}
		return nil
	})
}

// indexHours finds which hour of a day an instant is on each trail, and reports whether it
// is one on any.
func (v *verifier) indexHours(d, at time.Time, indexOf []int) (any bool) {
	for _, trails := range v.byZone {
		date, k, walked := v.sites[trails[0]].DayOf(at)
		if !walked || !date.Equal(d) {
			k = -1
		}
		any = any || k >= 0
		for _, i := range trails {
			indexOf[i] = k
		}
	}
	return any
}

// span returns the first and the last hour of a day on any trail.
func (v *verifier) span(d time.Time) (first, last time.Time) {
	for i, trails := range v.byZone {
		start := v.sites[trails[0]].DayStart(d)
		end := start.Add((hazard.DayHours - 1) * time.Hour)
		if i == 0 || start.Before(first) {
			first = start
		}
		if i == 0 || end.After(last) {
			last = end
		}
	}
	return first, last
}

// lastDay returns the last day whose hours have all begun before an instant.
func (v *verifier) lastDay(at time.Time) time.Time {
	for d := at.UTC().Truncate(day).Add(day); ; d = d.Add(-day) {
		if _, last := v.span(d); last.Before(at) {
			return d
		}
	}
}
