package openmeteo

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
)

// spanText is an answer for whole days, with the archive's variables.
func spanText(points int, first time.Time, days int) string {
	var times []string
	for h := range 24 * days {
		times = append(times, fmt.Sprint(first.Unix()+int64(h)*3600))
	}
	var units, hourly []string
	for _, v := range archiveVariables {
		units = append(units, fmt.Sprintf("%q:%q", variables[v].name, variables[v].unit))
		hourly = append(hourly, fmt.Sprintf("%q:[%s]", variables[v].name, strings.Repeat("1,2,", 12*days-1)+"1,null"))
	}
	element := func(i int) string {
		return fmt.Sprintf(`{"latitude":-33.4,"longitude":-70.1,"location_id":%d,"hourly_units":{"time":"unixtime",%s},"hourly":{"time":[%s],%s}}`,
			i+1, strings.Join(units, ","), strings.Join(times, ","), strings.Join(hourly, ","))
	}
	if points == 1 {
		return element(0)
	}
	var all []string
	for i := range points {
		all = append(all, element(i))
	}
	return "[" + strings.Join(all, ",") + "]"
}

func TestArchiveAsks(t *testing.T) {
	first := time.Date(2026, 7, 10, 17, 30, 0, 0, time.UTC) // of the day, whatever the hour
	p := newProvider(t, says(200, spanText(2, first.Truncate(24*time.Hour), 5)))
	b := newBench(t, p.URL, FreeLimits)
	answer, err := b.client.Archive(context.Background(), somePlaces(2), first, first.Add(4*24*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	form := p.forms[0]
	for field, want := range map[string]string{
		"models": "era5", "start_date": "2026-07-10", "end_date": "2026-07-14", "timeformat": "unixtime", "timezone": "GMT",
		"apikey": testKey, "past_days": "", "forecast_days": "", "location_id": "1,2",
		"hourly": "temperature_2m,relative_humidity_2m,precipitation,snowfall,snow_depth,wind_speed_10m,wind_gusts_10m,weather_code",
	} {
		if got := form.Get(field); got != want {
			t.Errorf("%s=%q, want %q", field, got, want)
		}
	}
	if answer.Weight != 2 || b.ledger.Usage(noon).Day != 2 {
		t.Errorf("weight %v, booked %+v", answer.Weight, b.ledger.Usage(noon))
	}
	c := answer.Columns
	if !c.Start.Equal(first.Truncate(24*time.Hour)) || c.Hours != 120 || c.Points != 2 || c.At(hazard.WindGust, 1, 0) != 1 {
		t.Errorf("%+v", c)
	}
	if last := c.At(hazard.WindGust, 1, 119); !math.IsNaN(last) {
		t.Errorf("what the archive does not have is %v", last)
	}
	if c.Values[hazard.UVIndex] != nil {
		t.Error("a variable that was not asked for is there")
	}
}

// Many places go in a form, in calls that the limit of the minute allows.
func TestArchiveOfManyPlaces(t *testing.T) {
	day := time.Date(2026, 7, 10, 0, 0, 0, 0, time.UTC)
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, spanText(len(list(r.Form, "latitude")), day, 1))
	})
	b := newBench(t, p.URL, Limits{Day: 1200})
	answer, err := b.client.Archive(context.Background(), somePlaces(1100), day, day)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Columns.Points != 1100 || p.calls() != 2 {
		t.Errorf("%d points in %d calls", answer.Columns.Points, p.calls())
	}
	_, err = b.client.Archive(context.Background(), somePlaces(200), day, day)
	failure(t, err, HeldBack)
	if p.calls() > 2 {
		t.Error("asked although the ledger has no room")
	}
	if _, err := newBench(t, p.URL, Limits{}).client.Archive(context.Background(), somePlaces(900), day, day); err != nil || p.method[2] != http.MethodPost {
		t.Errorf("900 places by %s: %v", p.method[2], err)
	}
}

// An answer for other days than those asked is refused, and so are spans that
// cannot be asked.
func TestArchiveRefusesWhatDoesNotFit(t *testing.T) {
	day := time.Date(2026, 7, 10, 0, 0, 0, 0, time.UTC)
	for name, text := range map[string]string{
		"a day later": spanText(1, day.AddDate(0, 0, 1), 2), "a day short": spanText(1, day, 1), "a day long": spanText(1, day, 3),
	} {
		p := newProvider(t, says(200, text))
		_, err := newBench(t, p.URL, FreeLimits).client.Archive(context.Background(), somePlaces(1), day, day.AddDate(0, 0, 1))
		if fault := failure(t, err, Mismatch); fault.Op != "archive" || fault.Model != ArchiveModel {
			t.Errorf("%s: %v", name, fault)
		}
	}
	p := newProvider(t, says(400, `{"error":true,"reason":"no such day"}`))
	b := newBench(t, p.URL, FreeLimits)
	_, err := b.client.Archive(context.Background(), somePlaces(1), day, day)
	failure(t, err, Refused)
	calls := p.calls()
	for _, last := range []time.Time{day.AddDate(0, 0, -1), day.AddDate(0, 0, MaxSpanDays)} {
		_, err := b.client.Archive(context.Background(), somePlaces(1), day, last)
		failure(t, err, Refused)
	}
	if p.calls() != calls {
		t.Error("asked for a span that cannot be asked")
	}
}
