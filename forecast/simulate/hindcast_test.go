package simulate

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

var update = flag.Bool("update", false, "write the hindcast page instead of comparing it")

const hindcastPage = "../../.github/HINDCAST.md"

// madeUpDay is weather at the pass by the local hour. Before and after it is as at its ends.
type madeUpDay struct {
	temperature, gust, rain curve // °C, km/h, mm/h
}

var (
	likeNovember17 = madeUpDay{
		temperature: curve{{0, 0}, {8, -1}, {14, -3}, {23, -2}},
		gust:        curve{{0, 50}, {8, 60}, {13, 90}, {17, 88}, {23, 55}},
		rain:        curve{{4, 0}, {6, 0.5}, {11, 3}, {16, 2.5}, {20, 0.5}, {22, 0}},
	}
	windyDay = madeUpDay{
		temperature: curve{{0, 3}, {6, 2}, {15, 6}, {23, 3}},
		gust:        curve{{0, 35}, {8, 45}, {15, 68}, {23, 40}},
		rain:        curve{{0, 0}},
	}
)

// gustOfWind is the gust factor of the simulated weather for a mean wind of about 40 km/h.
const gustOfWind = 1.6

// predictAt returns what a model's run has of the day at a place: its errors are those of the simulated models
// under a seed.
func (d *madeUpDay) predictAt(seed uint64, m *model, run, midnight, at time.Time, s *spot, pass float64) Values {
	h := modelHour(seed, m, run, at)
	late := lateFront * h.prediction.lead / 24 * h.prediction.draw(saltFront)
	hour := at.Sub(midnight).Hours() - late
	v := nothing
	v[hazard.Temperature] = d.temperature.at(hour) + 0.0065*(pass-s.elevation) + s.warmer(&h)
	v[hazard.WindSpeed] = s.windy(&h, d.gust.at(hour)/gustOfWind*s.elevation/pass)
	v[hazard.WindGust] = v[hazard.WindSpeed] * gustOfWind * s.gusty(&h)
	v[hazard.Precipitation] = math.Max(0, d.rain.at(hour)*s.wetter(&h))
	v[hazard.Humidity] = 70
	if v[hazard.Precipitation] >= 0.1 {
		v[hazard.Humidity] = 93
	}
	v[hazard.Snowfall] = freshSnowPerMm * v[hazard.Precipitation] * frozen(v[hazard.Temperature])
	v[hazard.FreezingLevel] = s.elevation + v[hazard.Temperature]/0.0065
	v[hazard.CAPE], v[hazard.SnowDepth], v[hazard.WeatherCode] = 0, 0, 3
	if v[hazard.Precipitation] >= 0.1 {
		v[hazard.WeatherCode] = 73
	}
	m.blank(&v, at.Sub(run))
	return v
}

// hindcast is what the rules say of a made-up day on a trail, from the runs of some days before its midnight.
type hindcast struct {
	zone      *time.Location
	pass      int // index of the trail's critical point in the columns
	runs      []hazard.Run
	estimates []hazard.Estimate
}

func newHindcast(t *testing.T, seed uint64, d *madeUpDay, daysAhead int) *hindcast {
	t.Helper()
	cat := catalogue.Default()
	trail := slices.IndexFunc(cat.Trails, func(trail catalogue.Trail) bool { return trail.Slug == "paso-john-gardner" })
	if trail < 0 {
		t.Fatal("the catalogue has no paso-john-gardner")
	}
	site, height := cat.Sites()[trail], cat.Trails[trail].CriticalPoint().Location.Elevation
	f := &hindcast{zone: site.TimeZone}
	spots := make([]*spot, len(site.Points))
	for i, p := range site.Points {
		spots[i] = newSpot(cat.Locations[p.At])
		if site.Points[i].At = i; p.Critical {
			f.pass = i
		}
	}
	midnight := time.Date(2025, 11, 17, 0, 0, 0, 0, f.zone)
	const before, hours = 72, 72 + 25
	for _, m := range models {
		run := m.newestRun(midnight.AddDate(0, 0, -daysAhead))
		c := hazard.NewColumns(midnight.Add(-before*time.Hour).UTC(), len(spots), hours)
		for i, s := range spots {
			for k := range hours {
				for v, x := range d.predictAt(seed, m, run, midnight, c.Start.Add(time.Duration(k)*time.Hour), s, height) {
					c.Set(hazard.Variable(v), i, k, x)
				}
			}
		}
		f.runs = append(f.runs, hazard.Run{Model: m.id, Init: run, Columns: c})
	}
	f.estimates = hazard.DefaultRules().NewAssessor(f.runs, len(f.runs), midnight.UTC(), 24).Assess(site)
	return f
}

// draws are how many sets of errors are tried.
const draws = 99

// tried is what the rules say of a day under every set of errors.
type tried struct {
	red, amber  [draws]int // hours of each set, from 6 to 21
	withRed     int        // sets with a red hour
	withoutBoth int        // sets without an amber or red one
}

func tryAll(t *testing.T, d *madeUpDay, daysAhead int) *tried {
	all := new(tried)
	for i := range draws {
		f := newHindcast(t, uint64(i+1), d, daysAhead)
		all.red[i], all.amber[i] = f.count(hazard.Red), f.count(hazard.Amber)
		if all.red[i] > 0 {
			all.withRed++
		} else if all.amber[i] == 0 {
			all.withoutBoth++
		}
	}
	return all
}

// typical is the seed of the set in the middle by red hours, then by amber ones.
func (all *tried) typical() uint64 {
	order := make([]int, draws)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(all.red[a]-all.red[b], all.amber[a]-all.amber[b])
	})
	return uint64(order[draws/2] + 1)
}

// between is what the models have at the pass, from the least to the most.
func (f *hindcast) between(v hazard.Variable, at time.Time, decimals int) string {
	least, most := math.Inf(1), math.Inf(-1)
	for _, r := range f.runs {
		x := r.Columns.At(v, f.pass, int(at.Sub(r.Columns.Start)/time.Hour))
		least, most = min(least, x), max(most, x)
	}
	return strings.ReplaceAll(fmt.Sprintf("%.*f to %.*f", decimals, least, decimals, most), "-", "−")
}

func (f *hindcast) write(b *strings.Builder, d *madeUpDay) {
	b.WriteString("| hour | made up: °C, gust km/h, mm/h | models: °C | gust km/h | mm/h | estado | why |\n|---|---|---|---|---|---|---|\n")
	for _, e := range f.estimates {
		hour := float64(e.Hour.In(f.zone).Hour())
		var why []string
		for _, line := range e.Hazards {
			if line.State == hazard.Amber || line.State == hazard.Red {
				why = append(why, fmt.Sprintf("%s %s (rojo %d, amarillo or rojo %d of %d)", line.Hazard, line.State, line.Red, line.Amber, line.Total))
			}
		}
		made := strings.ReplaceAll(fmt.Sprintf("%.1f, %.0f, %.1f", d.temperature.at(hour), d.gust.at(hour), d.rain.at(hour)), "-", "−")
		fmt.Fprintf(b, "| %02.0f | %s | %s | %s | %s | **%s** | %s |\n", hour, made, f.between(hazard.Temperature, e.Hour, 1),
			f.between(hazard.WindGust, e.Hour, 0), f.between(hazard.Precipitation, e.Hour, 1), e.State, strings.Join(why, "; "))
	}
}

// count is how many day hours, from 6 to 21, have a state.
func (f *hindcast) count(state hazard.State) (n int) {
	for _, e := range f.estimates {
		if hour := e.Hour.In(f.zone).Hour(); hour >= 6 && hour <= 21 && e.State == state {
			n++
		}
	}
	return n
}

const hindcastHead = `# What the rules would have said

**The weather on this page is made up.** On 17 November 2025 five people died on Paso John Gardner, at about 1,200 m. This page gives the
rules weather in the shape of the reports of that day (0 to −3 °C, 0.5 to 3 mm/h, 50 to 90 km/h from the west) and, for comparison, an
ordinary windy day at the same place. No model's forecast of that day was used. **It proves nothing about the real forecast of that day**, nor
that the rules would have helped anyone. It shows what they say of such weather when four models err as published models do.

The trail is ` + "`torres-del-paine/paso-john-gardner`" + ` of the catalogue. The models' errors are those of the simulated ones
(` + "`forecast/simulate/error.go`" + `, with their sources): on a ridge they blow too weakly, and a good half of an error is common to all four.
The reported wind is taken as gusts, the mean wind as gusts divided by 1.6. Visibility and lying snow are left out, since nobody measured
them; either could only make the estado worse. Rules %s, local hours.

Chance decides how wrong the four are. So %d sets of errors are tried, and the table by hours shows the set in the middle by its
number of hours in rojo.

This page is generated (` + "`go generate ./forecast/simulate`" + `), and a test fails when the rules no longer say what it says.
`

func hindcastText(t *testing.T) string {
	var b strings.Builder
	fmt.Fprintf(&b, hindcastHead, hazard.DefaultRules().Version(), draws)
	for _, day := range []struct {
		title string
		of    *madeUpDay
	}{{"Weather shaped like 17 November 2025", &likeNovember17}, {"An ordinary windy day", &windyDay}} {
		fmt.Fprintf(&b, "\n## %s\n\n| runs of | sets of errors | rojo in some hour from 6 to 21 | amarillo at most | verde all day |\n|---|---|---|---|---|\n", day.title)
		var typical uint64
		for ahead, runs := range []string{"that midnight", "a day before", "two days before"} {
			all := tryAll(t, day.of, ahead)
			if ahead == 0 {
				typical = all.typical()
			}
			fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", runs, draws, all.withRed, draws-all.withRed-all.withoutBoth, all.withoutBoth)
		}
		b.WriteString("\nBy hours, from the runs of that midnight:\n\n")
		newHindcast(t, typical, day.of, 0).write(&b, day.of)
	}
	return b.String()
}

// The page says what the rules say.
func TestHindcastIsCurrent(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors fuse multiplications and may round a last digit otherwise")
	}
	text := hindcastText(t)
	if *update {
		if err := os.WriteFile(hindcastPage, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	committed, err := os.ReadFile(hindcastPage)
	if err != nil {
		t.Fatal(err)
	}
	if string(committed) != text {
		t.Errorf("%s differs from what the rules say: run go generate ./forecast/simulate and read it", hindcastPage)
	}
}

// The day that kills stands out from an ordinary windy one, on each of the three days before it, whatever
// the models' errors.
func TestTheDayThatKillsStandsOut(t *testing.T) {
	for ahead := range 3 {
		storm, windy := tryAll(t, &likeNovember17, ahead), tryAll(t, &windyDay, ahead)
		t.Logf("%d days ahead, of %d sets of errors: storm red %d, green %d; windy day red %d, green %d", ahead, draws, storm.withRed, storm.withoutBoth, windy.withRed, windy.withoutBoth)
		if storm.withoutBoth > 0 || storm.withRed < draws/2 || windy.withRed > draws/10 {
			t.Errorf("%d days ahead the storm does not stand out", ahead)
		}
	}
}
