package site

import (
	"strings"
	"time"

	"vigia/forecast/snapshot"
	"vigia/handlers/httpcache"
)

// Day is the day of which a list of parks is: the present hour, or the whole of a day
// after today.
type Day struct {
	After int       // days after today; 0 is the present hour
	noon  time.Time // of the day, in the site's zone unless it is said to be in another
}

// shownDays is how many days there are to choose from, today among them: those that the
// hours with a state reach.
const shownDays = snapshot.Horizon / 24

// dayQuery chooses the day of a page: an ISO date.
const dayQuery = "?dia="

// ShownDays returns the days to choose from, by the clocks of the site's zone.
func (v View) ShownDays() (days [shownDays]Day) {
	today := v.Now.In(v.Site.Location)
	for i := range days {
		days[i] = Day{i, time.Date(today.Year(), today.Month(), today.Day()+i, 12, 0, 0, 0, v.Site.Location)}
	}
	return days
}

// Date returns the day as it stands in an address: "2026-11-24".
func (d Day) Date() string { return d.noon.Format(time.DateOnly) }

// Address returns the path of a page with the day in it.
func (d Day) Address(path string) string { return path + dayQuery + d.Date() }

// path returns the path of the first page for the day, which today has none in it.
func (d Day) path() string {
	if d.After == 0 {
		return "/"
	}
	return d.Address("/")
}

// begin returns the first instant of the day.
func (d Day) begin() time.Time {
	return time.Date(d.noon.Year(), d.noon.Month(), d.noon.Day(), 0, 0, 0, 0, d.noon.Location())
}

// in returns the day of the same date by the clocks of another zone.
func (d Day) in(zone *time.Location) Day {
	d.noon = time.Date(d.noon.Year(), d.noon.Month(), d.noon.Day(), 12, 0, 0, 0, zone)
	return d
}

// On returns the state of a park on a day: of the present hour, or the worst of the day
// by the park's own clocks.
func (v View) On(d Day, park int) snapshot.WorstDay {
	if d.After == 0 {
		return snapshot.WorstDay{Worst: snapshot.Worst{ParkState: v.Park(park, 0)}}
	}
	return v.WorstOfDay(d.in(v.zoneOf(park)).noon, func(ahead int) snapshot.ParkState { return v.Park(park, ahead) })
}

// zoneOf returns the zone of a park's clocks.
func (v View) zoneOf(park int) *time.Location { return v.In(v.Catalogue.Parks[park].TimeZone).Zone }

// dayLink is a way to the page of a day.
type dayLink struct {
	Path string
	Name string // "hoy", "mañana"; "" for a day that has its date alone
	Date string // "lun 23"
	Here bool
}

// dayLinks returns the ways to all days from the page of one. here is -1 on a page of none.
func (v View) dayLinks(here int) (links []dayLink) {
	for _, d := range v.ShownDays() {
		links = append(links, dayLink{
			Path: v.Path(d.path()), Name: v.Text("dias." + dayKeys[d.After]), Date: v.Date(d.noon), Here: d.After == here,
		})
	}
	return links
}

// dayKeys are the keys of the days' names.
var dayKeys = [shownDays]string{"hoy", "manana", "pasado"}

// putHome adds the first page, of now and of each day to choose, and the one that says
// that there is no such day.
func (p *pageBuilder) putHome() {
	for _, day := range p.ShownDays() {
		p.put(day.path(), "portada", func() Frame { return p.homeFrame(day) })
		if day.After == 0 { // it has two addresses
			p.pages.pages[p.Path(day.Address("/"))] = p.pages.pages[p.Path("/")]
		}
	}
	p.pages.putNoDay(p.Path("/"), func() *httpcache.Body {
		f := p.Frame("", "sin_dia", p.dayLinks(-1))
		f.NoIndex = true
		return f.Render("sin_dia")
	})
}

func (p *pageBuilder) homeFrame(day Day) Frame {
	if day.After == 0 {
		return p.current("/", "portada", p.home(day))
	}
	f := p.current(day.path(), "portada_dia", p.home(day), "dia", p.byDate().Date(day.noon)+" "+p.Month(day.noon))
	f.NoIndex = true // it is of another day tomorrow
	return f
}

// noDayOf is the address under which the page stands that says that a path has no such day.
func noDayOf(path string) string { return strings.TrimSuffix(path+dayQuery, "=") }
