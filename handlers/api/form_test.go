package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store/catalogue"
	"vigia/store/subscription"
)

// formNow is 02:00 UTC: the day before still in Chile.
var formNow = time.Date(2026, 11, 21, 2, 0, 0, 0, time.UTC)

// The keys of RFC 8291's example.
const (
	exampleKey  = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
	exampleAuth = "BTBZMqHH6r4Tts7J_aSIgg"
	pushForm    = `{"canal":"webpush","webpush":{"endpoint":"https://fcm.googleapis.com/fcm/send/x","expirationTime":null,` +
		`"keys":{"p256dh":"` + exampleKey + `","auth":"` + exampleAuth + `"}},"parques":["lauca"],"consentimiento":true}`
)

// with gives the whole form with members changed; nil takes one away.
func with(t testing.TB, base string, changes map[string]any) string {
	t.Helper()
	var form map[string]any
	if err := json.Unmarshal([]byte(base), &form); err != nil {
		t.Fatal(err)
	}
	for name, value := range changes {
		if form[name] = value; value == nil {
			delete(form, name)
		}
	}
	text, err := json.Marshal(form)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func check(t testing.TB, body string) (*subscription.CheckedForm, []subscription.FormFault) {
	t.Helper()
	form, fault := parseForm([]byte(body))
	if fault != nil {
		t.Fatalf("%v in %s", fault, body)
	}
	return form.Check(catalogue.Default(), subscription.PushHosts{}, formNow)
}

func TestFormIsUnderstood(t *testing.T) {
	wish, faults := check(t, wholeForm)
	want := &subscription.CheckedForm{Channel: subscription.Email, Address: "ana@example.cl", Preferences: subscription.Preferences{
		Parks: []string{"torres-del-paine"},
		Conditions: subscription.Conditions{
			MinLevel: alert.Caution, Quiet: &subscription.Quiet{From: 22 * 60, To: 6 * 60},
			Trip: &subscription.Trip{From: "2026-12-01", To: "2026-12-09"},
		},
	}}
	if len(faults) > 0 || !reflect.DeepEqual(wish, want) {
		t.Errorf("%+v, %v", wish, faults)
	}
	wish, faults = check(t, pushForm)
	if len(faults) > 0 || wish.Channel != subscription.WebPush || wish.Address != "" || wish.Target == nil ||
		wish.Preferences.MinLevel != alert.Caution || wish.Preferences.Language != subscription.Spanish ||
		wish.Preferences.Quiet != nil || wish.Preferences.Trip != nil || wish.Preferences.Hazards != 0 {
		t.Errorf("the least by Web Push: %+v, %v", wish, faults)
	}
	everything := with(t, wholeForm, map[string]any{
		"parques":  []string{"lauca", "torres-del-paine", "lauca"},
		"senderos": []string{"torres-del-paine/base-torres", "base-torres"}, "nivel_minimo": "peligro",
		"amenazas": []string{"viento", "calor", "viento"}, "idioma": "en", "webpush": json.RawMessage("null"),
	})
	wish, faults = check(t, everything)
	p := wish.Preferences
	if len(faults) > 0 || !slices.Equal(p.Parks, []string{"lauca", "torres-del-paine"}) || !slices.Equal(p.Trails, []string{"torres-del-paine/base-torres"}) ||
		p.MinLevel != alert.Danger || p.Hazards != subscription.HazardSet(0).With(hazard.Wind).With(hazard.Heat) || p.Language != subscription.English {
		t.Errorf("%+v, %v", wish, faults)
	}
}

// null is the same as leaving a field out.
func TestNullIsLeftOut(t *testing.T) {
	least := `{"canal":"email","email":"ana@example.cl","parques":["lauca"],"consentimiento":true}`
	null := `{"canal":"email","email":"ana@example.cl","webpush":null,"parques":["lauca"],"senderos":null,"nivel_minimo":null,` +
		`"amenazas":null,"silencio":null,"viaje":null,"idioma":null,"consentimiento":true}`
	a, faultsA := check(t, least)
	b, faultsB := check(t, null)
	if len(faultsA)+len(faultsB) > 0 || !reflect.DeepEqual(a, b) {
		t.Errorf("%+v, %v\n%+v, %v", a, faultsA, b, faultsB)
	}
}

func TestFormNamesEveryFault(t *testing.T) {
	many := make([]string, 65)
	raw := func(text string) json.RawMessage { return json.RawMessage(text) }
	for _, c := range []struct {
		name    string
		base    string
		changes map[string]any
		want    map[string]string // field → words of what is said of it
	}{
		{"nothing", `{}`, nil, map[string]string{"canal": "falta", "parques": "al menos un parque", "consentimiento": "true"}},
		{"everything null", `{"canal":null,"email":null,"webpush":null,"parques":null,"senderos":null,"consentimiento":null}`, nil,
			map[string]string{"canal": "falta", "parques": "al menos un parque", "consentimiento": "true"}},
		{"another channel", wholeForm, map[string]any{"canal": "sms"}, map[string]string{"canal": "email y webpush"}},
		{"no channel, wrong addresses", `{"email":"ana","webpush":{"endpoint":"http://x.cl/","keys":{"p256dh":"AA","auth":"AA"}},"parques":["lauca"],"consentimiento":true}`, nil,
			map[string]string{"canal": "falta", "email": "dirección", "webpush.endpoint": "https", "webpush.keys.p256dh": "P-256", "webpush.keys.auth": "16 bytes"}},
		{"channel in capitals", wholeForm, map[string]any{"canal": "EMAIL"}, map[string]string{"canal": "email y webpush"}},
		{"no address", wholeForm, map[string]any{"email": nil}, map[string]string{"email": "falta"}},
		{"an empty address", wholeForm, map[string]any{"email": ""}, map[string]string{"email": "vacío"}},
		{"a bad address", wholeForm, map[string]any{"email": "ana"}, map[string]string{"email": "nombre@dominio.cl"}},
		{"both channels", pushForm, map[string]any{"email": "ana@example.cl"}, map[string]string{"email": "sobra"}},
		{"both channels by e-mail", wholeForm, map[string]any{"webpush": map[string]any{"endpoint": "x"}}, map[string]string{"webpush": "sobra"}},
		{"no target", pushForm, map[string]any{"webpush": nil}, map[string]string{"webpush": "falta"}},
		{"an empty target", pushForm, map[string]any{"webpush": map[string]any{}},
			map[string]string{"webpush.endpoint": "https", "webpush.keys.p256dh": "P-256", "webpush.keys.auth": "16 bytes"}},
		{"a target of other types", pushForm, map[string]any{"webpush": raw(`{"endpoint":1,"keys":{"p256dh":[],"auth":{}},"expirationTime":"x"}`)},
			map[string]string{"webpush.endpoint": "texto", "webpush.keys.p256dh": "texto", "webpush.keys.auth": "texto", "webpush.expirationTime": "número"}},
		{"keys of another type", pushForm, map[string]any{"webpush": raw(`{"endpoint":"https://fcm.googleapis.com/x","keys":["a"]}`)},
			map[string]string{"webpush.keys": "objeto"}},
		{"an unknown service", pushForm, map[string]any{"webpush": raw(`{"endpoint":"https://evil.example/x","keys":{"p256dh":"` + exampleKey + `","auth":"` + exampleAuth + `"}}`)},
			map[string]string{"webpush.endpoint": "conocido"}},
		{"every type wrong", `{"canal":1,"email":[],"webpush":"x","parques":"lauca","senderos":{},"nivel_minimo":true,"amenazas":"viento","silencio":"22:00","viaje":[],"idioma":0,"consentimiento":"true"}`, nil,
			map[string]string{"canal": "texto", "email": "texto", "webpush": "objeto", "parques": "lista de textos", "senderos": "lista de textos", "nivel_minimo": "texto",
				"amenazas": "lista de textos", "silencio": "objeto", "viaje": "objeto", "idioma": "texto", "consentimiento": "true"}},
		{"lists of other things", wholeForm, map[string]any{"parques": raw(`["lauca",1]`), "amenazas": raw(`[null]`)},
			map[string]string{"parques": "lista de textos", "amenazas": "lista de textos"}},
		{"a park that was meant", wholeForm, map[string]any{"parques": []string{"torres-del-payne"}}, map[string]string{"parques": "¿quiso decir «torres-del-paine»?"}},
		{"parks that do not exist", wholeForm, map[string]any{"parques": []string{"zzzzzzzzz", "lauka", "lauca", "<b>", ""}},
			map[string]string{"parques": "no existe el parque «zzzzzzzzz»; la lista de parques está en /api/v1/parques; no existe el parque «lauka»; ¿quiso decir «lauca»?; no existe ese parque;"}},
		{"too many parks", wholeForm, map[string]any{"parques": many}, map[string]string{"parques": "máximo 64"}},
		{"many wrong parks", wholeForm, map[string]any{"parques": strings.Fields(strings.Repeat("qqqqqqqqqq ", 30))}, map[string]string{"parques": "y otros"}},
		{"a trail that was meant", wholeForm, map[string]any{"senderos": []string{"torres-del-paine/base-tores"}}, map[string]string{"senderos": "«torres-del-paine/base-torres»"}},
		{"a trail of another park", wholeForm, map[string]any{"senderos": []string{"lauca/base-torres"}}, map[string]string{"senderos": "no existe el sendero «base-torres» en «lauca»"}},
		{"a trail of no park", wholeForm, map[string]any{"senderos": []string{"torres-del-payne/base-torres"}}, map[string]string{"senderos": "¿quiso decir «torres-del-paine»?"}},
		{"no trail", wholeForm, map[string]any{"senderos": []string{"zzzzzzzzzzz", "/", "a/b/c", "<i>"}}, map[string]string{"senderos": "no existe el sendero «zzzzzzzzzzz»"}},
		{"level by colour", wholeForm, map[string]any{"nivel_minimo": "rojo"}, map[string]string{"nivel_minimo": "precaucion y peligro"}},
		{"no hazards", wholeForm, map[string]any{"amenazas": []string{}}, map[string]string{"amenazas": "null"}},
		{"an unknown hazard", wholeForm, map[string]any{"amenazas": []string{"viento", "terremoto"}}, map[string]string{"amenazas": "ventisca"}},
		{"the hazard without a name", wholeForm, map[string]any{"amenazas": []string{""}}, map[string]string{"amenazas": "ventisca"}},
		{"hours", wholeForm, map[string]any{"silencio": raw(`{"desde":"24:00","hasta":"6:00"}`)}, map[string]string{"silencio.desde": "HH:MM", "silencio.hasta": "HH:MM"}},
		{"hours that are none", wholeForm, map[string]any{"silencio": raw(`{"desde":"22:60","hasta":"-1:00"}`)}, map[string]string{"silencio.desde": "HH:MM", "silencio.hasta": "HH:MM"}},
		{"half a silence", wholeForm, map[string]any{"silencio": raw(`{"desde":"22:00"}`)}, map[string]string{"silencio.hasta": "HH:MM"}},
		{"no silence at all", wholeForm, map[string]any{"silencio": raw(`{"desde":"22:00","hasta":"22:00"}`)}, map[string]string{"silencio": "distintos"}},
		{"dates", wholeForm, map[string]any{"viaje": raw(`{"desde":"2026-02-30","hasta":"2026-12-1"}`)}, map[string]string{"viaje.desde": "AAAA-MM-DD", "viaje.hasta": "AAAA-MM-DD"}},
		{"a date with time", wholeForm, map[string]any{"viaje": raw(`{"desde":"2026-12-01T00:00:00Z","hasta":"2026-12-09"}`)}, map[string]string{"viaje.desde": "AAAA-MM-DD"}},
		{"backwards", wholeForm, map[string]any{"viaje": raw(`{"desde":"2026-12-09","hasta":"2026-12-08"}`)}, map[string]string{"viaje": "anterior"}},
		{"over", wholeForm, map[string]any{"viaje": raw(`{"desde":"2026-11-18","hasta":"2026-11-19"}`)}, map[string]string{"viaje.hasta": "pasó"}},
		{"long", wholeForm, map[string]any{"viaje": raw(`{"desde":"2026-12-01","hasta":"2027-01-30"}`)}, map[string]string{"viaje": "60 días"}},
		{"far", wholeForm, map[string]any{"viaje": raw(`{"desde":"2027-11-20","hasta":"2027-11-21"}`)}, map[string]string{"viaje.hasta": "un año"}},
		{"another language", wholeForm, map[string]any{"idioma": "pt"}, map[string]string{"idioma": "es y en"}},
		{"no consent", wholeForm, map[string]any{"consentimiento": false}, map[string]string{"consentimiento": "true"}},
		{"consent as a number", wholeForm, map[string]any{"consentimiento": 1}, map[string]string{"consentimiento": "true"}},
	} {
		body := with(t, c.base, c.changes)
		_, faults := check(t, body)
		got := map[string]string{}
		for _, f := range faults {
			if _, twice := got[f.Field]; twice {
				t.Errorf("%s: %s is named twice", c.name, f.Field)
			}
			got[f.Field] = f.Text
		}
		if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(c.want))) {
			t.Errorf("%s: faults %v", c.name, got)
		}
		for field, words := range c.want {
			if !strings.Contains(got[field], words) {
				t.Errorf("%s: %s: %q", c.name, field, got[field])
			}
		}
		if text := invalid(faults).Error(); strings.ContainsAny(text, "<>@") && !strings.Contains(text, "nombre@dominio.cl") {
			t.Errorf("%s: something is repeated: %s", c.name, text)
		}
	}
}

func TestTripsAtTheirEdges(t *testing.T) {
	for _, c := range []struct{ from, to string }{
		{"2026-11-20", "2026-11-20"}, // today in Chile, though not in UTC
		{"2026-11-01", "2026-11-20"}, // under way
		{"2026-12-01", "2027-01-29"}, // 60 days
		{"2027-11-20", "2027-11-20"}, // a year from today
		{"2028-02-29", "2028-02-29"},
	} {
		_, faults := check(t, with(t, wholeForm, map[string]any{"viaje": map[string]string{"desde": c.from, "hasta": c.to}}))
		if want := c.from == "2028-02-29"; (len(faults) > 0) != want {
			t.Errorf("%s to %s: %v", c.from, c.to, faults)
		}
	}
}

// FuzzForm: nothing makes the reading of a body panic; what is refused says why;
// what is accepted, written back from what was understood, is understood the same,
// and no name in it is there twice.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{wholeForm, pushForm, "", "{}", "null", wholeForm + "{}", wholeForm[:99], `{"canal":"email","canal":"email"}`,
		`{"c\u0061nal":1,"viaje":{"desde":[[[]]]}}`, strings.ReplaceAll(wholeForm, "ana", `\ud83c\udf0a`), strings.ReplaceAll(wholeForm, "es", "\xff"),
		strings.ReplaceAll(wholeForm, `"senderos":[]`, `"senderos":["base-torres"]`), strings.ReplaceAll(wholeForm, "null", `["viento","frio"]`)} {
		f.Add([]byte(seed))
	}
	parks := catalogue.Default()
	f.Fuzz(func(t *testing.T, body []byte) {
		form, fault := parseForm(body)
		if fault != nil {
			if fault.Code != "json_no_valido" || fault.Text == "" || form != nil {
				t.Fatalf("%v with %v", fault, form)
			}
			return
		}
		if !json.Valid(body) {
			t.Fatalf("what is no JSON is taken: %q", body)
		}
		wish, faults := form.Check(parks, subscription.PushHosts{}, formNow)
		for _, f := range faults {
			if f.Field == "" || f.Text == "" {
				t.Fatalf("a fault without words in %v", faults)
			}
		}
		if len(faults) > 0 {
			return
		}
		written := writeForm(wish)
		again, fault := parseForm(written)
		if fault != nil {
			t.Fatalf("%v in %s", fault, written)
		}
		if wish2, faults := again.Check(parks, subscription.PushHosts{}, formNow); len(faults) > 0 || !reflect.DeepEqual(wish, wish2) {
			t.Fatalf("%+v\nagain %+v, %v", wish, wish2, faults)
		}
		if doubled := append([]byte(`{"canal":"email",`), strings.TrimLeft(string(body), " \t\r\n")[1:]...); len(doubled) > 0 {
			if _, fault := parseForm(doubled); fault == nil {
				t.Fatalf("«canal» twice is taken: %s", doubled)
			}
		}
	})
}

// writeForm writes a wish as the body that asks for it, from what is shown of a
// subscription.
func writeForm(wish *subscription.CheckedForm) []byte {
	var shown map[string]any
	json.Unmarshal(encode(subscriptionOf(&subscription.Subscription{
		Channel: wish.Channel, Address: wish.Address, Target: wish.Target, Preferences: wish.Preferences,
	})), &shown)
	for _, name := range []string{"situacion", "creada_en", "confirmada_en", "caduca_en", "rebotada_el"} {
		delete(shown, name)
	}
	shown["consentimiento"] = true
	text, err := json.Marshal(shown)
	if err != nil {
		panic(fmt.Sprint("what is shown of a subscription is no JSON: ", err))
	}
	return text
}
