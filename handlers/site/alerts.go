package site

import (
	"cmp"
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
	Known       bool
	None        string // the text of an empty list
	Unconfirmed string // what lies ahead of a park or trail without an alert, "" where nothing does
	Active      []AlertView
	Finished    []AlertView
}

// alerts lists a park's alerts, or those of all parks when slug is empty, in the API's
// order. One without a level was never issued.
func (v View) alerts(slug string) alertList { return v.alertsOn(slug, alert.Filter{}) }

// alertsOn lists the parts of alerts that a filter chooses.
func (v View) alertsOn(slug string, filter alert.Filter) alertList {
	var list alertList
	list.Known, list.None = v.alertsKnown(slug)
	for i := range v.Alerts {
		if v.Alerts[i].Level == alert.NoLevel || slug != "" && v.Alerts[i].Park != slug {
			continue
		}
		al := &v.Alerts[i]
		if len(filter.Trails) > 0 {
			part := al.Only(filter)
			al = &part
		}
		switch {
		case al.Active(v.Now):
			list.Active = append(list.Active, v.ofAlert(al).Alert(al))
		case al.Level > alert.NoLevel:
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

// parkAlerts lists the alerts of a park, or what they have of one of its trails.
func (v View) parkAlerts(park int, trail string) alertList {
	var filter alert.Filter
	if trail != "" {
		filter.Trails = []string{trail}
	}
	list := v.alertsOn(v.Catalogue.Parks[park].Slug, filter)
	for i := range list.Active {
		list.Active[i].Folds = list.Active[i].causes() > 1 || len(list.Active) > openAlerts
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

// AlertView is an alert as a page shows it, by the clocks of its park. What a template
// can ask of the view or read of the alert itself has no field of its own.
type AlertView struct {
	View
	*alert.Alert
	Path     string // of its own page, "" when it has none
	Level    Level  // the shape of the state that a level answers to
	Phase    string
	Window   string
	Zone     string // the zone of its hours, when it is not that of the page
	Park     parkLink
	Trails   []trailLink
	Where    string        // Trails in short
	Official []string      // what official bodies say now of its trails
	Hazards  []AlertHazard // the worst first, those that are over last
	Unproven bool          // the estimates behind it are no longer current
	Folds    bool          // its causes, or all alerts of the park, are too many for them to stand open
}

// AlertHazard is a hazard in an alert as a page shows it.
type AlertHazard struct {
	*alert.Part
	Name       string // with a capital
	Level      Level
	Window     string
	Where      string // its trails in short
	Causes     []wording.Cause
	Votes      string
	Confidence string
}

// Alert returns an alert in words.
func (v View) Alert(al *alert.Alert) AlertView {
	phase := al.PhaseAt(v.Now)
	view := AlertView{
		View: v, Alert: al, Path: v.alertPath(al), Level: v.alertLevel(al.Level), Phase: v.Text("situacion." + phase.String()),
		Window: v.Window(al.Start, al.End), Zone: v.otherZone(al.Start), Park: parkLink{Name: al.Park}, Trails: v.alertTrails(al.Park, al.Trails),
		Unproven: v.WhyNone() != hazard.NoReason,
	}
	if phase == alert.Finished {
		view.Window = v.Text("ventana.termino", "fin", v.End(al.End))
	}
	trails := 0
	if i, ok := v.Catalogue.ParkBySlug(al.Park); ok {
		trails = v.Catalogue.Parks[i].NumTrails
		view.Park, view.Where = v.linkTo(v.Catalogue.Parks[i]), v.where(view.TrailNames(), trails)
		view.Official = v.OfficialLines(v.InForce(i).OnTrails(al.Trails...))
	}
	parts := al.Parts()
	for i := range parts {
		view.Hazards = append(view.Hazards, v.alertHazard(al, &parts[i], trails))
	}
	return view
}

// alertHazard returns a hazard of an alert in words; trails are so many in its park.
func (v View) alertHazard(al *alert.Alert, p *alert.Part, trails int) AlertHazard {
	h := AlertHazard{
		Part: p, Name: wording.Capital(v.Hazard(p.Hazard)), Level: v.alertLevel(p.Level), Window: v.Window(p.Start, p.End),
		Votes: v.Votes(p.Agree, p.Total), Confidence: v.Confidence(p.Confidence),
	}
	if p.Over || !al.Active(v.Now) {
		h.Window = v.Text("ventana.termino", "fin", v.End(p.End))
	}
	if len(p.Trails) < len(al.Trails) {
		h.Where = v.where(linkNames(v.alertTrails(al.Park, p.Trails)), trails)
	}
	for i := range p.Causes {
		h.Causes = append(h.Causes, v.Cause(p.Causes[i].Cause, p.Causes[i].Where()))
	}
	return h
}

// AlertAdvice returns what to consider in view of the alert's hazards.
func (a AlertView) AlertAdvice() string { return a.Advice(a.Alert.Hazards()...) }

// causes counts those of all hazards.
func (a *AlertView) causes() (n int) {
	for i := range a.Hazards {
		n += len(a.Hazards[i].Causes)
	}
	return n
}

// TrailNames names the trails of the alert; one that the catalogue has no longer, by
// its slug.
func (a AlertView) TrailNames() []string { return linkNames(a.Trails) }

func linkNames(links []trailLink) []string {
	names := make([]string, len(links))
	for i := range links {
		names[i] = links[i].Name
	}
	return names
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
	return cmp.Or(
		cmp.Compare(y.PhaseAt(now), x.PhaseAt(now)), // InForce after Scheduled in number; lists hold no others with them
		cmp.Compare(y.Level, x.Level), x.Start.Compare(y.Start), strings.Compare(x.ID, y.ID),
	)
}
