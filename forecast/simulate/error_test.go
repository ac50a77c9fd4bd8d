package simulate

import (
	"math"
	"slices"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// scores are those of the four models over a year, at places of the catalogue.
type scores struct {
	rmse         float64 // of one model
	rmseOfMean   float64
	spread       float64 // standard deviation among the models, as of many
	truth, model []float64
}

// ratio is spread over error of the mean, 1 for an ensemble that knows its error.
func (s *scores) ratio() float64 { return s.spread / s.rmseOfMean }

func scoreModels(v hazard.Variable, leadHours int) *scores {
	const seed, n = 7, 4
	var s scores
	var square, ofMean, variance, count float64
	locations := catalogue.Default().Locations
	for i := 0; i < len(locations); i += 7 {
		place := newSpot(locations[i])
		for day := 0; day < 365; day += 3 {
			at := time.Date(2026, 1, 3, (7*day+i)%24, 0, 0, 0, time.UTC).AddDate(0, 0, day)
			h := truthHour(seed, at)
			truth := place.weather(seed, &h)[v]
			s.truth = append(s.truth, truth)
			var predicted [n]float64
			mean := 0.0
			for k, m := range models {
				h := modelHour(seed, m, at.Add(-time.Duration(leadHours)*time.Hour), at)
				predicted[k] = place.weather(seed, &h)[v]
				mean += predicted[k] / n
				square += (predicted[k] - truth) * (predicted[k] - truth) / n
			}
			s.model = append(s.model, predicted[:]...)
			for _, x := range predicted {
				variance += (x - mean) * (x - mean) / (n - 1)
			}
			ofMean += (mean - truth) * (mean - truth)
			count++
		}
	}
	slices.Sort(s.truth)
	slices.Sort(s.model)
	s.rmse, s.rmseOfMean = math.Sqrt(square/count), math.Sqrt(ofMean/count)
	s.spread = math.Sqrt(variance / count * (n + 1) / n)
	return &s
}

// The errors are of the published size and grow as published (sources in error.go), the models differ about
// as much as they err, and predicted gales are not more frequent than true ones.
func TestModelsErrAsPublished(t *testing.T) {
	for _, c := range []struct {
		variable  hazard.Variable
		leadHours int
		low, high float64 // of the RMSE, in °C and km/h
	}{
		{hazard.Temperature, 24, 1.8, 2.8}, {hazard.Temperature, 72, 2, 3.1}, {hazard.Temperature, 120, 2.3, 3.5},
		{hazard.WindSpeed, 24, 5.5, 9.2}, {hazard.WindSpeed, 72, 6.5, 10}, {hazard.WindSpeed, 120, 7.5, 12},
		// A gust is about one and a half times the wind, and so is its error.
		{hazard.WindGust, 24, 8, 14}, {hazard.WindGust, 72, 9.5, 15}, {hazard.WindGust, 120, 11, 18},
	} {
		s, before := scoreModels(c.variable, c.leadHours), scoreModels(c.variable, c.leadHours-24)
		name := variables[c.variable].name
		t.Logf("%s at %d h: RMSE %.2f, of the mean %.2f, spread %.2f, ratio %.2f", name, c.leadHours, s.rmse, s.rmseOfMean, s.spread, s.ratio())
		if s.rmse < c.low || s.rmse > c.high || s.rmse <= before.rmse || s.rmseOfMean >= s.rmse {
			t.Errorf("%s at %d h: RMSE %.2f after %.2f a day earlier, %.2f of the mean; want %.1f to %.1f", name, c.leadHours, s.rmse, before.rmse, s.rmseOfMean, c.low, c.high)
		}
		if s.ratio() < 0.65 || s.ratio() > 1.1 {
			t.Errorf("%s at %d h: spread %.2f for an error of %.2f of the mean", name, c.leadHours, s.spread, s.rmseOfMean)
		}
		truth, model := s.truth[len(s.truth)*99/100], s.model[len(s.model)*99/100]
		if model > 1.05*truth || model < 0.75*truth {
			t.Errorf("%s at %d h: one in a hundred predictions is above %.1f, of true values %.1f", name, c.leadHours, model, truth)
		}
	}
}

// threatScore is the equitable threat score of days with 2 mm and more.
func threatScore(leadHours int) (score, bias float64) {
	const seed = 7
	var hits, misses, alarms, all float64
	locations := catalogue.Default().Locations
	for i := 0; i < len(locations); i += 9 {
		place := newSpot(locations[i])
		for day := 0; day < 365; day += 6 {
			var truth float64
			var predicted [4]float64
			for k := range 24 {
				at := time.Date(2026, 1, 3, k, 0, 0, 0, time.UTC).AddDate(0, 0, day)
				h := truthHour(seed, at)
				truth += place.weather(seed, &h)[hazard.Precipitation]
				for m := range models {
					h := modelHour(seed, models[m], at.Add(-time.Duration(k+leadHours-24)*time.Hour), at)
					predicted[m] += place.weather(seed, &h)[hazard.Precipitation]
				}
			}
			for _, x := range predicted {
				all++
				switch {
				case truth >= 2 && x >= 2:
					hits++
				case truth >= 2:
					misses++
				case x >= 2:
					alarms++
				}
			}
		}
	}
	chance := (hits + misses) * (hits + alarms) / all
	return (hits - chance) / (hits + misses + alarms - chance), (hits + alarms) / (hits + misses)
}

// Wet days are missed and invented, more of them with lead. The score of global models is 0.4 to 0.5 on
// the first day (Ebert 2001, from memory); it is higher here, for the simulated rain comes with fronts
// and has no light showers between them.
func TestRainIsMissedAndInvented(t *testing.T) {
	first, bias := threatScore(24)
	fifth, _ := threatScore(120)
	t.Logf("equitable threat score of 2 mm a day: %.2f on day 1, %.2f on day 5; bias %.2f", first, fifth, bias)
	if first < 0.35 || first > 0.8 || fifth > 0.8*first || fifth < 0.1 || bias < 0.75 || bias > 1.25 {
		t.Errorf("equitable threat score %.2f on day 1 and %.2f on day 5, bias %.2f", first, fifth, bias)
	}
}

// An error lasts for hours and reaches over a valley, and another place has another one.
func TestErrorsAreCorrelated(t *testing.T) {
	const seed = 13
	here, beside, away := newSpot(catalogue.Location{Latitude: -40, Longitude: -72}), newSpot(catalogue.Location{Latitude: -40.03, Longitude: -72}), newSpot(catalogue.Location{Latitude: -25, Longitude: -69})
	wrongBy := func(s *spot, hour int) float64 {
		at := noon.Truncate(time.Hour).Add(time.Duration(hour) * time.Hour)
		truth, model := truthHour(seed, at), modelHour(seed, models[0], at.Add(-48*time.Hour), at)
		return s.weather(seed, &model)[hazard.WindSpeed] - s.weather(seed, &truth)[hazard.WindSpeed]
	}
	correlation := func(s *spot, later int) float64 {
		var a, b []float64
		for hour := 0; hour < 24*365; hour += 7 {
			a, b = append(a, wrongBy(here, hour)), append(b, wrongBy(s, hour+later))
		}
		return correlate(a, b)
	}
	for _, c := range []struct {
		what      string
		got       float64
		low, high float64
	}{
		{"an hour later", correlation(here, 1), 0.8, 0.999}, {"four days later", correlation(here, 96), -0.3, 0.3},
		{"3 km away", correlation(beside, 0), 0.8, 0.999}, {"1,700 km away", correlation(away, 0), -0.3, 0.3},
	} {
		if c.got < c.low || c.got > c.high {
			t.Errorf("correlation with the error %s: %.2f, want %.1f to %.1f", c.what, c.got, c.low, c.high)
		}
	}
	truth := truthHour(seed, noon)
	if x := here.deviation(noiseStandingWind, &truth); x != 0 || here.windy(&truth, 30) != 30 || here.warmer(&truth) != 0 {
		t.Errorf("the truth errs by %v", x)
	}
}

func correlate(a, b []float64) float64 {
	var x, y, xx, yy, xy float64
	n := float64(len(a))
	for i := range a {
		x, y, xx, yy, xy = x+a[i], y+b[i], xx+a[i]*a[i], yy+b[i]*b[i], xy+a[i]*b[i]
	}
	return (xy - x*y/n) / math.Sqrt((xx-x*x/n)*(yy-y*y/n))
}
