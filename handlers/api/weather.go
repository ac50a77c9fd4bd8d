package api

import (
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/web/wording"
)

// weather returns what is told of a trail's weather, nil where no model tells of it.
func (b *build) weather(trail int, w *snapshot.Weather) *Weather {
	if !w.Known() {
		return nil
	}
	t := &b.e.Catalogue.Trails[trail]
	made := &Weather{
		Trail: Slug(t.Slug), Point: t.CriticalPoint().Name, Hour: instant(w.Hour), PeriodH: int(w.Period / time.Hour),
		TemperatureC: decimal(w.Temperature, 1), FeelsLikeC: decimal(w.FeelsLike, 1),
		WindKmh: decimal(w.Wind, 1), GustKmh: decimal(w.Gust, 1),
		PrecipitationMm: decimal(w.Precipitation, 1), SnowCm: decimal(w.Snow, 1), CloudPercent: decimal(w.Sky.Cloud, 0),
		Models: int(w.Sky.Models),
	}
	made.Sky, made.Code = sky(w.Sky.Code)
	made.FromDegrees, made.From = direction(w.Sky.WindFrom)
	return made
}

// trailWeather returns the weather of a trail in the present hour, nil without estimates.
func (b *build) trailWeather(trail int) *Weather {
	latest := b.latest(trail)
	if latest == nil {
		return nil
	}
	now := snapshot.WeatherOf(latest)
	return b.weather(trail, &now)
}

// weatherDays returns the weather of a trail by local day.
func (b *build) weatherDays(trail int) []WeatherDay {
	t := &b.e.Catalogue.Trails[trail]
	days := b.view.DaysOf(trail, b.e.Catalogue.Parks[t.Park].TimeZone)
	return listOf(days[:], func(d snapshot.Day) WeatherDay {
		made := WeatherDay{
			Trail: Slug(t.Slug), Point: t.CriticalPoint().Name, Date: d.Noon.Format(time.DateOnly),
			TemperatureMinC: decimal(d.TemperatureMin, 1), TemperatureMaxC: decimal(d.TemperatureMax, 1),
			FeelsLikeMinC: decimal(d.FeelsLikeMin, 1), GustKmh: decimal(d.Gust, 1),
			PrecipitationMm: decimal(d.Precipitation, 1), SnowCm: decimal(d.Snow, 1), UV: decimal(d.UV, 1), Models: int(d.Models),
		}
		made.Sky, made.Code = sky(d.Code)
		made.FromDegrees, made.From = direction(d.GustFrom)
		return made
	})
}

// sky returns the word and the number of a WMO code.
func sky(code uint8) (word *string, number *int) {
	if code == hazard.NoCode {
		return nil, nil
	}
	return orNull(wording.Spanish.Sky(code)), new(int(code))
}

// direction returns where a wind comes from, in degrees and as a word.
func direction(degrees float32) (from *float64, word *string) {
	return decimal(degrees, 0), orNull(wording.Spanish.Direction(degrees))
}
