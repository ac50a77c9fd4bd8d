package site

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
	"vigia/web/wording"
)

// homePage is how the mountains are, now or on a day: in one look, and park by park.
type homePage struct {
	Title, Lead string
	Days        []dayLink
	Total       int
	HasData     bool
	Counts      []levelCount
	Alerts      alertDigest
	Map         countryChart
	Regions     []string // from north to south
	Groups      []levelGroup
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
	Calm    []regionRows // those that are green in all hours to come, of which nothing is hidden by a fold
	meaning string       // Lead as the headlines have it
}

// regionRows is the parks of a region in a group.
type regionRows struct {
	Name  string
	Short string // as people call it
	Count string // how many parks
	Parks []parkRow
}

// statesWorstFirst is the order of lists. No data comes before green: it may be
// anything.
var statesWorstFirst = []hazard.State{hazard.Red, hazard.Amber, hazard.Unknown, hazard.Green}

// home returns the first page of a day.
func (v View) home(day Day) homePage {
	parks := v.standings(day)
	page := homePage{
		Title: v.Text("portada.titulo"), Days: v.dayLinks(day.After), Total: len(parks), HasData: v.WhyNone() == hazard.NoReason,
		Counts: v.counts(parks), Alerts: v.digest(day), Map: v.chart(parks), Regions: v.regions(), Groups: v.groups(parks),
	}
	if day.After == 0 {
		page.Lead = v.Text("dias.ahora", "horas", v.Span(v.HourAhead(0), v.HourAhead(1)), "n", page.Total)
		return page
	}
	date := v.byDate().Date(day.noon) + " " + v.Month(day.noon)
	page.Title, page.Lead = v.Text("dias.titulo", "dia", date), v.Text("dias.entero", "dia", date, "n", page.Total)
	return page
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
				g.add(v, p)
			}
		}
		if len(g.Regions)+len(g.Calm) == 0 {
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
func (g *levelGroup) add(v View, p standing) {
	regions := &g.Regions
	if p.calm {
		regions = &g.Calm
	}
	if n := len(*regions); n == 0 || (*regions)[n-1].Name != p.row.Region {
		*regions = append(*regions, regionRows{Name: p.row.Region, Short: shortRegion(p.row.Region)})
	}
	last := &(*regions)[len(*regions)-1]
	last.Parks = append(last.Parks, p.row)
	last.Count = v.Count("parques.cuenta", len(last.Parks))
}

// regionNames are the long names of regions, and what people call them.
var regionNames = strings.NewReplacer(" del General Carlos Ibáñez del Campo", "", " y de la Antártica Chilena", "",
	"Libertador General Bernardo ", "", " de Santiago", "")

func shortRegion(name string) string { return regionNames.Replace(name) }

// rows ranges over the parks of a group.
func (g *levelGroup) rows() iter.Seq[*parkRow] {
	return func(yield func(*parkRow) bool) {
		for _, regions := range [][]regionRows{g.Regions, g.Calm} {
			for _, r := range regions {
				for i := range r.Parks {
					if !yield(&r.Parks[i]) {
						return
					}
				}
			}
		}
	}
}

// abridge moves above the parks what most of them have in common.
func (v View) abridge(g *levelGroup) {
	count, total := make(map[string]int), 0
	for p := range g.rows() {
		total++
		count[p.Meaning]++
		if count[p.Meaning] > count[g.meaning] {
			g.meaning = p.Meaning
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
	for p := range g.rows() {
		if p.Meaning == g.meaning {
			p.Brief = ""
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
