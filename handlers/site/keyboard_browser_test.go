//go:build browser

package site_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// listReachable notes what a person must be able to reach with the Tab key, and
// from then on what is reached.
const listReachable = `(() => {
	const name = e => e.tagName.toLowerCase() + (e.id ? "#" + e.id : "") + " " + (e.getAttribute("href") || e.name || "") + " " + e.textContent.trim().slice(0, 40);
	const first = e => e.type !== "radio" || e.checked || !document.querySelector("input[name='" + e.name + "']:checked") &&
		e === document.querySelector("input[type=radio][name='" + e.name + "']");
	document.querySelectorAll("iframe").forEach(e => { e.tabIndex = -1; }); // a mail that the demo shows, not the page
	window.wanted = [...document.querySelectorAll("a[href], button, summary, input, select, textarea, [tabindex]")].filter(e =>
		e.checkVisibility({visibilityProperty: true}) && !e.disabled && e.tabIndex >= 0 && e.type !== "hidden" && !e.closest("[inert]") && first(e));
	window.reached = [];
	window.nameOf = name;
	document.body.tabIndex = -1;
	document.body.focus();
	document.body.removeAttribute("tabindex");
	document.addEventListener("focusin", e => { reached.push(e.target); });
	return {Wanted: wanted.length, Fields: document.querySelectorAll("input[type=date], input[type=time]").length};
})()`

// judgeOrder tells what was not reached, and where the eye would have to jump:
// to something wholly above, or before it on its line, that begins no new column.
// On a map, places follow each other by state and may lie over one another.
const judgeOrder = `(() => {
	const again = reached.indexOf(reached[0], 1), way = again < 0 ? reached : reached.slice(0, again);
	const faults = wanted.filter(e => !way.includes(e)).map(e => "is not reached: " + nameOf(e));
	const afloat = e => { for (; e; e = e.parentElement) if (["fixed", "sticky"].includes(getComputedStyle(e).position)) return true; return false; };
	const box = e => { const b = e.getClientRects()[0] || e.getBoundingClientRect(); return {top: b.top + scrollY, bottom: b.bottom + scrollY, left: b.left, right: b.right}; };
	for (let i = 1; i < way.length; i++) {
		const from = way[i - 1], to = way[i];
		if (afloat(from) || afloat(to) || from.closest(".saltar, .leaflet-container")) continue;
		const a = box(from), b = box(to);
		const above = b.bottom <= a.top + 1 && b.left < a.right, before = b.right <= a.left && b.top < a.bottom && b.bottom > a.top && b.bottom - a.bottom < 4;
		if (above || before) faults.push("goes " + (above ? "up" : "back") + " from " + nameOf(from) + " to " + nameOf(to));
	}
	if (document.querySelector("[tabindex]:not([tabindex='0']):not([tabindex='-1'])")) faults.push("has an order of its own (tabindex)");
	return faults.slice(0, 10);
})()`

// spare is how often Tab is pressed beyond what must be reached: a box that
// scrolls is a stop too, and a field of a date has several.
const spare = 6

// keyboard is a person without a mouse.
type keyboard struct {
	seen sync.Map // sorts of elements whose focus was looked at, with the width
}

// look goes through a page with the Tab key.
func (k *keyboard) look(t *testing.T, tab context.Context, s *stop) (faults []string) {
	for _, width := range []int64{360, 1280} {
		if width > 360 && (s.state != "normal" || s.made) {
			continue // in the wide form, what is beside each other is the same in every state, and forms are narrow
		}
		s.visit(t, tab, width, "light")
		found := skipLink(t, tab)
		evaluate[bool](t, tab, unfold)
		settle(t, tab) // a script may set the focus on what is unfolded
		count := evaluate[struct{ Wanted, Fields int }](t, tab, listReachable)
		pressTab(t, tab, count.Wanted+spare*(count.Fields+1))
		found = append(found, evaluate[[]string](t, tab, judgeOrder)...)
		found = append(found, evaluate[[]string](t, tab, covered)...)
		found = append(found, k.unseen(t, tab, fmt.Sprint(width))...)
		faults = append(faults, at(width, found)...)
	}
	return faults
}

func pressTab(t *testing.T, tab context.Context, times int) {
	t.Helper()
	if err := chromedp.Do(tab, chromedp.KeyEvent(strings.Repeat(kb.Tab, times))); err != nil {
		t.Fatal(err)
	}
}

// skipLink wants the first press of Tab to show a link to the content, and the
// link to lead there.
func skipLink(t *testing.T, tab context.Context) (faults []string) {
	t.Helper()
	pressTab(t, tab, 1)
	const shown = `(() => {
		const link = document.activeElement, box = link.getBoundingClientRect();
		if (!(link.getAttribute("href") || "").startsWith("#")) return ["the first stop is no link to the content: " + link.outerHTML.slice(0, 80)];
		return box.top >= 0 && box.left >= 0 && box.height > 10 ? [] : ["the link to the content is not shown"];
	})()`
	if faults = evaluate[[]string](t, tab, shown); len(faults) > 0 {
		return faults
	}
	if err := chromedp.Do(tab, chromedp.KeyEvent(kb.Enter)); err != nil {
		t.Fatal(err)
	}
	pressTab(t, tab, 1)
	const arrived = `(() => {
		const main = document.querySelector("main"), at = document.activeElement;
		const there = main.contains(at) || !main.querySelector("a[href], button, input, summary");
		return there ? [] : ["the link to the content leads to " + at.outerHTML.slice(0, 80)];
	})()`
	return evaluate[[]string](t, tab, arrived)
}

// focusSorts returns the sorts of elements that can be reached; one of each stands
// for the others.
const focusSorts = `(() => {
	const sort = e => [e, e.parentElement, e.parentElement.parentElement].map(x => x.tagName + "." + x.getAttribute("class")).join(" ") + e.type;
	window.sorts = new Map(wanted.filter(e => e.isConnected).map(e => [sort(e), e]));
	return [...sorts.keys()];
})()`

// focusOn sets or takes the focus, and tells where the element is.
const focusOn = `(async () => {
	const e = sorts.get(%q);
	if (%t) {
		e.scrollIntoView({block: "center", behavior: "instant"});
		e.focus({focusVisible: true, preventScroll: true});
	} else e.blur();
	await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
	const b = e.getBoundingClientRect(), around = 8;
	return {X: Math.max(b.left + scrollX - around, 0), Y: Math.max(b.top + scrollY - around, 0), Width: Math.min(b.width, innerWidth) + 2 * around,
		Height: Math.min(b.height, innerHeight) + 2 * around, Name: nameOf(e),
		Beyond: b.left < around || b.top < around || b.right + around > innerWidth || b.bottom + around > innerHeight};
})()`

// spot is where an element lies on the page.
type spot struct {
	X, Y, Width, Height float64
	Beyond              bool // the screen does not hold all of it
	Name                string
}

// covered finds what has the focus and lies under something else, or out of sight.
const covered = `wanted.filter(e => e.isConnected && !e.closest(".leaflet-marker-pane")).map(e => {
	e.focus();
	const line = e.getClientRects()[0], x = line.left + line.width / 2, y = line.top + line.height / 2;
	const top = document.elementFromPoint(x, y), mine = top && (e.contains(top) || top.contains(e) || [...(e.labels || [])].some(l => l.contains(top)));
	return mine ? "" : nameOf(e) + " has the focus at " + Math.round(x) + "," + Math.round(y) + (top ? " under " + top.outerHTML.slice(0, 100) : " out of sight");
}).filter(fault => fault).slice(0, 5)`

// unseen finds the sorts of elements that look the same with the focus.
func (k *keyboard) unseen(t *testing.T, tab context.Context, width string) (faults []string) {
	t.Helper()
	for _, sort := range evaluate[[]string](t, tab, focusSorts) {
		if _, known := k.seen.LoadOrStore(width+sort, true); known {
			continue
		}
		at := evaluate[spot](t, tab, fmt.Sprintf(focusOn, sort, true))
		with := pictureOf(t, tab, at)
		evaluate[spot](t, tab, fmt.Sprintf(focusOn, sort, false))
		changed := differingPixels(t, with, pictureOf(t, tab, at))
		// A line of one pixel along its lower edge is the least that is seen.
		if changed < int(at.Width-2*8)/2 {
			faults = append(faults, fmt.Sprintf("the focus is not seen (%d pixels differ): %s", changed, at.Name))
		}
	}
	return faults
}

func pictureOf(t *testing.T, tab context.Context, at spot) []byte {
	t.Helper()
	return call(t, tab, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Clip: &page.Viewport{X: at.X, Y: at.Y, Width: at.Width, Height: at.Height, Scale: 1}, CaptureBeyondViewport: &at.Beyond,
	}).Data
}

// differingPixels counts the pixels in which two pictures of one size differ.
func differingPixels(t *testing.T, one, other []byte) (n int) {
	t.Helper()
	a, b := pixels(t, one), pixels(t, other)
	for i := 0; i+4 <= min(len(a), len(b)); i += 4 {
		if !bytes.Equal(a[i:i+4], b[i:i+4]) {
			n++
		}
	}
	return n
}

// pixels are those of a picture, four bytes each.
func pixels(t *testing.T, picture []byte) []byte {
	t.Helper()
	decoded, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	plain := image.NewRGBA(decoded.Bounds())
	draw.Draw(plain, plain.Bounds(), decoded, decoded.Bounds().Min, draw.Src)
	return plain.Pix
}
