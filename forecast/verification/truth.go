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
	day    time.Time
	known  int // trail hours whose state as a whole is known
	trails []trailTruth
}

// trailTruth is a state for each subject and hour; Unknown where the truth has
// none.
type trailTruth [store.NumSubjects][24]hazard.State

func (v *verifier) newTruth(d time.Time) *dayTruth {
	return &dayTruth{day: d, trails: make([]trailTruth, len(v.sites))}
}

// count counts the known hours once all states are set.
func (t *dayTruth) count() *dayTruth {
	t.known = 0
	for i := range t.trails {
		for _, state := range t.trails[i][whole] {
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
	assessor := v.truthAssessor(d, columns)
	for i, site := range v.sites {
		setTruth(&truth.trails[i], assessor.Assess(site))
	}
	return truth.count()
}

// truthAssessor assesses one source of truth. It votes twice, since what came is
// no opinion that a second one must share: one severe value is red.
func (v *verifier) truthAssessor(d time.Time, columns *hazard.Columns) *hazard.Assessor {
	runs := []hazard.Run{{Model: "truth", Columns: columns}, {Model: "truth again", Columns: columns}}
	return v.rules.NewAssessor(runs, len(runs), d, 24)
}

func setTruth(truth *trailTruth, estimates []hazard.Estimate) {
	for k := range estimates {
		e := &estimates[k]
		truth[whole][k] = e.State
		for i := range e.Hazards {
			truth[1+e.Hazards[i].Hazard][k] = e.Hazards[i].State
		}
	}
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
	levels := make([][24][store.NumLogged]float64, len(v.sites)) // oldest forecast first
	for i := range levels {
		for k := range levels[i] {
			for l := range levels[i][k] {
				levels[i][k][l] = math.NaN()
			}
		}
	}
	err := v.eachIssued(d, func(lead, k int, _ *store.IssuedHour, rows []store.IssuedRow) {
		for i := range rows {
			if rows[i].State != hazard.Unknown {
				levels[i][k][store.NumLogged-1-lead] = float64(rows[i].State)
			}
			if lead == 0 {
				ownState(&truth.trails[i], k, &rows[i])
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
	truth[whole][k] = row.State
	for h := range row.Hazards {
		truth[1+h][k] = row.Hazards[h].State
	}
}

// eachIssued goes through all that was logged for the hours of a day: lead is an
// index of store.LoggedLeads, k the hour of the day.
func (v *verifier) eachIssued(d time.Time, do func(lead, k int, hour *store.IssuedHour, rows []store.IssuedRow)) error {
	farthest := time.Duration(store.LoggedLeads[store.NumLogged-1]) * time.Hour
	return v.store.Issued(v.catalogue, d.Add(-farthest), d.Add(day-time.Hour), func(hour *store.IssuedHour) error {
		for lead, hours := range store.LoggedLeads {
			k := int(hour.Hour.Sub(d)/time.Hour) + hours
			if k >= 0 && k < 24 {
				do(lead, k, hour, hour.Leads[lead])
			}
		}
		return nil
	})
}
