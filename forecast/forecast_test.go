package forecast

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/forecast/simulate"
	"vigia/forecast/simulatetest"
	"vigia/forecast/verification"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/notices"
	"vigia/store/storetest"
)

// noon of a spring day, a few minutes past the hour.
var noon = time.Date(2025, 11, 17, 15, 5, 0, 0, time.UTC)

// published keeps what was published.
type published struct {
	mu        sync.Mutex
	snapshots []*store.Snapshot
}

func (s *published) Publish(e *store.Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.snapshots = append(s.snapshots, e)
}

// keepLast forgets all but the last snapshot.
func (s *published) keepLast() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.snapshots = s.snapshots[len(s.snapshots)-1:]
}

func (s *published) last(t testing.TB) *store.Snapshot {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.snapshots) == 0 {
		t.Fatal("nothing was published")
	}
	return s.snapshots[len(s.snapshots)-1]
}

// world is an engine with real parts around it: weather over HTTP, a bbolt file,
// and a clock that the test turns.
type world struct {
	clock     *clockwork.FakeClock
	weather   *simulatetest.Server
	server    *httptest.Server
	store     *store.Store
	path      string
	published *published
	engine    *Engine
	contents  *catalogue.Catalogue
	archive   verification.Archive // nil for none
	feed      string               // of volcanoes, "" for none
	aloft     bool                 // the wind aloft is asked for
	ensembles bool                 // they are asked for
	limits    openmeteo.Limits
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{clock: clockwork.NewFakeClockAt(noon), published: &published{}, contents: small(t), path: filepath.Join(t.TempDir(), "vigia.db")}
	w.weather = simulatetest.New(simulate.Options{Seed: 1, Clock: w.clock})
	w.server = httptest.NewServer(w.weather)
	t.Cleanup(w.server.Close)
	w.open(t)
	return w
}

// small is a catalogue of a few parks, so that a test is quick.
func small(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	return parse(t, `{"parques":[
		{"slug":"sur","nombre":"Austral","tipo":"parque_nacional","region":"Magallanes","latitud":-51,"longitud":-73,"altitud_m":100,"zona_horaria":"America/Punta_Arenas"},
		{"slug":"norte","nombre":"Norte","tipo":"parque_nacional","region":"Arica","latitud":-18.2,"longitud":-69.3,"altitud_m":4400,"zona_horaria":"America/Santiago"}],
	 "senderos":[
		{"slug":"paso","parque":"sur","nombre":"Paso","tipo":"circuito","puntos":[
			{"nombre":"inicio","latitud":-51,"longitud":-73,"altitud_m":100,"exposicion":"bosque"},
			{"nombre":"paso","latitud":-50.9,"longitud":-73.1,"altitud_m":1200,"exposicion":"cresta_paso","critico":true}]},
		{"slug":"laguna","parque":"norte","nombre":"Laguna","tipo":"ida_y_vuelta","puntos":[
			{"nombre":"laguna","latitud":-18.2,"longitud":-69.3,"altitud_m":4400,"exposicion":"altiplano","critico":true}]}]}`)
}

func parse(t testing.TB, text string) *catalogue.Catalogue {
	t.Helper()
	c, err := catalogue.Parse("prueba.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// open opens the file and makes an engine on it, as a start of the service does.
func (w *world) open(t testing.TB) {
	t.Helper()
	var err error
	if w.store, err = storetest.Open(w.path, store.Options{Clock: w.clock}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.store.Close() })
	ledger := openmeteo.NewLedger(w.clock, w.limits)
	client, err := openmeteo.New(openmeteo.Options{BaseURL: w.server.URL, Clock: w.clock, Ledger: ledger})
	if err != nil {
		t.Fatal(err)
	}
	w.engine, err = New(Options{
		Store: w.store, Provider: client, Usage: func() openmeteo.Usage { return ledger.Usage(w.clock.Now()) },
		Catalogue: w.contents, Rules: hazard.DefaultRules(), Models: openmeteo.DefaultModels,
		Clock: w.clock, Log: slog.New(slog.DiscardHandler), Publisher: w.published, Archive: w.archive, WindAloft: w.aloft, Ensembles: w.ensembles,
		NoticeURLs: [notices.NumKinds]string{notices.Volcanoes: w.feed},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// restart closes the file and opens it again with a new engine.
func (w *world) restart(t testing.TB) {
	t.Helper()
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	w.open(t)
}

// cycle runs a cycle, and turns the clock when the cycle waits for it.
func (w *world) cycle(t testing.TB) *store.Snapshot {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	turning := make(chan struct{})
	go func() {
		defer close(turning)
		for w.clock.BlockUntilContext(ctx, 1) == nil {
			w.clock.Advance(10 * time.Second)
		}
	}()
	w.engine.Cycle(t.Context())
	cancel()
	<-turning
	return w.published.last(t)
}

// forecasts counts the calls for weather, metadata aside.
func (w *world) forecasts() (n int) {
	for _, call := range w.weather.Calls() {
		if !call.Metadata {
			n++
		}
	}
	return n
}

func votes(e *store.Snapshot) int { return len(e.Trails[0].Hours[0].Models) }

func TestFirstCycle(t *testing.T) {
	w := newWorld(t)
	w.engine.Show()
	if e := w.published.last(t); len(e.Trails) != 0 || e.Reason != hazard.NoRuns || !e.IssuedAt.IsZero() {
		t.Fatalf("before the first run: %+v", e)
	}
	e := w.cycle(t)
	if len(e.Trails) != 2 || len(e.Trails[0].Hours) != Hours || votes(e) != 4 {
		t.Fatalf("%d trails", len(e.Trails))
	}
	for i, trail := range e.Trails {
		for k, hour := range trail.Hours {
			if hour.State == hazard.Unknown || !hour.Hour.Equal(e.Hour.Add(time.Duration(k)*time.Hour)) {
				t.Fatalf("trail %d, hour %d: %v %q", i, k, hour.State, hour.Reason)
			}
		}
	}
	if want := noon.Truncate(time.Hour).Add(time.Hour + grace); !e.ValidUntil.Equal(want) || !e.IssuedAt.Equal(noon) {
		t.Errorf("issued %v, valid until %v", e.IssuedAt, e.ValidUntil)
	}
	for _, m := range e.Models {
		if m.State != modelOK || m.LastError != "" || m.Run.IsZero() {
			t.Errorf("model %+v", m)
		}
	}
	if len(e.History.Hours) != 1 || e.History.Hours[0].Rows[0].State != e.Trails[0].Hours[0].State {
		t.Errorf("history %+v", e.History)
	}
	if n := w.forecasts(); n != 8 {
		t.Errorf("%d calls for weather, want one a model and group of places", n)
	}
}

// Only a new run is worth a call: hour by hour there are as many calls as runs.
func TestAModelIsAskedOnlyWhenItHasANewRun(t *testing.T) {
	w := newWorld(t)
	w.cycle(t)
	runs := map[string]map[time.Time]bool{}
	for range 24 {
		w.clock.Advance(time.Hour)
		e := w.cycle(t)
		if votes(e) != 4 || !e.Hour.Equal(w.clock.Now().Truncate(time.Hour)) {
			t.Fatalf("%v: %d votes", e.Hour, votes(e))
		}
		for _, m := range e.Models {
			if runs[m.Model] == nil {
				runs[m.Model] = map[time.Time]bool{}
			}
			runs[m.Model][m.Run] = true
		}
	}
	held := 0
	for model, list := range runs {
		held += len(list)
		if len(list) < 2 {
			t.Errorf("%s had no new run in 24 h", model)
		}
	}
	if n := w.forecasts(); n > 2*(held+1) {
		t.Errorf("%d calls for %d runs in two groups", n, held)
	}
}

func TestARestartNeedsNoCall(t *testing.T) {
	w := newWorld(t)
	before := w.cycle(t)
	w.server.Close()
	w.restart(t)
	w.engine.Show()
	e := w.published.last(t)
	if e == before || votes(e) != 4 || e.Trails[0].Hours[5].State != before.Trails[0].Hours[5].State {
		t.Fatalf("after the restart: %+v", e.Models)
	}
	if len(e.Alerts) != len(before.Alerts) {
		t.Errorf("%d alerts, before %d", len(e.Alerts), len(before.Alerts))
	}
	for i, a := range e.Alerts {
		if a.ID != before.Alerts[i].ID || a.Version != before.Alerts[i].Version {
			t.Errorf("alert %s v%d became %s v%d", before.Alerts[i].ID, before.Alerts[i].Version, a.ID, a.Version)
		}
	}
}

func TestTheProviderIsAwayAtTheStartAndComesBack(t *testing.T) {
	w := newWorld(t)
	w.weather.Fail(simulatetest.Fault{Kind: simulatetest.Outage, On: simulatetest.AllCalls})
	e := w.cycle(t)
	if len(e.Trails) != 0 || e.Reason != hazard.NoRuns || e.Models[0].State != modelNone || e.Models[0].LastError == "" {
		t.Fatalf("without a provider: %+v", e)
	}
	w.weather.Recover()
	w.clock.Advance(time.Minute)
	if !w.engine.due() {
		t.Fatal("no new try after a minute")
	}
	if e = w.cycle(t); votes(e) != 4 || e.Models[0].LastError != "" {
		t.Errorf("after the provider came back: %+v", e.Models)
	}
}

func TestOldDataAreMarkedAndThenCarryNoLevel(t *testing.T) {
	w := newWorld(t)
	w.cycle(t)
	w.weather.Fail(simulatetest.Fault{Kind: simulatetest.BadGatewayHTML, On: simulatetest.AllCalls})
	confirmed := w.clock.Now()
	for w.clock.Now().Sub(confirmed) < 12*time.Hour {
		w.clock.Advance(time.Hour)
		e := w.cycle(t)
		if want := confirmed.Add(9 * time.Hour); len(e.Trails) > 0 && !e.DataUntil.Equal(want) {
			t.Fatalf("at %v the data last until %v, want %v", w.clock.Now(), e.DataUntil, want)
		}
		switch old := w.clock.Now().Sub(confirmed); {
		case old > 9*time.Hour:
			if len(e.Trails) != 0 || e.Reason != hazard.DataTooOld || e.Models[0].State != modelExpired {
				t.Fatalf("%v old: %q, %+v", old, e.Reason, e.Models[0])
			}
		case old > staleAfter:
			if e.Trails[0].Hours[0].Quality != hazard.Stale || e.Models[0].State != modelLate {
				t.Fatalf("%v old: %v", old, e.Trails[0].Hours[0].Quality)
			}
			if e.ValidUntil.After(confirmed.Add(9 * time.Hour)) {
				t.Fatalf("%v old and valid until %v", old, e.ValidUntil)
			}
		default:
			if e.Trails[0].Hours[0].Quality == hazard.Stale {
				t.Fatalf("%v old is already out of date", old)
			}
		}
	}
	w.weather.Recover()
	w.clock.Advance(time.Hour)
	if e := w.cycle(t); votes(e) != 4 || e.Trails[0].Hours[0].Quality == hazard.Stale {
		t.Errorf("after the provider came back: %+v", e.Models)
	}
}

func TestAFrozenModelLosesItsVote(t *testing.T) {
	w := newWorld(t)
	w.cycle(t)
	w.weather.Fail(simulatetest.Fault{Kind: simulatetest.FrozenRun, On: simulatetest.AllCalls, Model: "ncep_gfs_global"})
	var e *store.Snapshot
	for range 30 {
		w.clock.Advance(time.Hour)
		e = w.cycle(t)
	}
	if votes(e) != 3 || e.Models[1].State != modelExpired || e.Trails[0].Hours[0].Quality != hazard.Partial {
		t.Fatalf("%d votes, %+v", votes(e), e.Models[1])
	}
	for _, vote := range e.Trails[0].Hours[0].Models {
		if vote.Model == "ncep_gfs_global" {
			t.Error("the frozen model still votes")
		}
	}
}

// Each way in which an answer can be bad leaves the last good run in place and
// the state of the model says what happened.
func TestBadAnswersLeaveTheLastGoodRun(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and races nothing that others do not")
	}
	for _, kind := range []simulatetest.Kind{
		simulatetest.EmptyBody, simulatetest.NaNLatitude, simulatetest.TruncatedStream, simulatetest.BadGatewayHTML, simulatetest.RateLimited,
		simulatetest.ObjectInsteadOfArray, simulatetest.WrongLength, simulatetest.SeriesLength, simulatetest.Nulls, simulatetest.Outage,
		simulatetest.Refused, simulatetest.ServerDown,
	} {
		w := newWorld(t)
		before := w.cycle(t)
		w.weather.Fail(simulatetest.Fault{Kind: kind, Model: "dwd_icon_global"})
		var e *store.Snapshot
		for range 7 {
			w.clock.Advance(time.Hour)
			e = w.cycle(t)
		}
		icon := e.Models[2]
		if !icon.Run.Equal(before.Models[2].Run) || icon.LastError == "" || strings.Contains(icon.LastError, "interno") {
			t.Errorf("fault %d: %+v", kind, icon)
		}
		if e.Models[0].LastError != "" || votes(e) < 3 {
			t.Errorf("fault %d of one model spread: %+v", kind, e.Models)
		}
		w.weather.Recover()
		w.clock.Advance(time.Hour)
		if e = w.cycle(t); !e.Models[2].Run.After(before.Models[2].Run) || votes(e) != 4 {
			t.Errorf("fault %d: not recovered: %+v", kind, e.Models[2])
		}
	}
}

// Weather put in by hand comes out as the rules say: two models with a gust at
// the pass make red there and an alert for the park, kept over a restart.
func TestWeatherBecomesEstimateAndAlert(t *testing.T) {
	w := newWorld(t)
	gusty := noon.Truncate(time.Hour).Add(6 * time.Hour)
	w.weather.Override(func(model string, place catalogue.Location, at time.Time, v *simulate.Values) {
		*v = calm(at)
		if place.Elevation == 1200 && at.Equal(gusty) && model != "cmc_gem_gdps" && model != "dwd_icon_global" {
			v[hazard.WindGust] = 110
		}
	})
	e := w.cycle(t)
	for k, hour := range e.Trails[0].Hours {
		want := hazard.Green
		if k >= 5 && k <= 7 {
			want = hazard.Red
		}
		if hour.State != want {
			t.Errorf("hour %d: %v, want %v", k, hour.State, want)
		}
	}
	if e.Trails[1].Hours[6].State != hazard.Green {
		t.Errorf("the other trail: %v", e.Trails[1].Hours[6].State)
	}
	check := func(e *store.Snapshot) {
		t.Helper()
		if len(e.Alerts) != 1 {
			t.Fatalf("%d alerts", len(e.Alerts))
		}
		a, worst := e.Alerts[0], e.Alerts[0].Worst()
		if a.Park != "sur" || worst.Hazard != hazard.Wind || a.Level.String() != "peligro" || !a.Start.Equal(gusty.Add(-2*time.Hour)) || !a.End.Equal(gusty.Add(2*time.Hour)) {
			t.Errorf("alert %+v", a)
		}
		if worst.Causes[0].Place != "paso" || worst.Causes[0].Max != 110 || worst.Agree != 2 || worst.Total != 4 {
			t.Errorf("causes %+v", worst.Causes)
		}
	}
	check(e)
	w.restart(t)
	w.engine.Show()
	check(w.published.last(t))
}

// A trail that the catalogue gained is asked for at once, and the runs held go on
// for the trails that stay.
func TestANewTrailIsFetchedAtOnce(t *testing.T) {
	w := newWorld(t)
	w.cycle(t)
	w.contents = parse(t, `{"parques":[
		{"slug":"sur","nombre":"Austral","tipo":"parque_nacional","region":"Magallanes","latitud":-51,"longitud":-73,"altitud_m":100,"zona_horaria":"America/Punta_Arenas"}],
	 "senderos":[
		{"slug":"nuevo","parque":"sur","nombre":"Nuevo","tipo":"circuito","puntos":[{"nombre":"p","latitud":-51.2,"longitud":-72.9,"altitud_m":300,"exposicion":"bosque"}]},
		{"slug":"paso","parque":"sur","nombre":"Paso","tipo":"circuito","puntos":[
			{"nombre":"inicio","latitud":-51,"longitud":-73,"altitud_m":100,"exposicion":"bosque"},
			{"nombre":"paso","latitud":-50.9,"longitud":-73.1,"altitud_m":1200,"exposicion":"cresta_paso","critico":true}]}]}`)
	w.restart(t)
	w.engine.Show()
	shown := w.published.last(t)
	if shown.Trails[0].Hours[0].State != hazard.Unknown || shown.Trails[1].Hours[0].State == hazard.Unknown {
		t.Errorf("before the fetch: %v and %v", shown.Trails[0].Hours[0].State, shown.Trails[1].Hours[0].State)
	}
	if len(shown.History.Hours) != 1 || shown.History.Hours[0].Rows[1].State == hazard.Unknown {
		t.Errorf("the history of the trail that stays is lost: %+v", shown.History)
	}
	if e := w.cycle(t); e.Trails[0].Hours[0].State == hazard.Unknown || w.forecasts() != 16 {
		t.Errorf("after the fetch: %v, %d calls", e.Trails[0].Hours[0].State, w.forecasts())
	}
}

// Reading goes on when the file cannot be written.
func TestEstimatesArePublishedWhenTheFileFails(t *testing.T) {
	w := newWorld(t)
	w.cycle(t)
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(time.Hour)
	e := w.cycle(t)
	if votes(e) != 4 || e.StoreError == "" || !e.Hour.Equal(w.clock.Now().Truncate(time.Hour)) {
		t.Errorf("with the file away: %q at %v", e.StoreError, e.Hour)
	}
}

// A clock that was a year ahead leaves confirmations from the future. They make
// nothing current.
func TestConfirmationsFromTheFutureDoNotCount(t *testing.T) {
	w := newWorld(t)
	w.clock.Advance(365 * 24 * time.Hour)
	w.cycle(t)
	w.clock.Advance(-365 * 24 * time.Hour)
	w.weather.Fail(simulatetest.Fault{Kind: simulatetest.Outage, On: simulatetest.AllCalls})
	w.restart(t)
	w.engine.Show()
	if e := w.published.last(t); len(e.Trails) != 0 || e.Reason != hazard.DataTooOld {
		t.Errorf("%d trails, %q", len(e.Trails), e.Reason)
	}
}

func TestACancelledCycleBlamesNobody(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.engine.Cycle(ctx)
	for _, m := range w.engine.models {
		if m.failures != 0 || m.problem != "" {
			t.Errorf("%+v", m)
		}
	}
}

// A machine that slept has a monotonic clock that stood still. Times that carry
// its reading would be compared by it, and old data would be young.
func TestTimesAreOfTheWall(t *testing.T) {
	w := newWorld(t)
	w.engine.o.Clock = ticking{w.clock}
	e := w.cycle(t)
	for name, at := range map[string]time.Time{
		"issued": e.IssuedAt, "valid until": e.ValidUntil, "data until": e.DataUntil, "hour": e.Hour, "next": e.NextAt, "confirmed": e.Models[0].ConfirmedAt,
		"confirmed, as held": w.engine.models[0].confirmed,
	} {
		if at.IsZero() || at != at.Round(0) {
			t.Errorf("%s is %v", name, at)
		}
	}
}

// ticking is a clock whose times carry a monotonic reading, as the real one's do.
type ticking struct{ *clockwork.FakeClock }

func (c ticking) Now() time.Time {
	real := time.Now()
	return real.Add(c.FakeClock.Now().Sub(real))
}
