package handlers

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"vigia/handlers/site/sitetest"
	"vigia/store"
	"vigia/store/subscription"
)

func TestRefusedSubscriptions(t *testing.T) {
	d, subs := openDocument(t), newFakeSubscriptions()
	s := signupStand(t, subs, nil)
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
	if len(subs.Asked) != 1 {
		t.Errorf("%d requests reached the subs", len(subs.Asked))
	}
}

// A browser may change something for our own pages alone; programs are free.
func TestOtherOriginsMayNotChange(t *testing.T) {
	d, subs := openDocument(t), newFakeSubscriptions()
	subs.Active["x"] = &subscription.Subscription{}
	s := signupStand(t, subs, func(o *Options) { o.RateLimit = 0 })
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
	none, onlyMail, onlyPush := newFakeSubscriptions(), newFakeSubscriptions(), newFakeSubscriptions()
	none.Closed = [2]bool{true, true}
	onlyMail.Closed[subscription.WebPush] = true
	onlyPush.Closed[subscription.Email] = true
	for _, c := range []struct {
		name       string
		subs       *sitetest.Subscriptions
		mail, push string // code and offer; "" is open
	}{
		{"no subs", nil, "correo_no_disponible: este servicio no envía avisos por correo", "webpush_no_disponible: este servicio no envía notificaciones al navegador"},
		{"none", none, "correo_no_disponible: este servicio no envía avisos por correo", "webpush_no_disponible: este servicio no envía notificaciones al navegador"},
		{"only mail", onlyMail, "", "webpush_no_disponible: este servicio no envía notificaciones al navegador; puede recibir los avisos por correo (canal email)"},
		{"only push", onlyPush, "correo_no_disponible: este servicio no envía avisos por correo; puede recibirlos como notificaciones del navegador (canal webpush)", ""},
	} {
		s := signupStand(t, c.subs, nil)
		for _, request := range []struct {
			a          answer
			o          operation
			want       string
			open, when int
		}{
			{s.send("POST", signups, emailForm), operation{"/suscriptores", "post"}, c.mail, 202, 503},
			{s.send("POST", signups, pushForm), operation{"/suscriptores", "post"}, c.push, 202, 503},
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
func TestSubscriptionsFail(t *testing.T) {
	d := openDocument(t)
	for _, fails := range []error{
		fmt.Errorf("keeping a request: %w", store.ErrFull), store.ErrReadOnly, store.ErrClosed, errors.New("anything else"), subscription.ErrTooMany,
	} {
		subs := newFakeSubscriptions()
		subs.Broken = fails
		s := signupStand(t, subs, nil)
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
			if request.a.StatusCode != 503 || !strings.HasPrefix(fault, "no_disponible: ") || request.a.Header.Get("Retry-After") != "120" {
				t.Errorf("%v: %s: %d %q", fails, request.o, request.a.StatusCode, fault)
			}
			if strings.Contains(fault, fails.Error()) {
				t.Errorf("the inside is shown: %q", fault)
			}
		}
		logged := s.logged()
		if strings.Contains(logged, "ana@") || strings.Contains(logged, "secreto") || strings.Contains(logged, "fcm") {
			t.Errorf("somebody is named: %s", logged)
		}
		if strings.Count(logged, fails.Error()) != 4 {
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
		subs := newFakeSubscriptions()
		subs.States, subs.Queued = [2]string{c.mail, c.push}, 7
		a := newStand(t, fine(), func(o *Options) { o.Subscriptions = subs }).get("/api/v1/health")
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
	written, subs := &journal{}, newFakeSubscriptions()
	s := signupStand(t, subs, func(o *Options) {
		o.Log = slog.New(slog.NewTextHandler(written, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	const token = "Zm9vYmFyYmF6cXV4"
	for _, path := range []string{signups + "/" + token, "/confirmar/" + token, "/confirmar/" + token + "/no-fui-yo", "/baja/" + token, "/BAJA/" + token,
		"/gestionar/" + token, "/en/gestionar/" + token,
		"/api/v1//suscriptores/" + token, "/%62aja/" + token, "/ñ/baja//" + token} {
		for _, method := range []string{"GET", "POST", "DELETE", "OPTIONS"} {
			s.send(method, path, emailForm)
		}
	}
	const whole = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
	for _, mangled := range []string{"/" + whole, "/baja./" + whole, "/confirmar;" + whole, `/baja\` + whole} {
		s.get(mangled)
	}
	subs.Panics = true
	if a := s.get(signups + "/" + token); a.StatusCode != 500 || bytes.Contains(a.body, []byte(token)) {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	if a := s.send("POST", signups, emailForm); a.StatusCode != 500 {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	logged := (&stand{log: written}).logged()
	if strings.Contains(logged, token) || strings.Contains(logged, whole) || strings.Contains(logged, "ana@") {
		t.Errorf("a token or an address is in the log: %s", logged)
	}
	if !strings.Contains(logged, "path=/api/v1/suscriptores/…") || !strings.Contains(logged, "the service broke") || !strings.Contains(logged, "path=/api/v1/suscriptores ") {
		t.Errorf("the log does not say what happened: %s", logged)
	}
}
