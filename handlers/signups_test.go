package handlers

import (
	"bytes"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/handlers/site/sitetest"
	"vigia/store/catalogue"
	"vigia/store/subscription"
)

// The keys of RFC 8291's example.
const (
	exampleKey  = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
	exampleAuth = "BTBZMqHH6r4Tts7J_aSIgg"
)

const (
	signups   = "/api/v1/suscriptores"
	emailForm = `{"canal":"email","email":"ana@example.cl","parques":["torres-del-paine"],"senderos":[],"nivel_minimo":"precaucion","amenazas":null,` +
		`"silencio":{"desde":"22:00","hasta":"06:00"},"viaje":{"desde":"2026-12-01","hasta":"2026-12-09"},"idioma":"es","consentimiento":true}`
	pushForm = `{"canal":"webpush","webpush":{"endpoint":"https://fcm.googleapis.com/fcm/send/x","keys":{"p256dh":"` + exampleKey + `","auth":"` + exampleAuth + `"}},` +
		`"parques":["lauca"],"consentimiento":true}`
)

// provenForm is pushForm with what was pushed to the browser.
var provenForm = proving(pushForm, sitetest.PushedProof)

func proving(form, proof string) string {
	return strings.Replace(form, `"}},`, `"},"prueba":"`+proof+`"},`, 1)
}

// signupStand is a server with a subscription service and the whole catalogue, without estimates:
// subscriptions need none.
func signupStand(t testing.TB, subs *sitetest.Subscriptions, change func(*Options)) *stand {
	e := empty()
	e.Catalogue = catalogue.Default()
	return newStand(t, e, func(o *Options) {
		if subs != nil {
			o.Subscriptions = subs
		}
		o.Policy = "2026-11-21"
		if change != nil {
			change(o)
		}
	})
}

// send makes a request with a body; no Content-Type among the headers is JSON's.
func (s *stand) send(method, path, body string, headers ...string) answer {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Del(headers[i])
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] != "" {
			r.Header.Add(headers[i], headers[i+1])
		}
	}
	return s.ask(s.client, r)
}

// withoutTime cuts the time off an answer.
func (a answer) withoutTime() string {
	body, _, _ := strings.Cut(string(a.body), `,"ts":"`)
	return body
}

func TestAskByEmail(t *testing.T) {
	d, subs := openDocument(t), newFakeSubscriptions()
	s := signupStand(t, subs, nil)
	a := s.send("POST", signups, emailForm)
	d.checkAnswer(t, "by e-mail", operation{"/suscriptores", "post"}, a)
	data, _ := a.envelope(t)
	got, ok := data.(map[string]any)
	if !ok || a.StatusCode != 202 || got["situacion"] != "pendiente_de_confirmacion" || got["confirmar_antes_de"] != "2026-11-23T13:05:00Z" {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	if len(subs.Asked) != 1 {
		t.Fatalf("%d requests at the subs", len(subs.Asked))
	}
	r := subs.Asked[0]
	if r.Address != "ana@example.cl" || r.Trap || !r.Until.Equal(now.Add(48*time.Hour)) || r.Consent != (subscription.Consent{At: now, Policy: "2026-11-21"}) ||
		len(r.Preferences.Parks) != 1 || r.Preferences.Quiet == nil || r.Preferences.Trip == nil {
		t.Errorf("the request is %+v", r)
	}
	if bytes.Contains(a.body, []byte("ana@")) {
		t.Errorf("the address is repeated: %s", a.body)
	}
}

// Whoever asks learns nothing of an address, and nothing of it is in the answer.
func TestTheAnswerIsTheSameForEveryAddress(t *testing.T) {
	s := signupStand(t, newFakeSubscriptions(), nil)
	first := s.send("POST", signups, emailForm)
	for _, address := range []string{"ana@example.cl", "ANA@EXAMPLE.CL", "eva.soto+x@correo.example.cl", "z@ñandú.cl"} {
		a := s.send("POST", signups, strings.Replace(emailForm, "ana@example.cl", address, 1))
		if a.StatusCode != 202 || !bytes.Equal(a.body, first.body) {
			t.Errorf("%s: %d %s", address, a.StatusCode, a.body)
		}
		for name := range first.Header {
			if name != "Date" && a.Header.Get(name) != first.Header.Get(name) {
				t.Errorf("%s: %s is %q, not %q", address, name, a.Header.Get(name), first.Header.Get(name))
			}
		}
		if len(a.Header) != len(first.Header) {
			t.Errorf("%s: header %v", address, a.Header)
		}
	}
}

func TestSubscribeShowAndCancel(t *testing.T) {
	d, subs := openDocument(t), newFakeSubscriptions()
	s := signupStand(t, subs, nil)
	a := s.send("POST", signups, provenForm)
	d.checkAnswer(t, "by Web Push", operation{"/suscriptores", "post"}, a)
	data, _ := a.envelope(t)
	token, _ := data.(map[string]any)["token"].(string)
	if a.StatusCode != 201 || token == "" || data.(map[string]any)["caduca_en"] != nil {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	path := signups + "/" + token
	shown := s.get(path)
	d.checkAnswer(t, "shown", operation{"/suscriptores/{token}", "get"}, shown)
	for _, words := range []string{`"canal":"webpush","email":null,"webpush":{"endpoint":"https://fcm.googleapis.com/fcm/send/x","keys":{"p256dh":"` + exampleKey,
		`"auth":"` + exampleAuth + `"}}`, `"parques":["lauca"],"senderos":[],"nivel_minimo":"precaucion","amenazas":null,"silencio":null,"viaje":null,"idioma":"es"`,
		`"consentimiento":{"en":"2026-11-21T13:05:00Z","politica":"2026-11-21"},"creada_en":"2026-11-21T13:05:00Z"`, `"caduca_en":null,"rebotada_el":null`} {
		if !bytes.Contains(shown.body, []byte(words)) {
			t.Errorf("%s is not in %s", words, shown.body)
		}
	}
	if head := s.do("HEAD", path); head.StatusCode != 200 || len(head.body) > 0 || head.Header.Get("Content-Length") != shown.Header.Get("Content-Length") {
		t.Errorf("HEAD: %d %v", head.StatusCode, head.Header)
	}
	trip := s.send("POST", signups, strings.Replace(proving(pushForm, token), `["lauca"]`, `["lauca"],"idioma":"en","viaje":{"desde":"2026-12-01","hasta":"2026-12-09"}`, 1))
	if data, _ := trip.envelope(t); data.(map[string]any)["token"] != token || data.(map[string]any)["caduca_en"] != "2026-12-10T00:00:00Z" {
		t.Errorf("the same endpoint again: %s", trip.body)
	}
	if again := s.get(path); !bytes.Contains(again.body, []byte(`"idioma":"en"`)) {
		t.Errorf("the preferences are the old ones: %s", again.body)
	}
	for range 2 {
		a := s.do("DELETE", path)
		d.checkAnswer(t, "cancelled", operation{"/suscriptores/{token}", "delete"}, a)
		if a.StatusCode != 200 || a.withoutTime() != `{"data":{"situacion":"cancelada"},"error":null` {
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
	}
	if gone := s.get(path); gone.StatusCode != 404 {
		t.Errorf("shown after it was cancelled: %d", gone.StatusCode)
	}
}

// Who names an endpoint and proves nothing learns nothing of it, gets no token and
// changes nothing, whether it is known or not.
func TestAnEndpointAloneGivesNoToken(t *testing.T) {
	d, subs := openDocument(t), newFakeSubscriptions()
	s := signupStand(t, subs, nil)
	first := s.send("POST", signups, pushForm)
	d.checkAnswer(t, "by Web Push", operation{"/suscriptores", "post"}, first)
	if first.StatusCode != 202 || !strings.Contains(string(first.body), `"canal":"webpush"`) || strings.Contains(string(first.body), "fcm.googleapis.com") {
		t.Fatalf("%d %s", first.StatusCode, first.body)
	}
	held := s.send("POST", signups, provenForm)
	data, _ := held.envelope(t)
	token := data.(map[string]any)["token"].(string)
	other := strings.Replace(pushForm, `["lauca"]`, `["torres-del-paine"]`, 1)
	for what, form := range map[string]string{
		"no proof": other, "a wrong proof": proving(other, "otra"), "null": strings.Replace(proving(other, "x"), `"x"`, "null", 1),
		"the token of another": proving(strings.Replace(other, "/send/x", "/send/y", 1), token),
	} {
		s.clock.Advance(time.Hour) // past the cap of a client
		a := s.send("POST", signups, form)
		got, _ := a.envelope(t)
		want, _ := first.envelope(t)
		got.(map[string]any)["confirmar_antes_de"] = want.(map[string]any)["confirmar_antes_de"]
		if a.StatusCode != 202 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d %s", what, a.StatusCode, a.body)
		}
	}
	if len(subs.Active) != 1 || subs.Active[token].Preferences.Parks[0] != "lauca" {
		t.Errorf("changed without a proof: %+v", subs.Active)
	}
}

// What is shown of a subscription by e-mail asks for the same when it is sent again.
func TestShownByEmail(t *testing.T) {
	d, subs := openDocument(t), newFakeSubscriptions()
	held := &subscription.Subscription{Address: "ana@example.cl", Consent: subscription.Consent{At: now}, CreatedAt: now, ConfirmedAt: now.Add(time.Hour),
		Ends: now.Add(24 * time.Hour), Refusals: []time.Time{now.AddDate(0, 0, -2), now.AddDate(0, 0, -1)}}
	held.Preferences.MinLevel = 2
	held.Preferences.Trails = []string{"lauca/x"}
	held.Preferences.Hazards = subscription.HazardSet(0).With(hazard.Wind).With(hazard.Visibility)
	held.Preferences.Quiet = &subscription.Quiet{From: 1, To: 23*60 + 59}
	held.Preferences.Trip = &subscription.Trip{From: "2026-12-01", To: "2026-12-01"}
	subs.Active["x"] = held
	a := signupStand(t, subs, nil).get(signups + "/x")
	d.checkAnswer(t, "shown", operation{"/suscriptores/{token}", "get"}, a)
	for _, words := range []string{`"canal":"email","email":"ana@example.cl","webpush":null,"parques":[],"senderos":["lauca/x"],"nivel_minimo":"peligro",` +
		`"amenazas":["viento","visibilidad"],"silencio":{"desde":"00:01","hasta":"23:59"},"viaje":{"desde":"2026-12-01","hasta":"2026-12-01"}`,
		`"politica":null`, `"confirmada_en":"2026-11-21T14:05:00Z","caduca_en":"2026-11-22T13:05:00Z","rebotada_el":"2026-11-20"`} {
		if !bytes.Contains(a.body, []byte(words)) {
			t.Errorf("%s is not in %s", words, a.body)
		}
	}
	held.SuspendedAt, held.Ends = now, time.Time{}
	a = signupStand(t, subs, nil).get(signups + "/x")
	d.checkAnswer(t, "suspended", operation{"/suscriptores/{token}", "get"}, a)
	if !bytes.Contains(a.body, []byte(`"situacion":"suspendida"`)) || !bytes.Contains(a.body, []byte(`"caduca_en":"2026-12-21T13:05:00Z"`)) {
		t.Errorf("suspended: %s", a.body)
	}
}

// Whatever is not a token of ours gets the same answer.
func TestUnknownTokens(t *testing.T) {
	s := signupStand(t, newFakeSubscriptions(), nil)
	without := signupStand(t, nil, nil)
	want := ""
	for _, token := range []string{"x", "Zm9vYmFyYmF6cXV4MTIzNK3vLi3kq1Y0xv0m3o2kq9E", strings.Repeat("A", 5000), "%20", "a.b", "ana@example.cl", "%C3%B1", "..", "%3Cscript%3E"} {
		for _, method := range []string{"GET", "DELETE"} {
			for _, on := range []*stand{s, without} {
				a := on.do(method, signups+"/"+token)
				if want == "" {
					want = a.withoutTime()
				}
				if a.StatusCode != 404 || a.withoutTime() != want || !strings.Contains(want, "suscripcion_no_encontrada: ") {
					t.Errorf("%s %.50s: %d %s", method, token, a.StatusCode, a.body)
				}
			}
		}
	}
}

// Everything about a subscription is for who asked alone.
func TestHeadersOfSubscriptions(t *testing.T) {
	subs := newFakeSubscriptions()
	subs.Active["x"] = &subscription.Subscription{Preferences: subscription.Preferences{Parks: []string{"lauca"}}, CreatedAt: now, ConfirmedAt: now}
	s := signupStand(t, subs, nil)
	for _, c := range []struct {
		method, path, body string
		status             int
		cors, noindex      bool
	}{
		{"POST", signups, emailForm, 202, false, false},
		{"POST", signups, pushForm, 202, false, false},
		{"POST", signups, provenForm, 201, false, false},
		{"POST", signups, `{}`, 422, false, false},
		{"GET", signups + "/x", "", 200, false, true},
		{"HEAD", signups + "/x", "", 200, false, true},
		{"GET", signups + "/y", "", 404, false, true},
		{"DELETE", signups + "/y", "", 404, false, true},
		{"DELETE", signups + "/x", "", 200, false, true},
		{"GET", "/api/v1/vapid", "", 200, true, false},
		{"HEAD", "/api/v1/vapid", "", 200, true, false},
	} {
		a := s.send(c.method, c.path, c.body)
		h := a.Header
		if a.StatusCode != c.status || h.Get("Cache-Control") != "no-store" || h.Get("Etag") != "" ||
			(h.Get("Access-Control-Allow-Origin") != "") != c.cors || (h.Get("X-Robots-Tag") == "noindex") != c.noindex {
			t.Errorf("%s %s: %d %v", c.method, c.path, a.StatusCode, h)
		}
	}
	for path, want := range map[string]struct{ allow, cors string }{
		signups:         {"OPTIONS, POST", ""},
		signups + "/x":  {"DELETE, GET, HEAD, OPTIONS", ""},
		"/api/v1/vapid": {"GET, HEAD, OPTIONS", "GET, HEAD"},
	} {
		h := s.do("OPTIONS", path, "Origin", "https://evil.example", "Access-Control-Request-Method", "POST").Header
		if h.Get("Allow") != want.allow || h.Get("Access-Control-Allow-Methods") != want.cors || (h.Get("Access-Control-Allow-Origin") != "") != (want.cors != "") {
			t.Errorf("OPTIONS %s: %v", path, h)
		}
	}
}
