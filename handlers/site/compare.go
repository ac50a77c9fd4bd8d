package site

import (
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"vigia/forecast/daylight"
	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/handlers/httpcache"
	"vigia/web/wording"
)

// comparePath is the path of the page that compares trails. compareField names each of
// them in its query, as "park/trail".
const (
	comparePath  = "/comparar"
	compareField = "sendero"
)

const (
	// maxCompared is how many trails are compared at once.
	maxCompared = 4
	// maxOffered is of how many names that were asked for the page speaks.
	maxOffered = 3 * maxCompared
	// comparedDays is on how many local days.
	comparedDays = 3
	// maxEchoed is how much of a name that is none is said again, in letters.
	maxEchoed = 80
)

// comparePage is some trails side by side, and the form that chooses them.
type comparePage struct {
	Trails  []comparedTrail
	Days    []comparedDay
	Unknown []string      // what was asked for and is no trail
	TooMany string        // that more was asked for than is compared, else empty
	Offered []Choice      // the trails that were asked for, to be kept or left out
	Fields  []int         // the numbers of the fields in which others can be chosen
	Options template.HTML // of each field
}

// comparedTrail is a trail that is compared.
type comparedTrail struct {
	trailLink
	Park     parkLink
	Figures  []string
	Zone     string   // of its hours, where it is not that of the page
	Official []string // what official bodies say of it now
}

// comparedDay is a local day of every trail.
type comparedDay struct {
	Name string
	Rows []comparedRow
}

// comparedRow is a trail on a day.
type comparedRow struct {
	trailLink
	Level
	Meaning string // "viento fuerte, 3 de 4 modelos", "sin señales en 4 modelos"
	When    string // "14–19 h", of amber and red
	Weather []string
	Light   string // "5:43–21:33", empty where the sun does not rise or does not set
	Leave   string // when one can leave, or why not
	Clear   bool   // there is a departure that comes back in daylight and in green
}

// putCompare adds the page that compares trails: without a query the form alone, which is
// kept, and with one what is asked for, which is not.
func (p *pageBuilder) putCompare() {
	options := sync.OnceValue(p.trailOptions)
	p.put(comparePath, "comparar", func() Frame {
		page := comparePage{Options: options()}
		page.addFields(1)
		return p.Frame(comparePath, "comparar", page)
	})
	view := p.View
	p.pages.asked[p.Path(comparePath)] = func(query url.Values) (*Page, bool) {
		names := askedTrails(query)
		if len(names) == 0 {
			return nil, false
		}
		page, status := view.comparison(names)
		page.Options = options()
		return &Page{Status: status, Body: func() *httpcache.Body { return page.frame(view).Render("comparar") }}, true
	}
}

// askedTrails returns the names in a query, each once.
func askedTrails(query url.Values) (names []string) {
	for _, name := range query[compareField] {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// comparison is the page with the trails that it is of.
type comparison struct {
	comparePage
	trails []int
}

// comparison returns the comparison of the trails that have some names, and the status of
// its answer: 0 for the usual.
func (v View) comparison(names []string) (c comparison, status int) {
	for _, name := range names[:min(len(names), maxOffered)] {
		if i, ok := v.trailNamed(name); ok {
			c.trails = append(c.trails, i)
		} else {
			c.Unknown = append(c.Unknown, echoed(name))
		}
	}
	for n, i := range c.trails {
		trail := v.Catalogue.Trails[i]
		c.Offered = append(c.Offered, Choice{
			Value: v.trailKey(i), Name: v.Text("comparar.sendero_de", "sendero", trail.Name, "parque", v.Catalogue.Parks[trail.Park].Name), Ticked: n < maxCompared,
		})
	}
	switch {
	case len(names) > maxCompared:
		c.TooMany = v.Text("comparar.demasiados", "n", len(names), "max", maxCompared)
		c.trails = nil
		return c, http.StatusBadRequest
	case len(c.trails) == 0:
		status = http.StatusNotFound
	}
	c.addFields(len(c.trails) + 1)
	return c, status
}

// addFields adds the fields in which other trails can be chosen, from a number on.
func (c *comparePage) addFields(first int) {
	for n := first; n <= maxCompared; n++ {
		c.Fields = append(c.Fields, n)
	}
}

// frame makes the page: by the clocks of the first trail's park, and for no search engine.
func (c comparison) frame(v View) Frame {
	if len(c.trails) > 0 {
		v = v.ofPark(v.Catalogue.Parks[v.Catalogue.Trails[c.trails[0]].Park])
	}
	c.Days = v.comparedDays(c.trails)
	for _, i := range c.trails {
		c.Trails = append(c.Trails, v.comparedTrail(i))
	}
	f := v.current(v.compareAddress(c.trails), "comparar", c.comparePage)
	f.NoIndex, f.Kept = true, true
	return f
}

func (v View) comparedTrail(i int) comparedTrail {
	trail := v.Catalogue.Trails[i]
	park := v.Catalogue.Parks[trail.Park]
	row := comparedTrail{
		trailLink: trailLink{v.trailPath(trail), trail.Name}, Park: v.linkTo(park), Figures: v.trailFigures(trail), Official: v.trailClosures(trail),
		Zone: v.In(park.TimeZone).otherZone(v.PresentHour()),
	}
	if !(trail.MaxHours > 0) {
		row.Figures = append(row.Figures, v.Text("diurno.sin_duracion"))
	}
	return row
}

// comparedDays returns the days that are still walked on in every trail's zone.
func (v View) comparedDays(trails []int) (days []comparedDay) {
	if len(trails) == 0 {
		return nil
	}
	first := v.firstDay(trails)
	plans := make([][]daylight.Day, len(trails))
	for k, i := range trails {
		plans[k] = v.departures(i, comparedDays+2) // the first may be two days on from what is today in another zone
	}
	for d := range comparedDays {
		date := first.AddDate(0, 0, d)
		day := comparedDay{Name: v.Day(time.Date(date.Year(), date.Month(), date.Day(), 12, 0, 0, 0, v.Zone))}
		for k, i := range trails {
			for _, plan := range plans[k] {
				if wording.DaysBetween(date, plan.Noon) == 0 {
					day.Rows = append(day.Rows, v.In(v.zoneOf(v.Catalogue.Trails[i].Park)).comparedRow(i, plan))
				}
			}
		}
		days = append(days, day)
	}
	return days
}

// firstDay returns the latest of the trails' local dates, as a noon of UTC. A day ends
// when trails are walked no more on it.
func (v View) firstDay(trails []int) (first time.Time) {
	const night = (23 - snapshot.LastHourOfUse) * time.Hour
	for _, i := range trails {
		y, m, d := v.PresentHour().Add(night).In(v.zoneOf(v.Catalogue.Trails[i].Park)).Date()
		if date := time.Date(y, m, d, 12, 0, 0, 0, time.UTC); date.After(first) {
			first = date
		}
	}
	return first
}

// comparedRow tells of a trail on a day, by the clocks of its park.
func (v View) comparedRow(i int, plan daylight.Day) comparedRow {
	trail := v.Catalogue.Trails[i]
	worst := v.WorstOfDay(plan.Noon, func(ahead int) snapshot.ParkState { return v.trailState(i, ahead) })
	row := comparedRow{trailLink: trailLink{v.trailPath(trail), trail.Name}, Level: v.level(worst.State), Meaning: v.meaning(worst.ParkState, v.ShortReason, "breve")}
	if worst.State >= hazard.Amber {
		row.When = v.hoursOf(worst)
	}
	days := v.DaysOf(i, v.Zone)
	if at := wording.DaysBetween(days[0].Noon, plan.Noon); at >= 0 && at < len(days) {
		row.Weather = v.dayWeather(days[at])
	}
	said := v.departureDay(trail, plan)
	row.Light, row.Clear = said.Light, said.Clear
	switch none := v.withoutDepartures(trail, []daylight.Day{plan}); {
	case len(v.HoursOf(i)) == 0:
		row.Leave = v.Text("salir.ninguna_sin_estimacion")
	case none != "":
		row.Leave = none
	case said.Clear:
		var clear []string
		for _, r := range said.Rows {
			if r.Clear {
				clear = append(clear, r.Leave)
			}
		}
		row.Leave = v.Text("comparar.salir", "horas", strings.Join(clear, ", "))
	default:
		row.Leave = strings.Join(said.Said, " ")
	}
	return row
}

// dayWeather tells the weather of a local day.
func (v View) dayWeather(d snapshot.Day) (parts []string) {
	if d.Models == 0 {
		return nil
	}
	if sky := v.Sky(d.Code); sky != "" {
		parts = append(parts, sky)
	}
	parts = append(parts, v.gust(d.Gust, d.GustFrom), v.Text("comparar.sensacion", "valor", v.Measure(d.FeelsLikeMin, 0, "°C")),
		v.Text("tiempo.precipitacion", "valor", v.Quantity(d.Precipitation, hazard.Precipitation1hQuantity)))
	if !(d.Snow <= 0) { // missing among it
		parts = append(parts, v.Text("tiempo.nieve", "valor", v.Quantity(d.Snow, hazard.Snow1hQuantity)))
	}
	return parts
}

// trailOptions writes every trail as an option of a field, by park.
func (v View) trailOptions() template.HTML {
	var text strings.Builder
	for i := range v.Catalogue.Parks {
		park := &v.Catalogue.Parks[i]
		text.WriteString(`<optgroup label="` + template.HTMLEscapeString(park.Name) + `">`)
		for t := park.FirstTrail; t < park.FirstTrail+park.NumTrails; t++ {
			text.WriteString(`<option value="` + v.trailKey(t) + `">` + template.HTMLEscapeString(v.Catalogue.Trails[t].Name) + "</option>")
		}
		text.WriteString("</optgroup>\n")
	}
	return template.HTML(text.String()) // #nosec G203 -- slugs and escaped names
}

// compareAddress is the path in the first language of the page that compares trails.
func (v View) compareAddress(trails []int) string {
	query := ""
	for k, i := range trails {
		query += []string{"?", "&"}[min(k, 1)] + compareField + "=" + v.trailKey(i)
	}
	return comparePath + query
}

// trailKey names a trail among all: "park/trail".
func (v View) trailKey(i int) string {
	trail := v.Catalogue.Trails[i]
	return v.Catalogue.Parks[trail.Park].Slug + "/" + trail.Slug
}

// trailNamed finds the trail with a key.
func (v View) trailNamed(key string) (trail int, ok bool) {
	for i := range v.Catalogue.Trails {
		if v.trailKey(i) == key {
			return i, true
		}
	}
	return 0, false
}

// echoed is what somebody wrote, fit to be shown.
func echoed(text string) string {
	letters := []rune(strings.ToValidUTF8(text, "\uFFFD"))
	if len(letters) > maxEchoed {
		letters = append(letters[:maxEchoed], '…')
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, string(letters))
}
