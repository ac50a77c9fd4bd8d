package site

import (
	"cmp"
	"slices"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/store/catalogue"
	"vigia/web/wording"
)

// homePage is how the mountains are: in one look, and park by park.
type homePage struct {
	Total   int
	HasData bool
	Counts  []levelCount
	Alerts  alertDigest
	Map     countryChart
	Index   []indexLetter
	Groups  []levelGroup
}

// levelCount is how many parks or trails are in a state.
type levelCount struct {
	Level
	Parks int
	Text  string // on the page of a park: how many of its trails
}

// levelGroup is the parks in one state, by region from north to south.
type levelGroup struct {
	Level
	Anchor  string
	Title   string
	Lead    string // what holds for every park that says nothing else
	Regions []regionRows
	meaning string // Lead as the headlines have it
}

// regionRows is the parks of a region in a group.
type regionRows struct {
	Name  string
	Parks []parkRow
}

// parkRow is a park in a list.
type parkRow struct {
	parkLink
	Headline
	Before, Proper string // its name in two: the kind, which may be "", and what it is known by

	Official []string // what official bodies say of it now
	Brief    string   // what its group does not say of it, often empty
	Ahead    []string // worse states to come: "en 24 h, rojo por viento fuerte desde las 14:00 de hoy"
}

// statesWorstFirst is the order of lists. No data comes before green: it may be
// anything.
var statesWorstFirst = []hazard.State{hazard.Red, hazard.Amber, hazard.Unknown, hazard.Green}

// putHome adds the first page.
func (p *pageBuilder) putHome() {
	p.put("/", "portada", func() Frame {
		return p.current("/", "portada", p.home())
	})
}

func (v View) home() homePage {
	parks := v.standings()
	return homePage{
		Total: len(parks), HasData: v.WhyNone() == hazard.NoReason, Counts: v.counts(parks), Alerts: v.digest(),
		Map: v.chart(parks), Index: v.index(parks), Groups: v.groups(parks),
	}
}

// standing is a park with its state, on its way into the lists of the page.
type standing struct {
	park  int
	state hazard.State
	row   parkRow
}

// standings returns every park, by region from north to south.
func (v View) standings() []standing {
	list := make([]standing, 0, len(v.Catalogue.Parks))
	for _, i := range NorthToSouth(v.Catalogue.Parks) {
		state, row := v.parkRow(i)
		list = append(list, standing{i, state, row})
	}
	return list
}

func (v View) parkRow(park int) (hazard.State, parkRow) {
	now := v.Park(park, 0)
	row := parkRow{parkLink: v.linkTo(v.Catalogue.Parks[park]), Headline: v.Headline(now)}
	row.Before, row.Proper = splitName(row.Name)
	row.Official = v.officialSummary(park)
	row.Brief = v.shortMeaning(now, row.Meaning)
	here := v.In(v.Catalogue.Parks[park].TimeZone)
	for _, w := range v.WorseToCome(park) {
		row.Ahead = append(row.Ahead, here.ahead(w))
	}
	return now.State, row
}

// shortMeaning returns a state's cause without the state, which stands before it.
func (v View) shortMeaning(o snapshot.ParkState, meaning string) string {
	switch {
	case o.State < hazard.Amber || o.Main == hazard.NoHazard:
		return "· " + meaning
	case o.Total == 0:
		return v.Text("portada.por", "amenaza", v.Hazard(o.Main))
	default:
		return v.Text("portada.por_votos", "amenaza", v.Hazard(o.Main), "votos", v.Votes(o.Agree, o.Total))
	}
}

// counts returns how many parks are in each state.
func (v View) counts(parks []standing) []levelCount {
	var list []levelCount
	for _, state := range statesWorstFirst {
		c := levelCount{Level: v.level(state)}
		for _, p := range parks {
			if p.state == state {
				c.Parks++
			}
		}
		list = append(list, c)
	}
	return list
}

// groups lists the parks worst first.
func (v View) groups(parks []standing) []levelGroup {
	var groups []levelGroup
	for _, state := range statesWorstFirst {
		key := wording.StateKey(state)
		g := levelGroup{Level: v.level(state), Anchor: "estado-" + key, Title: v.Text("portada.grupo." + key)}
		for _, p := range parks {
			if p.state == state {
				g.add(p.row)
			}
		}
		if len(g.Regions) == 0 {
			continue
		}
		if state <= hazard.Green {
			v.abridge(&g)
		}
		groups = append(groups, g)
	}
	return groups
}

// add puts a park at the end of a group, under its region.
func (g *levelGroup) add(row parkRow) {
	if n := len(g.Regions); n == 0 || g.Regions[n-1].Name != row.Region {
		g.Regions = append(g.Regions, regionRows{Name: row.Region})
	}
	last := &g.Regions[len(g.Regions)-1]
	last.Parks = append(last.Parks, row)
}

// abridge moves above the parks what most of them have in common.
func (v View) abridge(g *levelGroup) {
	count, total := make(map[string]int), 0
	for _, r := range g.Regions {
		for _, p := range r.Parks {
			total++
			count[p.Meaning]++
			if count[p.Meaning] > count[g.meaning] {
				g.meaning = p.Meaning
			}
		}
	}
	if count[g.meaning] < 3 || 2*count[g.meaning] < total {
		g.meaning = ""
		return
	}
	g.Lead = v.Text("portada.comun", "que", g.meaning)
	if count[g.meaning] < total {
		g.Lead = v.Text("portada.comun_salvo", "que", g.meaning)
	}
	for _, r := range g.Regions {
		for i := range r.Parks {
			if r.Parks[i].Meaning == g.meaning {
				r.Parks[i].Brief = ""
			}
		}
	}
}

// NorthToSouth orders parks by region, the northernmost region first, and by
// name within one. A region lies where its parks do on average.
func NorthToSouth(parks []catalogue.Park) []int {
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

// ahead returns which worse state comes, and when: with the zone where the hour is not
// that of the page's clocks.
func (v View) ahead(w Worse) string {
	text := v.Text("parques.adelante", "n", w.Within, "que", v.StateBy(w.State, w.Main), "momento", v.Moment(w.Start))
	if zone := v.otherZone(w.Start); zone != "" {
		text += " (" + zone + ")"
	}
	return text
}
