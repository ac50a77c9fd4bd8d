package api

import (
	"net/http"
	"strings"
	"testing"
)

const wholeForm = `{"canal":"email","email":"ana@example.cl","parques":["torres-del-paine"],"senderos":[],"nivel_minimo":"precaucion","amenazas":null,
 "silencio":{"desde":"22:00","hasta":"06:00"},"viaje":{"desde":"2026-12-01","hasta":"2026-12-09"},"idioma":"es","consentimiento":true}`

func TestFormIsReadStrictly(t *testing.T) {
	for _, c := range []struct{ name, body, has string }{
		{"spaces", " \n", "vacío"},
		{"null", `null`, "objeto"},
		{"a list", `[` + wholeForm + `]`, "objeto"},
		{"a text", `"canal"`, "objeto"},
		{"a number", `1`, "objeto"},
		{"cut", wholeForm[:50], "antes de tiempo"},
		{"cut in a text", `{"canal":"em`, "antes de tiempo"},
		{"a comma too many", "{\n \"canal\":\"email\",}", "línea 2, columna 17"},
		{"no comma", `{"canal":"ñandú" "email":2}`, "línea 1, columna 18"},
		{"single quotes", `{'canal':'email'}`, "columna 2"},
		{"a comment", `{"canal":"email"/* */}`, "columna 17"},
		{"NaN", `{"canal":NaN}`, "mal escrito"},
		{"a raw line break in a text", "{\"canal\":\"a\nb\"}", "mal escrito"},
		{"a bad escape", `{"canal":"\x41"}`, "mal escrito"},
		{"two objects", wholeForm + wholeForm, "sobra contenido"},
		{"something after it", wholeForm + " x", "sobra contenido"},
		{"a byte order mark", "\uFEFF" + wholeForm, "columna 1"},
		{"a null byte after it", wholeForm + "\x00", "sobra contenido"},
		{"not UTF-8", "{\"canal\":\"ma\xf1ana\"}", "UTF-8 válido en la línea 1, columna 13"},
		{"not UTF-8 in a name", "{\"\xff\":1}", "UTF-8"},
		{"a surrogate written as UTF-8", "{\"canal\":\"\xed\xa0\x80\"}", "UTF-8"},
		{"an overlong form", "{\"canal\":\"\xc0\xae\"}", "UTF-8"},
		{"half of a pair", `{"canal":"\ud83c"}`, "mal escrito"},
		{"the other half", `{"canal":"\udf0a"}`, "mal escrito"},
		{"two first halves", `{"canal":"\ud83c\ud83c\udf0a"}`, "mal escrito"},
		{"half and what is no half", `{"canal":"\ud83c\ue000"}`, "mal escrito"},
		{"half after a pair", `{"canal":"\ud83c\udf0a\ud83c"}`, "mal escrito"},
		{"half in a name", `{"\uD800":1}`, "mal escrito"},
		{"half before an escaped backslash", `{"canal":"\ud83c\\udf0a"}`, "mal escrito"},
		{"a name twice", `{"canal":"email","canal":"webpush"}`, "«canal» viene más de una vez"},
		{"a name twice, once escaped", `{"canal":"email","c\u0061nal":"webpush"}`, "«canal» viene más de una vez"},
		{"a name twice, first null", `{"canal":null,"canal":"webpush"}`, "«canal» viene más de una vez"},
		{"an inner name twice", `{"viaje":{"desde":"a","desde":"b"}}`, "«viaje.desde» viene más de una vez"},
		{"a name twice where no object belongs", `{"email":{"a":1,"a":2}}`, "«email.a» viene más de una vez"},
		{"another case", `{"Canal":"email"}`, "«Canal» no existe; los campos son: canal, email, webpush, parques"},
		{"a fold of another letter", `{"\u212aanal":"email"}`, "«…» no existe"},
		{"unknown", `{"parkes":[]}`, "«parkes» no existe"},
		{"unknown, not a name", `{"ana@example.cl":1}`, "«…» no existe"},
		{"empty name", `{"":1}`, "«…» no existe"},
		{"unknown inside", `{"silencio":{"de":"22:00"}}`, "«silencio.de» no existe; los campos de «silencio» son: desde, hasta"},
		{"unknown further inside", `{"webpush":{"keys":{"p256":""}}}`, "«webpush.keys.p256» no existe; los campos de «webpush.keys» son: p256dh, auth"},
		{"__proto__", `{"__proto__":{}}`, "«__proto__» no existe"},
		{"very deep", `{"email":` + strings.Repeat("[", 8000), ""},
	} {
		n, fault := parseForm([]byte(c.body))
		if fault == nil || n != nil || fault.Status != http.StatusBadRequest || fault.Code != "json_no_valido" || !strings.Contains(fault.Text, c.has) {
			t.Errorf("%s: %v", c.name, fault)
		} else if strings.Contains(fault.Text, "ana@") {
			t.Errorf("%s: an address is repeated: %s", c.name, fault.Text)
		}
	}
	for name, body := range map[string]string{
		"what is skipped": `{"email":{"a":{"b":[1,2.5e300,true,null]}}}`, "a pair": `{"canal":"\uD83C\uDF0A"}`,
		"an escaped backslash": `{"canal":"\\ud83c"}`, "spaces around": "\t" + wholeForm + "\r\n", "nothing in it": `{}`, "a huge number": `{"email":1e999999}`,
	} {
		if _, fault := parseForm([]byte(body)); fault != nil {
			t.Errorf("%s: %v", name, fault)
		}
	}
}

func TestPlace(t *testing.T) {
	body := []byte("añ\nb\n")
	for at, want := range map[int]string{-1: "la línea 1, columna 1", 0: "la línea 1, columna 1", 3: "la línea 1, columna 3",
		4: "la línea 2, columna 1", 6: "la línea 3, columna 1", 99: "la línea 3, columna 1"} {
		if got := place(body, at); got != want {
			t.Errorf("%d: %s", at, got)
		}
	}
}
