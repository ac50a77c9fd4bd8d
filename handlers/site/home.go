package site

import (
	"cmp"
	"slices"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
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
	level
	Parks int
	Text  string
}

// levelGroup is the parks in one state, by region from north to south.
type levelGroup struct {
	level
	Anchor  string
	Title   string
	Lead    string // what holds for every park that says nothing else
	Note    string // what to know of a group of this kind
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
	headline
	Before, Proper string // its name in two: the kind, which may be "", and what it is known by

	Brief string // what its group does not say of it, often empty
	Ahead string // a worse state to come, empty for none
	Zone  string // the zone of its hours, when it is not that of the page
}

// statesWorstFirst is the order of lists. No data comes before green: it may be
// anything.
var statesWorstFirst = []hazard.State{hazard.Red, hazard.Amber, hazard.Unknown, hazard.Green}

// putHome adds the first page.
func (p *printing) putHome() {
	p.put("/", "portada", func() frame {
		view := p.country.home(p.moment)
		view.Map.Outline = p.outline
		return p.frame(p.language, p.moment, "/", "portada", view).dated(p.country, p.moment, true)
	})
}

func (a almanac) home(m moment) homePage {
	parks := a.standings(m)
	return homePage{
		Total: len(parks), HasData: m.reason == hazard.NoReason, Counts: a.texts.counts(parks), Alerts: a.digest(m),
		Map: a.chart(m, parks), Index: a.index(m, parks), Groups: a.texts.groups(parks),
	}
}

// standing is a park with its state, on its way into the lists of the page.
type standing struct {
	park   int
	state  hazard.State
	uvOnly bool // amber, and nothing but UV is
	row    parkRow
}

// standings gives every park, by region from north to south.
func (a almanac) standings(m moment) []standing {
	list := make([]standing, 0, len(m.Catalogue.Parks))
	for _, i := range northToSouth(m.Catalogue.Parks) {
		state, row := a.parkRow(m, i)
		list = append(list, standing{i, state, state == hazard.Amber && m.onlyUV(i), row})
	}
	return list
}

func (a almanac) parkRow(m moment, park int) (hazard.State, parkRow) {
	now := m.parkAt(park, 0)
	row := parkRow{parkLink: a.texts.linkTo(m.Catalogue.Parks[park]), headline: a.texts.headline(now)}
	row.Before, row.Proper = splitName(row.Name)
	row.Brief = a.texts.brief(now, row.Meaning)
	if worst, ahead := m.worstAhead(park); worst.State > now.State {
		here := a.in(m.Catalogue.Parks[park].TimeZone)
		row.Ahead, row.Zone = here.ahead(worst, m, ahead), here.otherZone(m.at(ahead))
	}
	return now.State, row
}

// brief says a state's cause without the state, which stands before it.
func (t texts) brief(o outlook, meaning string) string {
	switch {
	case o.State < hazard.Amber || o.Main == hazard.NoHazard:
		return "· " + meaning
	case o.Total == 0:
		return t.say("portada.por", "amenaza", t.say("amenaza."+o.Main.String()))
	default:
		return t.say("portada.por_votos", "amenaza", t.say("amenaza."+o.Main.String()), "votos", t.votes(o.Agree, o.Total))
	}
}

// onlyUV tells whether UV is all that the hour has against a park: in summer the
// commonest cause of amber, and no storm.
func (m moment) onlyUV(park int) bool {
	p, found := m.Catalogue.Parks[park], false
	for trail := p.FirstTrail; trail < p.FirstTrail+p.NumTrails; trail++ {
		for _, h := range m.estimateAt(trail, 0).Hazards {
			if h.State < hazard.Amber {
				continue
			}
			if h.Hazard != hazard.UV {
				return false
			}
			found = true
		}
	}
	return found
}

// counts says how many parks are in each state, and of the amber ones how many
// are by UV alone.
func (t texts) counts(parks []standing) []levelCount {
	var list []levelCount
	for _, state := range statesWorstFirst {
		c := levelCount{level: t.level(state)}
		uv := 0
		for _, p := range parks {
			if p.state == state {
				c.Parks++
				if p.uvOnly {
					uv++
				}
			}
		}
		switch {
		case uv > 0 && uv == c.Parks:
			c.Text = t.say("portada.uv_todos")
		case uv > 0:
			c.Text = t.say("portada.uv_algunos", "n", uv)
		}
		list = append(list, c)
	}
	return list
}

// groups lists the parks worst first. Those that are amber by UV alone come after
// the other amber ones, by themselves.
func (t texts) groups(parks []standing) []levelGroup {
	var groups []levelGroup
	for _, state := range statesWorstFirst {
		first := "estado-" + levelKey(state)
		for _, uv := range []bool{false, true} {
			g := levelGroup{level: t.level(state), Anchor: first, Title: t.say("portada.grupo." + levelKey(state))}
			if uv {
				g.Title, g.Note = t.say("portada.grupo_uv"), t.say("portada.grupo_uv_nota")
			}
			for _, p := range parks {
				if p.state == state && p.uvOnly == uv {
					g.add(p.row)
				}
			}
			if len(g.Regions) == 0 {
				continue
			}
			if state == hazard.Green || state == hazard.Unknown || uv {
				t.abridge(&g)
			}
			groups = append(groups, g)
			first = "estado-uv"
		}
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

// abridge says once, above the parks, what most of them have in common.
func (t texts) abridge(g *levelGroup) {
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
	g.Lead = t.say("portada.comun", "que", g.meaning)
	if count[g.meaning] < total {
		g.Lead = t.say("portada.comun_salvo", "que", g.meaning)
	}
	for _, r := range g.Regions {
		for i := range r.Parks {
			if r.Parks[i].Meaning == g.meaning {
				r.Parks[i].Brief = ""
			}
		}
	}
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
