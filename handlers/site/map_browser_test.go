//go:build browser

package site_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"vigia/store"
	"vigia/store/catalogue"
)

// TestTheFirstPageInABrowser drives what scripts add to the first page: the search
// and the map.
func TestTheFirstPageInABrowser(t *testing.T) {
	e := newSnapshot(t)
	e.ValidUntil = time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC)
	server := serveStates(t, map[string]*store.Snapshot{"": e})
	ctx := browser(t)
	var said complaints
	said.watch(t, ctx, server.URL)
	t.Run("search", func(t *testing.T) { testSearch(t, ctx, server.URL) })
	t.Run("map", func(t *testing.T) { testMap(t, ctx, server.URL, e) })
	t.Run("map without connection", func(t *testing.T) { testMapFails(t, ctx, server.URL) })
	t.Run("map of a day", func(t *testing.T) { testMapOfADay(t, ctx, server.URL) })
	t.Run("map of a park", func(t *testing.T) { testMapOfAPark(t, ctx, server.URL, e) })
	t.Run("map over", func(t *testing.T) { testMapOver(t, ctx, server.URL, e) })
	for _, complaint := range said.take() {
		t.Error(complaint)
	}
}

// found is what the search shows.
type found struct {
	Focused bool
	Parks   []string
	Trails  []string
	Said    string
}

const askFound = `(() => {
	const seen = s => [...document.querySelectorAll(s)].filter(e => e.offsetParent).map(e => e.textContent.trim());
	return {
		Focused: document.activeElement.id === "q",
		Parks: seen(".letra > ul > li > div > a"), Trails: seen(".sus-senderos a"), Said: document.querySelector(".hallados").textContent,
	};
})()`

func testSearch(t *testing.T, ctx context.Context, site string) {
	open := chromedp.Steps(look(360, "light"), chromedp.Navigate(site+"/buscar"), chromedp.Click(chromedp.CSS("#q")))
	if err := chromedp.Do(ctx, open); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		typed         string
		parks, trails int
		first, said   string
	}{
		{"TORRES del páine", 1, -1, "Parque Nacional Torres del Paine", "1 resultado"},
		{"nielol", 1, -1, "Monumento Natural Cerro Ñielol", "1 resultado"},
		{"base torres", 1, 1, "Parque Nacional Torres del Paine", "1 resultado"},
		{"volcan", -1, -1, "", "resultados"},
		{"qwxz", 0, 0, "", "Pulse Buscar para ver los más parecidos."},
		{"", len(newSnapshot(t).Catalogue.Parks), len(newSnapshot(t).Catalogue.Trails), "", "de la A a la Z."},
	} {
		got := typed(t, ctx, test.typed, test.said)
		if test.parks >= 0 && len(got.Parks) != test.parks || test.trails >= 0 && len(got.Trails) != test.trails {
			t.Errorf("%q leaves %d parks %v and %d trails %v", test.typed, len(got.Parks), got.Parks, len(got.Trails), got.Trails)
		}
		if test.first != "" && (len(got.Parks) == 0 || got.Parks[0] != test.first) {
			t.Errorf("%q finds %v first, want %s", test.typed, got.Parks, test.first)
		}
		if !got.Focused {
			t.Errorf("%q: the focus is not on the field", test.typed)
		}
	}
	typed(t, ctx, "base torres", "1 resultado")
	if _, err := chromedp.Run(ctx, chromedp.WaitEvent(page.LoadEventFired, nil, chromedp.SendKeys(chromedp.CSS("#q"), "\r"))); err != nil {
		t.Fatal(err)
	}
	if at := evaluate[string](t, ctx, "location.pathname + location.search"); at != "/buscar?q=base+torres" {
		t.Errorf("Enter leads to %s", at)
	}
}

// typed types into the search and waits until it says a text.
func typed(t *testing.T, ctx context.Context, text, said string) found {
	t.Helper()
	set := fmt.Sprintf(`(() => { const i = document.getElementById("q"); i.value = %q; i.dispatchEvent(new Event("input")); })()`, text)
	evaluate[any](t, ctx, set)
	condition := fmt.Sprintf(`document.querySelector(".hallados").textContent.endsWith(%q)`, said)
	waitFor(t, ctx, condition)
	return evaluate[found](t, ctx, askFound)
}

// waitFor waits until an expression is true in the page.
func waitFor(t *testing.T, ctx context.Context, expression string) {
	t.Helper()
	if _, err := chromedp.Run(ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(15*time.Second), chromedp.WithPollingInterval(50*time.Millisecond))); err != nil {
		t.Fatalf("waiting for %s: %v", expression, err)
	}
}

// drawn is what the map shows.
type drawn struct {
	Names, Levels []string
	Places        int // for how many the signs stand
	Said          string
	Grey          bool
	Popup         string // the link of what is open
	Focus         string // what has the focus
	Loaded        []string
}

const askDrawn = `(() => {
	const marks = [...document.querySelectorAll(".mapa-signo")], link = document.querySelector(".leaflet-popup a");
	return {
		Names: marks.map(m => m.getAttribute("aria-label")), Levels: marks.map(m => m.querySelector("use").getAttribute("href")),
		Places: marks.reduce((n, m) => n + +(m.querySelector(".mapa-cuenta") || { textContent: 1 }).textContent, 0),
		Said: (document.querySelector(".mapa-estado") || {}).textContent || "", Grey: !!document.querySelector(".mapa-vencido"),
		Popup: link ? link.getAttribute("href") : "", Focus: document.activeElement.getAttribute("href") || document.activeElement.getAttribute("aria-label") || "",
		Loaded: performance.getEntriesByType("resource").map(r => new URL(r.name).pathname),
	};
})()`

func askMap(t *testing.T, ctx context.Context) drawn {
	t.Helper()
	return evaluate[drawn](t, ctx, askDrawn)
}

// openMap visits the first page in a language and opens its map.
func openMap(t *testing.T, ctx context.Context, url string, width int64) (before drawn) {
	t.Helper()
	if err := chromedp.Do(ctx, look(width, "light"), chromedp.Navigate(url)); err != nil {
		t.Fatal(err)
	}
	before = askMap(t, ctx)
	if err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS(".mapa > summary"))); err != nil {
		t.Fatal(err)
	}
	waitFor(t, ctx, `document.querySelectorAll(".mapa-signo").length > 0`)
	return before
}

func testMap(t *testing.T, ctx context.Context, site string, e *store.Snapshot) {
	for _, width := range []int64{360, 1280} {
		before := openMap(t, ctx, site+"/", width)
		for _, path := range before.Loaded {
			if strings.Contains(path, "leaflet") || strings.Contains(path, "contorno") || strings.Contains(path, "geojson") {
				t.Errorf("%s was loaded before the map was opened", path)
			}
		}
		got := askMap(t, ctx)
		if got.Places != len(e.Catalogue.Parks) || len(got.Names) < 8 || len(got.Names) == got.Places || got.Grey || got.Said != "" {
			t.Errorf("%d signs for %d parks, want %d, grey %v, %q", len(got.Names), got.Places, len(e.Catalogue.Parks), got.Grey, got.Said)
		}
		if worst := evaluate[[]string](t, ctx, signsCovered); len(worst) > 0 {
			t.Errorf("at %d px signs cover each other: %v", width, worst)
		}
		count := make(map[string]int)
		for _, l := range got.Levels {
			count[strings.TrimPrefix(l, "#f-")]++
		}
		for key, parks := range homeCounts(t, e) {
			if count[key] > parks || parks > 0 && count[key] == 0 && key != "verde" && key != "nada" {
				t.Errorf("%d signs are %s of %d parks", count[key], key, parks)
			}
		}
		if wide := evaluate[int](t, ctx, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
			t.Errorf("with the map at %d px the page is %d px too wide", width, wide)
		}
	}
	openByKey(t, ctx, "/parques/")
	openMap(t, ctx, site+"/en/", 360)
	openByKey(t, ctx, "/en/parques/")
}

// signsCovered are the pairs of signs that cover each other.
const signsCovered = `(() => {
	const all = [...document.querySelectorAll(".mapa-signo svg")].map(s => s.getBoundingClientRect()), bad = [];
	all.forEach((a, i) => all.slice(0, i).forEach(b => { if (Math.hypot(a.x - b.x, a.y - b.y) < 26) bad.push([a.x, a.y, b.x, b.y].join(" ")); }));
	return bad;
})()`

// popupWhole is whether all of the popup can be seen: within the map, and under nothing.
const popupWhole = `(() => {
	const box = e => e.getBoundingClientRect(), map = box(document.querySelector(".mapa-lienzo"));
	const popup = box(document.querySelector(".leaflet-popup-content-wrapper")), zoom = box(document.querySelector(".leaflet-control-zoom"));
	const apart = zoom.left >= popup.right || zoom.right <= popup.left || zoom.top >= popup.bottom || zoom.bottom <= popup.top;
	return popup.left >= map.left && popup.right <= map.right && popup.top >= map.top && popup.bottom <= map.bottom && apart;
})()`

// northernmost puts the focus on the sign nearest to the park in the far north.
const northernmost = `(() => {
	const top = s => s.getBoundingClientRect().y, signs = [...document.querySelectorAll(".mapa-signo")];
	window.before = signs.map(s => s.title).join();
	signs.reduce((a, b) => top(b) < top(a) ? b : a).focus({ preventScroll: true });
})()`

// openByKey opens what a mark says, and closes it, with keys alone.
func openByKey(t *testing.T, ctx context.Context, path string) {
	t.Helper()
	// The park is behind a sign of several: each press comes nearer, until it is alone.
	for range 12 {
		if evaluate[bool](t, ctx, `(() => { const alone = document.querySelector('.mapa-signo[aria-label^="Parque Nacional Lauca:"]'); if (alone) alone.focus(); return !!alone; })()`) {
			break
		}
		evaluate[any](t, ctx, northernmost)
		if err := chromedp.Do(ctx, chromedp.KeyEvent("\r")); err != nil {
			t.Fatal(err)
		}
		waitFor(t, ctx, `[...document.querySelectorAll(".mapa-signo")].map(s => s.title).join() !== window.before && !document.querySelector(".leaflet-zoom-anim")`)
	}
	if err := chromedp.Do(ctx, chromedp.KeyEvent("\r")); err != nil {
		t.Fatal(err)
	}
	waitFor(t, ctx, `document.querySelector(".leaflet-popup a") !== null`)
	if got := askMap(t, ctx); got.Popup != path+"lauca" || got.Focus != got.Popup {
		t.Errorf("Enter opens %q and the focus is on %q", got.Popup, got.Focus)
	}
	if until := evaluate[string](t, ctx, `document.querySelector(".mapa-hasta").textContent`); !strings.Contains(until, "Santiago") {
		t.Errorf("the popup says %q, want the park's zone", until)
	}
	waitFor(t, ctx, popupWhole)
	if err := chromedp.Do(ctx, chromedp.KeyEvent(kb.Escape)); err != nil {
		t.Fatal(err)
	}
	if got := askMap(t, ctx); !strings.HasPrefix(got.Focus, "Parque Nacional Lauca") {
		t.Errorf("after Escape the focus is on %q", got.Focus)
	}
}

// testMapFails opens the map where nothing can be fetched, and again when it can.
func testMapFails(t *testing.T, ctx context.Context, site string) {
	press := chromedp.Click(chromedp.CSS(".mapa > summary"))
	if err := chromedp.Do(ctx, look(360, "light"), chromedp.Navigate(site+"/")); err != nil {
		t.Fatal(err)
	}
	evaluate[any](t, ctx, `window.kept = window.fetch; window.fetch = () => Promise.reject(new Error("no connection")); 0`)
	if err := chromedp.Do(ctx, press); err != nil {
		t.Fatal(err)
	}
	waitFor(t, ctx, `document.querySelector(".mapa-estado") && document.querySelector(".mapa-estado").textContent.startsWith("El mapa no se pudo cargar")`)
	if err := chromedp.Do(ctx, press); err != nil {
		t.Fatal(err)
	}
	waitFor(t, ctx, `!document.querySelector(".mapa-estado")`)
	evaluate[any](t, ctx, `window.fetch = window.kept; 0`)
	if err := chromedp.Do(ctx, press); err != nil {
		t.Fatal(err)
	}
	waitFor(t, ctx, `document.querySelectorAll(".mapa-signo").length > 0 && document.querySelectorAll(".mapa-estado").length === 1`)
}

// testMapOver turns the browser's clock past the validity while the map is open.
func testMapOver(t *testing.T, ctx context.Context, site string, e *store.Snapshot) {
	openMap(t, ctx, site+"/", 360)
	turn := fmt.Sprintf(`Date.now = () => %d; document.dispatchEvent(new Event("visibilitychange"))`, e.ValidUntil.UnixMilli()+1)
	evaluate[any](t, ctx, turn)
	got := askMap(t, ctx)
	if !got.Grey || !strings.HasPrefix(got.Said, "Mapa vencido") || got.Places != len(e.Catalogue.Parks) {
		t.Errorf("past its validity: grey %v, %d marks, %q", got.Grey, len(got.Levels), got.Said)
	}
	for i, l := range got.Levels {
		if l != "#f-nada" || !strings.HasSuffix(got.Names[i], ": sin datos") {
			t.Fatalf("%s still shows %s", got.Names[i], l)
		}
	}
}

// testMapOfADay opens the map of a page of a chosen day: it shows the page's states, not
// those of now.
func testMapOfADay(t *testing.T, ctx context.Context, site string) {
	change := `(() => {
		const box = document.querySelector(".mapa"), states = JSON.parse(box.dataset.estados);
		Object.keys(states).forEach(k => states[k] = "amarillo");
		delete states.lauca;
		box.dataset.estados = JSON.stringify(states);
	})()`
	if err := chromedp.Do(ctx, look(360, "light"), chromedp.Navigate(site+"/?dia=2026-11-22")); err != nil {
		t.Fatal(err)
	}
	evaluate[any](t, ctx, change)
	if err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS(".mapa > summary"))); err != nil {
		t.Fatal(err)
	}
	waitFor(t, ctx, `document.querySelectorAll(".mapa-signo").length > 0`)
	for i, level := range askMap(t, ctx).Levels {
		if level != "#f-amarillo" {
			t.Errorf("sign %d is %s, want the chosen day's amarillo", i, level)
		}
	}
	evaluate[any](t, ctx, `document.querySelector('.mapa-signo[aria-label^="Parque Nacional Rapa Nui"]').click()`)
	waitFor(t, ctx, `document.querySelector(".mapa-hasta") !== null`)
	if said := evaluate[string](t, ctx, `document.querySelector(".leaflet-popup-content").textContent`); !strings.Contains(said, "Lo peor del dom 22.") || !strings.Contains(said, "hora de Isla de Pascua") {
		t.Errorf("the popup of a day says %q", said)
	}
}

// testMapOfAPark opens the map of a park with many trails, and that of one of its trails.
func testMapOfAPark(t *testing.T, ctx context.Context, site string, e *store.Snapshot) {
	park, _ := e.Catalogue.ParkBySlug("torres-del-paine")
	trails := e.Catalogue.TrailsOf(park)
	openMap(t, ctx, site+"/parques/torres-del-paine", 360)
	got := askMap(t, ctx)
	if got.Places < len(trails) || len(got.Names) < 4 || got.Grey || got.Said != "" {
		t.Errorf("%d signs for %d places, want %d trails; %q", len(got.Names), got.Places, len(trails), got.Said)
	}
	if covered := evaluate[[]string](t, ctx, signsCovered); len(covered) > 0 {
		t.Errorf("signs cover each other: %v", covered)
	}
	alone := slices.IndexFunc(trails, func(t catalogue.Trail) bool { return strings.HasPrefix(t.Name, "Lago Pingo") })
	for _, width := range []int64{360, 1280} {
		path := "/parques/torres-del-paine/senderos/" + trails[alone].Slug
		openMap(t, ctx, site+path, width)
		if wide := evaluate[int](t, ctx, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
			t.Errorf("with the map at %d px the page is %d px too wide", width, wide)
		}
		sign := fmt.Sprintf(`document.querySelector('.mapa-signo[aria-label^="%s:"]').focus()`, trails[alone].Name)
		evaluate[any](t, ctx, sign)
		if err := chromedp.Do(ctx, chromedp.KeyEvent("\r")); err != nil {
			t.Fatal(err)
		}
		waitFor(t, ctx, `document.querySelector(".leaflet-popup a") !== null`)
		if got := askMap(t, ctx); got.Popup != path {
			t.Errorf("the sign of %s leads to %s", path, got.Popup)
		}
	}
}
