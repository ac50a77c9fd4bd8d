package simulate

import (
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// What columns keep of a simulated hour votes as the hour itself does, on every hazard
// and terrain.
func TestColumnsVoteAsTheWeatherItself(t *testing.T) {
	s := New(Options{Seed: 5})
	rules, votes := hazard.DefaultRules(), map[hazard.Severity]int{}
	start := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	for i, place := range catalogue.Default().Locations {
		if i%80 != 0 {
			continue
		}
		for day := range 360 {
			at := start.AddDate(0, 0, day).Add(time.Duration(day%24) * time.Hour)
			c, made := hazard.NewColumns(at, 1, 1), s.Truth(place, at)
			var kept Values
			for v := range hazard.Variable(hazard.NumVariables) {
				c.Set(v, 0, 0, made[v])
				kept[v] = c.At(v, 0, 0)
			}
			raw, packed := inputsOf(&made), inputsOf(&kept)
			eachTerrain(func(terrain hazard.Terrain) {
				for h := range hazard.Hazard(hazard.NumHazards) {
					want, decided := rules.Severity(h, terrain, raw, 14, 3)
					got, keptDecided := rules.Severity(h, terrain, packed, 14, 3)
					if votes[want]++; got != want || keptDecided != decided {
						t.Fatalf("%v on %+v: %v of %v, %v of %v", h, terrain, want, made, got, kept)
					}
				}
			})
		}
	}
	if votes[hazard.Moderate] < 100 || votes[hazard.Severe] < 100 {
		t.Errorf("votes %v", votes)
	}
}

func eachTerrain(call func(hazard.Terrain)) {
	for e := range hazard.NumExposures {
		for z := range 4 {
			call(hazard.Terrain{Exposure: hazard.Exposure(e), Zone: hazard.Zone(z), Remote: e%2 == 0, Fuel: true})
		}
	}
}

// inputsOf takes every sum for that of the one hour.
func inputsOf(v *Values) hazard.Inputs {
	in := hazard.NewInputs()
	rain := max(0, v[hazard.Precipitation]-v[hazard.Snowfall]/0.7)
	for quantity, value := range map[hazard.Quantity]float64{
		hazard.GustQuantity: v[hazard.WindGust], hazard.MeanWindQuantity: v[hazard.WindSpeed], hazard.TemperatureQuantity: v[hazard.Temperature],
		hazard.WindChillQuantity: hazard.WindChill(v[hazard.Temperature], v[hazard.WindSpeed]), hazard.HumidityQuantity: v[hazard.Humidity],
		hazard.HeatQuantity: v[hazard.Temperature], hazard.IgnitionQuantity: hazard.IgnitionProbability(v[hazard.Temperature], v[hazard.Humidity], 0),
		hazard.Precipitation1hQuantity: v[hazard.Precipitation], hazard.Precipitation6hQuantity: 6 * v[hazard.Precipitation], hazard.ShowersQuantity: v[hazard.Precipitation],
		hazard.Rain1hQuantity: rain, hazard.Rain3hQuantity: 3 * rain, hazard.Rain24hQuantity: 24 * rain,
		hazard.Snow1hQuantity: v[hazard.Snowfall], hazard.Snow24hQuantity: 24 * v[hazard.Snowfall], hazard.SnowDepthQuantity: v[hazard.SnowDepth],
		hazard.SightQuantity: v[hazard.SightRange], hazard.FreezingLevelQuantity: v[hazard.FreezingLevel], hazard.CAPEQuantity: v[hazard.CAPE],
		hazard.WeatherCodeQuantity: v[hazard.WeatherCode], hazard.UVQuantity: v[hazard.UVIndex],
	} {
		in.Set(quantity, value)
	}
	return in
}
