//go:build trials

package simulate

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/calibration"
	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/store/catalogue"
)

// morningRuns are the predictions of seed 7 that are read in the morning: every day from the newest
// runs at 3 h UTC, midnight in Chile's summer.
type morningRuns struct{}

func (morningRuns) History(_ context.Context, id string, places []catalogue.Location, first, last time.Time) (*openmeteo.Answer, error) {
	m, _ := modelByID(id)
	hours := 24 + int(last.Sub(first)/time.Hour)
	c := hazard.NewColumns(first, len(places), hours)
	for start := first.Add(-21 * time.Hour); start.Before(first.Add(time.Duration(hours) * time.Hour)); start = start.Add(24 * time.Hour) {
		day := columnsOf(7, m, m.newestRun(start), start, 24, places)
		for p := range places {
			c.Copy(p, day, p)
		}
	}
	return &openmeteo.Answer{Columns: c}, nil
}

// HistoryAloft refuses: the wind aloft gives no level.
func (morningRuns) HistoryAloft(context.Context, string, []catalogue.Location, time.Time, time.Time) (*openmeteo.Answer, error) {
	return nil, &openmeteo.Error{Kind: openmeteo.Refused}
}

// What vigia calibrate says of the rules over every hour and day of a simulated year, on every trail of the
// catalogue: a level that is given too often does not stand out on the day that kills. At most five trails
// may pass each of the aims for hours and days. Another seed is another year, in which passes and summits at
// the edge of an aim fall on its other side: under seed 11 six trails pass that for hours in amarillo.
func TestTheRulesStandOutOverAYear(t *testing.T) {
	t.Parallel()
	first := time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)
	rates, err := calibration.Calibrate(t.Context(), calibration.Calibration{
		Archive: morningRuns{}, Catalogue: catalogue.Default(), Rules: hazard.DefaultRules(), Models: openmeteo.DefaultModels,
		First: first, Last: first.AddDate(1, 0, -1), Clock: clockwork.NewFakeClockAt(first.AddDate(1, 0, 10)),
	})
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := rates.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	t.Log(table.String())
	for aim, trails := range rates.Beyond() {
		if trails > 5 {
			t.Errorf("%d trails pass the aim for %s: the last lines above name them", trails, aim)
		}
	}
	all := rates.Over(func(*catalogue.Trail) bool { return true })
	red, _ := all.Days.Share(all.Days.Red)
	notGreen, _ := all.Days.Share(all.Days.Amber + all.Days.Red)
	if red < 1 || notGreen < 10 {
		t.Errorf("%.1f %% of the days are red and %.1f %% not green: nothing ever happens", red, notGreen)
	}
}
