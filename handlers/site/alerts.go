package site

import (
	"slices"
	"strings"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// alertList is the alerts of a page. When the estimates are not current the list
// is not the answer to "is there any?", and Known is false.
type alertList struct {
	Known    bool
	Active   []alertView
	Finished []alertView
}

// alerts lists a park's alerts, or those of all parks when slug is empty.
func (a almanac) alerts(m moment, slug string) alertList {
	list := alertList{Known: m.reason == hazard.NoReason}
	var chosen []*alert.Alert
	for i := range m.Alerts {
		if slug == "" || m.Alerts[i].Park == slug {
			chosen = append(chosen, &m.Alerts[i])
		}
	}
	slices.SortFunc(chosen, func(x, y *alert.Alert) int { return alertBefore(x, y, m.now) })
	for _, al := range chosen {
		here := a
		if i, ok := m.Catalogue.ParkBySlug(al.Park); ok {
			here = a.in(m.Catalogue.Parks[i].TimeZone)
		}
		view := here.alert(al, m)
		if al.Active(m.now) {
			list.Active = append(list.Active, view)
		} else {
			list.Finished = append(list.Finished, view)
		}
	}
	return list
}

// alertView is an alert in words.
type alertView struct {
	ID         string
	Level      level // the shape of the state that a level answers to
	Title      string
	Phase      string
	Window     string
	Zone       string // the zone of its hours, when it is not that of the page
	Start, End instant
	Park       parkLink
	Trails     []string
	Causes     []cause
	Votes      string
	Confidence string
	Issued     instant
	Updated    instant
	Changes    []changeView
	Held       bool // its threshold is no longer reached, but not left either
	Unproven   bool // the estimates behind it are no longer current
}

// changeView is one line of an alert's history.
type changeView struct {
	At   instant
	Text string
}

// alert words an alert. m says whether the estimates behind it still hold.
func (a almanac) alert(al *alert.Alert, m moment) alertView {
	v := alertView{
		ID:         "alerta-" + al.ID,
		Level:      alertLevel(a.texts, al.Level),
		Title:      a.texts.say("alerta.titulo", "nivel", a.texts.say("nivel."+al.Level.String()), "amenaza", a.texts.say("amenaza."+al.Hazard.String())),
		Phase:      a.texts.say("situacion." + al.PhaseAt(m.now).String()),
		Window:     a.window(al.Start, al.End),
		Zone:       a.otherZone(al.Start),
		Start:      a.instant(al.Start),
		End:        a.instant(al.End),
		Votes:      a.texts.votes(al.Agree, al.Total),
		Confidence: a.texts.confidence(al.Confidence),
		Issued:     a.instant(al.IssuedAt),
		Updated:    a.instant(al.UpdatedAt),
		Held:       al.Held,
		Unproven:   m.reason != hazard.NoReason,
	}
	if al.PhaseAt(m.now) == alert.Finished {
		v.Window = a.texts.say("ventana.termino", "dia", a.day(a.endDay(al.End)), "hasta", a.clockAtEnd(al.End))
	}
	if i, ok := m.Catalogue.ParkBySlug(al.Park); ok {
		v.Park = a.texts.linkTo(m.Catalogue.Parks[i])
		v.Trails = trailNames(m.Catalogue.TrailsOf(i), al.Trails)
	} else {
		v.Park = parkLink{Name: al.Park}
	}
	for _, c := range al.Causes {
		v.Causes = append(v.Causes, a.texts.cause(c.Cause, c.Place))
	}
	for _, c := range al.Changes {
		v.Changes = append(v.Changes, changeView{a.instant(c.At), a.change(c)})
	}
	return v
}

func (a almanac) change(c alert.Change) string {
	keys := [...]string{
		alert.Opened: "cambio.emitida", alert.Raised: "cambio.sube", alert.Lowered: "cambio.baja",
		alert.Moved: "cambio.horario", alert.Ended: "cambio.termina", alert.Withdrawn: "cambio.retirada",
		alert.Extended: "cambio.alarga", alert.Rearranged: "cambio.senderos", alert.Joined: "cambio.unida",
		alert.Disappeared: "cambio.sin_lugar",
	}
	return a.texts.say(keys[c.What], "nivel", a.texts.say("nivel."+c.Level.String()),
		"desde", a.instant(c.Start).Text, "hasta", a.instant(c.End).Text)
}

// alertLevel gives the shape of an alert: that of the state which raises it.
func alertLevel(t texts, l alert.Level) level {
	key := hazard.Amber
	if l == alert.Danger {
		key = hazard.Red
	}
	return level{levelKey(key), t.say("nivel." + l.String())}
}

func trailNames(trails []catalogue.Trail, slugs []string) []string {
	names := make([]string, 0, len(slugs))
	for _, slug := range slugs {
		name := slug
		for i := range trails {
			if trails[i].Slug == slug {
				name = trails[i].Name
			}
		}
		names = append(names, name)
	}
	return names
}

// alertBefore orders alerts as the API does: in force before scheduled, danger
// before caution, then by beginning.
func alertBefore(x, y *alert.Alert, now time.Time) int {
	if px, py := x.PhaseAt(now), y.PhaseAt(now); px != py {
		if px == alert.InForce || (px == alert.Scheduled && py == alert.Finished) {
			return -1
		}
		return 1
	}
	if x.Level != y.Level {
		return int(y.Level) - int(x.Level)
	}
	if order := x.Start.Compare(y.Start); order != 0 {
		return order
	}
	return strings.Compare(x.ID, y.ID)
}
