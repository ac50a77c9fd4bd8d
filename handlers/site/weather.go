package site

import (
	"math"
	"strings"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/web/wording"
)

// hourWeather is the weather of an hour in numbers: "rachas 62 km/h del O · sensación −12 °C ·
// nieve 2,5 cm/h". It is empty where no model tells of it.
type hourWeather struct {
	Sky   sky
	Title string // whose they are: "Ahora en Mirador Base Torres"
	Text  string

	trail, ahead int
}

// hourWeather returns the weather of a trail's hour at its critical point, so many hours
// from the present one, without a title. In brief it says nothing of rain and snow that no
// hazard is made of.
func (v View) hourWeather(trail, ahead int, brief bool) hourWeather {
	e := v.TrailAt(trail, ahead)
	w := snapshot.WeatherOf(&e)
	if !w.Known() {
		return hourWeather{}
	}
	parts := []string{v.gust(w.Gust, w.Sky.WindFrom)}
	if ahead == 0 {
		parts = append(parts, v.Measure(w.Temperature, 0, "°C"))
	}
	parts = append(parts, v.Text("tiempo.sensacion", "valor", v.Measure(w.FeelsLike, 0, "°C")))
	if !brief || wet(e.Main) {
		parts = append(parts, v.water(&w.Medians))
	}
	if e.Main == hazard.Visibility && e.State >= hazard.Amber {
		parts = append(parts, v.Text("tiempo.visibilidad", "valor", v.Sight(w.Sight)))
	}
	park := v.Catalogue.Parks[v.Catalogue.Trails[trail].Park]
	return hourWeather{Sky: v.sky(w.Sky.Code, v.isNight(e.Hour, park)), Text: strings.Join(parts, " · ")}
}

// gust is how strong the gusts are in km/h and where the wind comes from in degrees, in so
// far as it is known.
func (v View) gust(kmh, from float32) string {
	value, point := v.Quantity(kmh, hazard.GustQuantity), v.CompassPoint(from)
	if point == "" || wording.Missing(kmh) {
		return v.Text("tiempo.rachas", "valor", value)
	}
	return v.Text("tiempo.rachas_desde", "valor", value, "rumbo", point)
}

// wet reports whether a hazard is made of rain or snow.
func wet(h hazard.Hazard) bool {
	switch h {
	case hazard.WindRain, hazard.WetCold, hazard.Snow, hazard.Blizzard, hazard.Rain, hazard.DebrisFlow, hazard.Storm:
		return true
	default:
		return false
	}
}

// leastWater is the least rain in mm and snow in cm that is not written as 0.
const leastWater = 0.05

// water is the rain and new snow of an hour.
func (v View) water(m *hazard.Medians) string {
	rain := v.Text("tiempo.precipitacion", "valor", v.Measure(m.Precipitation, 1, "mm/h"))
	switch {
	case m.Snow >= leastWater:
		return v.Text("tiempo.nieve", "valor", v.Measure(m.Snow, 1, "cm/h")) + " · " + rain
	case wording.Missing(m.Precipitation):
		return v.Text("tiempo.precipitacion", "valor", v.Text("dato.falta"))
	case wording.Missing(m.Snow):
		return rain + " · " + v.Text("tiempo.nieve", "valor", v.Text("dato.falta"))
	case m.Precipitation < leastWater:
		return v.Text("tiempo.seco")
	default:
		return v.Text("tiempo.lluvia", "valor", v.Measure(m.Precipitation, 1, "mm/h"))
	}
}

// weatherNow is the weather of the present hour at a trail's critical point, with the name
// of a place.
func (v View) weatherNow(trail int, place string) hourWeather {
	if len(v.HoursOf(trail)) == 0 {
		return hourWeather{}
	}
	c := v.hourWeather(trail, 0, false)
	if c.Text == "" {
		return hourWeather{}
	}
	c.trail, c.Title = trail, v.Text("tiempo.ahora", "lugar", place)
	return c
}

// parkWeather is the weather now on the trail that decides a park's state.
func (v View) parkWeather(park int) hourWeather {
	trail := v.ParkTrail(park)
	if trail < 0 {
		return hourWeather{}
	}
	return v.weatherNow(trail, v.Catalogue.Trails[trail].Name)
}

// criticalHour returns the trail, of some, and the hour ahead, of so many, in which the
// worst state is most severe. Where the worst is green that is the strongest gust. ok is
// false where an hour that may be it is missing.
func (v View) criticalHour(trails []int, hours int, worst hazard.State, main hazard.Hazard) (trail, ahead int, ok bool) {
	most := math.Inf(-1)
	for _, t := range trails {
		for h := range hours {
			e := v.TrailAt(t, h)
			if worst >= hazard.Amber && (e.State != worst || e.Main != main) {
				continue
			}
			s := severity(&e.Medians, main)
			switch {
			case s > most:
				trail, ahead, most = t, h, s
			case math.IsNaN(s) && worst < hazard.Amber:
				return 0, 0, false
			}
		}
	}
	return trail, ahead, !math.IsInf(most, 0)
}

// severity is the value that says how severe a hazard is, greater for worse: NaN where it
// is missing.
func severity(m *hazard.Medians, h hazard.Hazard) float64 {
	switch h {
	case hazard.Cold, hazard.WetCold:
		return -float64(m.FeelsLike)
	case hazard.Heat:
		return float64(m.FeelsLike)
	case hazard.Snow:
		return float64(m.Snow)
	case hazard.Rain, hazard.DebrisFlow:
		return float64(m.Precipitation)
	case hazard.Visibility:
		return -float64(m.Sight)
	default:
		return float64(m.Gust)
	}
}

// worstWeather returns the weather at the critical hour of some trails.
func (v View) worstWeather(trails []int, hours int, w snapshot.ParkState, brief bool) hourWeather {
	trail, ahead, ok := v.criticalHour(trails, hours, w.State, w.Main)
	if !ok || w.State == hazard.Unknown {
		return hourWeather{}
	}
	c := v.hourWeather(trail, ahead, brief)
	if c.Text == "" {
		return hourWeather{}
	}
	when := v.Localizer
	if brief {
		when = v.byDate()
	}
	key := "tiempo.peor"
	if w.State == hazard.Green {
		key = "tiempo.ventoso"
	}
	c.trail, c.ahead, c.Title = trail, ahead, v.Text(key, "hora", when.HourOf(v.HourAhead(ahead)))
	if len(trails) > 1 {
		c.Title = v.Text("tiempo.en", "que", c.Title, "lugar", v.Catalogue.Trails[trail].Name)
	}
	return c
}

// trailsOf returns the trails of a park.
func (v View) trailsOf(park int) []int {
	p := v.Catalogue.Parks[park]
	trails := make([]int, p.NumTrails)
	for i := range trails {
		trails[i] = p.FirstTrail + i
	}
	return trails
}
