package site

import (
	"slices"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
)

// trailPage is one trail: how it is now, hour by hour, hazard by hazard, from
// point to point, and how it was.
type trailPage struct {
	Park    parkLink
	Name    string
	Ways    ways
	Facts   []string
	Now     answer
	Ahead   string // the worst to come, when it is worse than now
	Age     validity
	Axis    axis
	Ribbon  ribbon
	Alerts  parkAlerts // those that name the trail
	Table   *hourTable // nil without estimates
	Hazards hazardReport
	Models  []modelRun // those with a say in the present hour
	Profile profile
	Light   clearReport
	Past    record
}

// modelRun is a model with a say in an hour: its run, and how far ahead of the run
// the hour lies.
type modelRun struct {
	Name string
	Run  instant
	Lead string
}

// putTrails adds the page of each trail.
func (p *printing) putTrails() {
	for i, trail := range p.Catalogue.Trails {
		park := p.Catalogue.Parks[trail.Park]
		path := "/parques/" + park.Slug + "/senderos/" + trail.Slug
		p.put(path, "sendero", func() frame {
			local := p.country.in(park.TimeZone)
			local.page = nil
			page := local.trailPage(p.moment, i)
			page.Ways = p.waysTo(park.Slug + "/" + trail.Slug)
			f := p.frame(p.language, p.moment, path, "sendero", page).dated(local, p.moment, true)
			f.Title = p.say("titulo.sendero", "sendero", trail.Name, "parque", park.Name)
			f.Description = p.say("descripcion.sendero", "sendero", trail.Name, "parque", park.Name)
			return f
		})
	}
}

func (a almanac) trailPage(m moment, i int) trailPage {
	trail := m.Catalogue.Trails[i]
	park := m.Catalogue.Parks[trail.Park]
	now, hours := m.estimateAt(i, 0), m.hoursOf(i)
	at := func(ahead int) outlook { return outlookOf(m.estimateAt(i, ahead)) }
	page := trailPage{
		Park: a.texts.linkTo(park), Name: trail.Name, Facts: a.texts.trailFacts(trail),
		Now: a.trailAnswer(m, len(hours), at), Ahead: a.worstToCome(m, hours, now.State), Age: a.validity(m),
		Axis: a.axis(m, park), Ribbon: a.ribbon(m.columns(at)), Alerts: a.parkAlerts(m.naming(trail.Slug), trail.Park),
		Table: a.hourTable(park, hours), Hazards: a.hazardReport(m, hours, trail.Points),
		Profile: a.texts.profile(trail.Points), Light: a.clearReport(m, i), Past: a.record(m, i),
	}
	page.Now.Meaning = a.trailMeaning(m, i, page.Now.Meaning)
	page.Models = a.modelRuns(now.Models)
	return page
}

// trailMeaning says why a trail has no state, where there is more to say than of a
// whole park; else it gives what was said.
func (a almanac) trailMeaning(m moment, i int, said string) string {
	now := m.estimateAt(i, 0)
	switch {
	case now.State != hazard.Unknown || m.reason != hazard.NoReason:
		return said
	case i >= len(m.Trails) || len(m.Trails[i].Hours) == 0:
		return a.texts.say("sendero.nuevo")
	case now.Reason == hazard.PartialData:
		return a.texts.say("sendero.parcial")
	default:
		return said
	}
}

func (a almanac) modelRuns(votes []hazard.Vote) []modelRun {
	runs := make([]modelRun, len(votes))
	for i, v := range votes {
		runs[i] = modelRun{Name: a.texts.named("modelo.", v.Model), Run: a.instant(v.Run), Lead: a.texts.say("dato.falta")}
		if !v.Run.IsZero() {
			runs[i].Lead = a.texts.measure(float32(v.Lead), 0, "h")
		}
	}
	return runs
}

// trailAnswer says how a trail is, until when and what follows.
func (a almanac) trailAnswer(m moment, hours int, at func(ahead int) outlook) answer {
	now := at(0)
	for h := 1; h < hours; h++ {
		if next := at(h); next.State != now.State {
			return a.answerUntil(now, m.at(h), next, true)
		}
	}
	return a.answerUntil(now, m.at(hours), outlook{}, false)
}

// worstToCome says when the worst state to come begins, if it is worse than now and
// not the one that follows.
func (a almanac) worstToCome(m moment, hours []hazard.Estimate, now hazard.State) string {
	at, worst, changed := 0, max(now, hazard.Green), 0
	for h := range hours {
		if changed == 0 && hours[h].State != now {
			changed = h
		}
		if hours[h].State > worst {
			at, worst = h, hours[h].State
		}
	}
	if at == 0 || at == changed && now != hazard.Unknown {
		return ""
	}
	return a.texts.say("sendero.adelante", "que", a.ahead(outlookOf(hours[at]), m, at))
}

// naming is the same moment with no other alerts than those that name a trail.
func (m moment) naming(trail string) moment {
	only := *m.Edition
	only.Alerts = slices.DeleteFunc(slices.Clone(only.Alerts), func(al alert.Alert) bool { return !slices.Contains(al.Trails, trail) })
	m.Edition = &only
	return m
}
