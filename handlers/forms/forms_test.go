package forms_test

import (
	"errors"
	"maps"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/handlers/forms"
	"vigia/handlers/httpcache"
	"vigia/handlers/site"
	"vigia/store/subscription"
	"vigia/web"
)

// everyForm are the paths of all pages that are made for one request.
func everyForm() []string {
	paths := []string{"/suscribirse", "/suscribirse?parque=torres-del-paine&parque=no-existe", "/demo/correo", "/demo/push"}
	for _, token := range []string{pendingToken, usedToken, activeToken, unknownToken, "x", "%3Cscript%3E"} {
		paths = append(paths, "/confirmar/"+token, "/baja/"+token, "/gestionar/"+token)
	}
	for _, path := range paths[:len(paths):len(paths)] {
		paths = append(paths, "/en"+path)
	}
	return paths
}

func TestReadingChangesNothing(t *testing.T) {
	f := newApp(t, inDemo)
	for _, method := range []string{"GET", "HEAD", "OPTIONS"} {
		for _, path := range append(everyForm(), "/confirmar/"+pendingToken+"/no-fui-yo") {
			f.Do(method, path, "", "If-None-Match", "*", "Sec-Fetch-Site", "cross-site")
		}
	}
	if n := f.Subscriptions.Counted(); n != 0 || len(f.Subscriptions.Active) != 1 || len(f.Subscriptions.Waiting) != 2 {
		t.Errorf("%d changes by reading", n)
	}
	f.Post("/confirmar/"+pendingToken, nil) // the control: the subs does count
	if f.Subscriptions.Counted() != 1 {
		t.Error("a confirmation was not counted")
	}
}

func TestPagesOfOneRequest(t *testing.T) {
	f := newApp(t, inDemo)
	for _, path := range everyForm() {
		got, head := f.Get(path), f.Do("HEAD", path, "")
		carries := regexp.MustCompile(`^(/en)?/(confirmar|baja|gestionar)/`).MatchString(path)
		if head.Status != got.Status || head.Page != "" || head.Header.Get("Content-Length") != got.Header.Get("Content-Length") {
			t.Errorf("HEAD %s: %d with %q", path, head.Status, head.Page)
		}
		if got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: may be kept", path)
		}
		if marked := got.Header.Get("X-Robots-Tag") == "noindex" && strings.Contains(got.Page, `name="robots" content="noindex"`); marked != carries && carries {
			t.Errorf("%s: search engines may keep it", path)
		}
		if carries && (got.Header.Get("Referrer-Policy") != "" || strings.Contains(got.Page, `rel="canonical"`)) {
			t.Errorf("%s: its address is given away", path) // the server's own policy is no-referrer
		}
		if !strings.HasPrefix(path, "/en/") { // the words of the other language are tested with its file
			checkWords(t, path, got)
		} else if err := wellFormed(got.Page); err != nil || !strings.Contains(got.Page, `<html lang="en"`) {
			t.Errorf("%s: not a page in English: %v", path, err)
		}
	}
}

// checkWords holds a page against what all pages must and must not say.
func checkWords(t *testing.T, name string, got said) {
	t.Helper()
	if err := wellFormed(got.Page); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if found := officialWord(strings.ReplaceAll(got.Text, "<script>", "")); found != "" {
		t.Errorf("%s says %q", name, found)
	}
	if strings.Contains(got.Page, "<script>") || strings.Contains(got.Page, "ZgotmplZ") || regexp.MustCompile(`\s(on[a-z]+|style)=`).MatchString(got.Page) {
		t.Errorf("%s: inline script or style, or a filtered value", name)
	}
	for _, link := range regexp.MustCompile(`(?:href|src|action)="([^"]*)"`).FindAllStringSubmatch(got.Page, -1) {
		foreign := strings.HasPrefix(link[1], "http") || strings.HasPrefix(link[1], "//")
		if foreign && strings.Contains(link[1], "AbC-") {
			t.Errorf("%s: a token in the link %s", name, link[1])
		}
	}
}

// filledIn is a form as a person sends it.
func filledIn(change func(url.Values)) url.Values {
	in := url.Values{"parques": {"torres-del-paine"}, "nivel_minimo": {"precaucion"}, "idioma": {"es"}, "consentimiento": {"si"},
		"email": {"ana@correo.cl"}, site.TrapField: {""}, "silencio_desde": {""}, "silencio_hasta": {""}, "viaje_desde": {""}, "viaje_hasta": {""}}
	if change != nil {
		change(in)
	}
	return in
}

func TestFormBecomesARequest(t *testing.T) {
	whole := subscription.Preferences{Parks: []string{"conguillio"}, Trails: []string{"torres-del-paine/mirador-base-torres"}, Language: subscription.English}
	whole.MinLevel = alert.Danger
	whole.Hazards = whole.Hazards.With(hazard.Wind).With(hazard.Heat)
	whole.Quiet = &subscription.Quiet{From: 22 * 60, To: 6 * 60}
	whole.Trip = &subscription.Trip{From: "2026-12-01", To: "2026-12-09"}
	least := subscription.Preferences{Parks: []string{"torres-del-paine"}}
	least.MinLevel = alert.Caution
	trail := newSnapshot(t).Catalogue
	i, _ := trail.ParkBySlug("torres-del-paine")
	whole.Trails = []string{"torres-del-paine/" + trail.TrailsOf(i)[0].Slug}
	for _, test := range []struct {
		name   string
		change func(url.Values)
		want   subscription.Preferences
		trap   bool
	}{
		{"least", nil, least, false},
		{"only what is needed", func(in url.Values) { maps.DeleteFunc(in, func(k string, _ []string) bool { return in.Get(k) == "" }) }, least, false},
		{"the trap", func(in url.Values) { in.Set(site.TrapField, "comprar") }, least, true},
		{"everything", func(in url.Values) {
			in["parques"] = []string{"conguillio", "torres-del-paine", "conguillio"} // a trail stands for its park
			in["senderos"], in["amenazas"] = whole.Trails, []string{"viento", "calor"}
			in["silencio_desde"], in["silencio_hasta"] = []string{"22:00"}, []string{"06:00"}
			in["viaje_desde"], in["viaje_hasta"] = []string{"2026-12-01"}, []string{"2026-12-09"}
			in["nivel_minimo"], in["idioma"], in["otra_cosa"] = []string{"peligro"}, []string{"en"}, []string{"x"}
		}, whole, false},
	} {
		f := newApp(t, nil)
		got := f.Post("/suscribirse", filledIn(test.change))
		if got.Status != 202 || len(f.Subscriptions.Asked) != 1 {
			t.Errorf("%s: %d, %s", test.name, got.Status, got.Text)
			continue
		}
		asked := f.Subscriptions.Asked[0]
		want := subscription.Request{Address: "ana@correo.cl", Preferences: asked.Preferences, Trap: test.trap,
			Consent: subscription.Consent{At: now, Policy: web.PolicyVersion}, Until: now.Add(subscription.ConfirmationLife)}
		if asked.Address != want.Address || asked.Consent != want.Consent || !asked.Until.Equal(want.Until) || asked.Trap != want.Trap {
			t.Errorf("%s: asked %+v, want %+v", test.name, asked, want)
		}
		if got, want := spelled(asked.Preferences), spelled(test.want); got != want {
			t.Errorf("%s: %s, want %s", test.name, got, want)
		}
	}
}

func TestFaultsOfTheForm(t *testing.T) {
	const evil = `"><script>alert(1)</script>`
	for _, test := range []struct {
		name   string
		change func(url.Values)
		says   []string
	}{
		{"empty", func(in url.Values) { clear(in) }, []string{"Parques: marque al menos uno.", "Consentimiento: sin aceptar", "Correo: escriba su dirección."}},
		{"address", func(in url.Values) { in.Set("email", evil+"@correo.cl") }, []string{"Correo: "}},
		{"reserved domain", func(in url.Values) { in.Set("email", "ana@localhost") }, []string{"Correo: "}},
		{"park", func(in url.Values) { in["parques"] = []string{evil, "torres-del-payne"} }, []string{"Parques: hay alguno que no está en la lista"}},
		{"trail", func(in url.Values) { in["senderos"] = []string{"torres-del-paine/" + evil} }, []string{"Senderos: "}},
		{"level", func(in url.Values) { in.Set("nivel_minimo", evil) }, []string{"Alertas: "}},
		{"hazard", func(in url.Values) { in["amenazas"] = []string{evil} }, []string{"Peligros: "}},
		{"language", func(in url.Values) { in.Set("idioma", evil) }, []string{"Idioma: "}},
		{"half a trip", func(in url.Values) { in.Set("viaje_desde", "2026-12-01") }, []string{"Viaje: indique las dos fechas, o ninguna."}},
		{"a trip that is over", func(in url.Values) { in.Set("viaje_desde", "2026-01-01"); in.Set("viaje_hasta", "2026-01-09") }, []string{"Viaje: "}},
		{"dates that are none", func(in url.Values) { in.Set("viaje_desde", evil); in.Set("viaje_hasta", evil) }, []string{"Viaje: "}},
		{"half a silence", func(in url.Values) { in.Set("silencio_hasta", "06:00") }, []string{"Horas de silencio: indique las dos horas, o ninguna."}},
		{"all of it", func(in url.Values) {
			for _, name := range append(slices.Clone(forms.PlainFields), "nivel_minimo", "idioma", "parques", "senderos", "amenazas") {
				in[name] = []string{evil, evil}
			}
			in.Del("consentimiento")
		}, []string{"Parques: ", "Senderos: ", "Alertas: ", "Viaje: ", "Horas de silencio: ", "Peligros: ", "Idioma: ", "Consentimiento: ", "Correo: "}},
	} {
		f := newApp(t, nil)
		got := f.Post("/suscribirse", filledIn(test.change))
		if got.Status != 422 || f.Subscriptions.Counted() != 0 {
			t.Errorf("%s: %d with %d changes", test.name, got.Status, f.Subscriptions.Counted())
		}
		at := 0
		for _, must := range test.says {
			found := strings.Index(got.Text[at:], must)
			if found < 0 {
				t.Errorf("%s: does not say %q, or not in the order of the form", test.name, must)
				continue
			}
			at += found
		}
		checkWords(t, test.name, got)
	}
}

func TestFaultyFormKeepsWhatWasFilledIn(t *testing.T) {
	f := newApp(t, nil)
	got := f.Post("/suscribirse", url.Values{"parques": {"conguillio"}, "senderos": {"conguillio/sierra-nevada"}, "nivel_minimo": {"peligro"}, "idioma": {"en"},
		"email": {"ana&co@"}, "silencio_desde": {"22:00"}, "viaje_hasta": {"2026-12-09"}, "amenazas": {"nieve"}, site.TrapField: {"x"}})
	for _, must := range []string{
		`name="parques" value="conguillio" checked`, `name="senderos" value="conguillio/sierra-nevada" checked`, `value="peligro" checked`, `value="en" checked`,
		`value="ana&amp;co@"`, `name="silencio_desde" value="22:00"`, `name="viaje_hasta" value="2026-12-09"`, `value="nieve" checked`,
		`<details class="mas" open>`, `<div class="faltas" role="alert" tabindex="-1" autofocus>`, `aria-invalid="true" aria-describedby="falta-email"`, `<a href="#email">`,
	} {
		if !strings.Contains(got.Page, must) {
			t.Errorf("the form lacks %s", must)
		}
	}
	if strings.Contains(got.Page, `id="consentimiento" name="consentimiento" value="si" required checked`) || strings.Count(got.Page, `value="conguillio"`) != 1 {
		t.Error("consent is given by itself, or a park stands twice")
	}
}

// A day and an hour that are none would make a page that is not valid.
func TestFaultyFormShowsNoDayThatIsNone(t *testing.T) {
	f := newApp(t, nil)
	got := f.Post("/suscribirse", filledIn(func(in url.Values) {
		in.Set("silencio_desde", "1:00")
		in.Set("viaje_desde", "2026-02-30")
		in.Set("viaje_hasta", "mañana")
	}))
	for _, must := range []string{`name="silencio_desde" value=""`, `name="viaje_desde" value=""`, `name="viaje_hasta" value=""`} {
		if got.Status != 422 || !strings.Contains(got.Page, must) {
			t.Errorf("%d: lacks %s", got.Status, must)
		}
	}
}

func TestFormListsEveryPlace(t *testing.T) {
	f := newApp(t, nil)
	c := newSnapshot(t).Catalogue
	for query, ticked := range map[string]int{"": 0, "?parque=conguillio": 1, "?parque=conguillio&parque=torres-del-paine&parque=nada": 2, "?parque=%22%3E": 0} {
		page := f.Get("/suscribirse" + query).Page
		for _, p := range c.Parks {
			if strings.Count(page, `name="parques" value="`+p.Slug+`"`) != 1 {
				t.Errorf("%s: %s does not stand there once", query, p.Slug)
			}
		}
		if n := strings.Count(page, `name="parques"`); n != len(c.Parks) || strings.Count(page, `" checked> <span>Parque`) != ticked {
			t.Errorf("%s: %d parks, want %d ticked", query, n, ticked)
		}
	}
	all := url.Values{}
	for _, p := range c.Parks {
		all.Add("parque", p.Slug)
	}
	if page := f.Get("/suscribirse?" + all.Encode()).Page; strings.Contains(page, `name="senderos"`) {
		t.Error("the trails of all parks do not fit into an answer")
	}
	all.Add("sendero", "conguillio/sierra-nevada")
	if page := f.Get("/suscribirse?" + all.Encode()).Page; strings.Count(page, `name="senderos"`) != 1 || !strings.Contains(page, `value="conguillio/sierra-nevada" checked`) {
		t.Error("a trail that was ticked is forgotten, and all of its park followed in its place")
	}
}

// In each language the form is in it, sends to its own page, and asks for messages
// in it.
func TestFormIsInItsLanguage(t *testing.T) {
	f := newApp(t, nil)
	for _, path := range []string{"/suscribirse", "/en/suscribirse"} {
		page := f.Get(path + "?sendero=conguillio/sierra-nevada").Page
		for _, must := range []string{`action="` + path + `"`, `name="idioma" value="` + f.Site.LocaleOf(path).Code + `" checked`, `value="conguillio/sierra-nevada" checked`} {
			if !strings.Contains(page, must) {
				t.Errorf("%s lacks %s", path, must)
			}
		}
	}
	got := f.Post("/en/suscribirse", filledIn(func(in url.Values) {
		in.Set("email", "ana@localhost")
		in.Set("viaje_desde", "2020-01-01")
		in.Set("viaje_hasta", "2020-01-02")
	}))
	for _, must := range []string{"Please correct this:", "Email: we cannot write to that address", "Trip: enter two days that exist"} {
		if got.Status != 422 || !strings.Contains(got.Text, must) {
			t.Errorf("%d: does not say %q", got.Status, must)
		}
	}
	if spanish := regexp.MustCompile(`fecha|dirección|debe`).FindString(regexp.MustCompile(`(?s)<main.*</main>`).FindString(got.Page)); spanish != "" {
		t.Errorf("the English form says %q", spanish)
	}
}

// The button that asks for the trails of what is ticked sends nothing, and all that
// was filled in stays.
func TestTrailsOfWhatIsTicked(t *testing.T) {
	f := newApp(t, nil)
	for _, path := range []string{"/suscribirse", "/gestionar/" + activeToken} {
		got := f.Post(path, filledIn(func(in url.Values) { in.Set(forms.MoreField, "senderos"); in.Set("email", "ana&co") }))
		if got.Status != 200 || !strings.Contains(got.Page, `<details class="mas interior" id="senderos" open>`) ||
			!strings.Contains(got.Page, `name="parques" value="torres-del-paine" checked`) || strings.Contains(got.Page, `class="faltas"`) {
			t.Errorf("%s: %d", path, got.Status)
		}
	}
	if f.Subscriptions.Counted() != 0 {
		t.Error("something was sent")
	}
}

// A park's page and a trail's have the block by which people ask to be told of it.
func TestPlacesCanBeFollowedOnTheirPages(t *testing.T) {
	for _, off := range [][subscription.NumChannels]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
		f := newApp(t, nil)
		f.Subscriptions.Closed = off
		pages := f.Site.Pages(newSnapshot(t), now)
		for path, must := range map[string][]string{
			"/parques/conguillio":    {`data-avisos="conguillio" data-idioma="es"`, `name="parques" value="conguillio"`, `action="/suscribirse"`, `href="/suscribirse?parque=conguillio"`},
			"/en/parques/conguillio": {`data-avisos="conguillio" data-idioma="en"`, `name="idioma" value="en"`, `action="/en/suscribirse"`, `href="/en/suscribirse?parque=conguillio"`},
		} {
			page := content(t, pages.Page(path).Body())
			if strings.Contains(page, `data-hacer="activar"`) == off[subscription.WebPush] || strings.Contains(page, `type="email"`) == off[subscription.Email] {
				t.Errorf("off %v: %s offers what is not to be had, or not what is", off, path)
			}
			for _, part := range must {
				if !off[subscription.Email] && !strings.Contains(page, part) {
					t.Errorf("%s lacks %s", path, part)
				}
			}
			if err := wellFormed(page); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	f := newApp(t, nil)
	trail := content(t, f.Site.Pages(newSnapshot(t), now).Page("/en/parques/conguillio/senderos/sierra-nevada").Body())
	for _, must := range []string{`data-avisos="conguillio/sierra-nevada"`, `name="senderos" value="conguillio/sierra-nevada"`, `href="/en/suscribirse?sendero=conguillio%2fsierra-nevada"`, "Add this trail"} {
		if !strings.Contains(trail, must) {
			t.Errorf("the page of a trail lacks %s", must)
		}
	}
}

func TestAnswerIsTheSameForEveryAddress(t *testing.T) {
	f := newApp(t, nil)
	first := f.Post("/suscribirse", filledIn(nil))
	again := f.Post("/suscribirse", filledIn(nil))
	other := f.Post("/suscribirse", filledIn(func(in url.Values) { in.Set("email", "nadie@otro.cl"); in.Set(site.TrapField, "x") }))
	for _, got := range []said{again, other} {
		if got.Page != first.Page || got.Status != 202 || got.Header.Get("Etag") != first.Header.Get("Etag") {
			t.Error("the answers differ")
		}
	}
	if strings.Contains(first.Page, "ana@") || len(f.Subscriptions.Asked) != 3 {
		t.Error("the address is repeated, or not each was asked")
	}
}

func TestWhatCannotBeTaken(t *testing.T) {
	off := func(f *app) { f.Subscriptions.Closed[subscription.Email] = true }
	for _, test := range []struct {
		name       string
		before     func(*app)
		body, kind string
		status     int
		says       string
		retry      string
	}{
		{"mail is off", off, filledIn(nil).Encode(), formType, 503, "notificaciones en este navegador", ""},
		{"both are off", func(f *app) { off(f); f.Subscriptions.Closed[subscription.WebPush] = true }, "", formType, 503, "no puede enviar correos", ""},
		{"went off meanwhile", func(f *app) { f.Subscriptions.Err = subscription.ErrNoChannel }, filledIn(nil).Encode(), formType, 503, "notificaciones en este navegador", ""},
		{"disk full", func(f *app) { f.Subscriptions.Err = errDisk }, filledIn(nil).Encode(), formType, 503, "No se pudo hacer", "120"},
		{"too many wait", func(f *app) { f.Subscriptions.Err = subscription.ErrTooMany }, filledIn(nil).Encode(), formType, 503, "No se pudo hacer", "120"},
		{"too often", func(f *app) { f.Wait = 1234 }, filledIn(nil).Encode(), formType, 429, "Demasiados intentos", "1234"},
		{"JSON", nil, `{"canal":"email"}`, "application/json", 415, "No se entendió", ""},
		{"no kind", nil, "parques=x", "", 415, "No se entendió", ""},
		{"bad escape", nil, "parques=%zz", formType, 400, "No se entendió", ""},
		{"bad semicolon", nil, "a=1;b=2", formType, 400, "No se entendió", ""},
	} {
		f := newApp(t, nil)
		if test.before != nil {
			test.before(f)
		}
		got := f.Do("POST", "/suscribirse", test.body, "Content-Type", test.kind, "Sec-Fetch-Site", "same-origin")
		if got.Status != test.status || !strings.Contains(got.Text, test.says) || got.Header.Get("Retry-After") != test.retry || len(f.Subscriptions.Asked) != 0 {
			t.Errorf("%s: %d, Retry-After %q, %s", test.name, got.Status, got.Header.Get("Retry-After"), got.Text)
		}
		if logged := strings.Contains(f.Log.String(), "level=ERROR"); logged != errors.Is(f.Subscriptions.Err, errDisk) {
			t.Errorf("%s: logged %q", test.name, f.Log.String())
		}
		checkWords(t, test.name, got)
	}
}

func TestFormSaysWhatIsOff(t *testing.T) {
	for _, test := range []struct{ mail, push bool }{{true, true}, {true, false}, {false, true}} {
		f := newApp(t, nil)
		f.Subscriptions.Closed = [subscription.NumChannels]bool{!test.mail, !test.push}
		got := f.Get("/suscribirse")
		if strings.Contains(got.Page, `type="email"`) != test.mail || strings.Contains(got.Text, "no envía correos") == test.mail ||
			strings.Contains(got.Page, `id="dicho"`) != test.push || strings.Contains(got.Text, "no envía notificaciones al navegador") == test.push {
			t.Errorf("mail %v, push %v: %s", test.mail, test.push, got.Text)
		}
	}
}

// Where nobody can be told, no page offers it.
func TestNothingIsOfferedThatIsOff(t *testing.T) {
	for _, off := range []bool{false, true} {
		f := newApp(t, nil)
		f.Subscriptions.Closed = [subscription.NumChannels]bool{off, off}
		got := f.Get("/suscribirse")
		if strings.Contains(got.Page, "<form") == off || strings.Contains(got.Text, "nadie puede suscribirse") != off {
			t.Errorf("off %v: %s", off, got.Text)
		}
		pages := f.Site.Pages(short(newSnapshot(t)), now)
		for path := range pages.Paths() {
			page := pages.Page(path).Body()
			shown := httptest.NewRecorder()
			page.Serve(shown, httptest.NewRequest("GET", path, nil), httpcache.Terms{})
			if strings.Contains(shown.Body.String(), `href="/suscribirse`) == off && page.ContentType() == site.HTMLType && !strings.HasPrefix(path, "/en/") {
				t.Errorf("off %v: %s", off, path)
			}
		}
	}
}

func TestOtherSitesMayNotSend(t *testing.T) {
	same, cross := []string{"Sec-Fetch-Site", "same-origin"}, []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://otro.example"}
	old, oldCross := []string{"Origin", "http://example.com"}, []string{"Origin", "https://otro.example"} // browsers before Sec-Fetch-Site
	nameless, program := []string{"Origin", "null"}, []string(nil)
	for _, test := range []struct {
		path    string
		headers []string
		allowed bool
	}{
		{"/suscribirse", same, true}, {"/suscribirse", cross, false}, {"/suscribirse", old, true}, {"/suscribirse", oldCross, false},
		{"/suscribirse", nameless, false}, {"/suscribirse", program, true}, {"/suscribirse", []string{"Sec-Fetch-Site", "same-site"}, false},
		{"/confirmar/TOKEN", same, true}, {"/confirmar/TOKEN", cross, false}, {"/confirmar/TOKEN", oldCross, false},
		{"/confirmar/TOKEN", nameless, true}, // its page has no-referrer, so that an old browser names no origin
		{"/confirmar/TOKEN", []string{"Origin", "null", "Sec-Fetch-Site", "cross-site"}, false},
		{"/confirmar/TOKEN/no-fui-yo", same, true}, {"/confirmar/TOKEN/no-fui-yo", cross, false},
		{"/gestionar/TOKEN", same, true}, {"/gestionar/TOKEN", cross, false}, {"/gestionar/TOKEN", oldCross, false}, {"/gestionar/TOKEN", nameless, true},
		{"/baja/TOKEN", same, true}, {"/baja/TOKEN", cross, true}, {"/baja/TOKEN", oldCross, true}, {"/baja/TOKEN", program, true},
		{"/demo/push", same, true}, {"/demo/push", cross, false},
	} {
		f := newApp(t, inDemo)
		token := pendingToken
		if !strings.HasPrefix(test.path, "/confirmar/") {
			token = activeToken
		}
		body := filledIn(func(in url.Values) { in.Set("parque", "torres-del-paine") }).Encode()
		got := f.Do("POST", strings.Replace(test.path, "TOKEN", token, 1), body, test.headers...)
		if allowed := got.Status != 403; allowed != test.allowed || (f.Subscriptions.Counted() > 0) != (test.allowed && test.path != "/demo/push") {
			t.Errorf("%s with %v: %d and %d changes", test.path, test.headers, got.Status, f.Subscriptions.Counted())
		}
	}
}

func TestOtherMethods(t *testing.T) {
	f := newApp(t, inDemo)
	for path, allow := range map[string]string{
		"/suscribirse": "GET, HEAD, OPTIONS, POST", "/confirmar/" + pendingToken: "GET, HEAD, OPTIONS, POST",
		"/confirmar/" + pendingToken + "/no-fui-yo": "OPTIONS, POST", "/baja/" + activeToken: "GET, HEAD, OPTIONS, POST",
		"/gestionar/" + activeToken: "GET, HEAD, OPTIONS, POST", "/demo/correo": "GET, HEAD, OPTIONS", "/demo/push": "GET, HEAD, OPTIONS, POST",
	} {
		for _, method := range []string{"DELETE", "PUT", "PATCH", "TRACE"} {
			got := f.Do(method, path, "")
			if got.Status != 405 || got.Header.Get("Allow") != allow || got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s %s: %d, Allow %q", method, path, got.Status, got.Header.Get("Allow"))
			}
		}
	}
	if f.Subscriptions.Counted() != 0 {
		t.Error("a method that is not allowed changed something")
	}
	for _, path := range []string{"/suscribirse/", "/confirmar", "/confirmar/", "/baja/a/b", "/confirmar/a/otra", "/Suscribirse", "/demo", "/"} {
		if got := f.Get(path); got.Status != 418 {
			t.Errorf("%s is not left to the others: %d", path, got.Status)
		}
	}
}
