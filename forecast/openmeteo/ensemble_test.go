package openmeteo

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// A day's weight is that of the built-in catalogue with what is asked for beside the runs
// that vote. Where there is no room the ensembles are left out, and nothing else.
func TestWhatADayHasRoomFor(t *testing.T) {
	parks := catalogue.Default()
	all := Plan{Models: DefaultModels, WindAloft: true, Ensembles: true}
	for name, c := range map[string]struct {
		plan      Plan
		limits    Limits
		weight    float64
		ensembles bool
	}{
		"all":               {all, FreeLimits, 9289, true},
		"turned off":        {Plan{Models: DefaultModels, WindAloft: true}, FreeLimits, 8969, false},
		"without the winds": {Plan{Models: DefaultModels, Ensembles: true}, FreeLimits, 8489, true},
		"no room":           {all, Limits{Day: 9987}, 8969, false},
		"just room":         {all, Limits{Day: 9989}, 9289, true},
		"a contract":        {all, Limits{}, 9289, true},
		"no room at all":    {all, Limits{Day: 100}, 8969, false},
	} {
		plan, weight := c.plan.Fit(parks.Sites(), len(parks.Locations), c.limits)
		if math.Round(weight) != c.weight || plan.Ensembles != c.ensembles || plan.WindAloft != c.plan.WindAloft || len(plan.Models) != 4 {
			t.Errorf("%s: %v, %+v", name, weight, plan)
		}
	}
}

// An ensemble has no vote.
func TestAnEnsembleIsNoModel(t *testing.T) {
	for _, id := range Ensembles {
		if m, err := lookUp("", id); err != nil || !m.mean || m.aloft {
			t.Errorf("%s: %v", id, err)
		}
		if _, ok := CanonicalModel(id); ok {
			t.Errorf("%s may vote", id)
		}
	}
}

// serveEnsemble answers with means and spreads that vary hour by hour, as a test changes the
// text.
func serveEnsemble(t *testing.T, change *strings.Replacer) *provider {
	return newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		names := list(r.Form, "hourly")
		if !slices.Equal(names, []string{
			"temperature_2m", "wind_speed_10m", "wind_gusts_10m", "temperature_2m_spread", "wind_speed_10m_spread", "wind_gusts_10m_spread",
		}) {
			t.Errorf("asked for %v", names)
		}
		units, series, times := "", "", ""
		for i, name := range names {
			units += fmt.Sprintf(`,"%s":"%s"`, name, []string{"°C", "km/h", "km/h", "K", "km/h", "km/h"}[i])
			series += fmt.Sprintf(`,"%s":[`, name)
			for hour := range 96 {
				series += fmt.Sprintf("%d.%d,", []int{-5, 40, 60, 1, 5, 9}[i], hour%10)
			}
			series = strings.TrimSuffix(series, ",") + "]"
		}
		for i := range 96 {
			times += fmt.Sprintf(",%d", elementStart.Unix()+int64(i)*3600)
		}
		fmt.Fprint(w, change.Replace(fmt.Sprintf(
			`{"latitude":-33.5,"longitude":-70.0,"elevation":2235.0,"location_id":1,"hourly_units":{"time":"unixtime"%s},"hourly":{"time":[%s]%s}}`, units, times[1:], series)))
	})
}

func TestEnsembleOfAProvider(t *testing.T) {
	missing := math.NaN()
	for name, c := range map[string]struct {
		change       *strings.Replacer
		mean, spread float64 // of gusts in hour 4
		absurd       int
	}{
		"whole":                {strings.NewReplacer(), 60.4, 9.4, 0},
		"a null mean":          {strings.NewReplacer("60.4", "null"), missing, 9.4, 0},
		"a null spread":        {strings.NewReplacer("9.4", "null"), 60.4, missing, 0},
		"no spread":            {strings.NewReplacer(`"wind_gusts_10m_spread":"km/h"`, `"wind_gusts_10m_spread":"undefined"`), 60.4, missing, 0},
		"an absurd spread":     {strings.NewReplacer("9.4", "999.0"), 60.4, missing, 10},
		"a negative one":       {strings.NewReplacer(",9.4", ",-9.4"), 60.4, missing, 10},
		"one that never moves": {spreadOf("9.0"), 60.4, missing, 0},
		"zero throughout":      {spreadOf("0.0"), 60.4, missing, 0},
		"below the wind":       {strings.NewReplacer("60.", "30."), 40.4, 9.4, 0},
	} {
		b := newBench(t, serveEnsemble(t, c.change).URL, FreeLimits)
		answer, err := b.client.Ensemble(context.Background(), Ensembles[1], pass)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		mean, spread := answer.Columns.At(hazard.WindGust, 0, 4), answer.Spread.At(hazard.WindGust, 0, 4)
		if !near(mean, c.mean) || !near(spread, c.spread) || answer.Implausible != c.absurd || !near(answer.Spread.At(hazard.Temperature, 0, 4), 1.4) {
			t.Errorf("%s: %v, spread %v, %d implausible", name, mean, spread, answer.Implausible)
		}
		if b.ledger.Usage(noon).Day != 1 || answer.Weight != 1 {
			t.Errorf("%s weighs %v, %v is booked", name, answer.Weight, b.ledger.Usage(noon).Day)
		}
	}
	for name, change := range map[string]*strings.Replacer{
		"a spread in other units":   strings.NewReplacer(`"temperature_2m_spread":"K"`, `"temperature_2m_spread":"°F"`),
		"a spread of other hours":   strings.NewReplacer("9.0,9.1,9.2,", "9.0,9.1,"),
		"a spread without a unit":   strings.NewReplacer(`"wind_gusts_10m_spread":"km/h"`, `"other":"km/h"`),
		"a text among the spreads":  strings.NewReplacer("9.4", `"9.4"`),
		"another cell":              strings.NewReplacer("-33.5", "-36.5"),
		"it breaks off":             strings.NewReplacer("9.4", "9.4}"),
		"means of other hours":      strings.NewReplacer("-5.", "-5.0,-5.0"),
		"a refusal that answers OK": strings.NewReplacer(`{"latitude"`, `{"error":true,"reason":"no","latitude"`),
	} {
		if _, err := newBench(t, serveEnsemble(t, change).URL, FreeLimits).client.Ensemble(context.Background(), Ensembles[0], pass); err == nil || !strings.Contains(err.Error(), "ensemble of ecmwf_ifs025_ensemble_mean") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// spreadOf makes the spread of gusts the same in every hour.
func spreadOf(text string) *strings.Replacer {
	var pairs []string
	for i := range 10 {
		pairs = append(pairs, fmt.Sprintf(",9.%d", i), ","+text, fmt.Sprintf("[9.%d", i), "["+text)
	}
	return strings.NewReplacer(pairs...)
}

func near(a, b float64) bool { return a == b || math.Abs(a-b) < 0.02 || math.IsNaN(a) && math.IsNaN(b) }
