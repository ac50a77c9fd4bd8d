package site

import (
	"cmp"
	"slices"
)

// The digest shows so many parks, and so many alerts of each: what follows it must
// not have to be looked for.
const (
	digestParks  = 4
	digestAlerts = 1
)

// alertDigest is the active alerts in short, by park, the worst park first.
type alertDigest struct {
	Known bool   // else the list is not the answer to "is there any?"
	None  string // what an empty list says
	Parks []digestPark
	More  string // how many parks with alerts are not among them, "" for none
	All   string // how many alerts there are in all
}

// digestPark is the alerts of a park, worst first.
type digestPark struct {
	parkLink
	Before, Proper string   // the park's name in two, as in parkRow
	Level          Level    // of the worst
	Official       []string // what official bodies say of the park now
	Alerts         []AlertView
	More           string // how many are not among them, "" for none
}

// digest shortens the active alerts of all parks: those of a day.
func (v View) digest(day Day) alertDigest {
	list := v.alerts("")
	all := len(list.Active)
	if day.After > 0 && all > 0 {
		list.Active = slices.DeleteFunc(slices.Clone(list.Active), func(a AlertView) bool { return !a.touches(day) })
		list.None = v.Text("dias.sin_alertas")
	}
	digest := alertDigest{Known: list.Known, None: list.None, All: v.Count("alertas.ver_todas", all)}
	parks := groupByPark(list.Active)
	for _, alerts := range parks[:min(digestParks, len(parks))] {
		digest.Parks = append(digest.Parks, v.digestPark(alerts))
	}
	if more := len(parks) - digestParks; more > 0 {
		digest.More = v.Count("alertas.otros_parques", more)
	}
	return digest
}

// touches reports whether some of an alert is within a day by the clocks of its park.
func (a *AlertView) touches(day Day) bool {
	from := day.in(a.View.Zone).begin()
	return a.Start.Before(from.AddDate(0, 0, 1)) && a.End.After(from)
}

func (v View) digestPark(alerts []AlertView) digestPark {
	of := digestPark{parkLink: alerts[0].Park, Level: alerts[0].Level, Alerts: alerts[:min(digestAlerts, len(alerts))]}
	of.Before, of.Proper = splitName(of.Name)
	if i, ok := v.Catalogue.ParkBySlug(alerts[0].Alert.Park); ok {
		of.Official = v.officialSummary(i)
	}
	if more := len(alerts) - digestAlerts; more > 0 {
		of.More = v.Count("alertas.otras", more)
	}
	return of
}

// groupByPark groups the alerts of each park, the higher level first and then the
// sooner, and the parks by their worst alert. Among equals the order is kept.
func groupByPark(alerts []AlertView) (groups [][]AlertView) {
	sorted, at := slices.Clone(alerts), make(map[string]int)
	slices.SortStableFunc(sorted, func(x, y AlertView) int {
		return cmp.Or(cmp.Compare(y.Alert.Level, x.Alert.Level), x.Alert.Start.Compare(y.Alert.Start))
	})
	for _, a := range sorted {
		i, known := at[a.Alert.Park]
		if !known {
			i = len(groups)
			at[a.Alert.Park], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], a)
	}
	return groups
}
