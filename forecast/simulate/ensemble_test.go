package simulate

import (
	"math"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// The spread of an ensemble is of the size of the error of its mean, somewhat smaller: over
// places and days, and more where more is uncertain.
func TestTheSpreadIsOfTheSizeOfTheError(t *testing.T) {
	m := ensembles[0]
	s := New(Options{Seed: 7})
	var errors, spreads, far, near float64
	n, places := 0, catalogue.Default().Locations[:40]
	for day := range 12 {
		now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, 30*day)
		q := &query{model: m, start: now, hours: 61}
		members := s.members(q, now)
		for _, place := range places {
			mean, spread := s.ensemble(q, members, place, now)
			for k := range q.hours {
				if k%12 != 0 {
					continue
				}
				h := truthHour(s.seed, q.at(k))
				truth := newSpot(place).weather(s.seed, &h)
				errors += math.Pow(mean[k][hazard.WindGust]-truth[hazard.WindGust], 2)
				spreads += math.Pow(spread[k][hazard.WindGust], 2)
				n++
			}
			near += spread[0][hazard.Temperature]
			far += spread[60][hazard.Temperature]
		}
	}
	if ratio := math.Sqrt(spreads / errors); ratio < 0.5 || ratio > 1.1 {
		t.Errorf("the spread of gusts is %.2f times the error of their mean, %.1f km/h", ratio, math.Sqrt(errors/float64(n)))
	}
	if far <= near {
		t.Errorf("the spread does not grow with lead: %v and %v", near, far)
	}
}

// An ensemble answers with means and spreads in the provider's units, and with nulls where
// it has nothing; so does a model that is asked for a spread.
func TestAnEnsembleAnswers(t *testing.T) {
	_, base := start(t)
	for id, unit := range map[string]string{"ecmwf_ifs025_ensemble_mean": "K", "ncep_gefs025_ensemble_mean": "K", "ecmwf_ifs": "undefined"} {
		_, text := get(t, base+"/v1/forecast"+twoLakes+"&hourly=temperature_2m,temperature_2m_spread,wind_gusts_10m_spread,cape,cape_spread"+threeDays+"&models="+id)
		e := read[[]element](t, text)[1]
		if e.HourlyUnits["temperature_2m"] != "°C" || e.HourlyUnits["temperature_2m_spread"] != unit || e.HourlyUnits["cape_spread"] != "undefined" || len(e.Hourly) != 6 {
			t.Errorf("%s: %v", id, e.HourlyUnits)
		}
		for name, has := range map[string]bool{"temperature_2m": true, "temperature_2m_spread": unit == "K", "wind_gusts_10m_spread": unit == "K", "cape_spread": false} {
			if got := e.Hourly[name]; len(got) != 72 || (got[30] != nil) != has || has && got[30] == 0.0 {
				t.Errorf("%s, %s: %v", id, name, got)
			}
		}
	}
}
