package handlers

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"vigia/store"
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

func TestRefusedSubscriptions(t *testing.T) {
	d, desk := openDocument(t), newDesk()
	s := signupStand(t, desk, nil)
	post := operation{"/suscriptores", "post"}
	for _, c := range []struct {
		name, path, body string
		headers          []string
		status           int
		fault, has       string
	}{
		{"no type", signups, emailForm, []string{"Content-Type", ""}, 415, "tipo_no_admitido", "application/json"},
		{"a form", signups, "canal=email", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "tipo_no_admitido", "application/json"},
		{"plain text", signups, emailForm, []string{"Content-Type", "text/plain"}, 415, "tipo_no_admitido", ""},
		{"near JSON", signups, emailForm, []string{"Content-Type", "application/json-patch+json"}, 415, "tipo_no_admitido", ""},
		{"two types", signups, emailForm, []string{"Content-Type", "application/json", "Content-Type", "application/json"}, 415, "tipo_no_admitido", "un solo"},
		{"another charset", signups, emailForm, []string{"Content-Type", "application/json; charset=iso-8859-1"}, 415, "tipo_no_admitido", "UTF-8"},
		{"another parameter", signups, emailForm, []string{"Content-Type", "application/json; boundary=x"}, 415, "tipo_no_admitido", ""},
		{"a broken type", signups, emailForm, []string{"Content-Type", "application/json; charset"}, 415, "tipo_no_admitido", ""},
		{"compressed", signups, emailForm, []string{"Content-Encoding", "gzip"}, 415, "tipo_no_admitido", "Content-Encoding"},
		{"identity", signups, emailForm, []string{"Content-Encoding", "identity"}, 415, "tipo_no_admitido", "Content-Encoding"},
		{"no body", signups, "", nil, 400, "json_no_valido", "falta el cuerpo"},
		{"no JSON", signups, "canal=email", nil, 400, "json_no_valido", "línea 1, columna 1"},
		{"an unknown member", signups, `{"correo":"x"}`, nil, 400, "json_no_valido", "canal, email, webpush"},
		{"too large", signups, `{"email":"` + strings.Repeat("a", 8<<10) + `"}`, nil, 413, "cuerpo_demasiado_grande", ""},
		{"a parameter", signups + "?x=1", emailForm, nil, 400, "parametro_desconocido", "no admite ninguno"},
		{"wrong fields", signups, `{"canal":"email","email":"ana","parques":["lauka"],"idioma":"pt"}`, nil, 422, "datos_no_validos", "«consentimiento»: debe ser true"},
	} {
		a := s.send("POST", c.path, c.body, c.headers...)
		_, fault := a.envelope(t)
		if a.StatusCode != c.status || !strings.HasPrefix(fault, c.fault+": ") || !strings.Contains(fault, c.has) {
			t.Errorf("%s: %d %q", c.name, a.StatusCode, fault)
		}
		d.checkAnswer(t, c.name, post, a)
	}
	if a := s.send("POST", signups, emailForm, "Content-Type", "Application/JSON; charset=UTF-8"); a.StatusCode != 202 {
		t.Errorf("with a charset: %d %s", a.StatusCode, a.body)
	}
	for _, path := range []string{signups + "/x?y=1", "/api/v1/vapid?y=1"} {
		if a := s.get(path); a.StatusCode != 400 {
			t.Errorf("%s: %d", path, a.StatusCode)
		}
	}
	if a := s.do("DELETE", signups+"/x?y=1"); a.StatusCode != 400 {
		t.Errorf("DELETE with a parameter: %d", a.StatusCode)
	}
	raw := s.raw("POST " + signups + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n")
	if !strings.HasPrefix(raw, "HTTP/1.1 400") || !strings.Contains(raw, "Content-Length") {
		t.Errorf("without length: %.300s", raw)
	}
	if len(desk.asked) != 1 {
		t.Errorf("%d requests reached the desk", len(desk.asked))
	}
}

// A browser may change something for our own pages alone; programs are free.
func TestOtherOriginsMayNotChange(t *testing.T) {
	d, desk := openDocument(t), newDesk()
	desk.held["x"] = &subscription.Subscription{}
	s := signupStand(t, desk, func(o *Options) { o.RateLimit = 0 })
	for _, c := range []struct {
		headers []string
		refused bool
	}{
		{nil, false},
		{[]string{"Origin", "https://parques.example.cl"}, false}, // a proxy may have changed Host
		{[]string{"Origin", "https://parques.example.cl", "Sec-Fetch-Site", "cross-site"}, false},
		{[]string{"Origin", s.url}, false},
		{[]string{"Sec-Fetch-Site", "same-origin"}, false},
		{[]string{"Sec-Fetch-Site", "none"}, false},
		{[]string{"Sec-Fetch-Site", "same-site", "Origin", "https://otro.example.cl"}, true},
		{[]string{"Sec-Fetch-Site", "cross-site"}, true},
		{[]string{"Origin", "https://evil.example"}, true},
		{[]string{"Origin", "http://parques.example.cl"}, true},
		{[]string{"Origin", "https://parques.example.cl.evil.example"}, true},
		{[]string{"Origin", "null"}, true},
	} {
		for _, request := range []struct {
			method, path, body string
			o                  operation
		}{
			{"POST", signups, emailForm, operation{"/suscriptores", "post"}},
			{"DELETE", signups + "/y", "", operation{"/suscriptores/{token}", "delete"}},
		} {
			a := s.send(request.method, request.path, request.body, c.headers...)
			if (a.StatusCode == 403) != c.refused {
				t.Errorf("%s with %v: %d %s", request.method, c.headers, a.StatusCode, a.body)
			}
			if c.refused {
				d.checkAnswer(t, "another origin", request.o, a)
				if !bytes.Contains(a.body, []byte(`"origen_no_permitido: `)) {
					t.Errorf("%s", a.body)
				}
			}
		}
		if a := s.send("GET", signups+"/x", "", c.headers...); a.StatusCode != 200 {
			t.Errorf("GET with %v: %d", c.headers, a.StatusCode)
		}
	}
}

func TestClosedChannels(t *testing.T) {
	d := openDocument(t)
	none, onlyMail, onlyPush := newDesk(), newDesk(), newDesk()
	none.closed = [2]bool{true, true}
	onlyMail.closed[subscription.WebPush] = true
	onlyPush.closed[subscription.Email] = true
	for _, c := range []struct {
		name       string
		desk       *memoryDesk
		mail, push string // code and offer; "" is open
	}{
		{"no desk", nil, "correo_no_disponible: este servicio no envía avisos por correo", "webpush_no_disponible: este servicio no envía notificaciones al navegador"},
		{"none", none, "correo_no_disponible: este servicio no envía avisos por correo", "webpush_no_disponible: este servicio no envía notificaciones al navegador"},
		{"only mail", onlyMail, "", "webpush_no_disponible: este servicio no envía notificaciones al navegador; puede recibir los avisos por correo (canal email)"},
		{"only push", onlyPush, "correo_no_disponible: este servicio no envía avisos por correo; puede recibirlos como notificaciones del navegador (canal webpush)", ""},
	} {
		s := signupStand(t, c.desk, nil)
		for _, request := range []struct {
			a          answer
			o          operation
			want       string
			open, when int
		}{
			{s.send("POST", signups, emailForm), operation{"/suscriptores", "post"}, c.mail, 202, 503},
			{s.send("POST", signups, pushForm), operation{"/suscriptores", "post"}, c.push, 201, 503},
			{s.get("/api/v1/vapid"), operation{"/vapid", "get"}, c.push, 200, 503},
			{s.send("POST", signups, `{"canal":"email","email":"x"}`), operation{"/suscriptores", "post"}, "datos_no_validos: ", 0, 422},
		} {
			_, fault := request.a.envelope(t)
			d.checkAnswer(t, c.name, request.o, request.a)
			if want := request.when; request.want == "" && request.a.StatusCode != request.open || request.want != "" && (request.a.StatusCode != want ||
				fault != request.want && want == 503 || !strings.HasPrefix(fault, request.want)) {
				t.Errorf("%s: %s: %d %q", c.name, request.o, request.a.StatusCode, fault)
			}
		}
	}
}

// What cannot be written down is refused as such, logged once, and names nobody.
func TestTheDeskFails(t *testing.T) {
	d := openDocument(t)
	for _, fails := range []error{
		fmt.Errorf("keeping a request: %w", store.ErrFull), store.ErrReadOnly, store.ErrClosed, errors.New("anything else"), subscription.ErrTooMany,
		subscription.ErrNoChannel,
	} {
		desk := newDesk()
		desk.fails = fails
		s := signupStand(t, desk, nil)
		for _, request := range []struct {
			a answer
			o operation
		}{
			{s.send("POST", signups, emailForm), operation{"/suscriptores", "post"}},
			{s.send("POST", signups, pushForm), operation{"/suscriptores", "post"}},
			{s.get(signups + "/secreto"), operation{"/suscriptores/{token}", "get"}},
			{s.do("DELETE", signups+"/secreto"), operation{"/suscriptores/{token}", "delete"}},
		} {
			_, fault := request.a.envelope(t)
			d.checkAnswer(t, fails.Error(), request.o, request.a)
			if closed := fails == subscription.ErrNoChannel && request.o.method == "post"; request.a.StatusCode != 503 ||
				strings.HasPrefix(fault, "no_disponible: ") == closed || (request.a.Header.Get("Retry-After") == "120") == closed {
				t.Errorf("%v: %s: %d %q", fails, request.o, request.a.StatusCode, fault)
			}
			if strings.Contains(fault, fails.Error()) {
				t.Errorf("the inside is told: %q", fault)
			}
		}
		logged := s.logged()
		if strings.Contains(logged, "ana@") || strings.Contains(logged, "secreto") || strings.Contains(logged, "fcm") {
			t.Errorf("somebody is named: %s", logged)
		}
		if want := 4; fails != subscription.ErrNoChannel && strings.Count(logged, fails.Error()) != want {
			t.Errorf("%v is logged %d times", fails, strings.Count(logged, fails.Error()))
		}
	}
}

func TestHealthTellsTheChannels(t *testing.T) {
	for _, c := range []struct {
		mail, push string
		want       string
	}{
		{"ok", "ok", "ok"}, {"no_configurado", "no_configurado", "ok"}, {"no_configurado", "ok", "ok"},
		{"con_demoras", "ok", "degradado"}, {"ok", "con_demoras", "degradado"}, {"detenido", "no_configurado", "degradado"}, {"ok", "detenido", "degradado"},
	} {
		desk := newDesk()
		desk.states, desk.queued = [2]string{c.mail, c.push}, 7
		a := newStand(t, fine(), func(o *Options) { o.Desk = desk }).get("/api/v1/health")
		openDocument(t).checkAnswer(t, "health", operation{"/health", "get"}, a)
		data, _ := a.envelope(t)
		health := data.(map[string]any)
		for name, state := range map[string]string{"correo": c.mail, "webpush": c.push} {
			channel := health[name].(map[string]any)
			if queued := channel["en_cola"]; channel["estado"] != state || (state == "no_configurado") != (queued == nil) || queued != nil && queued != 7.0 {
				t.Errorf("%v: %s %v", c, name, channel)
			}
		}
		if health["estado"] != c.want {
			t.Errorf("%v: %v", c, health["estado"])
		}
	}
}

// Who has a token has the subscription: none is written down, not even when
// something breaks.
func TestTokensAreNotLogged(t *testing.T) {
	written, desk := &journal{}, newDesk()
	s := signupStand(t, desk, func(o *Options) {
		o.Log = slog.New(slog.NewTextHandler(written, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	const token = "Zm9vYmFyYmF6cXV4"
	for _, path := range []string{signups + "/" + token, "/confirmar/" + token, "/confirmar/" + token + "/no-fui-yo", "/baja/" + token, "/BAJA/" + token,
		"/api/v1//suscriptores/" + token, "/%62aja/" + token, "/ñ/baja//" + token} {
		for _, method := range []string{"GET", "POST", "DELETE", "OPTIONS"} {
			s.send(method, path, emailForm)
		}
	}
	desk.panics = true
	if a := s.get(signups + "/" + token); a.StatusCode != 500 || bytes.Contains(a.body, []byte(token)) {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if a := s.send("POST", signups, emailForm); a.StatusCode != 500 {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	logged := (&stand{log: written}).logged()
	if strings.Contains(logged, token) || strings.Contains(logged, "ana@") {
		t.Errorf("a token or an address is in the log: %s", logged)
	}
	if !strings.Contains(logged, "path=/api/v1/suscriptores/…") || !strings.Contains(logged, "the desk broke") || !strings.Contains(logged, "path=/api/v1/suscriptores ") {
		t.Errorf("the log does not say what happened: %s", logged)
	}
}
