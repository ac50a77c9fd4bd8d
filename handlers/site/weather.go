package site

import (
	"strings"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
)

// weatherNow is the weather of the present hour at a trail's critical point, in one line;
// "" where no model tells of it.
func (v View) weatherNow(trail int) string {
	if trail < 0 {
		return ""
	}
	hours := v.HoursOf(trail)
	if len(hours) == 0 {
		return ""
	}
	w := snapshot.WeatherOf(&hours[0])
	if !w.Known() {
		return ""
	}
	parts := []string{
		v.Measure(w.Temperature, 0, "°C"),
		v.Text("tiempo.sensacion", "valor", v.Measure(w.FeelsLike, 0, "°C")),
	}
	if sky := v.Sky(w.Sky.Code); sky != "" {
		parts = append([]string{sky}, parts...)
	}
	gust := v.Quantity(w.Gust, hazard.GustQuantity)
	if from := v.Direction(w.Sky.WindFrom); from != "" {
		parts = append(parts, v.Text("tiempo.rachas_desde", "valor", gust, "rumbo", from))
	} else {
		parts = append(parts, v.Text("tiempo.rachas", "valor", gust))
	}
	parts = append(parts, v.Text("tiempo.precipitacion", "valor", v.Quantity(w.Precipitation, hazard.Precipitation1hQuantity)))
	if !(w.Snow <= 0) { // missing among it
		parts = append(parts, v.Text("tiempo.nieve", "valor", v.Quantity(w.Snow, hazard.Snow1hQuantity)))
	}
	return v.Text("tiempo.linea", "lugar", v.Catalogue.Trails[trail].CriticalPoint().Name, "partes", strings.Join(parts, ", "))
}

// skyNow is the sky of the present hour at a trail's critical point.
func (v View) skyNow(trail int) sky {
	if trail < 0 || len(v.HoursOf(trail)) == 0 {
		return sky{}
	}
	trailPark := v.Catalogue.Parks[v.Catalogue.Trails[trail].Park]
	now := &v.HoursOf(trail)[0]
	return v.sky(now.Sky.Code, v.isNight(now.Hour, trailPark))
}
