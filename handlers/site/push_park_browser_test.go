//go:build browser

package site_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"

	"vigia/store/subscription"
)

// onPark opens the block of a park's page, which is the first press, and gives what
// it offers and says.
func onPark(t *testing.T, ctx context.Context, url string) []string {
	t.Helper()
	visit(t, ctx, url, 360, "light")
	evaluate[any](t, ctx, `window.asked = 0; const request = Notification.requestPermission;
		Notification.requestPermission = function () { window.asked++; return request.apply(Notification, arguments); };
		document.querySelector(".avisarme > summary").click()`)
	return evaluate[[]string](t, ctx, state)
}

// askedFor tells how often the page asked for permission.
func askedFor(t *testing.T, ctx context.Context) int { return evaluate[int](t, ctx, "window.asked") }

// testPushFromThePark: the second press subscribes to the park of the page, in its
// language; on another park's page that is added; and both can be cancelled there.
func testPushFromThePark(t *testing.T, ctx context.Context, f *front, site string) {
	if err := permit(ctx, site, cdpbrowser.PermissionSettingGranted); err != nil {
		t.Fatal(err)
	}
	if got := onPark(t, ctx, site+"/parques/torres-del-paine"); got[0] != "" || got[1] != "Avisarme en este navegador" || askedFor(t, ctx) != 0 {
		t.Fatalf("at first: %q, and permission was asked for %d times", got, askedFor(t, ctx))
	}
	if got := activate(t, ctx, f, site); got[0] != "activado" || got[1] != "Cancelar las notificaciones" || askedFor(t, ctx) != 1 {
		t.Fatalf("after the second press: %q", got)
	}
	list := tokens(f)
	if len(list) != 1 {
		t.Fatalf("%d subscriptions", len(list))
	}
	if made := f.Subscriptions.Active[list[0]]; spelled(made.Preferences) != "torres-del-paine;;precaucion;es;" || made.Consent.Policy == "" || made.Channel != subscription.WebPush {
		t.Errorf("subscribed: %+v", made)
	}
	if got := onPark(t, ctx, site+"/parques/torres-del-paine"); got[0] != "" || got[1] != "Cancelar las notificaciones" || askedFor(t, ctx) != 0 {
		t.Errorf("on return: %q", got)
	}
	expect(t, "on return", text(t, ctx, ".avisarme"), "ya están activas en este navegador")
	if got := onPark(t, ctx, site+"/en/parques/conguillio"); got[1] != "Add this park|Cancel the notifications" {
		t.Errorf("on another park's page: %q", got)
	}
	if got := pressPush(t, ctx, "agregar"); got[0] != "activado" || got[1] != "Cancel the notifications" {
		t.Errorf("after adding: %q", got)
	}
	if p := f.Subscriptions.Active[tokens(f)[0]].Preferences; !slices.Equal(p.Parks, []string{"torres-del-paine", "conguillio"}) || p.Language != subscription.Spanish {
		t.Errorf("both: %s", spelled(p))
	}
	if href := evaluate[string](t, ctx, `document.querySelector("[data-gestionar]").getAttribute("href")`); href != "/en/gestionar/"+tokens(f)[0] {
		t.Errorf("the link to change it is %q", href)
	}
	if got := pressPush(t, ctx, "cancelar"); got[0] != "cancelado" || got[1] != "Notify me in this browser" || len(tokens(f)) != 0 {
		t.Errorf("cancelled: %q", got)
	}
	evaluate[any](t, ctx, `window.fetch = async () => { throw new TypeError("offline"); }; 0`)
	if got := pressPush(t, ctx, "activar"); got[0] != "sin_red" || got[1] != "Notify me in this browser" {
		t.Errorf("offline: %q", got)
	}
	if err := permit(ctx, site, cdpbrowser.PermissionSettingDenied); err != nil {
		t.Fatal(err)
	}
	if got := onPark(t, ctx, site+"/parques/conguillio"); got[0] != "denegado" || askedFor(t, ctx) != 0 {
		t.Errorf("where it is denied: %q", got)
	}
	testPushThatCannotBe(t, ctx, site)
}

// Browsers that cannot be told say what to do, and never ask for permission.
func testPushThatCannotBe(t *testing.T, ctx context.Context, site string) {
	for reason, source := range map[string]string{
		"ios":           `Object.defineProperty(navigator, "standalone", {value: false}); delete window.PushManager`,
		"sin_cifrado":   `Object.defineProperty(window, "isSecureContext", {value: false})`,
		"no_compatible": `delete window.PushManager`,
	} {
		undo := beforeEachPage(t, ctx, source)
		if got := onPark(t, ctx, site+"/parques/conguillio"); got[0] != reason || strings.TrimSpace(got[1]) != "" || askedFor(t, ctx) != 0 {
			t.Errorf("%s: %q", reason, got)
		}
		undo()
	}
}
