package snapshot

import (
	"math"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

var missing = float32(math.NaN())

// made returns a publication of a park with one trail: 73 hours, and steps of three hours to
// the end of the seventh day, each hour with 1 mm, a gust of 50 km/h from the west and 10 °C.
func made(hour time.Time, change func(w *hazard.Weather, at time.Time)) Publication {
	weather := func(at time.Time, hours float32) hazard.Weather {
		w := hazard.Weather{
			Medians: hazard.Medians{Temperature: 10, FeelsLike: 8, Wind: 30, Gust: 50, Precipitation: hours, Snow: hours / 10, UV: 3},
			Sky:     hazard.Sky{WindFrom: 270, Cloud: 50, Code: 61, Models: 4},
		}
		if change != nil {
			change(&w, at)
		}
		return w
	}
	trail := Trail{Later: hazard.Tendency{Start: hour.Add(72 * time.Hour).Truncate(hazard.TendencyStep)}}
	for k := range 73 {
		at := hour.Add(time.Duration(k) * time.Hour)
		w := weather(at, 1)
		trail.Hours = append(trail.Hours, hazard.Estimate{Hour: at, State: hazard.Green, Main: hazard.NoHazard, Medians: w.Medians, Sky: w.Sky})
	}
	for at := trail.Later.Start; !at.After(hour.Add((WeatherHorizon + 3) * time.Hour)); at = at.Add(hazard.TendencyStep) {
		trail.Later.Steps = append(trail.Later.Steps, weather(at, 3))
	}
	return Publication{
		Parks: []catalogue.Park{{NumTrails: 1}}, Trails: []Trail{trail}, Hour: hour, IssuedAt: hour, ValidUntil: hour.Add(80 * time.Minute),
	}
}

func in(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// Every hour counts in one day and in no other, in each zone of Chile at each hour of the
// day, and on days of 23 and 25 hours.
func TestEveryHourCountsInOneDay(t *testing.T) {
	for _, name := range []string{"America/Santiago", "America/Punta_Arenas", "Pacific/Easter"} {
		zone := in(t, name)
		for _, begin := range []time.Time{
			time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC), time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 9, 4, 0, 0, 0, 0, time.UTC),
			time.Date(2027, 3, 29, 0, 0, 0, 0, time.UTC), time.Date(2027, 4, 2, 0, 0, 0, 0, time.UTC),
		} {
			for k := range 24 {
				checkDays(t, zone, begin.Add(time.Duration(k)*time.Hour))
			}
		}
	}
}

func checkDays(t *testing.T, zone *time.Location, hour time.Time) {
	t.Helper()
	days := made(hour, nil).At(hour).DaysOf(0, zone)
	for i, d := range days {
		today := hour.In(zone)
		if want := time.Date(today.Year(), today.Month(), today.Day()+i, 12, 0, 0, 0, zone); !d.Noon.Equal(want) {
			t.Fatalf("%v, day %d: %v", hour.In(zone), i, d.Noon)
		}
		from, to := d.Noon.Add(-12*time.Hour), d.Noon.AddDate(0, 0, 1).Add(-12*time.Hour) // an hour off where the clock turns
		want, off := to.Sub(from).Hours(), 0.0
		switch {
		case i == 0:
			want = to.Sub(hour).Hours() + 1 // the hour that ends at the present one is the first
			if today.Hour() == 0 {
				want--
			}
		case to.Sub(hour) > 68*time.Hour: // from here on steps of three hours
			off = 1.5 // at either end
		}
		_, before := from.Add(-6 * time.Hour).Zone()
		if _, after := to.Add(6 * time.Hour).Zone(); before != after {
			off += 1
		}
		if got := float64(d.Precipitation); !(math.Abs(got-want) <= 2*off) || off == 0 && got != want {
			t.Errorf("%v: %v mm on %v, want %v give or take %v", hour.In(zone), got, d.Noon.Format(time.DateOnly), want, 2*off)
		}
		if d.Gust != 50 || d.GustFrom != 270 || d.TemperatureMin != 10 || d.TemperatureMax != 10 || d.FeelsLikeMin != 8 || d.Models != 4 {
			t.Fatalf("%v: %+v", hour.In(zone), d)
		}
	}
	sum, counted := 0.0, made(hour, nil).At(hour).weather(0)
	for _, d := range days {
		sum += float64(d.Precipitation)
	}
	all := 0.0
	for _, step := range counted {
		end := days[WeatherDays-1].Noon.AddDate(0, 0, 1)
		first := dateOf(step.Hour.Add(-step.Period / 2).In(zone)).Before(dateOf(days[0].Noon))
		if !first && dateOf(step.Hour.Add(-step.Period/2).In(zone)).Before(dateOf(end)) {
			all += step.Period.Hours()
		}
	}
	if sum != all {
		t.Errorf("%v: %v mm in all days, %v in their hours", hour.In(zone), sum, all)
	}
}

// A value that one hour of a day lacks, the day lacks too; the other days keep theirs.
func TestADayLacksWhatAnHourLacks(t *testing.T) {
	hour, zone := time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC), in(t, "America/Santiago")
	for _, at := range []time.Time{hour.Add(26 * time.Hour), hour.Add(122 * time.Hour)} { // the second and the sixth day
		for name, c := range map[string]struct {
			take  func(*hazard.Weather)
			value func(*Day) float32
		}{
			"temperature":   {func(w *hazard.Weather) { w.Temperature = missing }, func(d *Day) float32 { return d.TemperatureMin + d.TemperatureMax }},
			"felt":          {func(w *hazard.Weather) { w.FeelsLike = missing }, func(d *Day) float32 { return d.FeelsLikeMin }},
			"gust":          {func(w *hazard.Weather) { w.Gust = missing }, func(d *Day) float32 { return d.Gust + d.GustFrom }},
			"precipitation": {func(w *hazard.Weather) { w.Precipitation = missing }, func(d *Day) float32 { return d.Precipitation }},
			"snow":          {func(w *hazard.Weather) { w.Snow = missing }, func(d *Day) float32 { return d.Snow }},
			"uv":            {func(w *hazard.Weather) { w.UV = missing }, func(d *Day) float32 { return d.UV }},
			"all models":    {func(w *hazard.Weather) { w.Sky.Models = 0 }, func(d *Day) float32 { return d.Gust }},
			"code": {func(w *hazard.Weather) { w.Sky.Code = hazard.NoCode }, func(d *Day) float32 {
				if d.Code == hazard.NoCode {
					return missing
				}
				return float32(d.Code)
			}},
		} {
			days := made(hour, func(w *hazard.Weather, stamp time.Time) {
				if stamp.Equal(at) {
					c.take(w)
				}
			}).At(hour).DaysOf(0, zone)
			for i := range days {
				day := dateOf(days[i].Noon).Equal(dateOf(at.Add(-30 * time.Minute).In(zone)))
				if got := c.value(&days[i]); (got != got) != day {
					t.Errorf("%s lacks at %v: %v on %v", name, at.In(zone), got, days[i].Noon.Format(time.DateOnly))
				}
			}
		}
	}
}

// A day has its strongest gust and the wind of that hour, its extremes, its gravest code in
// the hours of use, and as many models as the hour with the fewest.
func TestADayHasItsExtremes(t *testing.T) {
	hour, zone := time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC), in(t, "America/Santiago")
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, zone)
	d := made(hour, func(w *hazard.Weather, at time.Time) {
		switch at.Sub(noon) {
		case 0:
			w.Gust, w.Sky.WindFrom = 95, 315
		case time.Hour:
			w.Temperature, w.Sky.Code = 17, 81
		case -8 * time.Hour: // 4 h
			w.Temperature, w.FeelsLike, w.Sky.Code, w.Sky.Models = -3, -9, 95, 2
		}
	}).At(hour).DaysOf(0, zone)[1]
	want := Day{Noon: noon, TemperatureMin: -3, TemperatureMax: 17, FeelsLikeMin: -9, Gust: 95, GustFrom: 315, Precipitation: 24, Snow: d.Snow, UV: 3, Code: 81, Models: 2}
	if d != want || math.Abs(float64(d.Snow)-2.4) > 1e-5 {
		t.Errorf("%+v, want %+v", d, want)
	}
}

// Beyond the hours with a level there are steps of three hours to the hour asked, and none
// once the estimates are over.
func TestLaterFollowsTheHours(t *testing.T) {
	for k := range 3 {
		hour := time.Date(2026, 11, 21, 13+k, 0, 0, 0, time.UTC)
		p := made(hour, nil)
		for _, now := range []time.Time{hour.Add(5 * time.Minute), hour.Add(65 * time.Minute)} {
			v := p.At(now)
			hours, later := v.HoursOf(0), v.LaterOf(0, WeatherHorizon)
			last := hours[len(hours)-1].Hour
			if len(hours) != Horizon || len(later) != (WeatherHorizon-Horizon)/3 {
				t.Fatalf("%v: %d hours and %d steps", now, len(hours), len(later))
			}
			for i, step := range later {
				if step.Period != 3*time.Hour || step.Hour.Hour()%3 != 0 || !step.Hour.After(last) || step.Hour.Sub(last) > time.Duration(3*i+3)*time.Hour {
					t.Fatalf("%v: step %d at %v after %v", now, i, step.Hour, last)
				}
			}
			if end := later[len(later)-1].Hour; !end.Before(v.PresentHour().Add(WeatherHorizon * time.Hour)) {
				t.Errorf("%v: the last step is at %v", now, end)
			}
			if n := len(v.LaterOf(0, Horizon)); n != 0 {
				t.Errorf("%d steps within the hours with a level", n)
			}
		}
		over := p.At(hour.Add(2 * time.Hour))
		if days := over.DaysOf(0, time.UTC); over.LaterOf(0, WeatherHorizon) != nil || days[0].Gust == days[0].Gust || days[0].Code != hazard.NoCode || days[0].Models != 0 {
			t.Errorf("when the estimates are over: %+v", days[0])
		}
	}
}

// A park's weather is that of the trail that decides its state, else of its first.
func TestTheTrailOfAPark(t *testing.T) {
	hour := time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC)
	states := func(list ...hazard.State) Publication {
		p := Publication{Parks: []catalogue.Park{{}, {FirstTrail: 0, NumTrails: len(list)}}, Hour: hour, IssuedAt: hour, ValidUntil: hour.Add(time.Hour)}
		for _, s := range list {
			p.Trails = append(p.Trails, Trail{Hours: []hazard.Estimate{{Hour: hour, State: s, Main: hazard.NoHazard}}})
		}
		return p
	}
	for _, c := range []struct {
		p    Publication
		want int
	}{
		{states(hazard.Green, hazard.Amber, hazard.Red), 2}, {states(hazard.Unknown, hazard.Amber), 1}, {states(hazard.Unknown, hazard.Unknown), 0},
		{states(hazard.Unknown, hazard.Green), 0}, {states(hazard.Green), 0},
	} {
		if got := c.p.At(hour).ParkTrail(1); got != c.want {
			t.Errorf("trail %d, want %d", got, c.want)
		}
		if got := c.p.At(hour).ParkTrail(0); got != -1 {
			t.Errorf("a park without trails has trail %d", got)
		}
	}
}
