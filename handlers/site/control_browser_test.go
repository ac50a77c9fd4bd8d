//go:build browser

package site_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/handlers/site"
)

// faulty is a page with everything on it that the checks of pages look for.
const faulty = `<!DOCTYPE html><html lang="es"><head><title>Control</title><link rel="stylesheet" href="/c.css"><script src="/c.js" defer></script></head><body>
<a href="/">no es un enlace al contenido</a>
<main><h1>Control</h1><img src="/c.png"><p class="pale">no se lee</p><p class="wide">ancho</p><p class="cut">palabras que no caben si son grandes</p>
<div class="over"></div><p><a class="bare" href="/x">sin foco</a> <a class="first" href="/y">antes</a></p><p class="up"><a href="/z">arriba</a></p>
<button type="button">nada</button><p id="late"></p><p>abajo</p></main>
<script>1</script><img src="http://127.0.0.1:1/x.png" alt=""></body></html>`

const faultyStyle = `.pale { color: #999; background: #fff } .wide { width: 2000px } .cut { height: 18px; overflow: hidden; font-size: 1rem } .bare:focus { outline: none }
.bare { position: absolute; left: 300px } .up { position: absolute; top: 0 }`

const faultyScript = `setTimeout(() => { document.getElementById("late").textContent = "palabras de un programa"; }, 60);`

// TestChecksFindFaults is the control of the checks: each finds what it is for.
func TestChecksFindFaults(t *testing.T) {
	ctx := browserFor(t, 2*time.Minute)
	answers := map[string]string{"/": faulty, "/c.css": faultyStyle, "/c.js": faultyScript}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", site.ContentPolicy)
		switch {
		case strings.HasSuffix(r.URL.Path, ".css"):
			w.Header().Set("Content-Type", "text/css")
		case strings.HasSuffix(r.URL.Path, ".js"):
			w.Header().Set("Content-Type", "text/javascript")
		}
		fmt.Fprint(w, answers[r.URL.Path])
	}))
	t.Cleanup(server.Close)
	bad := &world{state: "normal", origin: server.URL, at: now}
	all := openTabs(t, ctx, map[string]*world{"normal": bad})
	words := map[string][]string{
		"axe":            {"image-alt", "color-contrast"},
		"policy":         {"Executing inline script violates", "policy img-src forbids http://127.0.0.1:1", "request to http://127.0.0.1:1"},
		"widths":         {"320 px: P.wide", "1280 px: P.wide"},
		"large text":     {"cut by P.cut"},
		"without script": {"palabras de un programa", "does nothing: <button"},
		"keyboard":       {"no link to the content", "goes up from", "goes back from", "the focus is not seen (0 pixels differ): a /x"},
		"shifts":         {"moves by"},
	}
	page := &stop{world: bad, path: "/"}
	for i, c := range slices.Concat(openChecks, checks) {
		t.Run(c.name, func(t *testing.T) {
			if len(words[c.name]) == 0 {
				t.Fatal("this check has no control")
			}
			found := strings.Join(all.use(t, page, func(t *testing.T, tab context.Context, s *stop) []string {
				if i > 0 && i < len(openChecks) {
					obedience(t, tab, s)
				}
				return c.look(t, tab, s)
			}), "\n")
			for _, word := range words[c.name] {
				if !strings.Contains(found, word) {
					t.Errorf("%q is not among what is found:\n%s", word, found)
				}
			}
		})
	}
}
