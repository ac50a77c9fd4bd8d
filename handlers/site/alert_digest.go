package site

import (
	"cmp"
	"slices"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
)

// The digest shows so many parks, and so many alerts of each: what follows it must
// not have to be looked for.
const (
	digestParks  = 4
	digestAlerts = 2
)

// alertDigest is the active alerts in short, by park, the worst park first.
type alertDigest struct {
	Known bool // else the list is not the answer to "is there any?"
	Parks []digestPark
	More  string // how many parks with alerts are not among them, "" for none
	All   string // how many alerts there are in all
}

// digestPark is the alerts of a park, worst first.
type digestPark struct {
	parkLink
	Level  level // of the worst
	Alerts []alertView
	More   string // how many are not among them, "" for none
}

// digest shortens the active alerts of all parks.
func (a almanac) digest(m moment) alertDigest {
	digest := alertDigest{Known: m.reason == hazard.NoReason}
	var active []*alert.Alert
	for _, al := range m.alertsOf("") {
		if al.Active(m.now) {
			active = append(active, al)
		}
	}
	byPark := groupByPark(active)
	for _, alerts := range byPark[:min(digestParks, len(byPark))] {
		digest.Parks = append(digest.Parks, a.digestPark(m, alerts))
	}
	if more := len(byPark) - digestParks; more > 0 {
		digest.More = a.texts.count("alertas.otros_parques", more)
	}
	digest.All = a.texts.count("alertas.ver_todas", len(active))
	return digest
}

func (a almanac) digestPark(m moment, alerts []*alert.Alert) digestPark {
	var of digestPark
	for _, al := range alerts[:min(digestAlerts, len(alerts))] {
		of.Alerts = append(of.Alerts, a.at(al, m).alert(al, m))
	}
	of.parkLink, of.Level = of.Alerts[0].Park, of.Alerts[0].Level
	if more := len(alerts) - digestAlerts; more > 0 {
		of.More = a.texts.count("alertas.otras", more)
	}
	return of
}

// groupByPark puts the alerts of each park together, worst first, and the parks by
// their worst alert.
func groupByPark(alerts []*alert.Alert) [][]*alert.Alert {
	sorted := slices.Clone(alerts)
	slices.SortStableFunc(sorted, worseFirst)
	at := make(map[string]int)
	var groups [][]*alert.Alert
	for _, al := range sorted {
		i, known := at[al.Park]
		if !known {
			i = len(groups)
			at[al.Park], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], al)
	}
	return groups
}

// worseFirst orders alerts by danger, the higher level first and then the sooner.
// Among equals the order is kept.
func worseFirst(x, y *alert.Alert) int {
	return cmp.Or(cmp.Compare(y.Level, x.Level), x.Start.Compare(y.Start))
}
