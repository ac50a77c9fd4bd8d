package simulate_test

import (
	"errors"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/forecast/simulate"
	"vigia/store/catalogue"
)

// archived is a server of simulated weather with a client for its archive.
type archived struct {
	server *simulate.Server
	client *openmeteo.Client
	base   string
	clock  *clockwork.FakeClock
	places []catalogue.Location
}

func newArchived(t *testing.T) *archived {
	t.Helper()
	a := &archived{clock: clockwork.NewFakeClockAt(time.Date(2026, 7, 20, 15, 5, 0, 0, time.UTC)), places: catalogue.Default().Locations[:20]}
	a.server = simulate.New(simulate.Options{Seed: 1, Clock: a.clock})
	base, closeFn, err := a.server.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeFn() })
	a.base = base
	a.newClient(t)
	return a
}

func (a *archived) newClient(t *testing.T) {
	t.Helper()
	client, err := openmeteo.New(openmeteo.Options{BaseURL: a.base, Clock: a.clock, Ledger: openmeteo.NewLedger(a.clock, openmeteo.Limits{})})
	if err != nil {
		t.Fatal(err)
	}
	a.client = client
}

// The archive is the truth, smoothed, to the hour five days ago, without the
// variables of which a reanalysis has nothing.
func TestArchiveIsTheTruthFiveDaysLate(t *testing.T) {
	a := newArchived(t)
	now := a.clock.Now()
	first := now.Truncate(24*time.Hour).AddDate(0, 0, -8)
	answer, err := a.client.Archive(t.Context(), a.places, first, first.AddDate(0, 0, 4))
	if err != nil {
		t.Fatal(err)
	}
	if answer.Implausible != 0 {
		t.Errorf("%d implausible values", answer.Implausible)
	}
	difference := 0.0
	for p, place := range a.places {
		for h, x := range answer.Columns.Series(hazard.WindGust, p) {
			at := first.Add(time.Duration(h) * time.Hour)
			if late := at.After(now.Add(-5 * 24 * time.Hour)); late != (x != x) {
				t.Fatalf("%v is %v", at, x)
			} else if late {
				continue
			}
			before, here, after := a.server.Truth(place, at.Add(-time.Hour)), a.server.Truth(place, at), a.server.Truth(place, at.Add(time.Hour))
			want := (before[hazard.WindGust] + 2*here[hazard.WindGust] + after[hazard.WindGust]) / 4
			if math.Abs(float64(x)-want) > .051 {
				t.Fatalf("%v: %v, want %v", at, x, want)
			}
			difference += math.Abs(float64(x) - here[hazard.WindGust])
		}
	}
	if difference == 0 {
		t.Error("the archive is the truth itself")
	}
	for _, v := range []hazard.Variable{hazard.CAPE, hazard.SightRange, hazard.FreezingLevel, hazard.UVIndex} {
		if answer.Columns.Series(v, 0) != nil {
			t.Errorf("variable %d is there", v)
		}
	}
	calls := a.server.Calls()
	if c := calls[len(calls)-1]; c.Model != openmeteo.ArchiveModel || c.Weight != 20 || c.Places != 20 || c.Days != 5 {
		t.Errorf("%+v", c)
	}
}

func TestArchiveHeedsFaultsAndOverrides(t *testing.T) {
	a := newArchived(t)
	day := a.clock.Now().AddDate(0, 0, -10)
	a.server.Override(func(model string, _ catalogue.Location, _ time.Time, v *simulate.Values) {
		if model == openmeteo.ArchiveModel {
			v[hazard.WindGust] = 123
		}
	})
	answer, err := a.client.Archive(t.Context(), a.places[:1], day, day)
	if err != nil || answer.Columns.Series(hazard.WindGust, 0)[5] != 123 {
		t.Errorf("overridden: %v, %v", answer, err)
	}
	for _, kind := range []simulate.Kind{
		simulate.EmptyBody, simulate.TruncatedStream, simulate.BadGatewayHTML, simulate.RateLimited, simulate.ObjectInsteadOfArray,
		simulate.WrongLength, simulate.SeriesLength, simulate.Outage, simulate.Refused, simulate.ServerDown,
	} {
		a.server.Fail(simulate.Fault{Kind: kind, Model: openmeteo.ArchiveModel})
		a.newClient(t) // without what it learnt from the fault before
		_, err := a.client.Archive(t.Context(), a.places, day, day)
		if fault := (*openmeteo.Error)(nil); !errors.As(err, &fault) {
			t.Errorf("fault %d: %v", kind, err)
		}
		a.server.Recover()
	}
}

func TestArchiveRefusesBadQuestions(t *testing.T) {
	a := newArchived(t)
	good := url.Values{
		"latitude": {"-33"}, "longitude": {"-70"}, "hourly": {"temperature_2m"}, "models": {"era5"},
		"start_date": {"2026-07-01"}, "end_date": {"2026-07-02"}, "timezone": {"GMT"},
	}
	for field, value := range map[string]string{
		"": "", "models": "ecmwf_ifs", "latitude": "95", "hourly": "nonsense", "start_date": "yesterday", "end_date": "2026-06-30", "timeformat": "x", "timezone": "America/Santiago",
		"longitude": "-70,-71", "elevation": "20000",
	} {
		form := url.Values{}
		for k, v := range good {
			form[k] = v
		}
		want := http.StatusOK
		if field != "" {
			form.Set(field, value)
			want = http.StatusBadRequest
		}
		answer, err := http.PostForm(a.base+"/v1/archive", form)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != want || want == http.StatusBadRequest && !strings.Contains(string(text), `"error":true`) {
			t.Errorf("%s=%s: %d %.200s", field, value, answer.StatusCode, text)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}
