package site

import (
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
)

// asked returns the page of an address.
func asked(t testing.TB, pages *Pages, address string) *Page {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return pages.Asked(u)
}

// homeOn is the first page in Spanish on a day after today.
func homeOn(t testing.TB, e *store.Snapshot, after int) homePage {
	t.Helper()
	v := viewOf(t, e, now)
	return v.home(v.ShownDays()[after])
}

// statesOn are the states on the map of a page, by park.
func statesOn(t testing.TB, home homePage) (states map[string]string) {
	t.Helper()
	if err := json.Unmarshal([]byte(home.Map.States), &states); err != nil {
		t.Fatal(err)
	}
	return states
}

// Only today and the two days after it have a page, in each language, whatever is asked for.
func TestEachDayHasItsAddress(t *testing.T) {
	pages := newSite(t).Pages(short(newSnapshot(t)), now)
	before := len(pages.pages)
	for _, root := range []string{"/", "/en/"} {
		today := asked(t, pages, root)
		if asked(t, pages, root+"?dia=2026-11-21").Body() != today.Body() || asked(t, pages, root+"?utm_source=x") != today {
			t.Errorf("%s: today is another page by its date", root)
		}
		var bodies []string
		for _, date := range []string{"2026-11-22", "2026-11-23"} {
			page := asked(t, pages, root+"?dia="+date)
			if page == nil || page.Status != 0 {
				t.Fatalf("%s has no page of %s", root, date)
			}
			bodies = append(bodies, content(t, page.Body()))
		}
		if bodies = append(bodies, content(t, today.Body())); bodies[0] == bodies[1] || bodies[1] == bodies[2] {
			t.Errorf("%s: two days have the same page", root)
		}
		for i, body := range bodies {
			here := regexp.MustCompile(`<a href="([^"]*)" aria-current="page">(?:hoy|mañana|pasado|today|tomorrow|day after) <span>`).FindStringSubmatch(body)
			if want := []string{root + "?dia=2026-11-22", root + "?dia=2026-11-23", root}[i]; here == nil || here[1] != want {
				t.Errorf("the page of %s says that it is %q", want, here)
			}
		}
		for _, date := range []string{"2026-11-20", "2026-11-24", "2027-11-22", "2026-11-31", "22-11-2026", "hoy", "", "2026-11-22x", "%00", strings.Repeat("9", 5000)} {
			page := asked(t, pages, root+"?dia="+date)
			if page == nil || page.Status != http.StatusNotFound {
				t.Fatalf("%s?dia=%.20s is no page that says so", root, date)
			}
			if body := content(t, page.Body()); !strings.Contains(body, `href="`+root+`?dia=2026-11-22"`) || strings.Contains(body, "aria-current=\"page\">hoy") {
				t.Errorf("%s?dia=%.20s does not say which days there are", root, date)
			}
		}
	}
	if asked(t, pages, "/metodo?dia=2026-11-22") != pages.Page("/metodo") || asked(t, pages, "/nada?dia=2026-11-22") != nil {
		t.Error("a day chooses a page of a path that has none")
	}
	if len(pages.pages) != before {
		t.Errorf("asking made %d pages", len(pages.pages)-before)
	}
	for path := range pages.Paths() {
		if strings.Contains(path, "?") {
			t.Errorf("%s is listed", path)
		}
	}
}

// Counts, lists and signs of a day are those of its worst hours: no park says less than an
// hour of its day, and none is green of which an hour is missing.
func TestADayShowsItsWorst(t *testing.T) {
	for name, e := range allStates(t) {
		v := viewOf(t, e, now)
		for _, after := range []int{1, 2} {
			day := v.ShownDays()[after]
			home, listed := v.home(day), 0
			for _, p := range v.standings(day) {
				zone := v.zoneOf(p.park)
				worst, complete := hazard.Unknown, true
				for ahead := range 100 {
					if v.HourAhead(ahead).In(zone).Format(time.DateOnly) == day.Date() {
						at := v.Park(p.park, ahead)
						worst, complete = max(worst, at.State), complete && at.State != hazard.Unknown
					}
				}
				if worst == hazard.Green && !complete {
					worst = hazard.Unknown
				}
				if p.state != worst {
					t.Errorf("%s, %s: %s is %v, its hours say %v", name, day.Date(), p.row.Name, p.state, worst)
				}
				if p.calm && (p.state != hazard.Green || v.worstOfAll(p.park).State != hazard.Green) {
					t.Errorf("%s, %s: %s is folded away", name, day.Date(), p.row.Name)
				}
			}
			for i, c := range home.Counts {
				marks := 0
				for _, key := range statesOn(t, home) {
					if key == c.Key {
						marks++
					}
				}
				if listed += c.Parks; marks != c.Parks {
					t.Errorf("%s, %s: %d signs and %d parks of count %d", name, day.Date(), marks, c.Parks, i)
				}
			}
			if listed != len(v.Catalogue.Parks) {
				t.Errorf("%s, %s: %d parks", name, day.Date(), listed)
			}
		}
	}
}

// A park of which an hour of the day is missing says how many, and is not green.
func TestADayWithoutAnHourSaysSo(t *testing.T) {
	e := newSnapshot(t)
	e.Trails = slices.Clone(e.Trails)
	for i := range e.Trails {
		hours := slices.Clone(e.Trails[i].Hours)
		for h := range hours {
			hours[h] = green(hours[h].Hour)
			if e.Catalogue.Trails[i].Park == 0 && hours[h].Hour.Equal(noonHour.Add(20*time.Hour)) {
				hours[h] = unknown(hours[h].Hour, hazard.PartialData)
			}
		}
		e.Trails[i].Hours = hours
	}
	home := homeOn(t, e, 1)
	for _, g := range home.Groups {
		for p := range g.rows() {
			first := p.Name == e.Catalogue.Parks[0].Name
			if first != (g.Key == "nada") || first && !strings.Contains(p.Brief+g.Lead, "faltan datos de 1 de las 24 horas") {
				t.Errorf("%s is %s and says %q", p.Name, g.Key, p.Brief)
			}
		}
	}
	for after := range 2 {
		for _, g := range homeOn(t, expired(e), after).Groups {
			if g.Key != "nada" || len(g.Calm) > 0 {
				t.Errorf("without estimates there is a group in %s", g.Key)
			}
		}
	}
}

// What is amber or red in any of the hours to come is in no fold, on any day.
func TestNothingToComeIsFoldedAway(t *testing.T) {
	for name, e := range allStates(t) {
		for after := range shownDays {
			for _, g := range homeOn(t, e, after).Groups {
				for _, r := range g.Calm {
					for _, p := range r.Parks {
						if p.Key != "verde" || len(p.Ahead) > 0 {
							t.Errorf("%s, day %d: %s is folded away with %v to come", name, after, p.Name, p.Ahead)
						}
					}
				}
			}
		}
	}
}

// The numbers of a row are those of its day.
func TestRowsHaveTheWeatherOfTheirDay(t *testing.T) {
	said := make(map[string]bool)
	for after := range shownDays {
		for _, g := range homeOn(t, newSnapshot(t), after).Groups {
			for p := range g.rows() {
				if p.Weather != "" && !regexp.MustCompile(`^racha \d+\x{a0}km/h( [NSEO]{1,2})? · sens\. −?\d+\x{a0}°C · [\d,]+\x{a0}mm`).MatchString(p.Weather) {
					t.Fatalf("%s: %q", p.Name, p.Weather)
				}
				said[p.Weather] = true
			}
		}
	}
	later := viewOf(t, newSnapshot(t), now)
	for after := 1; after < shownDays; after++ {
		day := later.ShownDays()[after]
		for park := range later.Catalogue.Parks {
			trail := later.Catalogue.Parks[park].FirstTrail
			d := later.DaysOf(trail, later.zoneOf(park))[after]
			if got, want := later.shortWeather(day, trail, park), later.weatherNumbers(d.Gust, d.GustFrom, d.FeelsLikeMin, d.Precipitation, d.Snow); got != want {
				t.Errorf("%s on %s: %q, want %q", later.Catalogue.Parks[park].Name, day.Date(), got, want)
			}
		}
	}
	if len(said) < 3 {
		t.Errorf("all days have the same weather: %v", said)
	}
	v := viewOf(t, newSnapshot(t), now)
	nan := float32(math.NaN())
	if got := v.weatherNumbers(nan, nan, nan, nan, nan); got != "" {
		t.Errorf("no weather reads %q", got)
	}
	if got := v.weatherNumbers(62, 270, nan, 3, nan); got != "racha 62\u00a0km/h O · sens. sin dato · 3\u00a0mm" {
		t.Errorf("a missing value reads %q", got)
	}
}

// The alerts of a day are those that touch it.
func TestADayHasItsAlerts(t *testing.T) {
	e := newSnapshot(t)
	e.Alerts = e.Alerts[:0]
	park := e.Catalogue.Parks[0]
	trail := e.Catalogue.TrailsOf(0)[0].Slug
	e.Alerts = append(e.Alerts, madeAlert("a", park, trail, hazard.Wind, 2, 1, 5))
	for after, want := range []int{1, 0, 0} {
		d := homeOn(t, e, after).Alerts
		if len(d.Parks) != want || want == 0 && !strings.Contains(d.None, "ese día") {
			t.Errorf("day %d has %d parks with alerts and says %q", after, len(d.Parks), d.None)
		}
	}
	e.Alerts[0].End = e.Alerts[0].Start.Add(24 * time.Hour)
	if d := homeOn(t, e, 1).Alerts; len(d.Parks) != 1 {
		t.Error("an alert until tomorrow is none of tomorrow's")
	}
}
