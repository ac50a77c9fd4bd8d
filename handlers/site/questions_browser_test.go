//go:build browser

package site_test

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"vigia/store"
)

// question is what somebody at a gate wants to know, and the way to it from the first page.
type question struct {
	asked  string
	search string   // typed into the search, which is a tap
	taps   []string // selectors, one after the other
	answer string   // a pattern of what then can be read
}

var questions = []question{
	{"¿Puedo ir mañana a Base Torres, y a qué hora vuelvo?", "base torres", []string{`.hallazgos a[href$="/base-torres"]`},
		`A qué hora salir[\s\S]*mañana \(dom 22\)[\s\S]*(Si sale|Ninguna salida)`},
	{"¿Qué tan fuerte será el viento arriba, en las Torres?", "base torres", []string{`.hallazgos a[href$="/base-torres"]`}, `rachas.\d+.km/h`},
	{"¿Y pasado mañana?", "", []string{`.dias li:nth-child(3) a`}, `Lo peor del lun 23[\s\S]*\d+ (rojo|amarillo|verde)`},
	{"¿Qué parque cerca de Pucón está verde?", "pucon", nil, `(Villarrica|Huerquehue)[\s\S]*(verde|amarillo|rojo|sin datos)`},
	{"¿Hay alguien a quien llamar?", "", []string{`.parques a[href$="/torres-del-paine"]`}, `133[\s\S]*Carabineros`},
	{"¿Va a llover o nevar en Torres del Paine esta semana?", "", []string{`.parques a[href$="/torres-del-paine"]`}, `Tiempo por día[\s\S]*mm[\s\S]*cm`},
	{"¿De cuándo es esto?", "", nil, `Estimado (hace|sáb 21)[\s\S]*vigente`},
	{"¿Qué dicen los organismos?", "", nil, `DMC[\s\S]*SENAPRED[\s\S]*SERNAGEOMIN`},
	{"¿Les puedo creer?", "", []string{`footer a[href="/precision"]`}, `Cómo les (ha ido|fue)`},
	{"¿Cuál sendero conviene?", "", []string{`footer a[href="/comparar"]`}, `hasta cuatro senderos`},
}

// slow3G is what throttled browsers call so: 400 kbit/s with 400 ms of delay.
var slow3G = &network.Conditions{Latency: 400, DownloadThroughput: 50_000, UploadThroughput: 50_000}

const (
	mostTaps  = 3
	mostDelay = 20 * time.Second
)

// A hiker at a gate, with an empty cache on a slow line, gets each answer from the first
// page within three taps and twenty seconds.
func TestHikersQuestions(t *testing.T) {
	ctx := browserFor(t, 5*time.Minute)
	e := newSnapshot(t)
	e.ValidUntil = time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC)
	e.DataUntil = e.ValidUntil
	server := serveStates(t, map[string]*store.Snapshot{"": e})
	call(t, ctx, network.SetBypassServiceWorker, network.SetBypassServiceWorkerParams{Bypass: true})
	setNetwork(t, ctx, []*network.Conditions{slow3G}, true)
	for _, q := range questions {
		t.Run(q.asked, func(t *testing.T) {
			begun := time.Now()
			if err := chromedp.Do(ctx, look(360, "light"), chromedp.Navigate(server.URL+"/")); err != nil {
				t.Fatal(err)
			}
			if taps := q.tap(t, ctx); taps > mostTaps {
				t.Errorf("%d taps", taps)
			}
			if text := evaluate[string](t, ctx, `document.body.innerText`); !regexp.MustCompile(q.answer).MatchString(text) {
				t.Errorf("%s does not read %s", evaluate[string](t, ctx, `location.pathname + location.search`), q.answer)
			}
			if took := time.Since(begun); took > mostDelay {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// tap goes to the answer and returns how many taps that took.
func (q question) tap(t *testing.T, ctx context.Context) (taps int) {
	t.Helper()
	follow := func(address string) {
		if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
			t.Fatalf("%s: %v", address, err)
		}
	}
	if q.search != "" {
		taps = 2 // into the field, and to send it
		follow(evaluate[string](t, ctx, `document.querySelector(".busqueda").action`) + "?q=" + url.QueryEscape(q.search))
	}
	for _, selector := range q.taps {
		taps++
		address := evaluate[string](t, ctx, fmt.Sprintf(`[...document.querySelectorAll(%q)].find(a => a.checkVisibility() && a.getBoundingClientRect().height >= 16)?.href ?? ""`, selector))
		if address == "" {
			t.Fatalf("nothing to tap like %s", selector)
		}
		follow(address)
	}
	return taps
}
