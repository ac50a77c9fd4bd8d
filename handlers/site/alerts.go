package site

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// alertsPath is the page of all alerts; the page of each is below it.
const alertsPath = "/alertas"

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
	for _, al := range m.alertsOf(slug) {
		view := a.at(al, m).alert(al, m)
		if al.Active(m.now) {
			list.Active = append(list.Active, view)
		} else {
			list.Finished = append(list.Finished, view)
		}
	}
	return list
}

// alertsOf gives the alerts of a park, or of all when slug is empty, in the API's
// order. One without a level was never issued.
func (m moment) alertsOf(slug string) []*alert.Alert {
	var chosen []*alert.Alert
	for i := range m.Alerts {
		if al := &m.Alerts[i]; al.Level != alert.NoLevel && (slug == "" || al.Park == slug) {
			chosen = append(chosen, al)
		}
	}
	slices.SortFunc(chosen, func(x, y *alert.Alert) int { return alertBefore(x, y, m.now) })
	return chosen
}

// at is the almanac of an alert's park.
func (a almanac) at(al *alert.Alert, m moment) almanac {
	if i, ok := m.Catalogue.ParkBySlug(al.Park); ok {
		return a.in(m.Catalogue.Parks[i].TimeZone)
	}
	return a
}

// alertID is an id that can stand in a path as it is.
var alertID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// alertPath gives the path of an alert's own page, "" for an id that none of ours
// could be.
func (t texts) alertPath(al *alert.Alert) string {
	if !alertID.MatchString(al.ID) {
		return ""
	}
	return t.path(alertsPath + "/" + al.ID)
}

// alertView is an alert in words.
type alertView struct {
	ID         string
	Path       string // of its own page, "" when it has none
	Level      level  // the shape of the state that a level answers to
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
		Path:       a.texts.alertPath(al),
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
	return level{levelKey(stateOf(l)), t.say("nivel." + l.String())}
}

// stateOf is the state that an alert's level answers to.
func stateOf(l alert.Level) hazard.State {
	if l == alert.Danger {
		return hazard.Red
	}
	return hazard.Amber
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
