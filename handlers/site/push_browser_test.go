package site

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// pushService stands for the browser's push service, which is not to be had here:
// it gives what a browser gives of one. Everything else of the browser is real.
func pushService(t *testing.T) string {
	return fmt.Sprintf(`(() => {
	const target = n => ({
		endpoint: "https://updates.push.services.mozilla.com/wpush/v2/" + n,
		toJSON() { return { endpoint: this.endpoint, keys: { p256dh: %q, auth: "AAECAwQFBgcICQoLDA0ODw" } }; },
		async unsubscribe() { window.gone = true; localStorage.removeItem("target"); return true; },
	});
	PushManager.prototype.subscribe = async function (options) {
		if (window.unreachable) throw new DOMException("no service", "AbortError");
		window.key = options.applicationServerKey;
		localStorage.setItem("target", "1");
		return target(1);
	};
	PushManager.prototype.getSubscription = async () => localStorage.getItem("target") ? target(1) : null;
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

// state gives the message that is shown once the button's work is over, and the
// buttons that are offered.
const state = `new Promise(done => {
	const look = () => {
		const shown = [...document.querySelectorAll("#avisos [data-estado]")].filter(p => !p.hidden);
		const busy = [...document.querySelectorAll("#avisos button")].some(b => b.disabled);
		const offered = [...document.querySelectorAll("#avisos [data-cuando]")].some(b => !b.hidden);
		if (busy || !shown.length && !offered) return setTimeout(look, 10);
		done([shown.map(p => p.dataset.estado).join(), [...document.querySelectorAll("#avisos button")].filter(b => !b.hidden).map(b => b.textContent).join("|")]);
	};
	look();
})`

func evaluate[T any](t *testing.T, ctx context.Context, script string) T {
	t.Helper()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%v in %.80s", err, script)
	}
	return got
}

// pressPush presses a button of the push section and gives its outcome.
func pressPush(t *testing.T, ctx context.Context, do string) []string {
	t.Helper()
	evaluate[[]string](t, ctx, state) // the buttons are there
	evaluate[any](t, ctx, `[...document.querySelectorAll("#avisos button[data-hacer=`+do+`]")].find(b => !b.hidden).click()`)
	return evaluate[[]string](t, ctx, state)
}

func TestPushInABrowser(t *testing.T) {
	ctx := browser(t)
	f := newFront(t, nil)
	f.desk.key = "BPGAwp2wnWvQXVpF8hBv8ZLGMHFMGd5uPJTWVHrTzSHVA-1mO2KLrnYz1W9jHJz_sc3cxfVjvuuwsfpTPz4gdkk"
	site := reception(t, f).URL
	_, err := chromedp.Run(ctx, func(ctx context.Context, tab *chromedp.Target) (page.AddScriptToEvaluateOnNewDocumentResult, error) {
		return cdp.Call(ctx, tab, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: pushService(t)})
	})
	if err != nil {
		t.Fatal(err)
	}
	var said complaints
	said.watch(t, ctx, site)
	t.Run("what goes wrong is said", func(t *testing.T) { testPushFaults(t, ctx, f, site) })
	said.take() // the browser reports refused requests
	registration := testPushSubscribes(t, ctx, f, site)
	worker := attach(t, ctx, site)
	t.Run("notifications", func(t *testing.T) { testNotifications(t, ctx, worker, site, registration) })
	t.Run("service worker", func(t *testing.T) { testWorker(t, worker, f) })
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
	if ready[0] != "" || ready[1] != "Avisarme en este navegador" {
		t.Fatalf("at first: %q", ready)
	}
	tick := func(selector string) { evaluate[any](t, ctx, `document.querySelector('`+selector+`').click()`) }
	shown := func(want string, before func()) {
		t.Helper()
		before()
		if got := pressPush(t, ctx, "activar"); got[0] != want || got[1] != "Avisarme en este navegador" {
			t.Errorf("got %q, want %s", got, want)
		}
		shoot(t, ctx, "push-"+want, 360)
	}
	fail := func(err error, closed bool) func() {
		return func() {
			f.desk.mu.Lock()
			defer f.desk.mu.Unlock()
			f.desk.err, f.desk.closed[subscription.WebPush] = err, closed
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
	if len(f.desk.active) != 1 { // that of the fixture
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
	got := pressPush(t, ctx, "activar")
	if got[0] != "activado" || got[1] != "Cambiar a lo marcado arriba|Cancelar los avisos" {
		t.Fatalf("subscribing ended with %q", got)
	}
	shoot(t, ctx, "push-activado", 360)
	if key := evaluate[string](t, ctx, "window.key"); key != f.desk.key {
		t.Errorf("subscribed for the key %q", key)
	}
	token := strings.Join(tokens(f), " ")
	made := f.desk.active[token]
	if made == nil || made.Target == nil || len(made.Preferences.Parks) != 0 || len(made.Preferences.Trails) != 1 || made.Consent.Policy == "" {
		t.Fatalf("subscribed: %+v", made)
	}
	visit(t, ctx, site+"/suscribirse", 360, "light") // and back later
	if back := evaluate[[]string](t, ctx, state); back[0] != "" || back[1] != got[1] {
		t.Errorf("on return: %q", back)
	}
	if href := evaluate[string](t, ctx, `document.querySelector("[data-baja]").getAttribute("href")`); href != "/baja/"+token {
		t.Errorf("the link to cancel is %q", href)
	}
	if text := evaluate[string](t, ctx, `document.querySelector("#avisos").innerText`); !strings.Contains(text, "Parque Nacional Torres del Paine") {
		t.Errorf("what is active is told as %q", text)
	}
	shoot(t, ctx, "push-de-vuelta", 360)
	seen, err := chromedp.Run(ctx, chromedp.WaitEvent(serviceworker.WorkerRegistrationUpdated,
		func(e serviceworker.EventWorkerRegistrationUpdated) bool { return len(e.Registrations) > 0 },
		chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
			_, err := cdp.Call(ctx, tab, serviceworker.Enable, cdp.Empty{})
			return err
		})))
	if err != nil {
		t.Fatal(err)
	}
	return seen.Registrations[0].RegistrationID
}

// note is a notification as the service worker showed it.
type note struct {
	Title, Body, Tag, Lang string
	Data                   struct{ URL string }
	Silent, Renotify       bool
}

// attach reaches into the service worker, and has it keep what it showed.
func attach(t *testing.T, ctx context.Context, site string) context.Context {
	t.Helper()
	targets, err := chromedp.Targets(ctx)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(targets, func(i *target.Info) bool { return i.Type == "service_worker" && i.URL == site+"/sw.js" })
	if at < 0 {
		t.Fatalf("no service worker among %d targets", len(targets))
	}
	worker, cancel := chromedp.NewContext(ctx, chromedp.WithTargetID(targets[at].TargetID))
	t.Cleanup(cancel)
	evaluate[bool](t, worker, `{
		const show = ServiceWorkerRegistration.prototype.showNotification;
		ServiceWorkerRegistration.prototype.showNotification = async function (title, options) {
			await show.call(this, title, options); // the browser's own, which refuses what cannot be shown
			self.shown.push({Title: title, Body: options.body, Tag: options.tag ?? "", Lang: options.lang, Data: {URL: options.data.url},
				Silent: options.silent ?? false, Renotify: options.renotify ?? false});
		};
		self.shown = [];
		true;
	}`)
	return worker
}

func testNotifications(t *testing.T, ctx, worker context.Context, site string, registration serviceworker.RegistrationID) {
	deliver := func(data string) []note {
		t.Helper()
		evaluate[any](t, worker, `self.shown = []`)
		err := chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
			_, err := cdp.Call(ctx, tab, serviceworker.DeliverPushMessage, serviceworker.DeliverPushMessageParams{
				Origin: site, RegistrationID: registration, Data: data,
			})
			return err
		}))
		if err != nil {
			t.Fatal(err)
		}
		return evaluate[[]note](t, worker, `(async () => {
			while (!self.shown.length) await new Promise(next => setTimeout(next, 5));
			return self.shown;
		})()`)
	}
	seen := false
	payload := func(change func(map[string]any)) string {
		fields := map[string]any{"titulo": "[Peligro] Viento · Torres del Paine", "cuerpo": "sáb 21, 9–23 h", "etiqueta": "Zm9vYmFyYmF6cXV4MTIzNDU2",
			"url": "/parques/torres-del-paine", "nivel": "peligro", "caduca_en": "2999-01-01T00:00:00Z", "idioma": "es"}
		change(fields)
		raw, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	// The browser has it on its screen. Its list lags behind: asked too early, it forgets one.
	for range 10 {
		deliver(payload(func(map[string]any) {}))
		titles := evaluate[[]string](t, ctx, `new Promise(next => setTimeout(next, 100)).then(() => navigator.serviceWorker.ready)
			.then(r => r.getNotifications()).then(all => all.map(n => n.title + " " + n.tag + " " + n.data.url))`)
		if slices.Equal(titles, []string{"[Peligro] Viento · Torres del Paine Zm9vYmFyYmF6cXV4MTIzNDU2 /parques/torres-del-paine"}) {
			seen = true
			break
		}
	}
	if !seen {
		t.Error("the browser never had the notification")
	}
	generic := note{Title: "Vigía", Body: "Hay novedades de los parques que sigue. Ábralas en el sitio.", Tag: "novedades", Lang: "es"}
	generic.Data.URL = "/"
	whole := note{Title: "[Peligro] Viento · Torres del Paine", Body: "sáb 21, 9–23 h", Tag: "Zm9vYmFyYmF6cXV4MTIzNDU2", Lang: "es", Renotify: true}
	whole.Data.URL = "/parques/torres-del-paine"
	with := func(n note, change func(*note)) note { change(&n); return n }
	for _, test := range []struct {
		name, data string
		want       note
	}{
		{"whole", payload(func(map[string]any) {}), whole},
		{"English", payload(func(f map[string]any) { f["idioma"] = "en" }), with(whole, func(n *note) { n.Lang = "en" })},
		{"another site", payload(func(f map[string]any) { f["url"] = "https://example.com/x" }), with(whole, func(n *note) { n.Data.URL = "/" })},
		{"another host", payload(func(f map[string]any) { f["url"] = "//example.com/x" }), with(whole, func(n *note) { n.Data.URL = "/" })},
		{"a script", payload(func(f map[string]any) { f["url"] = "javascript:alert(1)" }), with(whole, func(n *note) { n.Data.URL = "/" })},
		{"no tag", payload(func(f map[string]any) { delete(f, "etiqueta") }), with(whole, func(n *note) { n.Tag, n.Renotify = "", false })},
		{"too late", payload(func(f map[string]any) { f["caduca_en"] = "2020-01-01T00:00:00Z" }), with(whole, func(n *note) {
			n.Title, n.Body, n.Silent = "Venció: "+n.Title, "Este aviso venció. Vea cómo está el parque ahora.", true
			n.Renotify = false
		})},
		{"no JSON", "hola", generic},
		{"nothing", "", generic},
		{"null", "null", generic},
		{"no title", payload(func(f map[string]any) { f["titulo"] = 7 }), generic},
	} {
		if got := deliver(test.data); !slices.Equal(got, []note{test.want}) {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// testWorker does in the service worker what cannot be done from outside: a press
// on the notification, and the change of the place where the browser is reached.
// An event of a script's own making may not be waited for, so that it is called
// apart from its listener.
func testWorker(t *testing.T, worker context.Context, f *front) {
	const press = `(async () => {
		const opened = [];
		Clients.prototype.openWindow = async path => { opened.push(path); };
		WindowClient.prototype.focus = async function () { opened.push("focus " + new URL(this.url).pathname); };
		for (const url of ["/parques/torres-del-paine", "/suscribirse", "https://example.com/x", undefined]) {
			await self.registration.showNotification("x", {data: {url}, tag: "to " + url});
			const [shown] = await self.registration.getNotifications({tag: "to " + url});
			const press = new NotificationEvent("notificationclick", {notification: shown});
			press.waitUntil = work => { press.work = work; };
			self.dispatchEvent(press);
			await press.work;
		}
		return opened;
	})()`
	want := []string{"/parques/torres-del-paine", "focus /suscribirse", "/", "/"}
	if got := evaluate[[]string](t, worker, press); !slices.Equal(got, want) {
		t.Errorf("pressing opens %q, want %q", got, want)
	}
	before := tokens(f)
	const moved = `(async () => {
		const target = {endpoint: "https://updates.push.services.mozilla.com/wpush/v2/otro", toJSON: () => ({keys: {p256dh: %q, auth: "ZZECAwQFBgcICQoLDA0ODw"}})};
		const change = Object.assign(new ExtendableEvent("pushsubscriptionchange"), {newSubscription: target});
		change.waitUntil = work => { change.work = work; };
		self.dispatchEvent(change);
		await change.work;
		return true;
	})()`
	evaluate[bool](t, worker, fmt.Sprintf(moved, browserKey(t)))
	after := tokens(f)
	if len(before) != 1 || len(after) != 1 || before[0] == after[0] || !f.desk.cancelled[before[0]] {
		t.Fatalf("tokens %q became %q", before, after)
	}
	made := f.desk.active[after[0]]
	if !strings.HasSuffix(made.Target.Endpoint, "/otro") || len(made.Preferences.Trails) != 1 || made.Preferences.MinLevel != alert.Danger ||
		made.Preferences.Language != subscription.English || made.Preferences.Trip == nil || made.Preferences.Quiet == nil || made.Preferences.Hazards == 0 {
		t.Errorf("in the new place: %+v", made.Preferences)
	}
}

// tokens are those of the subscriptions that the browser made.
func tokens(f *front) (list []string) {
	f.desk.mu.Lock()
	defer f.desk.mu.Unlock()
	for token := range f.desk.active {
		if strings.HasPrefix(token, "push-") {
			list = append(list, token)
		}
	}
	return list
}

func testPushCancels(t *testing.T, ctx context.Context, f *front, site string) {
	visit(t, ctx, site+"/suscribirse", 360, "light")
	if got := pressPush(t, ctx, "cancelar"); got[0] != "cancelado" || got[1] != "Avisarme en este navegador" {
		t.Errorf("cancelling ended with %q", got)
	}
	shoot(t, ctx, "push-cancelado", 360)
	if len(f.desk.active) != 1 {
		t.Error("the subscription is still there")
	}
	visit(t, ctx, site+"/suscribirse", 360, "light")
	if got := evaluate[[]string](t, ctx, state); got[0] != "" || got[1] != "Avisarme en este navegador" {
		t.Errorf("after cancelling: %q", got)
	}
}
