//go:build browser

package site_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// scriptOnly is what only a script can do, by selector, and why. Everything else
// that a page says with scripts it says without them.
var scriptOnly = []struct{ selector, reason string }{
	{"[data-estado], [data-cuando]", "pushes to this browser are a script's work; the page says so without one"},
	{".mapa", "the map needs one, and says so; the list has every park"},
	{".buscador, .filtro", "what is typed narrows down the list that is there without it"},
	{".probar", "the examples run by a script; each stands there to be copied"},
	{".viva", "how old something is by now; the page says since when and until when"},
	{"#copia, #nueva, #lista, main > [data-aqui]", "what is kept on the device and what is newer, a script alone can know"},
	{"#grafico", "the graph draws what stands in the table below it"},
	{".mio", "what is one's own is kept by a script on the device; nothing of the page is only there"},
	{"#vencida, #vieja", "a page cannot turn old by itself; it says until when it holds"},
}

// readPage returns the lines of a page's main part, unfolded, without what is a
// script's alone.
const readPage = `(() => {
	for (const selector of %s) document.querySelectorAll(selector).forEach(e => { e.hidden = true; });
	return document.querySelector("main").innerText.split(/\n+/).map(l => l.replace(/\s+/g, " ").trim()).filter(l => l);
})()`

// idle finds what can be pressed and does nothing without a script, and forms
// that cannot be sent.
const idle = `(() => {
	const name = e => e.outerHTML.slice(0, 100);
	const dead = [...document.querySelectorAll("button")].filter(b => b.checkVisibility() && (b.type === "button" || !b.form)).map(b => "does nothing: " + name(b));
	const stuck = [...document.forms].filter(f => f.checkVisibility() && (new URL(f.action).origin !== location.origin ||
		![...f.elements].some(e => e.type === "submit" && e.checkVisibility() && !e.disabled))).map(f => "cannot be sent: " + name(f));
	return dead.concat(stuck);
})()`

// withoutScript wants a page that is open to say the same without scripts, and nothing
// on it to be dead.
func withoutScript(t *testing.T, tab context.Context, s *stop) (faults []string) {
	var selectors []string
	for _, s := range scriptOnly {
		selectors = append(selectors, s.selector)
	}
	list, err := json.Marshal(selectors)
	if err != nil {
		t.Fatal(err)
	}
	read := fmt.Sprintf(readPage, list)
	if err := chromedp.Do(tab, look(360, "light")); err != nil {
		t.Fatal(err)
	}
	evaluate[bool](t, tab, twoFrames)
	with := evaluate[[]string](t, tab, read)
	setScripts(t, tab, false)
	if err := chromedp.Do(tab, chromedp.Navigate(s.url())); err != nil {
		t.Fatal(err)
	}
	evaluate[bool](t, tab, unfold)
	faults = evaluate[[]string](t, tab, idle)
	without := evaluate[[]string](t, tab, read)
	for _, line := range with {
		if !slices.Contains(without, line) {
			faults = append(faults, fmt.Sprintf("does not say without scripts: %q", line))
		}
	}
	if len(strings.Join(without, "")) < 20 {
		faults = append(faults, fmt.Sprintf("says nothing without scripts: %q", without))
	}
	return faults
}
