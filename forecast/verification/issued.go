package verification

import (
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
)

// NoteModels notes what each model by itself says of a trail at the leads that are
// verified: its level of each hazard, which the assessor has just judged from hour on, and
// its weather at the critical point.
func NoteModels(to *store.IssuedModels, trail int, hour time.Time, site hazard.Site, runs []hazard.Run, assessor *hazard.Assessor) {
	point := criticalPoint(&site)
	for l, lead := range store.LoggedLeads[1:] {
		for h := range hazard.Hazard(hazard.NumHazards) {
			to.Ballots[l][h][trail] = assessor.Ballots(h, lead)
		}
		for m, run := range runs {
			at := int(hour.Add(time.Duration(lead)*time.Hour).Sub(run.Columns.Start) / time.Hour)
			for v, variable := range store.Measured {
				to.SetValue(l, v, m, trail, run.Columns.At(variable, point.At, at))
			}
		}
	}
}

// Issued returns what the estimates of n trails say at each of the leads that are logged,
// nil without estimates. rules is the version of the rules that made them.
func Issued(trails []store.TrailForecast, models *store.IssuedModels, n int, rules string, now time.Time) *store.IssuedHour {
	if len(trails) == 0 {
		return nil
	}
	h := &store.IssuedHour{Hour: now.UTC().Truncate(time.Hour), IssuedAt: now.UTC(), Rules: rules, Models: models}
	for i, lead := range store.LoggedLeads {
		h.Leads[i] = make([]store.IssuedRow, n)
		for t := range h.Leads[i] {
			row := &h.Leads[i][t]
			row.Main = hazard.NoHazard
			if t < len(trails) && lead < len(trails[t].Hours) {
				fillIssued(row, &trails[t].Hours[lead])
			}
		}
	}
	return h
}

func fillIssued(row *store.IssuedRow, e *hazard.Estimate) {
	row.State, row.Quality, row.Confidence, row.Main = e.State, e.Quality, e.Confidence, e.Main
	for i := range e.Hazards {
		line := &e.Hazards[i]
		z := &row.Hazards[line.Hazard]
		*z = store.IssuedHazard{Applies: true, State: line.State, Total: line.Total, Amber: line.Amber, Red: line.Red}
		if causes := line.Causes(); len(causes) > 0 {
			c := &causes[0]
			z.HasCause, z.Quantity, z.Value, z.Min, z.Max, z.Threshold = true, c.Quantity, c.Value, c.Min, c.Max, c.Threshold
		}
	}
}
