package site

import (
	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/web/wording"
)

// trailPage is one trail: how it is now, hour by hour, hazard by hazard, from
// point to point, and how it was.
type trailPage struct {
	Park     parkLink
	Name     string
	Ways     ways
	Facts    []string
	Official officialView
	Steward  string // the administration of the park
	outlook
	Alerts  alertList  // those that name the trail
	Table   *hourTable // nil without estimates
	Hazards hazardReport
	Models  []modelRun // those with a say in the present hour
	Profile profile
	Leave   departurePlan
	Map     placeMap
	Past    past
}

// modelRun is a model that counts in an hour: its run, and how far ahead of the run
// the hour lies.
type modelRun struct {
	Name string
	Run  Instant
	Lead string
}

// putTrails adds the page of each trail.
func (p *pageBuilder) putTrails() {
	for i, trail := range p.Catalogue.Trails {
		park := p.Catalogue.Parks[trail.Park]
		path := "/parques/" + park.Slug + "/senderos/" + trail.Slug
		p.put(path, "sendero", func() Frame {
			local := p.ofPark(park)
			page := local.trailPage(i)
			page.Ways = p.waysTo(park.Slug + "/" + trail.Slug)
			return local.current(path, "sendero", page, "sendero", trail.Name, "parque", park.Name)
		})
	}
}

func (v View) trailPage(i int) trailPage {
	trail := v.Catalogue.Trails[i]
	park := v.Catalogue.Parks[trail.Park]
	now, hours := v.TrailAt(i, 0), v.HoursOf(i)
	at := func(ahead int) snapshot.ParkState { return v.trailState(i, ahead) }
	page := trailPage{
		Park: v.linkTo(park), Name: trail.Name, Facts: v.trailFacts(trail),
		Official: v.official(trail.Park, trail.Slug), Steward: park.Administrator,
		outlook: v.outlook(park, []int{i}, len(hours), at, v.weatherNow(i, trail.CriticalPoint().Name), v.TrailSun(v.View, i)), Alerts: v.parkAlerts(trail.Park, trail.Slug),
		Table: v.hourTable(park, hours), Hazards: v.hazardReport(hours, trail.Points),
		Profile: v.profile(trail.Points), Leave: v.departurePlan(i), Past: v.record(i),
	}
	page.Now.Meaning = v.trailMeaning(i, page.Now.Meaning)
	page.Map = v.trailMap(i)
	page.Aloft, page.Days = v.aloft(hours), v.trailDays(i, len(hours), at)
	page.Alerts.Unconfirmed = v.unconfirmed(page.Alerts, len(hours), at)
	page.Models = v.modelRuns(now.Models)
	return page
}

// trailMeaning returns why a trail has no state, where there is more to say than of a
// whole park; else the meaning as it is.
func (v View) trailMeaning(i int, said string) string {
	now := v.TrailAt(i, 0)
	switch {
	case now.State != hazard.Unknown || v.WhyNone() != hazard.NoReason:
		return said
	case i >= len(v.Trails) || len(v.Trails[i].Hours) == 0:
		return v.Text("sendero.nuevo")
	case now.Reason == hazard.PartialData:
		return v.Text("sendero.parcial")
	default:
		return said
	}
}

func (v View) modelRuns(votes []hazard.Vote) []modelRun {
	runs := make([]modelRun, len(votes))
	for i, vote := range votes {
		runs[i] = modelRun{Name: v.Named("modelo.", vote.Model), Run: v.Instant(vote.Run), Lead: v.Text("dato.falta")}
		if !vote.Run.IsZero() {
			runs[i].Lead = v.Measure(float32(vote.Lead), 0, "h")
		}
	}
	return runs
}

// aloft says how strong the wind is in the free air, and how strong it gets in the next 24
// hours: "Viento en altura: 75 km/h, hasta 95 km/h a las 15:00 de mañana".
func (v View) aloft(hours []hazard.Estimate) string {
	hours = hours[:min(len(hours), 24)]
	if len(hours) == 0 || wording.Missing(hours[0].Medians.WindAloft) {
		return ""
	}
	most := &hours[0]
	for i := range hours {
		if hours[i].Medians.WindAloft > most.Medians.WindAloft {
			most = &hours[i]
		}
	}
	now, peak := v.Measure(hours[0].Medians.WindAloft, 0, "km/h"), v.Measure(most.Medians.WindAloft, 0, "km/h")
	if now == peak {
		return v.Text("altura.ahora", "valor", now)
	}
	return v.Text("altura.hasta", "valor", now, "mas", peak, "cuando", v.Moment(most.Hour))
}
