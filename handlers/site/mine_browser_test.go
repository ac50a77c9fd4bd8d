//go:build browser

package site_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"vigia/store"
)

func TestMine(t *testing.T) {
	for name, test := range map[string]func(*guest){
		"favourites":         testFavourites,
		"storage is refused": testStorageIsRefused,
		"near me":            testNearMe,
		"sharing":            testSharing,
		"a park is kept":     testParkIsKept,
		"kept in part":       testParkIsKeptInPart,
		"too many":           testOldestParkGoes,
		"renewed":            testKeptParkIsRenewed,
		"no space":           testNoSpaceForAPark,
		"the query counts":   testQueryIsPartOfTheAddress,
	} {
		t.Run(name, func(t *testing.T) { test(newLodge(t).check(t)) })
	}
}

// press presses a button of the page.
func (g *guest) press(name string) {
	g.Helper()
	evaluate[bool](g.T, g.ctx, fmt.Sprintf(`document.querySelector('[data-mio=%q]').click(); true`, name))
}

// says waits until the page says something that fits an expression.
func (g *guest) says(expression string) {
	g.Helper()
	g.wait(`/` + expression + `/.test(document.querySelector('[data-mio="dicho"]').textContent)`)
}

// trailOf is the path of the first trail of a park.
func trailOf(t *testing.T, park string) string {
	c := newSnapshot(t).Catalogue
	i, ok := c.ParkBySlug(strings.TrimPrefix(park, "/parques/"))
	if !ok || c.Parks[i].NumTrails == 0 {
		t.Fatalf("%s has no trail", park)
	}
	return park + "/senderos/" + c.Trails[c.Parks[i].FirstTrail].Slug
}

func testFavourites(g *guest) {
	red, other := offlineParks(g.T)
	pressed := `document.querySelector(".estrella").getAttribute("aria-pressed")`
	for _, path := range []string{red, trailOf(g.T, red)} {
		g.open(path)
		size := evaluate[[]float64](g.T, g.ctx, `(r => [r.width, r.height])(document.querySelector(".estrella").getBoundingClientRect())`)
		if was := evaluate[string](g.T, g.ctx, pressed); was != "false" || size[0] < 44 || size[1] < 44 {
			g.Errorf("%s: pressed %q before, %v large", path, was, size)
		}
		g.press("favorito")
		g.says("solo en este dispositivo")
		g.open(path)
		if now := evaluate[string](g.T, g.ctx, pressed); now != "true" {
			g.Errorf("%s: pressed %q, afterwards", path, now)
		}
	}
	g.open("/en" + other) // seen, and no favourite
	for root, own := range map[string]string{"/": "", "/en/": "/en"} {
		g.open(root)
		g.press("recientes")
		got := evaluate[[]string](g.T, g.ctx, `(() => {
			const text = e => e.innerText.replace(/\s+/g, " ").trim();
			const lists = [...document.querySelectorAll("#mios [data-lista]")].filter(e => !e.hidden).map(e => e.dataset.lista + " " + e.querySelectorAll("li").length);
			const copied = document.querySelector("#mios li"), own = [...document.querySelectorAll(".grupo li")].find(e => e.querySelector("a").pathname === "`+own+red+`");
			const trail = copied.querySelector(".mio-suyos a").getAttribute("href");
			copied.querySelector(".mio-suyos").remove();
			return [lists.join(), trail, text(copied), text(own), copied.querySelector("use").getAttribute("href")];
		})()`)
		if got[0] != "favoritos 1,recientes 2" || got[1] != own+trailOf(g.T, red) || got[2] != got[3] || got[2] == "" || got[4] != "#f-rojo" {
			g.Errorf("%s: %q", root, got)
		}
	}
	g.open(red)
	g.press("favorito")
	g.says("Ya no está en sus favoritos")
	g.open(trailOf(g.T, red))
	g.press("favorito")
	g.open("/")
	if evaluate[int](g.T, g.ctx, `document.querySelectorAll("#mios [data-lista=favoritos] li").length`) != 0 {
		g.Error("what was given up is still a favourite")
	}
}

// A device may refuse to keep anything, or hold what is not ours.
// The row of a favourite is that of the list, also where a sign of the map stands for several
// parks: the map's own list says nothing of what is to come.
func TestFavouritesSayWhatTheListSays(t *testing.T) {
	ctx := browser(t)
	e := newSnapshot(t)
	e.ValidUntil = time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC)
	server := serveStates(t, map[string]*store.Snapshot{"": e})
	visit(t, ctx, server.URL+"/", 360, "light")
	const list = `[...document.querySelectorAll(".grupo .parques > li a")]`
	if n := evaluate[int](t, ctx, `localStorage.setItem("vigia-favoritos", JSON.stringify(`+list+`.map(a => ({path: a.getAttribute("href"), name: a.textContent, park: ""})))); document.querySelectorAll(".carta-grupo a").length`); n == 0 {
		t.Fatal("no sign of the map stands for several parks")
	}
	visit(t, ctx, server.URL+"/", 360, "light")
	rows := evaluate[[][]string](t, ctx, list+`.map(a => [a, document.querySelector('#mios a[href="' + a.getAttribute("href") + '"]')].map(a => a?.closest("li").textContent ?? ""))`)
	for _, row := range rows {
		if row[0] != row[1] {
			t.Errorf("the favourite reads %q, the list %q", row[1], row[0])
		}
	}
	if len(rows) != len(e.Catalogue.Parks) {
		t.Errorf("%d rows", len(rows))
	}
}

func testStorageIsRefused(g *guest) {
	red, _ := offlineParks(g.T)
	var said complaints
	said.watch(g.T, g.ctx, g.URL)
	undo := beforeEachPage(g.T, g.ctx, `Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); }; Storage.prototype.getItem = () => { throw new DOMException("no", "SecurityError"); };`)
	g.open(red)
	g.press("favorito")
	g.says("no quedó en sus favoritos")
	if evaluate[string](g.T, g.ctx, `document.querySelector(".estrella").getAttribute("aria-pressed")`) != "false" {
		g.Error("the star promises what was not kept")
	}
	g.open("/")
	undo()
	for _, broken := range []string{`{`, `null`, `{"a":1}`, `[null,1,{"path":"javascript:alert(1)","name":"x"},{"path":"//example.com/parques/x","name":"x"}]`} {
		g.blank()
		undo := beforeEachPage(g.T, g.ctx, fmt.Sprintf(`Storage.prototype.getItem = () => %q;`, broken))
		g.open("/")
		if n := evaluate[int](g.T, g.ctx, `document.querySelectorAll("#mios li").length`); n != 0 {
			g.Errorf("%s gives %d rows", broken, n)
		}
		undo()
	}
	for _, complaint := range said.take() {
		g.Error(complaint)
	}
}

func testNearMe(g *guest) {
	allow := func(setting cdpbrowser.PermissionSetting) {
		_, err := chromedp.CallBrowser(g.ctx, cdpbrowser.SetPermission, cdpbrowser.SetPermissionParams{
			Permission: &cdpbrowser.PermissionDescriptor{Name: "geolocation"}, Setting: setting, Origin: g.URL,
		})
		if err != nil {
			g.Fatal(err)
		}
	}
	park := newSnapshot(g.T).Catalogue.Parks[2]
	lat, lon, near := park.Latitude+0.02, park.Longitude, 100.0
	call(g.T, g.ctx, emulation.SetGeolocationOverride, emulation.SetGeolocationOverrideParams{Latitude: &lat, Longitude: &lon, Accuracy: &near})
	allow(cdpbrowser.PermissionSettingDenied)
	g.open("/")
	if evaluate[int](g.T, g.ctx, `performance.getEntriesByType("resource").filter(e => e.name.includes("geojson")).length`) != 0 {
		g.Error("the positions are asked for before the press")
	}
	g.press("cerca")
	g.says("No dio permiso")
	allow(cdpbrowser.PermissionSettingGranted)
	g.press("cerca")
	g.says(`Parques más cercanos: 6`)
	got := evaluate[[]string](g.T, g.ctx, `[...document.querySelectorAll("#mios [data-lista=cerca] li")].map(e => e.querySelector("a").getAttribute("href") + " " + e.querySelector(".menor:last-child").textContent + " " + !!e.querySelector("use"))`)
	if len(got) != 6 || got[0] != "/parques/"+park.Slug+" a 2 km true" {
		g.Errorf("near %s: %q", park.Slug, got)
	}
	if got := evaluate[[]string](g.T, g.ctx, `performance.getEntriesByType("resource").map(e => new URL(e.name)).filter(u => u.search).map(u => u.pathname + u.search)`); len(got) > 0 {
		g.Errorf("what is sent may tell the position: %q", got)
	}
	g.leave(true)
	g.open("/")
	g.press("cerca")
	g.says("No se pudieron leer las posiciones")
}

// What is told to others says its hour, and no less than the page; an old state is not told.
func testSharing(g *guest) {
	red, _ := offlineParks(g.T)
	undo := beforeEachPage(g.T, g.ctx, `navigator.share = async what => { window.told = what; };`)
	share := func(path string) string {
		g.open(path)
		g.press("compartir")
		g.wait(`!!window.told`)
		return evaluate[string](g.T, g.ctx, `told.text + " | " + told.url`)
	}
	name := evaluate[string](g.T, g.ctx, `document.querySelector('.grupo a[href="`+red+`"]').textContent.trim()`)
	for path, want := range map[string][]string{
		red:                       {name + ": rojo, ", "Lo peor en 72 h: rojo por viento", "Estimado ", "vigente hasta", "no oficial. | " + g.URL + red},
		"/en" + red:               {name + ": red, ", "Estimated ", "not official. | " + g.URL + "/en" + red},
		trailOf(g.T, red):         {" (" + name + "): ", "Estimado "},
		"/en" + trailOf(g.T, red): {" (" + name + "): ", "Estimated "},
	} {
		got := share(path)
		for _, part := range want {
			if !strings.Contains(got, part) {
				g.Errorf("%s tells %q, without %q", path, got, part)
			}
		}
		g.keeps(path)
	}
	g.leave(true)
	g.shift(5 * time.Hour)
	if got := share(red); !strings.Contains(got, name+": Estimación de hace 5 h, sin actualizar.") || strings.Contains(got, "rojo") {
		g.Errorf("an old copy tells %q", got)
	}
	undo()
	undo = beforeEachPage(g.T, g.ctx, `delete Navigator.prototype.share; Object.defineProperty(Navigator.prototype, "clipboard", {value: undefined});`)
	defer undo()
	g.open(red)
	g.press("compartir")
	g.says("Copie este texto: .*" + strings.ReplaceAll(red, "/", `\/`))
}

// keepPark keeps a park and returns the paths of its pages.
func (g *guest) keepPark(park string) []string {
	g.Helper()
	g.open(park)
	g.press("guardar")
	g.says(`^Guardado: \d+ páginas, [\d,]+ MB, a las \d\d:\d\d, hace menos de 1 min`)
	return evaluate[[]string](g.T, g.ctx, `vigia.ask({guardados: true}).then(answer => answer.parques.find(p => p.path === "`+park+`").paginas)`)
}

func testParkIsKept(g *guest) {
	red, _ := offlineParks(g.T)
	c := newSnapshot(g.T).Catalogue
	i, _ := c.ParkBySlug(strings.TrimPrefix(red, "/parques/"))
	pages := g.keepPark(red)
	if len(pages) != 1+c.Parks[i].NumTrails || !slices.Contains(pages, trailOf(g.T, red)) {
		g.Errorf("of %d trails these pages are kept: %q", c.Parks[i].NumTrails, pages)
	}
	missing := evaluate[[]string](g.T, g.ctx, `(async () => {
		const lost = [];
		for (const path of `+jsList(pages)+`)
			for (const file of (await (await caches.match(path)).text()).match(/\/static\/[\w.-]+/g))
				if (!await caches.match(file)) lost.push(file);
		return lost;
	})()`)
	if len(missing) > 0 {
		g.Errorf("these files of the pages are not kept: %q", missing)
	}
	g.leave(true)
	g.shift(30 * time.Minute)
	for _, path := range pages {
		g.open(path)
		if got := g.see(); got.Copy == "" || !strings.Contains(got.Age, "hace 42 min") || got.Old {
			g.Errorf("%s without a connection: %q, %q", path, got.Copy, got.Age)
		}
	}
	g.open(red)
	g.says(`^Guardado: .* hace 30 min\.$`)
	g.open("/sin-conexion")
	g.wait(`!document.getElementById("lista").hidden && document.querySelectorAll(".parques-guardados > li").length === 1`)
	text := evaluate[string](g.T, g.ctx, `document.querySelector(".parques-guardados").innerText`)
	links := evaluate[[]string](g.T, g.ctx, `[...document.querySelectorAll(".parques-guardados a")].map(a => a.getAttribute("href"))`)
	if len(links) != len(pages) || links[0] != red || !strings.Contains(text, "Guardado: ") || !strings.Contains(text, "hace 30 min") || !strings.Contains(text, "Estimado hace 42 min") {
		g.Errorf("the list of what is kept: %q %s", links, text)
	}
	if told := evaluate[string](g.T, g.ctx, `document.getElementById("cuanto").textContent`); !strings.HasPrefix(told, "Hasta 6 parques y 20 MB") {
		g.Errorf("of how much can be kept it says %q", told)
	}
	g.shift(5 * time.Hour)
	g.open("/sin-conexion")
	g.wait(`document.querySelector(".parques-guardados strong") && document.querySelector(".parques-guardados strong").textContent === "Estimación de hace 5 h, sin actualizar"`)
	evaluate[bool](g.T, g.ctx, `document.querySelector(".quitar").click(); true`)
	g.wait(`document.getElementById("parques-guardados").hidden && /Ya no está guardado/.test(document.getElementById("quitado").textContent)`)
	if left := evaluate[[]string](g.T, g.ctx, `Promise.all(`+jsList(pages)+`.map(async path => await caches.match(path) ? path : "")).then(all => all.filter(Boolean))`); len(left) > 0 {
		g.Errorf("still kept: %q", left)
	}
	g.open(red)
	g.wait(`document.querySelector("h1").textContent === "Sin conexión"`)
}

// jsList writes texts as a list of JavaScript.
func jsList(list []string) string { return `["` + strings.Join(list, `","`) + `"]` }

func testParkIsKeptInPart(g *guest) {
	red, _ := offlineParks(g.T)
	lost := trailOf(g.T, red)
	evaluate[bool](g.T, g.worker, `{ const real = fetch; self.lost = true; self.fetch = (what, how) => self.lost && what === "`+lost+`" ? Promise.reject(new TypeError("lost")) : real(what, how); true; }`)
	g.open(red)
	g.press("guardar")
	g.says(`^Guardado en parte: \d+ de \d+ páginas`)
	evaluate[bool](g.T, g.worker, `self.lost = false; true`)
	g.press("guardar")
	g.says(`^Guardado: `)
	g.press("quitar")
	g.says(`Ya no está guardado`)
	g.leave(true)
	g.press("guardar")
	g.says(`No se pudo guardar`)
	if n := evaluate[int](g.T, g.ctx, `vigia.ask({guardados: true}).then(answer => answer.parques.length)`); n != 0 {
		g.Errorf("%d parks are kept of which nothing came", n)
	}
}

func testOldestParkGoes(g *guest) {
	red, other := offlineParks(g.T)
	evaluate[bool](g.T, g.worker, `MOST_PARKS = 1; true`)
	first := g.keepPark(red)
	g.open(other)
	g.press("guardar")
	g.says(`Guardado: .* Para hacer lugar se quitó: `)
	if left := evaluate[[]string](g.T, g.ctx, `caches.keys().then(names => caches.open(names.find(n => n.startsWith("vigia-guardados")))).then(cache => cache.keys()).then(all => all.map(r => new URL(r.url).pathname))`); slices.ContainsFunc(left, func(path string) bool { return slices.Contains(first, path) }) || !slices.Contains(left, other) {
		g.Errorf("these are kept: %q", left)
	}
	evaluate[bool](g.T, g.worker, `MOST_PARKS = 6; MOST_BYTES = 1; true`)
	g.open(red)
	g.press("guardar")
	g.says(`Guardado: .* Para hacer lugar se quitó: `)
}

// A visit of any page renews what was kept, when it is old enough.
func testKeptParkIsRenewed(g *guest) {
	red, other := offlineParks(g.T)
	pages := g.keepPark(red)
	since := `vigia.ask({guardados: true}).then(answer => answer.parques[0].en)`
	before := evaluate[float64](g.T, g.ctx, since)
	asked := `caches.match("` + pages[len(pages)-1] + `").then(kept => kept.text()).then(text => Date.parse(/data-guardada="([^"]+)"/.exec(text)[1]))`
	kept := evaluate[float64](g.T, g.ctx, asked)
	// A visit of one of its pages renews that one, in its place.
	g.set(func(l *lodge) { l.ahead = 10 * time.Minute })
	g.open(pages[len(pages)-1])
	g.wait(fmt.Sprintf(`%s.then(at => at > %f + 500000)`, asked, kept))
	if evaluate[bool](g.T, g.ctx, `caches.keys().then(names => caches.open(names.find(n => n.startsWith("vigia-paginas")))).then(cache => cache.match("`+pages[len(pages)-1]+`")).then(twice => !!twice)`) {
		g.Error("a page that is kept with its park is kept twice")
	}
	g.set(func(l *lodge) { l.ahead = 2 * time.Hour })
	g.shift(2 * time.Hour)
	g.open(other)
	g.wait(fmt.Sprintf(`%s.then(en => en > %f + 7000000)`, since, before))
	if now := evaluate[float64](g.T, g.ctx, asked); now < kept+7000000 {
		g.Errorf("a trail's page is of %.0f as before", now)
	}
	if n := evaluate[int](g.T, g.ctx, `vigia.ask({guardados: true}).then(answer => answer.parques[0].paginas.length)`); n != len(pages) {
		g.Errorf("%d pages of %d are left", n, len(pages))
	}
}

func testNoSpaceForAPark(g *guest) {
	red, _ := offlineParks(g.T)
	trail := trailOf(g.T, red)
	evaluate[bool](g.T, g.worker, `{ const put = Cache.prototype.put; Cache.prototype.put = function (what, answer) {
		return String(what) === "`+trail+`" ? Promise.reject(new DOMException("full", "QuotaExceededError")) : put.call(this, what, answer); }; true; }`)
	g.open(red)
	g.press("guardar")
	g.says(`No hay espacio`)
	g.wait(`caches.keys().then(names => caches.open(names.find(n => n.startsWith("vigia-guardados")))).then(cache => cache.keys()).then(all => all.every(r => new URL(r.url).pathname === "/guardados"))`)
}

// The query is part of a page's address: no page is shown as another's.
func testQueryIsPartOfTheAddress(g *guest) {
	days := evaluate[[]string](g.T, g.ctx, `[...document.querySelectorAll(".dias a")].map(a => a.getAttribute("href"))`)
	g.open(days[1])
	g.keeps(days[1])
	g.open("/?otra=1")
	g.open("/alertas?parque=x&y=1")
	g.leave(true)
	for path, want := range map[string]bool{"/": true, days[1]: true, days[2]: false, "/?otra=1": false, days[1] + "&x=1": false, "/en" + days[1]: false,
		"/alertas?parque=x&y=1": false, "/alertas": false} {
		if err := chromedp.Do(g.ctx, chromedp.Navigate(g.URL+path)); err != nil {
			g.Fatal(err)
		}
		g.wait(`document.readyState === "complete"`)
		if shown := evaluate[bool](g.T, g.ctx, `!document.getElementById("lista")`); shown != want {
			g.Errorf("%s: a copy is shown: %v", path, shown)
		}
	}
}
