//go:build browser

package site_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
)

// offlineParks are the fixture's park with everything on it, and one more.
func offlineParks(t *testing.T) (red, other string) {
	red = "/" + redPark(t)
	for _, p := range newSnapshot(t).Catalogue.Parks[:12] {
		if other = "/parques/" + p.Slug; other != red {
			return red, other
		}
	}
	t.Fatal("the fixture has one park")
	return "", ""
}

func TestOffline(t *testing.T) {
	for name, test := range map[string]func(*guest){
		"a copy tells its age":    testCopyTellsAge,
		"a copy ages by the rule": testCopyAges,
		"without script":          testCopyIsOverWithoutScript,
		"clock behind":            testClockIsBehind,
		"clock ahead":             testClockIsAhead,
		"sleep":                   testSleepsOverTheEnd,
		"newer":                   testNewerIsOffered,
		"never visited":           testNeverVisited,
		"slow":                    testSlowIsNotWaitedFor,
		"private":                 testNothingPrivateIsKept,
		"new version":             testNewVersionTakesOver,
		"full disk":               testFullDisk,
		"oldest":                  testOldestGoesFirst,
		"installed":               testCanBeInstalled,
		"each day":                testEachDayIsKeptApart,
	} {
		t.Run(name, func(t *testing.T) { test(newLodge(t).check(t)) })
	}
}

func testCopyTellsAge(g *guest) {
	red, _ := offlineParks(g.T)
	for _, path := range []string{red, "/en" + red} {
		g.open(path)
		if got := g.see(); got.Copy != "" || got.Over || !regexp.MustCompile(`^(Estimado hace 12 min · vigente por 4[78] min más|Estimated 12 min ago · valid for another 4[78] min)$`).MatchString(got.Age) {
			g.Errorf("%s from the network: %q, %q, over %v", path, got.Copy, got.Age, got.Over)
		}
		g.keeps(path)
	}
	g.leave(true)
	for path, want := range map[string]string{
		red:         `^Sin conexión: copia de las \d\d:\d\d, hace menos de 1 min\.$`,
		"/en" + red: `^Offline: copy from \d\d:\d\d, less than 1 min ago\.$`,
	} {
		g.open(path)
		got := g.see()
		if !regexp.MustCompile(want).MatchString(got.Copy) || got.Over || len(got.Shown) < got.Levels || got.Levels < 10 || !strings.Contains(got.Age, "12 min") {
			g.Errorf("%s without a connection: %q, %q, over %v, %d levels of which %d are shown", path, got.Copy, got.Age, got.Over, got.Levels, len(got.Shown))
		}
	}
	g.shift(25 * time.Minute)
	g.open(red)
	if got := g.see(); got.Age != "Estimado hace 37 min · vigente por 22 min más" && got.Age != "Estimado hace 37 min · vigente por 23 min más" || !strings.HasSuffix(got.Copy, "hace 25 min.") {
		g.Errorf("25 minutes later: %q, %q", got.Copy, got.Age)
	}
}

// agingPages are pages of each kind that shows estimates.
func agingPages(t *testing.T) []string {
	red, other := offlineParks(t)
	park := newSnapshot(t).Catalogue
	trail := red + "/senderos/" + park.TrailsOf(park.Trails[3].Park)[0].Slug
	var paths []string
	for _, root := range []string{"", "/en"} {
		for _, path := range []string{"/", red, other, trail, red + "/hoja", "/alertas", "/alertas/a-ahora"} {
			paths = append(paths, root+path)
		}
	}
	return paths
}

// A copy follows the rule of the server: it holds until its validity ends, is dimmed
// until its data are nine hours old, and shows no state from then on. The estimates are
// 12 minutes old when they are kept, and hold for 48 minutes more.
func testCopyAges(g *guest) {
	paths := agingPages(g.T)
	for _, path := range paths {
		g.open(path)
		g.keeps(path)
	}
	g.leave(true)
	const kept = 12 * time.Minute
	worse := make(map[string]int) // how often a page shows red or amber
	for _, step := range []struct {
		age      time.Duration // of the data
		es, en   string        // what the title begins with
		old, end bool
	}{
		{age: kept},
		{age: time.Hour + time.Minute, es: "Estimación de hace 1 h, sin actualizar · ", en: "Estimate from 1 h ago, not updated · ", old: true},
		{age: 5*time.Hour + time.Minute, es: "Estimación de hace 5 h, sin actualizar · ", en: "Estimate from 5 h ago, not updated · ", old: true},
		{age: 8*time.Hour + 59*time.Minute, es: "Estimación de hace 8 h, sin actualizar · ", en: "Estimate from 8 h ago, not updated · ", old: true},
		{age: 9*time.Hour + time.Minute, es: "Estimación vencida · ", en: "Estimate expired · ", end: true},
		{age: 30 * time.Hour, es: "Estimación vencida · ", en: "Estimate expired · ", end: true},
	} {
		g.shift(step.age - kept)
		for _, path := range paths {
			g.open(path)
			got, title := g.see(), step.es
			if strings.HasPrefix(path, "/en") {
				title = step.en
			}
			if got.Old != step.old || got.Over != step.end || got.Dim != step.old || got.Grey != step.end || !strings.HasPrefix(got.Title, title) || got.Copy == "" ||
				title == "" && regexp.MustCompile("^Est").MatchString(got.Title) {
				g.Errorf("%s after %v: old %v, over %v, dim %v, grey %v, titled %q, %q", path, step.age, got.Old, got.Over, got.Dim, got.Grey, got.Title, got.Copy)
			}
			if !step.old && !step.end {
				worse[path] = got.Worse
			}
			switch {
			case step.old && len(got.Green) > 0:
				g.Errorf("%s after %v: of %d levels these are green: %q", path, step.age, got.Levels, got.Green)
			case step.old && !strings.HasSuffix(path, "/hoja") && (got.Worse != worse[path] || len(got.Struck) > 0): // a sheet has a text for each day
				g.Errorf("%s after %v: red and amber is shown %d times of %d, and crossed out here: %q", path, step.age, got.Worse, worse[path], got.Struck)
			case step.end && (len(got.Shown) > 0 || got.Levels < 3):
				g.Errorf("%s after %v: of %d levels these look current: %q", path, step.age, got.Levels, got.Shown)
			}
		}
	}
}

// The copy of one day, or of one park's alerts, is never shown for another, and the index
// that is kept answers what is looked for.
func testEachDayIsKeptApart(g *guest) {
	const links = `[...document.querySelectorAll("main h1, main h2, main .dias a, main li a")].map(e => [e.textContent, e.href, e.ariaCurrent]).join("\n")`
	days := evaluate[[]string](g.T, g.ctx, `[...document.querySelectorAll(".dias a")].map(a => a.getAttribute("href"))`)
	c, seen := newSnapshot(g.T).Catalogue, make(map[string]string)
	kept := append(days, "/alertas", "/alertas?parque="+c.Parks[0].Slug, "/buscar")
	for _, path := range kept {
		g.open(path)
		g.keeps(path)
		seen[path] = evaluate[string](g.T, g.ctx, links)
	}
	g.open("/buscar?q=zz")
	g.leave(true)
	for _, path := range kept {
		g.open(path)
		if got := evaluate[string](g.T, g.ctx, links); g.see().Copy == "" || got != seen[path] {
			g.Errorf("%s without a connection is another page than with it: %.300q, not %.300q", path, got, seen[path])
		}
	}
	for _, path := range []string{"/?dia=2020-01-01", "/?dia=", "/alertas?parque=" + c.Parks[1].Slug} {
		g.open(path)
		if got := g.see(); len(got.Shown) > 0 {
			g.Errorf("%s, which was never visited, shows %q", path, got.Shown)
		}
	}
	g.open("/buscar?q=" + url.QueryEscape(c.Parks[1].Name))
	g.wait(`[...document.querySelectorAll(".letra > ul > li")].filter(e => e.offsetParent).length === 1`)
}

// The page that leaves the worker is marked already, for who runs no scripts and
// for the moment before they run.
func testCopyIsOverWithoutScript(g *guest) {
	red, _ := offlineParks(g.T)
	g.open(red)
	g.keeps(red)
	g.leave(true)
	g.scripts(false)
	g.open(red)
	if got := g.see(); got.Over || !strings.Contains(got.Text, "vigente hasta") || !strings.Contains(got.Copy, "fíjese hasta cuándo vale") {
		g.Errorf("while it holds: over %v, %q", got.Over, got.Copy)
	}
	g.shift(49 * time.Minute)
	g.open(red)
	if got := g.see(); !got.Old || got.Over || !got.Dim || len(got.Green) > 0 || got.Worse < 3 || !strings.Contains(got.Text, "Estimación sin actualizar") || !strings.Contains(got.Text, "vigente hasta") {
		g.Errorf("when it holds no more: old %v, over %v, dim %v, %q are green, %d red or amber", got.Old, got.Over, got.Dim, got.Green, got.Worse)
	}
	g.shift(9 * time.Hour)
	g.open(red)
	if got := g.see(); !got.Over || got.Old || !got.Grey || len(got.Shown) > 0 || got.Levels < 10 || !strings.Contains(got.Text, "vigente hasta") {
		g.Errorf("when it is over: over %v, grey %v, %q of %d look current", got.Over, got.Grey, got.Shown, got.Levels)
	}
}

// A device's clock that is behind has no say: the server's time was heard.
func testClockIsBehind(g *guest) {
	red, other := offlineParks(g.T)
	g.shift(-2 * time.Hour)
	g.open(red)
	g.keeps(red)
	g.open(red)
	g.wait(`/hace 12 min · vigente por 4[78] min/.test(document.querySelector(".viva").textContent)`)
	g.leave(true)
	g.shift(-2*time.Hour + 50*time.Minute)
	g.open(red)
	if got := g.see(); !got.Old || !strings.Contains(got.Age, "venció hace 2 min") && !strings.Contains(got.Age, "venció hace 1 min") {
		g.Errorf("50 minutes later, by a clock that is 2 h behind: old %v, %q", got.Old, got.Age)
	}
	g.scripts(false) // the worker alone knows it too
	g.open(red)
	if !g.see().Old {
		g.Error("by a clock that is 2 h behind the worker takes a copy for current")
	}
	g.scripts(true)
	// It is set back while it is away: what the server said last still counts.
	g.blank()
	g.leave(false)
	g.shift(0)
	g.set(func(l *lodge) { l.ahead = 50 * time.Minute })
	g.open(other)
	g.keeps(other)
	g.wait(`caches.match("/reloj").then(r => r.json()).then(c => c.latest > Date.now() + 2900000)`)
	g.leave(true)
	g.shift(-20 * time.Hour)
	g.open(red)
	if got := g.see(); !got.Old {
		g.Errorf("a clock that was set back makes a copy young: %q", got.Age)
	}
}

// A clock that is ahead is found out when the server can be asked.
func testClockIsAhead(g *guest) {
	red, _ := offlineParks(g.T)
	g.shift(3 * time.Hour)
	g.open(red)
	g.wait(`document.getElementById("vencida").hidden && document.getElementById("vieja").hidden && /hace 12 min · vigente por 4[78] min/.test(document.querySelector(".viva").textContent)`)
	if got := g.see(); got.Over || got.Old || strings.HasPrefix(got.Title, "Estimación") {
		g.Errorf("what the server just sent is over: %q", got.Title)
	}
	// It is set right an hour later: what was heard no longer says what time it is.
	g.leave(true)
	evaluate[bool](g.T, g.ctx, `Date.now = () => self.clockOf.call(Date) + 3600000; document.dispatchEvent(new Event("visibilitychange")); true`)
	g.wait(`!document.getElementById("vieja").hidden`)
}

func testSleepsOverTheEnd(g *guest) {
	g.open("/")
	g.leave(true)
	evaluate[bool](g.T, g.ctx, `
		window.said = 0;
		new MutationObserver(list => { window.said += list.filter(change => !change.target.hidden).length; }).observe(document.querySelector("#al-dia [role=status]"), {subtree: true, attributeFilter: ["hidden"]});
		window.later = 0;
		const real = Date.now;
		Date.now = () => real.call(Date) + window.later;
		window.pass = minutes => { window.later += minutes * 60000; document.dispatchEvent(new Event("visibilitychange")); return document.querySelector("main .viva").textContent; };
		true`)
	for _, step := range []struct {
		minutes, said int
		want          string
	}{{1, 0, "Estimado hace 13 min"}, {30, 0, "Estimado hace 43 min"}, {18, 1, "venció hace 1 min"}, {60, 1, "venció hace 1 h 1 min"}, {60 * 50, 2, "Estimado hace 2 días"}} {
		got := evaluate[string](g.T, g.ctx, fmt.Sprintf("window.pass(%d)", step.minutes))
		said := evaluate[int](g.T, g.ctx, "Promise.resolve().then(() => window.said)")
		if !strings.Contains(got, step.want) || said != step.said {
			g.Errorf("%d minutes later: %q, announced %d times, want %q, %d", step.minutes, got, said, step.want, step.said)
		}
	}
	if got := g.see(); !got.Over || len(got.Shown) > 0 {
		g.Errorf("after sleep: over %v, %q look current", got.Over, got.Shown)
	}
}

func testNewerIsOffered(g *guest) {
	red, _ := offlineParks(g.T)
	g.open(red)
	evaluate[bool](g.T, g.ctx, `
		window.stays = true;
		window.later = 0;
		const real = Date.now, steady = performance.now;
		Date.now = () => real.call(Date) + window.later;
		performance.now = () => steady.call(performance) + window.later;
		window.pass = minutes => { window.later += minutes * 60000; document.dispatchEvent(new Event("visibilitychange")); return true; };`+"true")
	asked := func(times int) string {
		return fmt.Sprintf(`performance.getEntriesByType("resource").filter(e => new URL(e.name).pathname === %q).length === %d`, red, times)
	}
	for _, step := range []struct{ minutes, times int }{{4, 0}, {5, 0}, {2, 1}, {9, 1}, {2, 2}} {
		evaluate[bool](g.T, g.ctx, fmt.Sprintf("window.pass(%d)", step.minutes))
		g.wait(asked(step.times))
	}
	if g.see().Newer {
		g.Error("offers newer estimates where there are none")
	}
	g.publish(g.T, time.Minute, 70*time.Minute)
	evaluate[bool](g.T, g.ctx, "window.pass(11)")
	g.wait(asked(3)) // and no more than that in all
	g.wait(`!document.getElementById("nueva").hidden`)
	if got := g.see(); !got.Newer || !strings.Contains(got.Age, "hace 12 min") || !evaluate[bool](g.T, g.ctx, "window.stays") {
		g.Errorf("newer estimates: offered %v, the page still says %q", got.Newer, got.Age)
	}
	evaluate[bool](g.T, g.ctx, `document.querySelector("#nueva a").click(); true`)
	g.wait(`!window.stays && document.readyState === "complete" && /hace (1|menos de 1) min/.test(document.querySelector(".viva").textContent)`)
	if g.see().Newer {
		g.Error("still offers newer estimates after loading them")
	}
}

func testNeverVisited(g *guest) {
	red, other := offlineParks(g.T)
	for _, path := range []string{red, "/en" + red, "/metodo"} {
		g.open(path)
		g.keeps(path)
	}
	g.leave(true)
	level := regexp.MustCompile(`(?i)verde|amarillo|\brojo|green|amber|\bred\b|peligro|precauci|señales`)
	for _, test := range []struct {
		path, title, state, over string
	}{
		{other, "Sin conexión", "Estimado hace 12 min · vigente por", "Estimación de hace 1 h, sin actualizar"},
		{"/en" + other + "/senderos/nada", "Offline", "Estimated 12 min ago · valid for another", "Estimate from 1 h ago, not updated"},
		{"/suscribirse", "Sin conexión", "vigente por", "sin actualizar"},
	} {
		for _, over := range []bool{false, true} {
			g.shift(map[bool]time.Duration{true: 49 * time.Minute}[over])
			g.open(test.path)
			g.wait(`!document.getElementById("lista").hidden`)
			main := evaluate[string](g.T, g.ctx, `document.querySelector("main").innerText`)
			want, list := test.state, "vigentes"
			if over {
				want, list = test.over, "vencidas"
			}
			links := evaluate[[]string](g.T, g.ctx, `[...document.querySelectorAll("#`+list+` a")].map(a => a.getAttribute("href"))`)
			all := evaluate[int](g.T, g.ctx, `document.querySelectorAll("#lista li").length`)
			if !strings.Contains(main, test.title) || !strings.Contains(main, want) || !strings.Contains(main, "131") || level.MatchString(main) {
				g.Errorf("%s, over %v: reads %s", test.path, over, main)
			}
			if first := map[bool]string{false: red, true: "/en" + red}[test.title == "Offline"]; len(links) != 3 || all != 3 || links[0] != first {
				g.Errorf("%s, over %v: lists %q", test.path, over, links)
			}
		}
	}
	evaluate[bool](g.T, g.ctx, `document.querySelector("#lista a").click(); true`)
	g.wait(`document.readyState === "complete" && !!document.querySelector("#copia")`)
}

func testSlowIsNotWaitedFor(g *guest) {
	red, other := offlineParks(g.T)
	g.open(red)
	g.keeps(red)
	slow := make(chan struct{})
	g.set(func(l *lodge) { l.slow = slow })
	g.open(red) // it would wait for ever
	if got := g.see(); !strings.HasPrefix(got.Copy, "Sin respuesta a tiempo: copia de las ") {
		g.Errorf("a server that does not answer: %q", got.Copy)
	}
	g.set(func(l *lodge) { l.slow = nil })
	close(slow)
	g.open(other)
	if got := g.see(); got.Copy != "" {
		g.Errorf("a server that answers: %q", got.Copy)
	}
	g.keeps(other)
	g.set(func(l *lodge) { l.broken = true })
	g.open(other)
	if got := g.see(); got.Copy == "" {
		g.Error("a server that fails is shown instead of the copy")
	}
}

// What is of one person alone is in no cache, and nothing else is that was not to
// be kept.
func testNothingPrivateIsKept(g *guest) {
	red, _ := offlineParks(g.T)
	private := []string{"/suscribirse", "/suscribirse?parque=torres-del-paine", "/confirmar/" + pendingToken, "/en/confirmar/" + pendingToken,
		"/baja/" + activeToken, "/en/baja/" + activeToken, "/no-existe", "/parques/no-existe", "/alertas.atom"}
	for _, path := range append(private, red) {
		g.open(path)
	}
	evaluate[bool](g.T, g.ctx, `fetch("/api/v1/suscriptores/`+activeToken+`").then(() => true)`)
	g.open("/baja/" + activeToken)
	evaluate[bool](g.T, g.ctx, `document.querySelector("form .boton").click(); true`)
	g.wait(`document.readyState === "complete" && document.body.innerText.includes("Suscripción cancelada")`)
	g.open("/metodo")
	g.keeps("/metodo")
	g.keeps(red)
	kept := evaluate[[]string](g.T, g.ctx, `(async () => {
		const all = [];
		for (const name of await caches.keys())
			for (const request of await (await caches.open(name)).keys())
				all.push(new URL(request.url).pathname + " " + (await (await (await caches.open(name)).match(request)).text()));
		return all;
	})()`)
	allowed := regexp.MustCompile(`^(/static/[\w.-]+|/favicon\.svg|/icono-192\.png|/manifest(\.en)?\.webmanifest|/reloj|(/en)?/sin-conexion|/|/metodo|` + red + `) `)
	for _, entry := range kept {
		path, _, _ := strings.Cut(entry, " ")
		if !allowed.MatchString(entry) {
			g.Errorf("%s is kept", path)
		}
		for _, secret := range []string{pendingToken, activeToken, "ana@correo.cl"} {
			if strings.Contains(entry, secret) {
				g.Errorf("%s is kept with %q in it", path, secret)
			}
		}
	}
	if len(kept) < 12 {
		g.Errorf("only %d files and pages are kept", len(kept))
	}
	g.leave(true)
	g.open("/baja/" + activeToken)
	g.wait(`document.readyState === "complete" && document.querySelector("h1").textContent === "Sin conexión"`)
}

func testNewVersionTakesOver(g *guest) {
	red, _ := offlineParks(g.T)
	g.open(red)
	g.keeps(red)
	before := evaluate[[]string](g.T, g.ctx, `caches.keys()`)
	// What a version before this one left: a page that asks for files of its time.
	evaluate[bool](g.T, g.ctx, `(async () => {
		const page = await (await caches.match(`+"`"+red+"`"+`)).text(), old = await caches.open("vigia-paginas-0123456789");
		await old.put("/parques/de-antes", new Response(page.replace(/(\/static\/(?:app|vigencia)\.)[0-9a-f]{10}/g, "$10123456789"), {headers: {"Content-Type": "text/html"}}));
		await (await caches.open("vigia-archivos-0123456789")).put("/static/app.0123456789.css", new Response(""));
		await caches.open("de-otros");
		return true;
	})()`)
	g.set(func(l *lodge) { l.worker = "// a deploy" })
	evaluate[bool](g.T, g.ctx, `new Promise(done => {
		navigator.serviceWorker.addEventListener("controllerchange", () => done(true));
		navigator.serviceWorker.getRegistration().then(r => r.update());
	})`)
	want := append([]string{"de-otros"}, before...)
	g.wait(fmt.Sprintf(`caches.keys().then(names => names.sort().join() === %q.split(",").sort().join())`, strings.Join(want, ",")))
	moved := evaluate[string](g.T, g.ctx, `caches.match("/parques/de-antes").then(r => r.text())`)
	if page := content(g.T, g.pages.Page(red).Body()); strings.Contains(moved, "0123456789") || styleOf.FindString(moved) != styleOf.FindString(page) || styleOf.FindString(page) == "" {
		g.Errorf("a page of before asks for %q", styleOf.FindString(moved))
	}
	g.leave(true)
	g.open("/parques/de-antes")
	if got := g.see(); got.Copy == "" || !strings.Contains(got.Age, "hace 12 min") || got.Over {
		g.Errorf("a page of before: %q, %q", got.Copy, got.Age)
	}
}

var styleOf = regexp.MustCompile(`/static/app\.[0-9a-f]+\.css`)

func testFullDisk(g *guest) {
	red, other := offlineParks(g.T)
	evaluate[bool](g.T, g.worker, `
		self.refused = 0;
		Cache.prototype.put = async () => { self.refused++; throw new DOMException("full", "QuotaExceededError"); };
		self.addEventListener("unhandledrejection", () => { self.unhandled = true; }); true`)
	var said complaints
	said.watch(g.T, g.ctx, g.URL)
	for _, path := range []string{red, other, "/alertas"} {
		g.open(path)
		if got := g.see(); !strings.Contains(got.Age, "hace 12 min") || got.Copy != "" || evaluate[string](g.T, g.ctx, `getComputedStyle(document.querySelector(".cabecera")).position`) != "relative" {
			g.Errorf("%s with a full disk: %q", path, got.Age)
		}
	}
	evaluate[bool](g.T, g.worker, `caches.open = async () => { throw new DOMException("broken", "UnknownError"); }; true`)
	g.open(red)
	if got := g.see(); !strings.Contains(got.Age, "hace 12 min") {
		g.Errorf("without any cache: %q", got.Age)
	}
	for _, complaint := range said.take() {
		g.Error(complaint)
	}
	if evaluate[int](g.T, g.worker, "self.refused") < 3 || evaluate[bool](g.T, g.worker, "!!self.unhandled") {
		g.Error("nothing was refused, or that was not dealt with")
	}
}

func testOldestGoesFirst(g *guest) {
	red, _ := offlineParks(g.T)
	evaluate[bool](g.T, g.ctx, `(async () => {
		const pages = await caches.open((await caches.keys()).find(name => name.startsWith("vigia-paginas-")));
		for (let i = 0; i < 59; i++) await pages.put("/parques/p" + i, new Response("x"));
		return true;
	})()`)
	g.open("/") // the first that was kept is the last now
	g.open(red)
	g.keeps(red)
	g.wait(`(async () => {
		const pages = await caches.open((await caches.keys()).find(name => name.startsWith("vigia-paginas-")));
		const kept = (await pages.keys()).map(r => new URL(r.url).pathname);
		return kept.length === 60 && kept[0] === "/parques/p1" && kept.includes("/") && kept[59] === "` + red + `";
	})()`)
}

func testCanBeInstalled(g *guest) {
	for _, path := range []string{"/", "/en/"} {
		g.open(path)
		found := call(g.T, g.ctx, page.GetInstallabilityErrors, cdp.Empty{})
		for _, e := range found.InstallabilityErrors {
			g.Errorf("%s: %s %v", path, e.ErrorID, e.ErrorArguments)
		}
		manifest := call(g.T, g.ctx, page.GetAppManifest, page.GetAppManifestParams{})
		if manifest.Data == "" || len(manifest.Errors) > 0 {
			g.Errorf("%s: the manifest has faults: %v", path, manifest.Errors)
		}
	}
}
