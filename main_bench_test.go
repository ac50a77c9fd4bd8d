package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast"
	"vigia/forecast/offline"
	"vigia/forecast/openmeteo"
	"vigia/forecast/simulate"
	"vigia/handlers/front"
	"vigia/notify/senders"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/settings"
)

// canned keeps the answers of a simulated provider, so that a benchmark pays
// for reading them and not for making them.
type canned struct {
	weather http.Handler
	mu      sync.Mutex
	answers map[string]*httptest.ResponseRecorder
}

func (c *canned) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	key := r.URL.String() + string(body)
	c.mu.Lock()
	answer, ok := c.answers[key]
	if !ok {
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer = httptest.NewRecorder()
		c.weather.ServeHTTP(answer, r)
		c.answers[key] = answer
	}
	c.mu.Unlock()
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	w.Write(answer.Body.Bytes())
}

// BenchmarkCycle is the first cycle on an empty file, the most there can be to
// do: four models fetched over HTTP and decoded, every trail estimated four
// times, alerts, one transaction each, and all pages and answers made. The CPU
// is that of the whole process, the sending of the canned weather included.
func BenchmarkCycle(b *testing.B) {
	for _, trails := range []int{200, 2000, 20000} {
		b.Run(fmt.Sprint(trails), func(b *testing.B) {
			if trails > 200 && testing.Short() {
				b.Skip("thousands of trails take minutes")
			}
			clock := clockwork.NewFakeClockAt(time.Date(2026, 11, 21, 15, 5, 0, 0, time.UTC))
			provider := httptest.NewServer(&canned{
				weather: simulate.New(simulate.Options{Seed: 1, Clock: clock}), answers: map[string]*httptest.ResponseRecorder{},
			})
			defer provider.Close()
			parks := catalogue.Scaled(trails)
			benchmarkedCycle(b, clock, provider.URL, parks)
			before := cpu(b)
			for b.Loop() {
				benchmarkedCycle(b, clock, provider.URL, parks)
			}
			used := (cpu(b) - before).Seconds() / float64(b.N)
			b.ReportMetric(used, "cpu-s/op")
			b.ReportMetric(used/float64(trails)*1e6, "cpu-µs/trail")
		})
	}
}

// BenchmarkHour is an hour without a new run, the most frequent cycle: every
// trail estimated once from the runs held, alerts, one transaction, and all pages
// and answers made.
func BenchmarkHour(b *testing.B) {
	clock := clockwork.NewFakeClockAt(time.Date(2026, 11, 21, 15, 5, 0, 0, time.UTC))
	provider := httptest.NewServer(&canned{
		weather: simulate.New(simulate.Options{Seed: 1, Clock: clock}), answers: map[string]*httptest.ResponseRecorder{},
	})
	defer provider.Close()
	engine := benchmarkedCycle(b, clock, provider.URL, catalogue.Default())
	before := cpu(b)
	for b.Loop() {
		engine.Show()
	}
	b.ReportMetric((cpu(b)-before).Seconds()/float64(b.N), "cpu-s/op")
}

// engineOf wires the parts of a service that a cycle needs, as serving does.
func engineOf(s *settings.Settings, clock clockwork.Clock, log *slog.Logger, parks *catalogue.Catalogue, file *store.Store) (*forecast.Engine, error) {
	v := &service{Settings: s, Terminal: offline.Terminal{Out: io.Discard, Errs: io.Discard, Log: log, Clock: clock}, parks: parks, file: file}
	notifier, err := senders.Notifier(s, speaker(v.Terminal), senders.Parts{Store: file, Catalogue: parks})
	if err != nil {
		return nil, err
	}
	s.Listen = "127.0.0.1:0"
	public, err := front.Open(front.Options{Settings: s, Out: io.Discard, Log: log, Clock: clock, Parks: parks})
	if err != nil {
		return nil, err
	}
	public.Close() // nobody comes
	server, err := public.Furnish(front.Behind{Desk: notifier})
	if err != nil {
		return nil, err
	}
	return offline.Engine(s, v.Terminal, offline.Parts{
		Store: file, Catalogue: parks, Ledger: offline.Ledger(clock, v.limits, file, log), Publisher: server, Notifier: notifier,
	})
}

// benchmarkedCycle runs one cycle on an empty file and gives its engine, whose
// file stays open for the benchmark.
func benchmarkedCycle(b *testing.B, clock clockwork.Clock, url string, parks *catalogue.Catalogue) *forecast.Engine {
	b.Helper()
	log := slog.New(slog.DiscardHandler)
	s := &settings.Settings{ProviderURL: url, ArchiveURL: url, Data: b.TempDir(), Models: openmeteo.DefaultModels}
	file, err := offline.Open(s, clock, log)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { file.Close() })
	engine, err := engineOf(s, clock, log, parks, file)
	if err != nil {
		b.Fatal(err)
	}
	engine.Cycle(b.Context())
	return engine
}

// cpu is the time that the process has used on all processors.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkStart is from nothing to the first estimates served, on a file with
// four runs and a full history: opening, publishing, and the first answer over
// the network.
func BenchmarkStart(b *testing.B) {
	clock := clockwork.NewFakeClockAt(time.Date(2026, 11, 21, 15, 5, 0, 0, time.UTC))
	provider := httptest.NewServer(&canned{
		weather: simulate.New(simulate.Options{Seed: 1, Clock: clock}), answers: map[string]*httptest.ResponseRecorder{},
	})
	defer provider.Close()
	s, err := settings.Parse("serve", []string{"--contact", "a@example.cl", "--provider-url", provider.URL, "--data", b.TempDir(),
		"--listen", "127.0.0.1:0", "--rate-limit", "0"}, nil, os.ReadFile, openmeteo.CanonicalModel)
	if err != nil {
		b.Fatal(err)
	}
	fillHistory(b, s, clock)
	served := func() (listening, answered time.Duration) {
		began := time.Now()
		ctx, stop := context.WithCancel(b.Context())
		out, ended := newConsole(), make(chan error)
		go func() {
			terminal := offline.Terminal{Out: out, Errs: out, Log: slog.New(slog.DiscardHandler), Clock: clock}
			ended <- (&service{Settings: s, Terminal: terminal}).run(ctx)
		}()
		url := out.find(b, `Abra (http://\S+)`)
		listening = time.Since(began)
		var parks []parkAnswer
		get(b, url+"/api/v1/parques", 200, &parks)
		answered = time.Since(began)
		if parks[0].Estado == nil && *parks[0].Motivo == "sin_corridas" {
			b.Fatal("the first answer has no estimates")
		}
		stop()
		if err := <-ended; err != nil {
			b.Fatal(err)
		}
		return listening, answered
	}
	var listening, answered time.Duration
	for b.Loop() {
		l, a := served()
		listening, answered = listening+l, answered+a
	}
	b.ReportMetric(listening.Seconds()*1e3/float64(b.N), "ms-to-listen")
	b.ReportMetric(answered.Seconds()*1e3/float64(b.N), "ms-to-estimates")
}

// fillHistory makes a file as a week of service leaves it.
func fillHistory(b *testing.B, s *settings.Settings, clock *clockwork.FakeClock) {
	b.Helper()
	log := slog.New(slog.DiscardHandler)
	file, err := offline.Open(s, clock, log)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	parks := catalogue.Default()
	engine, err := engineOf(s, clock, log, parks, file)
	if err != nil {
		b.Fatal(err)
	}
	engine.Cycle(b.Context())
	hour := clock.Now().Truncate(time.Hour)
	now, err := file.History(parks, hour, 1)
	if err != nil {
		b.Fatal(err)
	}
	alerts, err := file.Alerts()
	if err != nil {
		b.Fatal(err)
	}
	for k := 167; k >= 0; k-- {
		at := hour.Add(-time.Duration(k) * time.Hour)
		if err := file.Commit(&store.Cycle{Catalogue: parks, Hour: at, IssuedAt: at, Rows: now.Hours[0].Rows, Alerts: alerts}); err != nil {
			b.Fatal(err)
		}
	}
}
