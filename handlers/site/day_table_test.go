package site

import (
	"math"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
)

// dayStates returns the levels of seven days of which so many hours are estimated.
func dayStates(v View, reach int, at func(h int) hazard.State) string {
	var keys []string
	noon := v.noonOf(v.PresentHour())
	for day := range snapshot.WeatherDays {
		level := v.dayLevel(noon.AddDate(0, 0, day), reach, func(h int) snapshot.ParkState { return snapshot.ParkState{State: at(h)} })
		keys = append(keys, level.Key)
	}
	return strings.Join(keys, " ")
}

// A day is green only when each of its hours is estimated and green. Beyond the estimates no
// day has a level.
func TestNoDayIsGreenBeyondTheEstimates(t *testing.T) {
	v := viewOf(t, newSnapshot(t), now).In(zone(t, "America/Punta_Arenas"))
	from := v.PresentHour().In(v.Zone).Hour() // of today
	green := func(int) hazard.State { return hazard.Green }
	one := func(at int, state hazard.State) func(int) hazard.State {
		return func(h int) hazard.State {
			if h == at {
				return state
			}
			return hazard.Green
		}
	}
	third := 72 - from // the first hour of the day after the next two
	for name, c := range map[string]struct {
		reach int
		at    func(int) hazard.State
		want  string
	}{
		"all green":           {72, green, "verde verde verde    "},
		"nothing":             {0, green, "      "},
		"one day":             {24, green, "verde      "},
		"until midnight":      {24 - from, green, "verde      "},
		"an hour less":        {23 - from, green, "      "},
		"red on the last day": {72, one(third, hazard.Red), "verde verde verde rojo   "},
		"amber today":         {72, one(0, hazard.Amber), "amarillo verde verde    "},
		"an hour unknown":     {72, one(30, hazard.Unknown), "verde nada verde    "},
		"unknown and red": {72, func(h int) hazard.State {
			switch h {
			case 30:
				return hazard.Unknown
			case 31:
				return hazard.Red
			}
			return hazard.Green
		}, "verde rojo verde    "},
	} {
		if got := dayStates(v, c.reach, c.at); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// The table has the extremes of a park's trails; what one of them lacks is missing, and a
// trail without estimates is counted out.
func TestDaysOfAPark(t *testing.T) {
	nan := float32(math.NaN())
	a := snapshot.Day{TemperatureMin: 2, TemperatureMax: 9, Gust: 50, GustFrom: 10, Precipitation: 1, Snow: 0, UV: 4, Code: 3, Models: 4}
	b := snapshot.Day{TemperatureMin: -5, TemperatureMax: 4, Gust: 80, GustFrom: 270, Precipitation: 7, Snow: 3, UV: nan, Code: 75, Models: 3}
	for _, got := range []snapshot.Day{moreExtreme(a, b), moreExtreme(b, a)} {
		if got.TemperatureMin != -5 || got.TemperatureMax != 9 || got.Gust != 80 || got.GustFrom != 270 || got.Precipitation != 7 || got.Snow != 3 ||
			got.UV == got.UV || got.Code != 75 || got.Models != 3 {
			t.Errorf("%+v", got)
		}
	}
	b.Gust, b.Code = nan, hazard.NoCode
	for _, got := range []snapshot.Day{moreExtreme(a, b), moreExtreme(b, a)} {
		if got.Gust == got.Gust || got.Code != hazard.NoCode {
			t.Errorf("with a value missing: %+v", got)
		}
	}

	e := newSnapshot(t)
	v := viewOf(t, e, now)
	park := 0
	for v.Catalogue.Parks[park].NumTrails < 3 {
		park++
	}
	first := v.Catalogue.Parks[park].FirstTrail
	at := func(h int) snapshot.ParkState { return v.Park(park, h) }
	if table := v.parkDays(park, 72, at); table == nil || len(table.Days) != snapshot.WeatherDays || !strings.Contains(table.Note, "sus ") {
		t.Fatalf("%+v", table)
	}
	e.Trails[first].Hours = nil
	if table := v.parkDays(park, 72, at); table == nil || !strings.Contains(table.Note, "con datos, de ") {
		t.Errorf("without one trail: %+v", table)
	}
	for i := range e.Trails {
		e.Trails[i].Hours = nil
	}
	if table := v.parkDays(park, 0, at); table != nil {
		t.Errorf("without any: %+v", table)
	}
}

// What a day lacks reads "sin dato", never 0, and has no sky.
func TestADayWithoutValuesSaysSo(t *testing.T) {
	v := viewOf(t, newSnapshot(t), now)
	nan := float32(math.NaN())
	var days [snapshot.WeatherDays]snapshot.Day
	for i := range days {
		days[i] = snapshot.Day{Noon: now.Add(time.Duration(24*i) * time.Hour), TemperatureMin: 1, TemperatureMax: nan, Gust: nan, GustFrom: 90, Precipitation: nan, Snow: nan, UV: nan, Code: hazard.NoCode, Models: 2}
	}
	table := v.dayTable("", days, 0, nil)
	for _, row := range table.Days {
		for _, cell := range []tableCell{row.Gust, row.Rain, row.Snow, row.UV} {
			if cell.Text != "sin dato" || cell.Class != "sin" {
				t.Errorf("%+v", row)
			}
		}
		if row.Temperature.Class != "sin" || row.From != "" || row.Sky != (sky{}) || row.Level != (Level{}) {
			t.Errorf("%+v", row)
		}
	}
}
