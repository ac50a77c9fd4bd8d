package noticefeed

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/notices"
)

// source is an official body's server that a test makes say anything.
type source struct {
	*httptest.Server
	mu     sync.Mutex
	answer http.HandlerFunc
	asked  []*http.Request
}

func newSource(t *testing.T) *source {
	t.Helper()
	s := &source{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		answer := s.answer
		s.asked = append(s.asked, r)
		s.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// say sets the answer from now on.
func (s *source) say(answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// requests returns what was asked since the last look.
func (s *source) requests() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

func saying(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }
}

func volcanoesSay(level string) string {
	return `[{"volcan":"villarrica","nivel_tecnico":"` + level + `","fuente":"SERNAGEOMIN","fuente_url":"https://example.cl/v","publicado_en":"2025-11-16"}]`
}

// noon of a spring day, a few minutes past the hour.
var noon = time.Date(2025, 11, 17, 15, 5, 0, 0, time.UTC)

// world is a poller of a source of volcanic levels, with what it published.
type world struct {
	clock  *clockwork.FakeClock
	store  *store.Store
	poller *Poller
	shown  notices.Set
	feeds  Status
}

func watched(t *testing.T) (*world, *source) {
	t.Helper()
	s := newSource(t)
	c, err := catalogue.Parse("prueba.json", []byte(`{"parques":[
		{"slug":"sur","nombre":"Austral","tipo":"parque_nacional","region":"Magallanes","latitud":-51,"longitud":-73,"altitud_m":100,"zona_horaria":"America/Punta_Arenas"}],
	 "senderos":[{"slug":"paso","parque":"sur","nombre":"Paso","tipo":"circuito","puntos":[{"nombre":"paso","latitud":-50.9,"longitud":-73.1,"altitud_m":1200,"exposicion":"cresta_paso"}]}],
	 "volcanes":[{"slug":"villarrica","nombre":"Villarrica","latitud":-51.1,"longitud":-73,"altitud_m":2800,"vigilado":true,"parques":[{"parque":"sur","distancia_km":11.5}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{clock: clockwork.NewFakeClockAt(noon)}
	if w.store, err = store.Open(filepath.Join(t.TempDir(), "vigia.db"), store.Options{Clock: w.clock}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.store.Close() })
	w.poller = New(Options{
		URLs: [notices.NumKinds]string{notices.Volcanoes: s.URL + "/volcanes.json?clave=s3creto"}, UserAgent: "vigia/prueba", Catalogue: c,
		Store: w.store, Clock: w.clock, Log: slog.New(slog.DiscardHandler),
		Publish: func(feeds Status, batches []notices.Batch) {
			w.feeds = feeds
			for _, batch := range batches {
				w.shown[batch.Kind] = batch
			}
		},
	})
	w.feeds = w.poller.Status()
	return w, s
}

// poll polls what is due and returns what is published of the volcanoes then.
func (w *world) poll(t *testing.T) (notices.Batch, store.FeedStatus) {
	t.Helper()
	w.poller.Poll(t.Context())
	return w.shown[notices.Volcanoes], w.feeds[notices.Volcanoes]
}

func TestNoticesArePolledEachHourAndOnlyReadAnewWhenTheyChanged(t *testing.T) {
	w, s := watched(t)
	if status := w.feeds[notices.Volcanoes]; !status.Configured || w.feeds[notices.Closures].Configured {
		t.Errorf("before the first poll: %+v", status)
	}
	modified := noon.Add(-30 * time.Hour).Format(http.TimeFormat)
	s.say(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("ETag", `W/"1"`)
		rw.Header().Set("Last-Modified", modified)
		if r.Header.Get("If-None-Match") == `W/"1"` && r.Header.Get("If-Modified-Since") == modified {
			rw.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprint(rw, volcanoesSay("naranja"))
	})
	shown, status := w.poll(t)
	if len(shown.Volcanic) != 1 || shown.Volcanic[0].Level != notices.Orange || !shown.ObtainedAt.Equal(noon) || status.LastError != "" {
		t.Fatalf("%+v, %+v", shown, status)
	}
	first := s.requests()
	if len(first) != 1 || first[0].Header.Get("If-None-Match") != "" || first[0].UserAgent() != "vigia/prueba" || first[0].URL.RawQuery != "clave=s3creto" {
		t.Errorf("first question: %+v", first)
	}
	w.clock.Advance(time.Hour - time.Second)
	w.poll(t)
	if n := len(s.requests()); n != 0 {
		t.Errorf("%d questions within the hour", n)
	}
	// An import in between is replaced by what the source still says.
	if err := w.store.SaveNotices(notices.Batch{Kind: notices.Volcanoes, ObtainedAt: noon}); err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(time.Second)
	renewed, _ := w.poll(t)
	want := noon.Add(time.Hour)
	if n := len(s.requests()); n != 1 || !renewed.ObtainedAt.Equal(want) || len(renewed.Volcanic) != 1 || !renewed.Volcanic[0].ObtainedAt.Equal(want) {
		t.Errorf("%d questions, not modified gives %+v", n, renewed)
	}
	kept, err := w.store.Notices()
	if err != nil || !reflect.DeepEqual(kept[notices.Volcanoes], renewed) {
		t.Errorf("kept %+v, shown %+v, %v", kept[notices.Volcanoes], renewed, err)
	}
}

func TestABadFeedChangesNothing(t *testing.T) {
	other := newSource(t)
	other.say(saying(volcanoesSay("roja")))
	page := "<!DOCTYPE html><html><title>503</title></html>"
	for name, answer := range map[string]http.HandlerFunc{
		"server fault": func(rw http.ResponseWriter, _ *http.Request) {
			http.Error(rw, volcanoesSay("roja"), http.StatusServiceUnavailable)
		},
		"not found":  http.NotFound,
		"no content": func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusNoContent) },
		"partial": func(rw http.ResponseWriter, _ *http.Request) {
			rw.WriteHeader(206)
			fmt.Fprint(rw, volcanoesSay("roja"))
		},
		"redirect":          func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, other.URL, http.StatusFound) },
		"redirect for ever": func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, "/again", http.StatusFound) },
		"empty":             saying(""),
		"null":              saying("null"),
		"a page":            saying(page),
		"a table":           saying("volcan,nivel_tecnico,fuente,fuente_url,publicado_en\nvillarrica,roja,S,https://x.cl,2025-11-16\n"),
		"an error":          saying(`{"error":true,"reason":"no"}`),
		"NaN":               saying(strings.Replace(volcanoesSay("roja"), `"roja"`, "NaN", 1)),
		"a number":          saying(strings.Replace(volcanoesSay("roja"), `"roja"`, "3", 1)),
		"unknown level":     saying(volcanoesSay("morada")),
		"one bad of two":    saying(strings.TrimSuffix(volcanoesSay("roja"), "]") + "," + strings.TrimPrefix(volcanoesSay("x"), "[")),
		"unknown volcano":   saying(strings.Replace(volcanoesSay("roja"), "villarrica", "etna", 1)),
		"deep":              saying(strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)),
		"broken off":        saying(volcanoesSay("roja")[:60]),
		"too long":          saying(volcanoesSay("roja") + strings.Repeat(" ", notices.MaxBytes)),
		"endless": func(rw http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := fmt.Fprint(rw, strings.Repeat(" ", 1<<16)); err != nil {
					return
				}
			}
		},
		"shorter than said": func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Length", "10000")
			fmt.Fprint(rw, volcanoesSay("roja"))
		},
		"silent":   func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"hangs up": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			w, s := watched(t)
			w.poller.feeds[0].client.Timeout = 300 * time.Millisecond
			s.say(saying(volcanoesSay("amarilla")))
			before, _ := w.poll(t)
			kept, err := w.store.Notices()
			if err != nil || len(before.Volcanic) != 1 {
				t.Fatal(before, err)
			}
			s.say(answer)
			w.clock.Advance(pollEvery)
			after, status := w.poll(t)
			if !reflect.DeepEqual(before, after) {
				t.Errorf("shown before %+v\nand after %+v", before, after)
			}
			if now, err := w.store.Notices(); err != nil || !reflect.DeepEqual(now, kept) {
				t.Errorf("kept before %+v\nand after %+v, %v", kept, now, err)
			}
			if status.LastError == "" || strings.ContainsAny(status.LastError, "<>\n") || strings.Contains(status.LastError, "127.0.0.1") ||
				strings.Contains(status.LastError, "s3creto") || strings.Contains(status.LastError, "etna") {
				t.Errorf("health says %q", status.LastError)
			}
			s.say(saying(volcanoesSay("verde")))
			w.clock.Advance(pollAgain)
			if good, status := w.poll(t); good.Volcanic[0].Level != notices.Green || status.LastError != "" {
				t.Errorf("after it works again: %+v, %+v", good, status)
			}
		})
	}
	if n := len(other.requests()); n != 0 {
		t.Errorf("another host was asked %d times", n)
	}
}

func TestAFeedMayMoveWithinItsHost(t *testing.T) {
	w, s := watched(t)
	s.say(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/new" {
			http.Redirect(rw, r, "/new", http.StatusMovedPermanently)
			return
		}
		fmt.Fprint(rw, volcanoesSay("roja"))
	})
	if shown, status := w.poll(t); len(shown.Volcanic) != 1 || status.LastError != "" {
		t.Errorf("%+v, %+v", shown, status)
	}
}

func TestAFeedThatIsAwayIsAskedAgainSooner(t *testing.T) {
	w, s := watched(t)
	s.Close()
	_, status := w.poll(t)
	if status.LastError != "no se pudo conectar con la fuente; se mantiene lo anterior" {
		t.Errorf("health says %q", status.LastError)
	}
	f := w.poller.feeds[0]
	for wait, due := range map[time.Duration]bool{pollAgain - time.Second: false, pollAgain: true, -time.Hour: true} {
		if got := f.isDue(noon.Add(wait)); got != due {
			t.Errorf("%v after a failure: due %t", wait, got)
		}
	}
}

func TestNoticesAreShownThoughTheyCannotBeKept(t *testing.T) {
	w, s := watched(t)
	s.say(saying(volcanoesSay("roja")))
	w.store.Close()
	if shown, _ := w.poll(t); len(shown.Volcanic) != 1 {
		t.Errorf("%+v", shown)
	}
}

func TestFeedsAreFollowedByTheClock(t *testing.T) {
	w, s := watched(t)
	const every = 5 * time.Second
	asked := make(chan struct{}, 100)
	s.say(func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, volcanoesSay("roja"))
		asked <- struct{}{}
	})
	ctx, cancel := context.WithCancel(t.Context())
	var following sync.WaitGroup
	following.Go(func() {
		ticker := w.clock.NewTicker(every)
		defer ticker.Stop()
		for ctx.Err() == nil {
			_ = w.poller.Poll(ctx)
			select {
			case <-ticker.Chan():
			case <-ctx.Done():
			}
		}
	})
	for range 3 {
		for waiting := true; waiting; {
			select {
			case <-asked:
				waiting = false
			default:
				w.clock.Advance(every)
				runtime.Gosched()
			}
		}
	}
	cancel()
	following.Wait()
	if passed := w.clock.Since(noon); passed < 2*pollEvery {
		t.Errorf("three questions within %v", passed)
	}
}

func TestWithoutFeedsNothingIsAsked(t *testing.T) {
	if New(Options{}).Configured() {
		t.Error("a poller without feeds is configured")
	}
}
