package site

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
)

// offlineParks are the fixture's park with everything on it, and one more.
func offlineParks(t *testing.T) (red, other string) {
	red = "/" + redPark(t)
	for _, p := range edition(t).Catalogue.Parks[:12] {
		if other = "/parques/" + p.Slug; other != red {
			return red, other
		}
	}
	t.Fatal("the fixture has one park")
	return "", ""
}

func TestOffline(t *testing.T) {
	for name, test := range map[string]func(*guest){
		"a copy tells its age":        testCopyTellsAge,
		"a copy that is over says so": testCopyIsOver,
	} {
		t.Run(name, func(t *testing.T) { test(newLodge(t).check(t)) })
	}
}

func testCopyTellsAge(g *guest) {
	red, _ := offlineParks(g.T)
	for _, path := range []string{red, "/en" + red} {
		g.open(path)
		if got := g.see(); got.Copy != "" || got.Over || !regexp.MustCompile(`^(Estimado hace 12 min · vigente por 4[78] min más|Estimated 12 min ago · valid for 4[78] min more)$`).MatchString(got.Age) {
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

func testCopyIsOver(g *guest) {
	red, other := offlineParks(g.T)
	paths := []string{"/", red, other, "/alertas", "/en/", "/en" + red, "/en/alertas"}
	for _, path := range paths {
		g.open(path)
		g.keeps(path)
	}
	g.leave(true)
	g.shift(49 * time.Minute)
	for _, path := range paths {
		g.open(path)
		got := g.see()
		expired, ago := "Estimación vencida · ", "venció hace 1 min"
		if strings.HasPrefix(path, "/en") {
			expired, ago = "Estimate expired · ", "expired 1 min ago"
		}
		if !got.Over || !got.Grey || !strings.HasPrefix(got.Title, expired) || !strings.Contains(got.Age, ago) || got.Copy == "" {
			g.Errorf("%s: over %v, grey %v, titled %q, %q, %q", path, got.Over, got.Grey, got.Title, got.Age, got.Copy)
		}
		if len(got.Shown) > 0 || got.Levels < 3 {
			g.Errorf("%s: of %d levels these look current: %q", path, got.Levels, got.Shown)
		}
		shoot(g.T, g.ctx, "sin-conexion-vencida"+path, 360)
	}
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
	if got := g.see(); !got.Over || !got.Grey || len(got.Shown) > 0 || got.Levels < 10 || !strings.Contains(got.Text, "vigente hasta") {
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
	if got := g.see(); !got.Over || !strings.Contains(got.Age, "venció hace 2 min") && !strings.Contains(got.Age, "venció hace 1 min") {
		g.Errorf("50 minutes later, by a clock that is 2 h behind: over %v, %q", got.Over, got.Age)
	}
	// It is set back while it is away: what the server said last still counts.
	g.leave(false)
	g.shift(0)
	g.set(func(l *lodge) { l.ahead = 50 * time.Minute })
	g.open(other)
	g.keeps(other)
	g.wait(`caches.match("/reloj").then(r => r.json()).then(c => c.server > Date.now() + 2900000)`)
	g.leave(true)
	g.shift(-20 * time.Hour)
	g.open(red)
	if got := g.see(); !got.Over {
		g.Errorf("a clock that was set back makes a copy young: %q", got.Age)
	}
}

// A clock that is ahead is found out when the server can be asked.
func testClockIsAhead(g *guest) {
	red, _ := offlineParks(g.T)
	g.shift(3 * time.Hour)
	g.open(red)
	g.wait(`document.getElementById("vencida").hidden && /hace 12 min · vigente por 4[78] min/.test(document.querySelector(".viva").textContent)`)
	if got := g.see(); got.Over || strings.HasPrefix(got.Title, "Estimación vencida") {
		g.Errorf("what the server just sent is over: %q", got.Title)
	}
	// In sleep one clock of the device stands still, and what was heard is in doubt.
	evaluate[bool](g.T, g.ctx, `Date.now = () => self.clockOf.call(Date) + 4 * 3600000; document.dispatchEvent(new Event("visibilitychange")); true`)
	g.leave(true)
	evaluate[bool](g.T, g.ctx, `document.dispatchEvent(new Event("visibilitychange")); true`)
	g.wait(`!document.getElementById("vencida").hidden`)
}

func testSleepsOverTheEnd(g *guest) {
	g.open("/")
	g.leave(true)
	evaluate[bool](g.T, g.ctx, `
		window.said = 0;
		new MutationObserver(list => { window.said += list.length; }).observe(document.querySelector("#al-dia [role=status]"), {subtree: true, attributes: true, childList: true, characterData: true});
		window.later = 0;
		const real = Date.now;
		Date.now = () => real.call(Date) + window.later;
		window.pass = minutes => { window.later += minutes * 60000; document.dispatchEvent(new Event("visibilitychange")); return document.querySelector("main .viva").textContent; };
		true`)
	for _, step := range []struct {
		minutes, said int
		want          string
	}{{1, 0, "Estimado hace 13 min"}, {30, 0, "Estimado hace 43 min"}, {18, 1, "venció hace 1 min"}, {60, 1, "venció hace 1 h 1 min"}, {60 * 50, 1, "Estimado hace 2 días"}} {
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
	g.requests()
	evaluate[bool](g.T, g.ctx, `
		window.stays = true;
		window.later = 0;
		const real = Date.now, steady = performance.now;
		Date.now = () => real.call(Date) + window.later;
		performance.now = () => steady.call(performance) + window.later;
		window.pass = minutes => { window.later += minutes * 60000; document.dispatchEvent(new Event("visibilitychange")); return true; };`+"true")
	asks := func(minutes int) int {
		evaluate[bool](g.T, g.ctx, fmt.Sprintf("window.pass(%d)", minutes))
		evaluate[bool](g.T, g.ctx, "fetch('/robots.txt', {cache: 'no-store'}).then(() => true)") // it comes after
		return strings.Count(strings.Join(g.requests(), "\n")+"\n", "GET "+red+"\n")
	}
	for i, want := range []int{0, 0, 1, 0, 1} {
		if got := asks([]int{4, 5, 2, 9, 2}[i]); got != want {
			g.Errorf("step %d: asked the server %d times, want %d", i, got, want)
		}
	}
	if g.see().Newer {
		g.Error("offers newer estimates where there are none")
	}
	g.publish(g.T, time.Minute, 70*time.Minute)
	asks(11)
	g.wait(`!document.getElementById("nueva").hidden`)
	if got := g.see(); !got.Newer || !strings.Contains(got.Age, "hace 4") || !evaluate[bool](g.T, g.ctx, "window.stays") {
		g.Errorf("newer estimates: offered %v, the page still says %q", got.Newer, got.Age)
	}
	shoot(g.T, g.ctx, "mas-nueva", 360)
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
		{other, "Sin conexión", "Estimado hace 12 min · vigente por", "Estimación vencida: Estimado hace 1 h 1 min · venció hace"},
		{"/en" + other + "/senderos/nada", "Offline", "Estimated 12 min ago · valid for", "Estimate expired: Estimated 1 h 1 min ago · expired"},
		{"/suscribirse", "Sin conexión", "vigente por", "Estimación vencida"},
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
			shoot(g.T, g.ctx, fmt.Sprintf("sin-conexion-%v%s", over, test.path), 360)
		}
	}
	evaluate[bool](g.T, g.ctx, `document.querySelector("#lista a").click(); true`)
	g.wait(`!!document.querySelector("#copia")`)
}
