package site

import (
	"cmp"
	"slices"
	"strings"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// homePage is the list of all parks.
type homePage struct {
	Counts  []levelCount
	Total   int
	Groups  []levelGroup
	ByName  []parkRow
	Alerts  alertList
	HasData bool
}

// levelCount is how many parks are in a state.
type levelCount struct {
	level
	Parks int
	Text  string
}

// levelGroup is the parks in one state, north to south.
type levelGroup struct {
	level
	Anchor string
	Parks  []parkRow
}

// parkRow is a park in a list.
type parkRow struct {
	parkLink
	headline
	Ahead string // a worse state to come, empty for none
	Zone  string // the zone of its hours, when it is not that of the page
}

// statesWorstFirst is the order of lists. No data comes before green: it may be
// anything.
var statesWorstFirst = []hazard.State{hazard.Red, hazard.Amber, hazard.Unknown, hazard.Green}

func (a almanac) home(m moment) homePage {
	page := homePage{Total: len(m.Catalogue.Parks), Alerts: a.alerts(m, ""), HasData: m.reason == hazard.NoReason}
	byState := make(map[hazard.State][]parkRow)
	for _, i := range northToSouth(m.Catalogue.Parks) {
		state, row := a.parkRow(m, i)
		byState[state] = append(byState[state], row)
		page.ByName = append(page.ByName, row)
	}
	for _, state := range statesWorstFirst {
		lvl, rows := a.texts.level(state), byState[state]
		page.Counts = append(page.Counts, levelCount{lvl, len(rows), a.texts.count("parques.cuenta", len(rows))})
		if len(rows) > 0 {
			page.Groups = append(page.Groups, levelGroup{lvl, "estado-" + lvl.Key, rows})
		}
	}
	slices.SortStableFunc(page.ByName, func(x, y parkRow) int { return cmp.Compare(properName(x.Name), properName(y.Name)) })
	return page
}

func (a almanac) parkRow(m moment, park int) (hazard.State, parkRow) {
	now := m.parkAt(park, 0)
	row := parkRow{parkLink: a.texts.linkTo(m.Catalogue.Parks[park]), headline: a.texts.headline(now)}
	if worst, ahead := m.worstAhead(park); worst.State > now.State {
		here := a.in(m.Catalogue.Parks[park].TimeZone)
		row.Ahead, row.Zone = here.ahead(worst, m, ahead), here.otherZone(m.at(ahead))
	}
	return now.State, row
}

// northToSouth orders parks by region, the northernmost region first, and by
// name within one. A region lies where its parks do on average.
func northToSouth(parks []catalogue.Park) []int {
	sum, count := make(map[string]float64), make(map[string]float64)
	order := make([]int, len(parks))
	for i, p := range parks {
		order[i] = i
		sum[p.Region] += p.Latitude
		count[p.Region]++
	}
	slices.SortFunc(order, func(x, y int) int {
		px, py := parks[x], parks[y]
		return cmp.Or(
			cmp.Compare(sum[py.Region]/count[py.Region], sum[px.Region]/count[px.Region]),
			cmp.Compare(px.Region, py.Region),
			cmp.Compare(properName(px.Name), properName(py.Name)))
	})
	return order
}

// ahead says that a worse state comes, what and when.
func (a almanac) ahead(worst outlook, m moment, hours int) string {
	start := m.at(hours)
	return a.texts.say("parques.adelante", "estado", a.texts.say("estado."+levelKey(worst.State)),
		"amenaza", a.texts.say("amenaza."+worst.Main.String()), "hora", a.clock(start), "dia", a.day(start))
}

// properName is a park's name without its kind and accents, for the order by name.
func properName(name string) string {
	for _, kind := range []string{"Parque Nacional ", "Reserva Nacional ", "Monumento Natural "} {
		name = strings.TrimPrefix(name, kind)
	}
	return strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ñ", "n~", "Á", "a", "É", "e", "Í", "i",
		"Ó", "o", "Ú", "u", "Ñ", "n~").Replace(strings.ToLower(name))
}
