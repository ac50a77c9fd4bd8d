package verification

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/storetest"
)

// witness is an archive of gusts that a test makes up.
type witness struct {
	gust  func(place catalogue.Location, at time.Time) float64
	calls int
	err   error
}

func (w *witness) Archive(_ context.Context, places []catalogue.Location, first, last time.Time) (*openmeteo.Answer, error) {
	w.calls++
	if w.err != nil {
		return nil, w.err
	}
	hours := 24 * (1 + int(last.Sub(first)/day))
	c := hazard.NewColumns(first, len(places), hours)
	calm := map[hazard.Variable]float64{
		hazard.Temperature: 10, hazard.Humidity: 50, hazard.Precipitation: 0, hazard.Snowfall: 0, hazard.SnowDepth: 0,
		hazard.WindSpeed: 5, hazard.WindGust: 10, hazard.WeatherCode: 1,
	}
	for v, x := range calm {
		for i := range len(places) * hours {
			if v == hazard.WindGust {
				x = w.gust(places[i/hours], first.Add(time.Duration(i%hours)*time.Hour))
			}
			c.Set(v, i/hours, i%hours, x)
		}
	}
	return &openmeteo.Answer{Columns: c}, nil
}

// manyParks is a catalogue of parks with so many trails each, all of open valley:
// amber from gusts of 70 km/h, red from 100.
func manyParks(t testing.TB, trails ...int) *catalogue.Catalogue {
	t.Helper()
	var parks, walks []string
	for p, n := range trails {
		parks = append(parks, fmt.Sprintf(`{"slug":"p%d","nombre":"P%02d","tipo":"parque_nacional","region":"R","latitud":-50,"longitud":-73,"altitud_m":100,"zona_horaria":"America/Santiago"}`, p, p))
		for i := range n {
			walks = append(walks, fmt.Sprintf(`{"slug":"t%d","parque":"p%d","nombre":"T","tipo":"circuito","puntos":[{"nombre":"a","latitud":%d,"longitud":-7%d,"altitud_m":100,"exposicion":"valle_abierto"}]}`, i, p, -35-p, i))
		}
	}
	c, err := catalogue.Parse("prueba.json", []byte(`{"parques":[`+strings.Join(parks, ",")+`],"senderos":[`+strings.Join(walks, ",")+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// hoursIssued is how many hours a cycle estimates.
const hoursIssued = 73

// noRows are the rows of an hour of which nothing is kept but what was issued.
func noRows(n int) []store.HistoryRow {
	return slices.Repeat([]store.HistoryRow{{Main: hazard.NoHazard, Medians: hazard.MissingMedians()}}, n)
}

// laboratory is a verifier with a real file, fed by hand.
type laboratory struct {
	t        testing.TB
	file     *store.Store
	daily    *Daily
	verifier *verifier
	clock    *clockwork.FakeClock
	witness  *witness
	said     func(models *store.IssuedModels, trail int) // adds to what the models say; nil for nothing
}

// noteBallots has the first of the models vote as many times as the wind of a trail counts.
func noteBallots(models *store.IssuedModels, trail int, f *store.TrailForecast) {
	for l, lead := range store.LoggedLeads[1:] {
		line := f.Hours[lead].Hazards[0]
		for m := range int(line.Total) {
			s := hazard.Calm
			switch {
			case m < int(line.Red):
				s = hazard.Severe
			case m < int(line.Amber):
				s = hazard.Moderate
			}
			models.Ballots[l][hazard.Wind][trail].Merge(m, s, true)
		}
	}
}

func newLaboratory(t testing.TB, c *catalogue.Catalogue, start time.Time) *laboratory {
	t.Helper()
	clock := clockwork.NewFakeClockAt(start)
	file, err := storetest.Open(filepath.Join(t.TempDir(), "vigia.db"), store.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := file.Check(context.Background()); err != nil {
			t.Error(err)
		}
		file.Close()
	})
	l := &laboratory{t: t, file: file, clock: clock, witness: &witness{gust: func(catalogue.Location, time.Time) float64 { return 10 }}}
	l.daily = Open(Options{Store: file, Catalogue: c, Rules: hazard.DefaultRules(), Clock: clock, Log: slog.New(slog.DiscardHandler), Archive: l.witness, Step: func() {}})
	l.verifier = l.daily.verifier
	return l
}

// issue logs estimates for the hour of the clock; state tells what is said of a
// trail's wind, and so of the trail, at a lead.
func (l *laboratory) issue(state func(trail, lead int) hazard.State) {
	l.t.Helper()
	c := l.verifier.catalogue
	trails := make([]store.TrailForecast, len(c.Trails))
	now := l.clock.Now()
	models := store.NewIssuedModels([]string{"m1", "m2", "m3", "m4"}, len(c.Trails))
	for i := range trails {
		trails[i].Hours = make([]hazard.Estimate, hoursIssued)
		for k := range trails[i].Hours {
			s := state(i, k)
			line := hazard.HazardEstimate{Hazard: hazard.Wind, State: s, Total: 4}
			switch s {
			case hazard.Red:
				line.Amber, line.Red = 4, 3
			case hazard.Amber:
				line.Amber = 2
			case hazard.Unknown:
				line.Total = 0
			}
			trails[i].Hours[k] = hazard.Estimate{
				Hour: now.Truncate(time.Hour).Add(time.Duration(k) * time.Hour), State: s, Main: hazard.Wind,
				Hazards: []hazard.HazardEstimate{line}, Medians: hazard.MissingMedians(),
			}
		}
		noteBallots(models, i, &trails[i])
		if l.said != nil {
			l.said(models, i)
		}
	}
	err := l.file.Commit(&store.Cycle{
		Catalogue: c, Hour: now.Truncate(time.Hour), IssuedAt: now, Rows: noRows(len(c.Trails)), Issued: Issued(trails, models, len(c.Trails), l.verifier.rules.Version(), now),
		Estimates: true,
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

// compare does what is done each day but for the summary.
func (l *laboratory) compare() {
	l.t.Helper()
	now := l.clock.Now()
	if err := errors.Join(l.verifier.compareRuns(now), l.daily.askArchive(l.t.Context(), now)); err != nil {
		l.t.Fatal(err)
	}
}

func (l *laboratory) summary() *store.Verification {
	l.t.Helper()
	s, err := l.verifier.summarize(l.clock.Now())
	if err != nil {
		l.t.Fatal(err)
	}
	return s
}

func find(t testing.TB, s *store.Verification, tier store.Tier, level alert.Level, hazard, bin string) *store.Result {
	t.Helper()
	for i := range s.Results {
		r := &s.Results[i]
		if r.Tier == tier && r.Level == level && r.Hazard == hazard && r.Bin == bin {
			return r
		}
	}
	t.Fatalf("no result %v %v %q %s", tier, level, hazard, bin)
	return nil
}
