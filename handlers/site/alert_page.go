package site

import (
	"maps"
	"net/url"
	"slices"

	"vigia/forecast/alert"
	"vigia/store/catalogue"
	"vigia/web/wording"
)

// alertPage is one alert.
type alertPage struct {
	AlertView
	Gone    string // why it is over, "" while it is not
	Lasts   string // how long its window is
	Bar     windowBar
	Parts   []alertPart // as Hazards
	Why     bool        // a part has reasons
	History []change
	Models  []string // whose runs counted last
	Phones  emergency
}

// alertPart is a hazard of an alert with its drawings.
type alertPart struct {
	AlertHazard
	Bar     windowBar
	Reasons []reason
}

// reason is a cause with what its numbers look like.
type reason struct {
	wording.Cause
	Scale *causeScale // nil when there is nothing to compare
}

// change is a line of an alert's history, with the level that it has since.
type change struct {
	At    Instant
	Text  string
	Level Level
}

// putAlerts adds the list of alerts, that of each park, and the page of each alert for as
// long as it is kept.
func (p *pageBuilder) putAlerts() {
	p.put(alertsPath, "alertas", func() Frame {
		return p.current(alertsPath, "alertas", p.alertsPage(""))
	})
	for i := range p.Catalogue.Parks {
		slug := p.Catalogue.Parks[i].Slug
		p.put(alertsPath+parkQuery+slug, "alertas", func() Frame {
			f := p.current(alertsPath, "alertas", p.alertsPage(slug))
			f.NoIndex = true
			return f
		})
	}
	pages, path := p.pages, p.Path(alertsPath)
	pages.asked[path] = func(query url.Values) (*Page, bool) {
		park := query.Get("parque")
		return pages.pages[path+parkQuery+park], park != ""
	}
	for _, list := range [][]alert.Alert{p.Alerts, p.Ended} {
		for i := range list {
			al := &list[i]
			if al.Level == alert.NoLevel || !alertID.MatchString(al.ID) {
				continue
			}
			path := alertsPath + "/" + al.ID
			p.put(path, "alerta_sola", func() Frame { return p.alertFrame(path, al) })
		}
	}
}

// alertFrame is what is around an alert. No search engine shall keep it, for it
// ends; and its title, which others show as a card, has no level, which may change.
func (p *pageBuilder) alertFrame(path string, al *alert.Alert) Frame {
	local := p.ofAlert(al)
	local.page = nil
	view := local.alertPage(al)
	frame := local.current
	if view.Gone != "" {
		frame = local.Frame
	}
	f := frame(path, "alerta_sola", view, "amenaza", p.AlertHazards(al), "parque", view.Park.Name)
	f.NoIndex = true
	return f
}

func (v View) alertPage(al *alert.Alert) alertPage {
	page := alertPage{
		AlertView: v.Alert(al), Lasts: v.Count("alerta.horas", int(al.End.Sub(al.Start).Hours()+.5)),
		Bar: v.windowBar(al, al.Start, al.End, al.Level), Phones: v.phones(),
	}
	if al.PhaseAt(v.Now) == alert.Finished {
		page.Gone = v.gone(al)
	}
	for _, h := range page.Hazards {
		part := alertPart{AlertHazard: h, Bar: v.windowBar(al, h.Start, h.End, h.Part.Level)}
		for i, c := range h.Part.Causes {
			part.Reasons = append(part.Reasons, reason{h.Causes[i], scaleOf(c.Cause)})
		}
		page.Parts, page.Why = append(page.Parts, part), page.Why || len(part.Reasons) > 0
	}
	for i := range al.Changes {
		c := &al.Changes[i]
		t := change{v.Instant(c.At), v.Change(c), v.alertLevel(c.Level)}
		if ends(c.What) {
			t.Level = Level{Word: v.Text("situacion.finalizada")}
		}
		page.History = append(page.History, t)
	}
	slices.Reverse(page.History)
	for _, model := range slices.Sorted(maps.Keys(al.Runs)) {
		page.Models = append(page.Models, v.Text("alerta.corrida",
			"modelo", v.Named("modelo.", model), "hora", v.Instant(al.Runs[model]).Text))
	}
	return page
}

// gone returns why an alert is over: withdrawn before its time, or past it.
func (v View) gone(al *alert.Alert) string {
	if n := len(al.Changes); al.Cancelled && n > 0 {
		return v.Change(&al.Changes[n-1])
	}
	return v.Text("alerta.termino")
}

// ends reports whether a change is the last one of an alert.
func ends(what alert.ChangeKind) bool {
	switch what {
	case alert.Ended, alert.Withdrawn, alert.Joined, alert.Disappeared:
		return true
	default:
		return false
	}
}

// alertTrails names trails of a park, with links to those that the catalogue still has.
func (v View) alertTrails(park string, slugs []string) []trailLink {
	links := make([]trailLink, len(slugs))
	var known []catalogue.Trail
	if i, ok := v.Catalogue.ParkBySlug(park); ok {
		known = v.Catalogue.TrailsOf(i)
	}
	for i, slug := range slugs {
		links[i].Name = slug
		if at := slices.IndexFunc(known, func(t catalogue.Trail) bool { return t.Slug == slug }); at >= 0 {
			links[i] = trailLink{v.trailPath(known[at]), known[at].Name}
		}
	}
	return links
}
