package site

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/web/wording"
)

// alertsPath is the page of all alerts; the page of each is below it.
const alertsPath = "/alertas"

// alertList is the alerts of a page. When the estimates are not current the list
// is not the answer to "is there any?", and Known is false.
type alertList struct {
	Known    bool
	None     string // the text of an empty list
	Active   []AlertView
	Finished []AlertView
}

// alerts lists a park's alerts, or those of all parks when slug is empty, in the API's
// order. One without a level was never issued.
func (v View) alerts(slug string) alertList {
	var list alertList
	list.Known, list.None = v.alertsKnown(slug)
	for i := range v.Alerts {
		al := &v.Alerts[i]
		if al.Level == alert.NoLevel || slug != "" && al.Park != slug {
			continue
		}
		if al.Active(v.Now) {
			list.Active = append(list.Active, v.ofAlert(al).Alert(al))
		} else {
			list.Finished = append(list.Finished, v.ofAlert(al).Alert(al))
		}
	}
	byOrder := func(x, y AlertView) int { return alertBefore(x.Alert, y.Alert, v.Now) }
	slices.SortFunc(list.Active, byOrder)
	slices.SortFunc(list.Finished, byOrder)
	return list
}

// alertsKnown is true when a list of the alerts of a park, or of all parks when slug is
// empty, means anything; none is the text of an empty one. Of a park of which no trail
// has a state now nobody knows whether it has alerts.
func (v View) alertsKnown(slug string) (known bool, none string) {
	unknown := 0
	for i := range v.Catalogue.Parks {
		if slug != "" && v.Catalogue.Parks[i].Slug != slug {
			continue
		}
		if state := v.Park(i, 0); state.Known() {
			known = true
		} else {
			unknown++
		}
	}
	if unknown == 0 {
		return known, v.Text("alertas.ninguna")
	}
	return known, v.Count("alertas.ninguna_sabida", unknown)
}

// openAlerts is how many alerts of a park may stand with an open cause.
const openAlerts = 3

// parkAlerts lists the alerts of a park, or those that name one of its trails.
func (v View) parkAlerts(park int, trail string) alertList {
	list := v.alerts(v.Catalogue.Parks[park].Slug)
	if trail != "" {
		list.Active = slices.DeleteFunc(list.Active, func(a AlertView) bool { return !slices.Contains(a.Alert.Trails, trail) })
	}
	for i := range list.Active {
		list.Active[i].Folds = len(list.Active[i].Causes) > 1 || len(list.Active) > openAlerts
	}
	return list
}

// shownTrails is how many trails of an alert are named; of more, one less is, with
// how many others there are.
const shownTrails = 4

// where names the trails of an alert, or that they are all of the park's.
func (v View) where(trails []string, all int) string {
	switch {
	case len(trails) == all && all > 1:
		return v.Text("alerta.todos")
	case len(trails) > shownTrails:
		named := shownTrails - 1
		return v.AndMore(strings.Join(trails[:named], "\u00a0· "), len(trails)-named)
	}
	return strings.Join(trails, "\u00a0· ")
}

// alertID is an id that can stand in a path as it is.
var alertID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// alertPath returns the path of an alert's own page, "" for an id that none of ours
// could be.
func (v View) alertPath(al *alert.Alert) string {
	if !alertID.MatchString(al.ID) {
		return ""
	}
	return v.Path(alertsPath + "/" + al.ID)
}

// AlertView is an alert in words.
type AlertView struct {
	*alert.Alert
	ID         string
	Path       string // of its own page, "" when it has none
	Level      Level  // the shape of the state that a level answers to
	Title      string
	Advice     string
	Phase      string
	Window     string
	Zone       string // the zone of its hours, when it is not that of the page
	Start, End Instant
	Park       parkLink
	Trails     []string
	Where      string   // Trails in short
	Official   []string // what official bodies say now of its trails
	Causes     []wording.Cause
	Votes      string
	Confidence string
	Issued     Instant
	Updated    Instant
	Changes    []changeView
	Unproven   bool // the estimates behind it are no longer current
	Folds      bool // its causes, or all alerts of the park, are too many for them to stand open
}

// changeView is one line of an alert's history.
type changeView struct {
	At   Instant
	Text string
}

// Alert returns an alert in words.
func (v View) Alert(al *alert.Alert) AlertView {
	view := AlertView{
		Alert:      al,
		ID:         "alerta-" + al.ID,
		Path:       v.alertPath(al),
		Level:      v.alertLevel(al.Level),
		Title:      v.AlertName(al),
		Advice:     v.Advice(al.Hazard),
		Phase:      v.Text("situacion." + al.PhaseAt(v.Now).String()),
		Window:     v.Window(al.Start, al.End),
		Zone:       v.otherZone(al.Start),
		Start:      v.Instant(al.Start),
		End:        v.Instant(al.End),
		Votes:      v.Votes(al.Agree, al.Total),
		Confidence: v.Confidence(al.Confidence),
		Issued:     v.Instant(al.IssuedAt),
		Updated:    v.Instant(al.UpdatedAt),
		Unproven:   v.WhyNone() != hazard.NoReason,
	}
	if al.PhaseAt(v.Now) == alert.Finished {
		view.Window = v.Text("ventana.termino", "fin", v.End(al.End))
	}
	if i, ok := v.Catalogue.ParkBySlug(al.Park); ok {
		view.Park = v.linkTo(v.Catalogue.Parks[i])
		view.Official = v.OfficialLines(v.InForce(i).OnTrails(al.Trails...))
	} else {
		view.Park = parkLink{Name: al.Park}
	}
	for _, link := range v.alertTrails(al) {
		view.Trails = append(view.Trails, link.Name)
	}
	if i, ok := v.Catalogue.ParkBySlug(al.Park); ok {
		view.Where = v.where(view.Trails, v.Catalogue.Parks[i].NumTrails)
	}
	for i := range al.Causes {
		c := &al.Causes[i]
		view.Causes = append(view.Causes, v.Cause(c.Cause, c.Where()))
	}
	for i := range al.Changes {
		view.Changes = append(view.Changes, changeView{v.Instant(al.Changes[i].At), v.Change(&al.Changes[i])})
	}
	return view
}

// alertLevel is the shape of an alert: that of the state which raises it.
func (v View) alertLevel(l alert.Level) Level {
	return Level{wording.StateKey(stateOf(l)), wording.Capital(v.Level(l))}
}

// stateOf is the state that an alert's level answers to.
func stateOf(l alert.Level) hazard.State {
	if l == alert.Danger {
		return hazard.Red
	}
	return hazard.Amber
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
