//go:build browser

package site_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

func TestReferenceInABrowser(t *testing.T) {
	ctx := browser(t)
	server := newFront(t, nil).Server()
	var said complaints
	said.watch(t, ctx, server.URL)
	for _, path := range []string{"/api", "/en/api"} {
		visit(t, ctx, server.URL+path, 360, "light")
		runExample(t, ctx, "listarParques", "", "200", `"data": [`)
		runExample(t, ctx, "listarUmbrales", "", "200", `"reglas_version"`)
		runExample(t, ctx, "verPronostico", `f.slug.value = "lauca"; f.horas.value = "2";`, "200", `"horas": [`)
		runExample(t, ctx, "listarAlertas", `f.nivel.value = "peligro";`, "200", `"nivel": "peligro"`)
		if complaints := said.take(); len(complaints) > 0 {
			t.Errorf("%s: %v", path, complaints)
		}
		runExample(t, ctx, "verParque", `f.slug.value = "no-hay?x";`, "404", `parque_no_encontrado`)
		said.take() // the browser notes the 404
	}
	setScripts(t, ctx, false)
	got := visit(t, ctx, server.URL+"/api", 360, "light")
	if strings.Contains(got.Text, "Probar") || !strings.Contains(got.Text, "Abrir esta dirección") {
		t.Error("without a script there is a button that does nothing, or no link")
	}
}

// runExample fills the fields of an example, presses its button and waits for what
// the page then shows.
func runExample(t *testing.T, ctx context.Context, id, fill, status, has string) {
	t.Helper()
	type shownAnswer struct{ Status, Headers, Text, Command string }
	got, err := chromedp.Run(ctx, chromedp.Evaluate[shownAnswer](`(async () => {
		const section = document.getElementById("`+id+`").closest("section"), f = section.querySelector("form");
		`+fill+`
		f.dispatchEvent(new Event("input"));
		f.querySelector("[type=submit]").click();
		const state = f.querySelector(".resultado");
		while (!/^\d/.test(state.textContent) || f.querySelector("[type=submit]").disabled) await new Promise(requestAnimationFrame);
		const answer = {Status: state.textContent, Headers: f.querySelector(".cabeceras").innerText,
			Text: f.querySelector(".json").innerText, Command: section.querySelector(".orden").textContent};
		state.textContent = "";
		return answer;
	})()`, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	if !strings.HasPrefix(got.Status, status+" ") || !strings.Contains(got.Text, has) || !strings.Contains(got.Headers, "Cache-Control") {
		t.Errorf("%s: %+.300v", id, got)
	}
	if strings.Contains(fill, "no-hay?x") && !strings.Contains(got.Command, "/parques/no-hay%3Fx'") {
		t.Errorf("%s: the command is %s", id, got.Command)
	}
}
