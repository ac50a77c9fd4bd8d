//go:build browser

package site_test

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/chromedp"

	"vigia/store/subscription"
)

// pushService stands for the browser's push service, which is not to be had here:
// it returns what a browser gives of one. Everything else of the browser is real.
func pushService(t *testing.T) string {
	return fmt.Sprintf(`(() => {
	const target = key => ({
		endpoint: "https://updates.push.services.mozilla.com/wpush/v2/" + key.slice(1, 22),
		options: { applicationServerKey: Uint8Array.from(atob(key.replace(/-/g, "+").replace(/_/g, "/")), c => c.charCodeAt(0)).buffer },
		toJSON() { return { endpoint: this.endpoint, keys: { p256dh: %q, auth: key.slice(1, 22) + "A" } }; },
		async unsubscribe() { window.gone = true; localStorage.removeItem("target"); return true; },
	});
	PushManager.prototype.subscribe = async function (options) {
		if (window.unreachable) throw new DOMException("no service", "AbortError");
		const held = localStorage.getItem("target"), key = options.applicationServerKey;
		if (held && held !== key) throw new DOMException("another key", "InvalidStateError");
		window.key = key;
		localStorage.setItem("target", key);
		return target(key);
	};
	PushManager.prototype.getSubscription = async () => localStorage.getItem("target") ? target(localStorage.getItem("target")) : null;
})()`, browserKey(t))
}

// browserKey makes a key as a browser gives it to be written to.
func browserKey(t *testing.T) string {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes())
}

// permit sets what the browser answers when the page asks to show notifications.
func permit(ctx context.Context, site string, setting cdpbrowser.PermissionSetting) error {
	_, err := chromedp.CallBrowser(ctx, cdpbrowser.SetPermission, cdpbrowser.SetPermissionParams{
		Permission: &cdpbrowser.PermissionDescriptor{Name: "notifications"}, Setting: setting, Origin: site,
	})
	return err
}

// state returns the message that is shown once the button's work is over, and the
// buttons that are offered.
const state = `new Promise(done => {
	const look = () => {
		const shown = [...document.querySelectorAll("main [data-estado]")].filter(p => !p.hidden);
		const busy = [...document.querySelectorAll("[data-hacer]")].some(b => b.disabled);
		const offered = [...document.querySelectorAll("main [data-cuando]")].some(b => !b.hidden);
		if (busy || !shown.length && !offered) return setTimeout(look, 10);
		done([shown.map(p => p.dataset.estado).join(), [...document.querySelectorAll("[data-hacer]")].filter(b => !b.closest("[hidden]")).map(b => b.textContent).join("|")]);
	};
	look();
})`

// pressPush presses a button of the push section and gives its outcome.
func pressPush(t *testing.T, ctx context.Context, do string) []string {
	t.Helper()
	evaluate[[]string](t, ctx, state) // the buttons are there
	evaluate[any](t, ctx, `[...document.querySelectorAll("[data-hacer=`+do+`]")].find(b => !b.closest("[hidden]")).click()`)
	return evaluate[[]string](t, ctx, state)
}

// pushProof has the service worker get the push that asks for a proof, as the subscription service
// would send it, once the subscription service was asked for one.
func pushProof(t *testing.T, ctx context.Context, f *front, site string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; <-time.After(10 * time.Millisecond) {
		f.Subscriptions.Mu.Lock()
		asked := len(f.Subscriptions.Proofs) > 0
		f.Subscriptions.Proofs = nil
		f.Subscriptions.Mu.Unlock()
		if asked {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no proof was asked for")
		}
	}
	if got := evaluate[string](t, reach(t, ctx, site), `(async () => {
		const push = new PushEvent("push", {data: JSON.stringify({titulo: "Activando las notificaciones", etiqueta: "bienvenida", prueba: "`+pushedProof+`"})});
		push.waitUntil = work => { push.work = work; };
		self.dispatchEvent(push);
		await push.work;
		const shown = await self.registration.getNotifications({tag: "bienvenida"});
		for (const n of shown) n.close();
		return shown.map(n => n.title).join();
	})()`); got != "Activando las notificaciones" {
		t.Errorf("the push that asks for a proof shows %q", got)
	}
}

// activate presses the button that subscribes, lets the browser prove itself and gives
// the outcome.
func activate(t *testing.T, ctx context.Context, f *front, site string) []string {
	t.Helper()
	evaluate[[]string](t, ctx, state) // the buttons are there
	before := tokens(f)
	evaluate[any](t, ctx, `[...document.querySelectorAll("[data-hacer=activar]")].find(b => !b.closest("[hidden]")).click()`)
	for deadline := time.Now().Add(time.Minute); ; <-time.After(10 * time.Millisecond) {
		f.Subscriptions.Mu.Lock()
		asked := len(f.Subscriptions.Proofs) > 0
		f.Subscriptions.Mu.Unlock()
		if asked || time.Now().After(deadline) {
			break
		}
	}
	if after := tokens(f); len(after) != len(before) {
		t.Errorf("subscribed before anything was proved: %q", after)
	}
	pushProof(t, ctx, f, site)
	return evaluate[[]string](t, ctx, state)
}

func TestPushInABrowser(t *testing.T) {
	ctx := browser(t)
	f := newFront(t, nil)
	f.Subscriptions.Key = "BPGAwp2wnWvQXVpF8hBv8ZLGMHFMGd5uPJTWVHrTzSHVA-1mO2KLrnYz1W9jHJz_sc3cxfVjvuuwsfpTPz4gdkk"
	site := f.Server().URL
	beforeEachPage(t, ctx, pushService(t))
	var said complaints
	said.watch(t, ctx, site)
	t.Run("from a park's page", func(t *testing.T) { testPushFromThePark(t, ctx, f, site) })
	t.Run("what goes wrong is said", func(t *testing.T) { testPushFaults(t, ctx, f, site) })
	said.take() // the browser reports refused requests
	registration := testPushSubscribes(t, ctx, f, site)
	worker := attach(t, ctx, site)
	t.Run("notifications", func(t *testing.T) { testNotifications(t, ctx, worker, site, registration) })
	t.Run("service worker", func(t *testing.T) { testWorker(t, ctx, worker, f, site) })
	t.Run("other keys", func(t *testing.T) { testPushWithOtherKeys(t, ctx, f, site) })
	t.Run("cancel", func(t *testing.T) { testPushCancels(t, ctx, f, site) })
	for _, complaint := range said.take() {
		t.Error(complaint)
	}
}

func testPushFaults(t *testing.T, ctx context.Context, f *front, site string) {
	if err := permit(ctx, site, cdpbrowser.PermissionSettingDenied); err != nil {
		t.Fatal(err)
	}
	visit(t, ctx, site+"/suscribirse", 360, "light")
	ready := evaluate[[]string](t, ctx, state)
	if ready[0] != "denegado" || ready[1] != "Avisarme en este navegador" {
		t.Fatalf("at first: %q", ready)
	}
	tick := func(selector string) { evaluate[any](t, ctx, `document.querySelector('`+selector+`').click()`) }
	shown := func(want string, before func()) {
		t.Helper()
		before()
		if got := pressPush(t, ctx, "activar"); got[0] != want || got[1] != "Avisarme en este navegador" {
			t.Errorf("got %q, want %s", got, want)
		}
	}
	fail := func(err error, closed bool) func() {
		return func() {
			f.Subscriptions.Mu.Lock()
			defer f.Subscriptions.Mu.Unlock()
			f.Subscriptions.Err, f.Subscriptions.Closed[subscription.WebPush] = err, closed
		}
	}
	shown("sin_parques", func() {})
	shown("sin_consentimiento", func() { tick(`input[value="torres-del-paine"]`) })
	shown("denegado", func() { tick("#consentimiento") })
	if err := permit(ctx, site, cdpbrowser.PermissionSettingGranted); err != nil {
		t.Fatal(err)
	}
	shown("sin_servicio", func() { evaluate[any](t, ctx, "window.unreachable = true") })
	evaluate[any](t, ctx, "window.unreachable = false")
	shown("apagado", fail(errDisk, false))
	if !evaluate[bool](t, ctx, "window.gone === true") {
		t.Error("a place to which nothing will ever be sent was kept")
	}
	shown("apagado", fail(nil, true))
	fail(nil, false)()
	set := func(name, value string) {
		evaluate[any](t, ctx, fmt.Sprintf(`document.querySelector("[name=%s]").value = %q`, name, value))
	}
	shown("sin_silencio", func() { set("silencio_desde", "22:00") })
	set("silencio_desde", "")
	shown("sin_viaje", func() { set("viaje_desde", "2025-12-01") })
	shown("rechazado", func() { set("viaje_hasta", "2025-12-09") })
	if text := evaluate[string](t, ctx, `document.querySelector("[data-estado=rechazado]").textContent`); !strings.Contains(text, "esa fecha ya pasó") {
		t.Errorf("the fault is told as %q", text)
	}
	for _, test := range []struct{ state, answer string }{
		{"espere", `new Response("{}", {status: 429})`}, {"sin_red", `Promise.reject(new TypeError("offline"))`},
		{"fallo", `new Response("<p>", {status: 200})`},
	} {
		shown(test.state, func() { evaluate[any](t, ctx, "window.fetch = async () => "+test.answer+"; 0") })
	}
	if len(f.Subscriptions.Active) != 1 { // that of the fixture
		t.Error("a failure left a subscription")
	}
}

// testPushSubscribes subscribes to a trail, and gives the worker's registration.
func testPushSubscribes(t *testing.T, ctx context.Context, f *front, site string) serviceworker.RegistrationID {
	t.Helper()
	visit(t, ctx, site+"/suscribirse?parque=torres-del-paine", 360, "light")
	evaluate[any](t, ctx, `
		document.querySelector('input[name="senderos"]').click(); document.querySelector("#consentimiento").click();
		for (const [name, value] of Object.entries({viaje_desde: "2026-12-01", viaje_hasta: "2026-12-09", silencio_desde: "22:00", silencio_hasta: "06:30"}))
			document.querySelector("[name=" + name + "]").value = value;
		for (const value of ["peligro", "en", "nieve"]) document.querySelector("[value=" + value + "]").checked = true`)
	got := activate(t, ctx, f, site)
	if got[0] != "activado" || got[1] != "Cancelar las notificaciones|Cambiar a lo marcado arriba" {
		t.Fatalf("subscribing ended with %q", got)
	}
	if key := evaluate[string](t, ctx, "window.key"); key != f.Subscriptions.Key {
		t.Errorf("subscribed for the key %q", key)
	}
	token := strings.Join(tokens(f), " ")
	made := f.Subscriptions.Active[token]
	if made == nil || made.Target == nil || len(made.Preferences.Parks) != 0 || len(made.Preferences.Trails) != 1 || made.Consent.Policy == "" {
		t.Fatalf("subscribed: %+v", made)
	}
	visit(t, ctx, site+"/suscribirse", 360, "light") // and back later
	if back := evaluate[[]string](t, ctx, state); back[0] != "" || back[1] != got[1] {
		t.Errorf("on return: %q", back)
	}
	if href := evaluate[string](t, ctx, `document.querySelector("[data-gestionar]").getAttribute("href")`); href != "/gestionar/"+token {
		t.Errorf("the link to change it is %q", href)
	}
	if text := evaluate[string](t, ctx, `document.querySelector("[data-cuando=activo]").innerText`); !strings.Contains(text, "Parque Nacional Torres del Paine") {
		t.Errorf("what is active is told as %q", text)
	}
	ours := func(r *serviceworker.Registration) bool { return r.ScopeURL == site+"/" } // other tests' workers are the browser's too
	seen, err := chromedp.Run(ctx, chromedp.WaitEvent(serviceworker.WorkerRegistrationUpdated,
		func(e serviceworker.EventWorkerRegistrationUpdated) bool {
			return slices.ContainsFunc(e.Registrations, ours)
		},
		chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
			_, err := cdp.Call(ctx, tab, serviceworker.Enable, cdp.Empty{})
			return err
		})))
	if err != nil {
		t.Fatal(err)
	}
	return seen.Registrations[slices.IndexFunc(seen.Registrations, ours)].RegistrationID
}

// testPushWithOtherKeys: a browser that subscribed under the keys before subscribes under
// the present ones when it comes back, by itself, and the old place is given up. While
// they are the same nothing is asked for.
func testPushWithOtherKeys(t *testing.T, ctx context.Context, f *front, site string) {
	before, wish := tokens(f), spelled(f.Subscriptions.Active[tokens(f)[0]].Preferences)
	visit(t, ctx, site+"/suscribirse", 360, "light")
	if got := evaluate[[]string](t, ctx, state); got[0] != "" || len(f.Subscriptions.Proofs) != 0 {
		t.Errorf("under the same keys: %q, %d proofs", got, len(f.Subscriptions.Proofs))
	}
	f.Subscriptions.Mu.Lock()
	f.Subscriptions.Key = "B" + browserKey(t)[1:]
	f.Subscriptions.Mu.Unlock()
	visit(t, ctx, site+"/suscribirse", 360, "light")
	pushProof(t, ctx, f, site)
	if got := evaluate[[]string](t, ctx, state); got[0] != "activado" || !strings.Contains(got[1], "Cancelar las notificaciones") {
		t.Errorf("under other keys: %q", got)
	}
	after := tokens(f)
	if len(after) != 1 || after[0] == before[0] || spelled(f.Subscriptions.Active[after[0]].Preferences) != wish {
		t.Errorf("subscribed: %q, before %q", after, before)
	}
	if key := evaluate[string](t, ctx, "window.key"); key != f.Subscriptions.Key {
		t.Errorf("subscribed for the key %q", key)
	}
}

func testPushCancels(t *testing.T, ctx context.Context, f *front, site string) {
	visit(t, ctx, site+"/suscribirse", 360, "light")
	if got := pressPush(t, ctx, "cancelar"); got[0] != "cancelado" || got[1] != "Avisarme en este navegador" {
		t.Errorf("cancelling ended with %q", got)
	}
	if len(f.Subscriptions.Active) != 1 {
		t.Error("the subscription is still there")
	}
	visit(t, ctx, site+"/suscribirse", 360, "light")
	if got := evaluate[[]string](t, ctx, state); got[0] != "" || got[1] != "Avisarme en este navegador" {
		t.Errorf("after cancelling: %q", got)
	}
}
