package forms_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"vigia/store/subscription"
)

// The empty form is made once a publication, not once a request: it is served with
// no more work than a page of a park.
func TestTheEmptyFormIsPrepared(t *testing.T) {
	f := newApp(t, nil)
	cost := func(path string) float64 {
		r := httptest.NewRequest("GET", path, nil)
		return testing.AllocsPerRun(10, func() { f.Router.ServeHTTP(httptest.NewRecorder(), r) })
	}
	for _, path := range []string{"/suscribirse", "/en/suscribirse", "/suscribirse?utm_source=x"} {
		if got := cost(path); got > 100 {
			t.Errorf("%s: %v allocations a request", path, got)
		}
	}
	if got := cost("/suscribirse?parque=torres-del-paine"); got < 1000 {
		t.Errorf("a form that is made for one request costs %v allocations: nothing was measured", got)
	}
}

// A prepared form is no older than what is published, and says what is true now.
func TestThePreparedFormFollowsThePublication(t *testing.T) {
	f := newApp(t, nil)
	first := f.Get("/suscribirse").Page
	if again := f.Get("/suscribirse?x=1").Page; again != first {
		t.Error("the same form is not the same")
	}
	if en := f.Get("/en/suscribirse").Page; !strings.Contains(en, `<html lang="en"`) {
		t.Error("the form is in another language")
	}
	if ticked := f.Get("/suscribirse?parque=torres-del-paine").Page; ticked == first || !strings.Contains(ticked, "checked") {
		t.Error("a park that was asked for is not ticked")
	}
	f.Snapshot = expired(f.Snapshot)
	if over := f.Get("/suscribirse").Page; over == first {
		t.Error("the form has the validity of estimates that are over")
	}
	f.Subscriptions.Closed[subscription.Email] = true
	if got := f.Get("/suscribirse").Page; strings.Contains(got, `type="email"`) {
		t.Error("the form asks for an address though there is no mail")
	}
}

func BenchmarkForm(b *testing.B) {
	f := newApp(b, nil)
	for name, path := range map[string]string{"empty": "/suscribirse", "ticked": "/suscribirse?parque=torres-del-paine"} {
		b.Run(name, func(b *testing.B) {
			r := httptest.NewRequest("GET", path, nil)
			r.Header.Set("Accept-Encoding", "gzip")
			for b.Loop() {
				f.Router.ServeHTTP(httptest.NewRecorder(), r)
			}
		})
	}
}
