//go:build browser

package site_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"vigia/forecast/hazard"
	"vigia/handlers/site"
	"vigia/handlers/site/sitetest"
	"vigia/store"
	"vigia/web/wording"
)

// trailStates are publications in every state that a trail's page can be in.
func trailStates(t testing.TB) map[string]*store.Snapshot {
	current := aWeek(t)
	current.ValidUntil = time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC) // a browser has a clock of its own
	with := func(change func(hours []hazard.Estimate) []hazard.Estimate) *store.Snapshot {
		e := *current
		e.Trails = slices.Clone(e.Trails)
		e.Trails[3].Hours = change(slices.Clone(e.Trails[3].Hours))
		return &e
	}
	long := *current
	long.Catalogue = sitetest.LongNames(current.Catalogue)
	simulated := *current
	simulated.Simulated = true
	return map[string]*store.Snapshot{
		"normal": current, "larga": &long, "simulada": &simulated, "vencida": expired(current), "vacia": empty(current.Catalogue),
		"huecos": with(withGaps),
		"corta":  with(func(hours []hazard.Estimate) []hazard.Estimate { return hours[:30] }),
		"nueva":  with(func([]hazard.Estimate) []hazard.Estimate { return nil }),
		"antigua": with(func(hours []hazard.Estimate) []hazard.Estimate {
			for i := range hours {
				hours[i].Quality = hazard.Stale
			}
			return hours
		}),
	}
}

// withGaps takes data away: all of three hours, the wind of some more, and what
// stands on both sides of one.
func withGaps(hours []hazard.Estimate) []hazard.Estimate {
	nan := float32(math.NaN())
	for i := range hours {
		switch {
		case i >= 30 && i < 33:
			hours[i] = unknown(hours[i].Hour, hazard.PartialData)
		case i >= 40 && i < 44:
			hours[i].Medians.Wind, hours[i].Medians.Gust = nan, nan
		case i == 50 || i == 52:
			hours[i].Medians.Temperature, hours[i].Medians.Precipitation = nan, nan
		}
	}
	return hours
}

// watchGraphs keeps what the page draws, for the test to look at.
const watchGraphs = `window.drawn = []; (() => { let made; Object.defineProperty(window, "uPlot", {
	get: () => made,
	set: real => { made = Object.assign(function (options, data, target) { const u = new real(options, data, target); window.drawn.push(u); return u; }, real); }
}); })()`

// graphs is what the graphs of a page hold and the table says.
type graphs struct {
	Canvases int
	Painted  bool         // every canvas has something on it
	Data     [][]*float64 // series after series of every graph, without the hours
	Table    [][]string   // the cells of the table, by column
	Exact    [][]*float64 // what they are rounded from; nil where they are not
	Spans    bool         // some series is drawn over its gaps
	Hidden   bool         // from who reads with ears
	Readout  string       // after a move to the last hour
	Rows     int
	Reserved float64 // height of the place of the graph
}

// goToGraph scrolls to the graph, if there is any, and waits until it is drawn. It returns
// whether the library was there before.
const goToGraph = `(async () => {
	const figure = document.getElementById("grafico"), early = typeof uPlot !== "undefined";
	if (figure) figure.scrollIntoView();
	for (let i = 0; figure && i < 500 && !figure.querySelector(".lectura"); i++) await new Promise(done => setTimeout(done, 10));
	return early;
})()`

const askGraphs = `(() => {
	const figure = document.getElementById("grafico"), rows = [...document.querySelectorAll("#tabla-horas tr[data-nivel]")];
	const canvases = [...document.querySelectorAll("#grafico canvas")], drawn = window.drawn || [];
	for (const u of drawn) u.setCursor({ left: u.over.clientWidth - 1, top: 2 });
	return {
		Canvases: canvases.length,
		Painted: canvases.every(c => c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some(x => x)),
		Data: drawn.flatMap(u => u.data.slice(1)),
		Table: rows[0] ? [...rows[0].cells].slice(2).map((_, i) => rows.map(r => r.cells[i + 2].firstChild.textContent)) : [],
		Exact: rows[0] ? [...rows[0].cells].slice(2).map((_, i) => rows.map(r => parseFloat(r.cells[i + 2].dataset.v || "NaN")).map(v => isNaN(v) ? null : v)) : [],
		Spans: drawn.some(u => u.series.slice(1).some(s => s.spanGaps)),
		Hidden: !!figure && figure.getAttribute("aria-hidden") === "true",
		Readout: figure ? (figure.querySelector(".lectura") || {textContent: ""}).textContent : "",
		Rows: rows.length,
		Reserved: figure ? figure.getBoundingClientRect().height : 0,
	};
})()`

func TestTrailGraphsInABrowser(t *testing.T) {
	ctx := browser(t)
	site := serveStates(t, trailStates(t)).URL
	var said complaints
	said.watch(t, ctx, site)
	beforeEachPage(t, ctx, watchGraphs)
	path := walk(newSnapshot(t), 3)

	for _, test := range []struct {
		state    string
		canvases int
		rows     int
	}{{"huecos", 4, 72}, {"normal", 4, 72}, {"corta", 4, 30}, {"antigua", 4, 72}, {"larga", 4, 72}, {"simulada", 4, 72}, {"nueva", 0, 0}, {"vencida", 0, 0}, {"vacia", 0, 0}} {
		for _, width := range []int64{360, 1280} {
			if width > 360 && test.state != "huecos" {
				break
			}
			name := fmt.Sprintf("%s at %d px", test.state, width)
			got := visitGraphs(t, ctx, site+"/"+test.state+path, width, true)
			if got.Canvases != test.canvases || !got.Painted || got.Rows != test.rows || got.Spans || got.Hidden != (test.rows > 0) {
				t.Errorf("%s: %d canvases, painted %v, %d rows, over gaps %v, hidden %v", name, got.Canvases, got.Painted, got.Rows, got.Spans, got.Hidden)
			}
			if test.rows > 0 {
				sameAsTable(t, name, got)
			}
			for _, complaint := range said.take() {
				t.Errorf("%s: %s", name, complaint)
			}
		}
	}
	setScripts(t, ctx, false)
	if got := visitGraphs(t, ctx, site+"/huecos"+path, 360, false); got.Canvases != 0 || got.Rows != 72 || got.Reserved > 1 {
		t.Errorf("without script: %d canvases, %d rows, %v px kept for the graph", got.Canvases, got.Rows, got.Reserved)
	}
}

// sameAsTable checks that the graphs hold what the table says, and nothing where
// it says that a value is missing.
func sameAsTable(t *testing.T, name string, got graphs) {
	t.Helper()
	if len(got.Data) != 6 || len(got.Table) != len(site.TableColumns) {
		t.Fatalf("%s: %d series drawn of %d columns", name, len(got.Data), len(got.Table))
	}
	missing := 0
	for i, values := range got.Data { // the first six columns, in the same order
		for h, value := range values {
			text := got.Table[i][h]
			if value == nil {
				missing++
			}
			places := 1
			if exact := got.Exact[i][h]; exact != nil {
				places = 0
				if value == nil || *value != *exact {
					t.Fatalf("%s: column %d, hour %d is drawn as %v, not %v", name, i, h, value, *exact)
				}
			}
			if (value == nil) != (text == "sin dato") || value != nil && wording.Spanish.Decimal(*value, places) != strings.TrimSpace(text) {
				t.Fatalf("%s: column %d, hour %d is drawn as %v, the table says %q", name, i, h, value, text)
			}
		}
	}
	if strings.HasPrefix(name, "huecos") && missing != 3*6+4*2+2*2 {
		t.Errorf("%s: %d values are missing", name, missing)
	}
	if last := got.Table[0][len(got.Table[0])-1]; !strings.Contains(got.Readout, "Temperatura "+last) {
		t.Errorf("%s: at its end the graph reads %q, the table %q", name, got.Readout, last)
	}
}

func visitGraphs(t *testing.T, ctx context.Context, url string, width int64, scripts bool) graphs {
	t.Helper()
	if err := chromedp.Do(ctx, look(width, "light"), chromedp.Navigate(url)); err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	if scripts && evaluate[bool](t, ctx, goToGraph) {
		t.Errorf("%s: the library came before the graph was near", url)
	}
	return evaluate[graphs](t, ctx, askGraphs)
}
