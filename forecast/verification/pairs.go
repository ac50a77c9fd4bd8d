package verification

import (
	"math"

	"vigia/forecast/hazard"
	"vigia/store"
)

// pairs compares what was issued for a day, at leads of at least so many hours,
// with what came. Estimates made by other rules than those in force are dropped
// and counted: versions are not mixed.
func (v *verifier) pairs(tier store.Tier, truth *dayTruth, lead int) (*store.DayPairs, error) {
	d := &store.DayPairs{Day: truth.day, Tier: tier, Rules: v.rules.Version(), Rows: make([]store.PairRow, len(v.sites))}
	for i := range d.Rows {
		for l := range d.Rows[i] {
			for s := range d.Rows[i][l] {
				d.Rows[i][l][s] = store.Pair{Amber: store.NoShare, Red: store.NoShare}
			}
		}
	}
	err := v.eachIssued(truth.day, func(l, k int, hour *store.IssuedHour, rows []store.IssuedRow) {
		if l == 0 || store.LoggedLeads[l] < lead {
			return
		}
		for i := range rows {
			compare(&d.Rows[i][l-1], &rows[i], &truth.trails[i], k, hour.Rules == d.Rules)
		}
	})
	return d, err
}

// compare adds an hour to a trail's pairs at one lead.
func compare(pairs *[store.NumSubjects]store.Pair, row *store.IssuedRow, truth *trailTruth, k int, sameRules bool) {
	if !truth.unknownAllDay(whole) {
		add(&pairs[whole], view(row, truth, k), truth[whole][k], sameRules)
	}
	for h := range row.Hazards {
		z := &row.Hazards[h]
		if z.Applies && !truth.unknownAllDay(1+h) {
			add(&pairs[1+h], statement{z.State, share(z.Amber, z.Total), share(z.Red, z.Total)}, truth[1+h][k], sameRules)
		}
	}
}

// unknownAllDay reports whether the truth knows nothing of a subject all day: that is no
// case for this truth at all, rather than one that lacks a side.
func (t *trailTruth) unknownAllDay(subject int) bool { return t[subject] == [24]hazard.State{} }

// statement is what was issued of one subject.
type statement struct {
	state      hazard.State
	amber, red uint8 // shares of the votes
}

// view is the trail as a whole as far as the truth can judge it: a hazard that the
// truth does not see (a reanalysis has no visibility) counts on neither side, or
// each of its levels would be called a false alarm. A truth that knows the whole
// alone, as a ranger's note may, is compared with the whole that was published.
func view(row *store.IssuedRow, truth *trailTruth, k int) statement {
	s := statement{state: row.State, amber: store.NoShare, red: store.NoShare}
	if s.state == hazard.Unknown {
		return s
	}
	worst, judged := hazard.Green, false
	for h := range row.Hazards {
		z := &row.Hazards[h]
		if !z.Applies || truth[1+h][k] == hazard.Unknown {
			continue
		}
		judged = true
		worst = max(worst, z.State)
		s.amber = worseShare(s.amber, share(z.Amber, z.Total))
		s.red = worseShare(s.red, share(z.Red, z.Total))
	}
	if judged {
		s.state = worst
	}
	return s
}

// share is a share of the votes in units of store.ShareUnits.
func share(votes, total uint8) uint8 {
	if total == 0 {
		return store.NoShare
	}
	return uint8(math.Round(float64(votes) * store.ShareUnits / float64(total)))
}

func worseShare(a, b uint8) uint8 {
	if a == store.NoShare || b != store.NoShare && b > a {
		return b
	}
	return a
}

func add(p *store.Pair, issued statement, observed hazard.State, sameRules bool) {
	if !sameRules || issued.state == hazard.Unknown || observed == hazard.Unknown {
		p.Dropped++
		return
	}
	p.Hours++
	p.Forecast = max(p.Forecast, issued.state)
	p.Observed = max(p.Observed, observed)
	p.Amber = worseShare(p.Amber, issued.amber)
	p.Red = worseShare(p.Red, issued.red)
}
