package handlers

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

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

// signupStand is a server with a desk and the whole catalogue, without estimates:
// subscriptions need none.
func signupStand(t testing.TB, desk *memoryDesk, change func(*Options)) *stand {
	e := empty()
	e.Catalogue = catalogue.Default()
	return newStand(t, e, func(o *Options) {
		if desk != nil {
			o.Desk = desk
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
	response, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{response, got}
}

// withoutTime cuts the time off an answer.
func (a answer) withoutTime() string {
	body, _, _ := strings.Cut(string(a.body), `,"ts":"`)
	return body
}

func TestAskByEmail(t *testing.T) {
	d, desk := openDocument(t), newDesk()
	s := signupStand(t, desk, nil)
	a := s.send("POST", signups, emailForm)
	d.checkAnswer(t, "by e-mail", operation{"/suscriptores", "post"}, a)
	data, _ := a.envelope(t)
	got, ok := data.(map[string]any)
	if !ok || a.StatusCode != 202 || got["situacion"] != "pendiente_de_confirmacion" || got["confirmar_antes_de"] != "2026-11-23T13:05:00Z" {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	if len(desk.asked) != 1 {
		t.Fatalf("%d requests at the desk", len(desk.asked))
	}
	r := desk.asked[0]
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
	s := signupStand(t, newDesk(), nil)
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
	d, desk := openDocument(t), newDesk()
	s := signupStand(t, desk, nil)
	a := s.send("POST", signups, pushForm)
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
	trip := s.send("POST", signups, strings.Replace(pushForm, `["lauca"]`, `["lauca"],"idioma":"en","viaje":{"desde":"2026-12-01","hasta":"2026-12-09"}`, 1))
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

// What is told of a subscription by e-mail asks for the same when it is sent again.
func TestShownByEmail(t *testing.T) {
	d, desk := openDocument(t), newDesk()
	held := &subscription.Subscription{Address: "ana@example.cl", Consent: subscription.Consent{At: now}, CreatedAt: now, ConfirmedAt: now.Add(time.Hour),
		Ends: now.Add(24 * time.Hour), BouncedOn: "2026-11-20"}
	held.Preferences.MinLevel = 2
	held.Preferences.Trails = []string{"lauca/x"}
	held.Preferences.Hazards = subscription.HazardSet(0).With(0).With(12)
	held.Preferences.Quiet = &subscription.Quiet{From: 1, To: 23*60 + 59}
	held.Preferences.Trip = &subscription.Trip{From: "2026-12-01", To: "2026-12-01"}
	desk.held["x"] = held
	a := signupStand(t, desk, nil).get(signups + "/x")
	d.checkAnswer(t, "shown", operation{"/suscriptores/{token}", "get"}, a)
	for _, words := range []string{`"canal":"email","email":"ana@example.cl","webpush":null,"parques":[],"senderos":["lauca/x"],"nivel_minimo":"peligro",` +
		`"amenazas":["viento","visibilidad"],"silencio":{"desde":"00:01","hasta":"23:59"},"viaje":{"desde":"2026-12-01","hasta":"2026-12-01"}`,
		`"politica":null`, `"confirmada_en":"2026-11-21T14:05:00Z","caduca_en":"2026-11-22T13:05:00Z","rebotada_el":"2026-11-20"`} {
		if !bytes.Contains(a.body, []byte(words)) {
			t.Errorf("%s is not in %s", words, a.body)
		}
	}
}

// Whatever is not a token of ours gets the same answer.
func TestUnknownTokens(t *testing.T) {
	s := signupStand(t, newDesk(), nil)
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
	desk := newDesk()
	desk.held["x"] = &subscription.Subscription{Preferences: subscription.Preferences{Parks: []string{"lauca"}}, CreatedAt: now, ConfirmedAt: now}
	s := signupStand(t, desk, nil)
	for _, c := range []struct {
		method, path, body string
		status             int
		cors, noindex      bool
	}{
		{"POST", signups, emailForm, 202, false, false},
		{"POST", signups, pushForm, 201, false, false},
		{"POST", signups, `{}`, 422, false, false},
		{"GET", signups + "/x", "", 200, true, true},
		{"HEAD", signups + "/x", "", 200, true, true},
		{"GET", signups + "/y", "", 404, true, true},
		{"DELETE", signups + "/y", "", 404, false, true},
		{"DELETE", signups + "/x", "", 200, false, true},
		{"GET", "/api/v1/vapid", "", 200, true, false},
		{"HEAD", "/api/v1/vapid", "", 200, true, false},
	} {
		a := s.send(c.method, c.path, c.body)
		h := a.Header
		if a.StatusCode != c.status || h.Get("Cache-Control") != "no-store" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("Etag") != "" ||
			(h.Get("Access-Control-Allow-Origin") != "") != c.cors || (h.Get("X-Robots-Tag") == "noindex") != c.noindex {
			t.Errorf("%s %s: %d %v", c.method, c.path, a.StatusCode, h)
		}
	}
	for path, want := range map[string]struct{ allow, cors string }{
		signups:         {"OPTIONS, POST", ""},
		signups + "/x":  {"DELETE, GET, HEAD, OPTIONS", "GET, HEAD"},
		"/api/v1/vapid": {"GET, HEAD, OPTIONS", "GET, HEAD"},
	} {
		h := s.do("OPTIONS", path, "Origin", "https://evil.example", "Access-Control-Request-Method", "POST").Header
		if h.Get("Allow") != want.allow || h.Get("Access-Control-Allow-Methods") != want.cors || (h.Get("Access-Control-Allow-Origin") != "") != (want.cors != "") {
			t.Errorf("OPTIONS %s: %v", path, h)
		}
	}
}
