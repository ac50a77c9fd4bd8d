//go:build browser

package site_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// wider finds what reaches out of the screen at the side, the innermost elements.
const wider = `(() => {
	const page = document.scrollingElement;
	if (page.scrollWidth <= page.clientWidth) return [];
	const boxed = e => { for (e = e.parentElement; e; e = e.parentElement) if (getComputedStyle(e).overflowX !== "visible" && e !== document.body && e !== page) return true; return false; };
	const out = [...document.body.querySelectorAll("*:not(svg *)")].filter(e => e.getBoundingClientRect().right > page.clientWidth + 0.5 && !boxed(e));
	return out.filter(e => !out.some(o => o !== e && e.contains(o))).slice(0, 3)
		.map(e => e.tagName + "." + e.getAttribute("class") + " to " + Math.round(e.getBoundingClientRect().right) + ": " + e.textContent.trim().slice(0, 60))
		.concat("the page is " + page.scrollWidth + " wide");
})()`

// overhead is how high our own header and notice are, in pixels, those of made-up
// weather aside.
const overhead = `[...document.querySelectorAll(".cabecera, .cabecera + .oficial")].reduce((sum, e) => sum + e.offsetHeight, 0)`

// overheadAllowed is what they may take of a phone's screen.
const overheadAllowed = 96

// wordy reports whether a page has the usual words or long ones. Where data alone are
// others, what they change is in the same places: fewer screens tell as much.
func (s *stop) wordy() bool { return s.state == "normal" || s.state == "larga" }

// widths wants a page that is open to fit between the sides of the screen.
func widths(t *testing.T, tab context.Context, s *stop) (faults []string) {
	screens := []int64{320, 360, 768, 1280}
	if !s.wordy() {
		screens = []int64{320, 1280}
	}
	for _, width := range screens {
		if err := chromedp.Do(tab, look(width, "light")); err != nil {
			t.Fatal(err)
		}
		evaluate[bool](t, tab, twoFrames) // what a script draws follows the new width
		faults = append(faults, at(width, evaluate[[]string](t, tab, wider))...)
		if high := evaluate[int](t, tab, overhead); width == 360 && high > overheadAllowed {
			faults = append(faults, fmt.Sprintf("360 px: header and notice are %d px high", high))
		}
	}
	return faults
}

// twoFrames waits until what follows from a change is on the screen.
const twoFrames = `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`

// at says at which width faults were found.
func at(width int64, faults []string) []string {
	for i, fault := range faults {
		faults[i] = fmt.Sprintf("%d px: %s", width, fault)
	}
	return faults
}

// noteLetters notes the size of all text.
const noteLetters = `(() => {
	const shown = e => e.checkVisibility({visibilityProperty: true}) && !e.closest(".oculto, [aria-hidden=true], svg");
	const own = e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
	window.letters = [...document.body.querySelectorAll("*")].filter(e => own(e) && shown(e)).map(e => [e, parseFloat(getComputedStyle(e).fontSize)]);
	return true;
})()`

// judgeLetters tells which text did not grow and which is cut. What is one pixel
// large is for ears alone.
const judgeLetters = `(async () => {
	await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
	const faults = [];
	const name = e => e.tagName + "." + e.getAttribute("class") + ": " + e.textContent.trim().slice(0, 60);
	letters.filter(([e]) => e.checkVisibility({visibilityProperty: true})).forEach(([e, before]) => {
		const now = parseFloat(getComputedStyle(e).fontSize);
		if (now < before * 1.5) faults.push("grows from " + before + " px only to " + now + " px: " + name(e));
		const range = document.createRange();
		range.selectNodeContents(e);
		const text = range.getBoundingClientRect();
		for (let box = e; box && box !== document.body; box = box.parentElement) {
			const style = getComputedStyle(box), edge = box.getBoundingClientRect();
			if (edge.width < 2 || edge.height < 2) break;
			const sideways = style.overflowX === "hidden" || style.overflowX === "clip", down = style.overflowY === "hidden" || style.overflowY === "clip";
			if (sideways && (text.right > edge.right + 1 || text.left < edge.left - 1) || down && text.bottom > edge.bottom + 1) {
				faults.push("cut by " + box.tagName + "." + box.getAttribute("class") + ": " + name(e));
				break;
			}
		}
	});
	return faults.slice(0, 8);
})()`

// largeText wants the text of a page that is open to grow with the letters that a person has chosen, without
// being cut and without scrolling sideways.
func largeText(t *testing.T, tab context.Context, s *stop) (faults []string) {
	screens := []int64{360, 1280}
	if !s.wordy() {
		screens = screens[:1]
	}
	for _, width := range screens {
		if err := chromedp.Do(tab, look(width, "light")); err != nil {
			t.Fatal(err)
		}
		evaluate[bool](t, tab, twoFrames)
		evaluate[bool](t, tab, noteLetters)
		setLetters(t, tab, 2*usualLetters)
		faults = append(faults, at(width, evaluate[[]string](t, tab, judgeLetters))...)
		faults = append(faults, at(width, evaluate[[]string](t, tab, wider))...)
		setLetters(t, tab, usualLetters)
	}
	return faults
}

// usualLetters is the size of letters that browsers begin with, in pixels.
const usualLetters = 16

// setLetters chooses the size of letters, as a person does in the browser's
// settings: style that asks for the width of the screen in letters follows too.
func setLetters(t *testing.T, tab context.Context, size int64) {
	t.Helper()
	call(t, tab, page.SetFontSizes, page.SetFontSizesParams{FontSizes: &page.FontSizes{Standard: size, Fixed: size}})
}
