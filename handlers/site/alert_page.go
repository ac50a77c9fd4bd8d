package site

import (
	"maps"
	"slices"

	"vigia/forecast/alert"
)

// alertPage is one alert.
type alertPage struct {
	alertView
	Gone      string // why it is over, "" while it is not
	Lasts     string // how long its window is
	Bar       windowBar
	Trails    []trailLink
	Reasons   []reason
	Considers string // what to consider, by its hazard
	History   []turn
	Models    []string // whose runs counted last
	ParkZone  string
}

// reason is a cause with what its numbers look like.
type reason struct {
	cause
	Scale *causeScale // nil when there is nothing to compare
}

// turn is a change of an alert with the level that it has since.
type turn struct {
	changeView
	Level level
}

// putAlerts adds the list of alerts and the page of each, for as long as the
// edition has it.
func (p *printing) putAlerts() {
	p.put(alertsPath, "alertas", func() frame {
		return p.frame(p.language, p.moment, alertsPath, "alertas", p.country.alertsPage(p.moment)).dated(p.country, p.moment, true)
	})
	for i := range p.Alerts {
		al := &p.Alerts[i]
		if al.Level == alert.NoLevel || !alertID.MatchString(al.ID) {
			continue
		}
		path := alertsPath + "/" + al.ID
		p.put(path, "alerta_sola", func() frame { return p.alertFrame(path, al) })
	}
}

// alertFrame is what is around an alert. No search engine shall keep it, for it
// ends; and its title, which others show as a card, has no level, which may change.
func (p *printing) alertFrame(path string, al *alert.Alert) frame {
	local := p.country.at(al, p.moment)
	local.page = nil
	view := local.alertPage(p.moment, al)
	f := p.frame(p.language, p.moment, path, "alerta_sola", view).dated(local, p.moment, view.Gone == "")
	places := []any{"amenaza", p.say("amenaza." + al.Hazard.String()), "parque", view.Park.Name}
	f.Title, f.Description = p.say("titulo.alerta_sola", places...), p.say("descripcion.alerta_sola", places...)
	f.NoIndex = true
	return f
}

func (a almanac) alertPage(m moment, al *alert.Alert) alertPage {
	page := alertPage{
		alertView: a.alert(al, m), Lasts: a.texts.count("alerta.horas", int(al.End.Sub(al.Start).Hours()+.5)),
		Bar: a.windowBar(m, al), Trails: a.texts.alertTrails(m, al), ParkZone: a.zoneName(),
		Considers: a.texts.say("alerta.considere." + al.Hazard.String()),
	}
	if al.PhaseAt(m.now) == alert.Finished {
		page.Gone = a.gone(al)
	}
	for i, c := range al.Causes {
		page.Reasons = append(page.Reasons, reason{page.Causes[i], scaleOf(c.Cause)})
	}
	for i, c := range al.Changes {
		t := turn{page.Changes[i], alertLevel(a.texts, c.Level)}
		if ends(c.What) {
			t.Level = level{Word: a.texts.say("situacion.finalizada")}
		}
		page.History = append(page.History, t)
	}
	slices.Reverse(page.History)
	for _, model := range slices.Sorted(maps.Keys(al.Runs)) {
		page.Models = append(page.Models, a.texts.say("alerta.corrida",
			"modelo", a.texts.named("modelo.", model), "hora", a.instant(al.Runs[model]).Text))
	}
	return page
}

// gone says why an alert is over: withdrawn before its time, or past it.
func (a almanac) gone(al *alert.Alert) string {
	if n := len(al.Changes); al.Cancelled && n > 0 {
		return a.change(al.Changes[n-1])
	}
	return a.texts.say("alerta.termino")
}

// ends tells whether a change is the last one of an alert.
func ends(what alert.ChangeKind) bool {
	switch what {
	case alert.Ended, alert.Withdrawn, alert.Joined, alert.Disappeared:
		return true
	default:
		return false
	}
}

// alertTrails names the trails of an alert, with links to those that there are.
func (t texts) alertTrails(m moment, al *alert.Alert) []trailLink {
	links := make([]trailLink, len(al.Trails))
	park, ok := m.Catalogue.ParkBySlug(al.Park)
	for i, slug := range al.Trails {
		links[i].Name = slug
		if !ok {
			continue
		}
		for _, trail := range m.Catalogue.TrailsOf(park) {
			if trail.Slug == slug {
				links[i] = trailLink{t.trailPath(al.Park, slug), trail.Name}
			}
		}
	}
	return links
}
