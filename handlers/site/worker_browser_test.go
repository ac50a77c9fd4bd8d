//go:build browser

package site_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// note is a notification as the service worker showed it.
type note struct {
	Title, Body, Tag, Lang string
	Data                   struct{ URL string }
	Silent, Renotify       bool
}

// reach reaches into the service worker.
func reach(t *testing.T, ctx context.Context, site string) context.Context {
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
	return worker
}

// attach reaches into the service worker, and has it keep what it showed.
func attach(t *testing.T, ctx context.Context, site string) context.Context {
	t.Helper()
	worker := reach(t, ctx, site)
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
		call(t, ctx, serviceworker.DeliverPushMessage, serviceworker.DeliverPushMessageParams{Origin: site, RegistrationID: registration, Data: data})
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
	generic := note{Title: "Vigía", Body: "There is news of the parks that you follow. Open it on the site.", Tag: "novedades", Lang: "en"} // as the subscription
	generic.Data.URL = "/en/"
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
			n.Title, n.Body, n.Silent = "Venció: "+n.Title, "Esta notificación venció. Vea cómo está el parque ahora.", true
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
	evaluate[any](t, worker, `keep("readwrite", box => box.delete("idioma"))`)
	generic.Body, generic.Lang, generic.Data.URL = "Hay novedades de los parques que sigue. Ábralas en el sitio.", "es", "/"
	if got := deliver("hola"); !slices.Equal(got, []note{generic}) {
		t.Errorf("with no language known: %+v", got)
	}
}

// testWorker does in the service worker what cannot be done from outside: a press
// on the notification, and the change of the place where the browser is reached.
// An event of a script's own making may not be waited for, so that it is called
// apart from its listener.
func testWorker(t *testing.T, ctx, worker context.Context, f *front, site string) {
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
	evaluate[any](t, worker, `keep("readwrite", box => box.delete("idioma"))`)
	const moved = `(async () => {
		const target = {endpoint: "https://updates.push.services.mozilla.com/wpush/v2/otro", toJSON: () => ({keys: {p256dh: %q, auth: "ZZECAwQFBgcICQoLDA0ODw"}})};
		const change = Object.assign(new ExtendableEvent("pushsubscriptionchange"), {newSubscription: target});
		change.waitUntil = work => { change.work = work; };
		self.dispatchEvent(change);
		await change.work;
		return true;
	})()`
	evaluate[bool](t, worker, fmt.Sprintf(moved, browserKey(t)))
	if held := tokens(f); !slices.Equal(held, before) {
		t.Errorf("before the new place is proved: %q became %q", before, held)
	}
	pushProof(t, ctx, f, site)
	const unasked = `prove("prueba").then(() => keep("readonly", box => box.get("deseo"))).then(wish => String(wish))`
	if left := evaluate[string](t, worker, unasked); left != "undefined" {
		t.Errorf("the wish is still there: %s", left)
	}
	after := tokens(f)
	if len(before) != 1 || len(after) != 1 || before[0] == after[0] || !f.Subscriptions.Cancelled[before[0]] {
		t.Fatalf("tokens %q became %q", before, after)
	}
	if language := evaluate[string](t, worker, `keep("readonly", box => box.get("idioma"))`); language != "en" {
		t.Errorf("the worker speaks %q in the new place", language)
	}
	made := f.Subscriptions.Active[after[0]]
	if !strings.HasSuffix(made.Target.Endpoint, "/otro") || len(made.Preferences.Trails) != 1 || made.Preferences.MinLevel != alert.Danger ||
		made.Preferences.Language != subscription.English || made.Preferences.Trip == nil || made.Preferences.Quiet == nil || made.Preferences.Hazards == 0 {
		t.Errorf("in the new place: %+v", made.Preferences)
	}
}

// tokens are those of the subscriptions that the browser made.
func tokens(f *front) (list []string) {
	f.Subscriptions.Mu.Lock()
	defer f.Subscriptions.Mu.Unlock()
	for token := range f.Subscriptions.Active {
		if strings.HasPrefix(token, "push-") {
			list = append(list, token)
		}
	}
	return list
}
