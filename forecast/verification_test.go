package forecast

import (
	"math"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/openmeteo"
	"vigia/store"
)

// The whole path: simulated weather over HTTP, forecast hour by hour, verified
// against its archive, and kept over a restart.
func TestVerificationEndToEnd(t *testing.T) {
	w := newWorld(t)
	w.attachArchive(t)
	e := w.cycle(t)
	for range 9 * 8 { // every third hour is enough
		w.clock.Advance(3 * time.Hour)
		e = w.cycle(t)
	}
	s := e.Verification
	if s == nil || s.Stage != store.StagePreliminary || s.Verified == 0 || s.Issued < 60*2*3 {
		t.Fatalf("%v issued, %v verified, %s", s.Issued, s.Verified, s.Stage)
	}
	c := result(t, s, store.Reanalysis, "24-48")
	if c.N() < 4 || c.N() > 8 {
		t.Errorf("%d trail days against the archive", c.N())
	}
	if d := result(t, s, store.OwnLaterRuns, "0-6"); d.N() < 14 {
		t.Errorf("%d trail days against later runs", d.N())
	}
	for _, v := range s.Values { // few days: counted, and no mean of them
		if v.Tier != store.Reanalysis || v.N == 0 || v.Days == 0 || v.Days < 10 && (v.CRPS != nil || v.MAE != nil) || len(v.Models) != 4 {
			t.Errorf("%s, %s h: %d hours of %d days, %d models", v.Variable, v.Bin, v.N, v.Days, len(v.Models))
		}
	}
	if s.FlipFlop == nil || len(s.Values) == 0 || *s.FlipFlop < 0 || len(s.Pairs) < 10 {
		t.Errorf("flip-flop %v, %d days of pairs", s.FlipFlop, len(s.Pairs))
	}
	archived := 0
	for _, call := range w.weather.Calls() {
		if call.Model == openmeteo.ArchiveModel {
			archived++
		}
	}
	if archived < 2 || archived > 5 {
		t.Errorf("%d calls of the archive", archived)
	}
	w.restart(t)
	w.engine.Show()
	again := w.published.last(t).Verification
	if again == nil || len(again.Results) != len(s.Results) || !again.CalculatedAt.Equal(s.CalculatedAt) || len(again.Pairs) != len(s.Pairs) {
		t.Errorf("after a restart: %+v", again)
	}
}

// What a day costs is foretold: the provider counts as much, of the runs and of the
// archive.
func TestADayWeighsWhatIsForetold(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and races nothing that others do not")
	}
	w := newWorld(t)
	w.aloft, w.ensembles = true, true
	w.attachArchive(t)
	turn := func(n int, by time.Duration) {
		for range n {
			w.clock.Advance(by)
			w.cycle(t)
		}
	}
	turn(9*4, 6*time.Hour) // the archive is days late
	before := w.weather.Weight()
	turn(8, 3*time.Hour)
	plan, want := openmeteo.Plan{Models: openmeteo.DefaultModels, WindAloft: true, Ensembles: true}.Fit(w.engine.sites, len(w.contents.Locations), openmeteo.Limits{})
	got := w.weather.Weight() - before
	if math.Abs(got-want) > 1e-6 || !plan.Ensembles {
		t.Errorf("the provider counts %v in a day, foretold are %v", got, want)
	}
}

func (w *world) attachArchive(t testing.TB) {
	t.Helper()
	client, err := openmeteo.New(openmeteo.Options{BaseURL: w.server.URL, Clock: w.clock, Ledger: openmeteo.NewLedger(w.clock, openmeteo.Limits{})})
	if err != nil {
		t.Fatal(err)
	}
	w.archive = client
	w.restart(t)
}

// result returns that of the trails as a whole at caution.
func result(t *testing.T, s *store.Verification, tier store.Tier, bin string) *store.Result {
	t.Helper()
	for i := range s.Results {
		if r := &s.Results[i]; r.Tier == tier && r.Level == alert.Caution && r.Hazard == "" && r.Bin == bin {
			return r
		}
	}
	t.Fatalf("no result %v %s", tier, bin)
	return nil
}
