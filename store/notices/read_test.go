package notices

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"vigia/store/catalogue"
)

var now = time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC)

// volcanoEntry and closureEntry are documents of one good row; each pair of arguments
// replaces a part of it.
func volcanoEntry(replace ...string) string {
	return strings.NewReplacer(replace...).Replace(`{"volcan":"villarrica","nivel_tecnico":"naranja","fuente":"SERNAGEOMIN",` +
		`"fuente_url":"https://rnvv.example.cl/v?x=1","publicado_en":"2026-11-20T18:00:00-03:00"}`)
}

func closureEntry(replace ...string) string {
	return strings.NewReplacer(replace...).Replace(`{"parque":"torres-del-paine","sendero":"base-torres","situacion":"cerrado","detalle":"Viento, hasta nuevo aviso",` +
		`"desde":"2026-11-20","hasta":"2026-11-25","fuente":"CONAF","fuente_url":"https://www.example.cl/a"}`)
}

func readText(t *testing.T, kind Kind, text string) Batch {
	t.Helper()
	b, err := Read(kind, Document{Name: "f", Data: []byte(text)}, catalogue.Default(), now)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// faultsIn expects a document to be refused and gives what is said of it.
func faultsIn(t *testing.T, kind Kind, d Document) string {
	t.Helper()
	b, err := Read(kind, d, catalogue.Default(), now)
	var faults *FaultsError
	if !errors.As(err, &faults) {
		t.Fatalf("%.200q: %v, want a FaultsError", d.Data, err)
	}
	if !reflect.DeepEqual(b, Batch{}) {
		t.Errorf("a refused document gives %+v", b)
	}
	return err.Error()
}

func TestReadVolcanic(t *testing.T) {
	want := Volcanic{
		Volcano: "villarrica", Level: Orange, Source: "SERNAGEOMIN", SourceURL: "https://rnvv.example.cl/v?x=1",
		PublishedAt: time.Date(2026, 11, 20, 21, 0, 0, 0, time.UTC), ObtainedAt: now,
	}
	for name, text := range map[string]string{
		"list":            "[" + volcanoEntry() + "]",
		"object":          `{"volcanes":[` + volcanoEntry() + "]}",
		"as in the API":   `{"alertas_volcanicas":[` + volcanoEntry() + "]}",
		"with a mark":     "\uFEFF [" + volcanoEntry() + "]\n",
		"by name":         "[" + volcanoEntry("villarrica", "Volcán Villarrica") + "]",
		"null is nothing": "[" + volcanoEntry(`"fuente":`, `"obtenido_en":null,"fuente":`) + "]",
		"commas":          "volcan,nivel_tecnico,fuente,fuente_url,publicado_en\nVillarrica,naranja,SERNAGEOMIN,https://rnvv.example.cl/v?x=1,2026-11-20T21:00:00Z\n",
		"semicolons":      "\uFEFFPUBLICADO_EN; volcan;nivel_tecnico;fuente;fuente_url;obtenido_en\r\n2026-11-20T21:00:00Z;\"villarrica\"; naranja ;SERNAGEOMIN;https://rnvv.example.cl/v?x=1;\r\n",
	} {
		b := readText(t, Volcanoes, text)
		if len(b.Volcanic) != 1 || b.Volcanic[0] != want || b.ObtainedAt != now || b.Kind != Volcanoes || b.Len() != 1 {
			t.Errorf("%s: %+v", name, b)
		}
	}
	old := readText(t, Volcanoes, "["+volcanoEntry(`"fuente":`, `"obtenido_en":"2026-11-20T22:00:00Z","fuente":`)+"]")
	if got := old.Volcanic[0].ObtainedAt; got != time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC) || old.ObtainedAt != now {
		t.Errorf("obtained at %v", got)
	}
	soon := readText(t, Volcanoes, "["+volcanoEntry(`"fuente":`, `"obtenido_en":"2026-11-21T13:30:00Z","fuente":`)+"]")
	if got := soon.Volcanic[0].ObtainedAt; got != now {
		t.Errorf("obtained at %v, after now", got)
	}
	if b := readText(t, Volcanoes, "[]"); b.Len() != 0 || b.ObtainedAt != now {
		t.Errorf("an empty list: %+v", b)
	}
}

func TestReadClosures(t *testing.T) {
	utc := func(month time.Month, day, hour int) time.Time {
		return time.Date(2026, month, day, hour, 0, 0, 0, time.UTC)
	}
	base := Closure{
		Park: "torres-del-paine", Trail: "base-torres", Situation: "cerrado", Detail: "Viento, hasta nuevo aviso",
		From: utc(11, 20, 3), Until: utc(11, 26, 3), Source: "CONAF", SourceURL: "https://www.example.cl/a", ObtainedAt: now,
	}
	changed := func(change func(c *Closure)) Closure {
		c := base
		change(&c)
		return c
	}
	for _, c := range []struct {
		name string
		row  string
		want Closure
	}{
		{"as it is", closureEntry(), base},
		{"scope said", closureEntry(`"parque":`, `"alcance":"sendero","parque":`), base},
		{"by names", closureEntry("torres-del-paine", "PARQUE NACIONAL Torres del Paine", "base-torres", "mirador  base torres"), base},
		{"whole park", closureEntry(`"sendero":"base-torres",`, ""), changed(func(c *Closure) { c.Trail = "" })},
		{"whole park said", closureEntry(`"sendero":"base-torres",`, `"alcance":"parque","sendero":null,`), changed(func(c *Closure) { c.Trail = "" })},
		{"restricted", closureEntry("cerrado", "restringido"), changed(func(c *Closure) { c.Situation = "restringido" })},
		{"open end, no detail", closureEntry(`"hasta":"2026-11-25"`, `"hasta":""`, `"detalle":"Viento, hasta nuevo aviso",`, ""),
			changed(func(c *Closure) { c.Until, c.Detail = time.Time{}, "" })},
		{"instants", closureEntry("2026-11-20", "2026-11-20T10:30:00-03:00", "2026-11-25", "2026-11-20T20:00:00Z"),
			changed(func(c *Closure) { c.From, c.Until = utc(11, 20, 13).Add(30*time.Minute), utc(11, 20, 20) })},
		{"one day", closureEntry("2026-11-20", "2026-11-25"), changed(func(c *Closure) { c.From = utc(11, 25, 3) })},
		{"published", closureEntry(`"fuente":`, `"publicado_en":"2026-11-19","fuente":`), changed(func(c *Closure) { c.PublishedAt = utc(11, 19, 3) })},
	} {
		if b := readText(t, Closures, "["+c.row+"]"); len(b.Closures) != 1 || b.Closures[0] != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, b.Closures, c.want)
		}
	}
	csv := "parque,situacion,detalle,fuente,fuente_url\nconguillio,restringido,\"Nieve, con guía\",CONAF,https://www.example.cl/a\n"
	if b := readText(t, Closures, csv); b.Closures[0].Detail != "Nieve, con guía" || !b.Closures[0].Until.IsZero() {
		t.Errorf("%+v", b.Closures)
	}
}

// columnAndIndex is what a place in JSON has beyond its line and the name of the field.
var columnAndIndex = regexp.MustCompile(`(f:\d+):\d+: \[\d+\](\.|: )`)

func TestEveryBadValueIsNamed(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		text string
		want string // after the name
	}{
		{Volcanoes, volcanoEntry("villarrica", "vilarica"), `1: volcan: "vilarica" no está en el catálogo; se admite su slug o su nombre; ¿quiso decir villarrica?`},
		{Volcanoes, volcanoEntry("villarrica", "zzzzzzzz"), `1: volcan: "zzzzzzzz" no está en el catálogo; se admite su slug o su nombre` + "\n"},
		{Volcanoes, volcanoEntry(`"villarrica"`, "null"), "1: volcan: falta este campo obligatorio"},
		{Volcanoes, volcanoEntry(`"volcan":"villarrica",`, ""), "1: volcan: falta este campo obligatorio"},
		{Volcanoes, volcanoEntry() + "," + volcanoEntry("villarrica", "Villarrica"), `1: volcan: "Villarrica" está repetido`},
		{Volcanoes, volcanoEntry("naranja", "amarillo"), `1: nivel_tecnico: "amarillo" no es válido; se admite: verde, amarilla, naranja, roja`},
		{Volcanoes, volcanoEntry("naranja", "Naranja"), "1: nivel_tecnico: "},
		{Volcanoes, volcanoEntry(`"naranja"`, "2"), "1: nivel_tecnico: se esperaba un texto entre comillas y hay un número"},
		{Volcanoes, volcanoEntry(`"naranja"`, `["naranja"]`), "hay una lista"},
		{Volcanoes, volcanoEntry(`"naranja"`, `true`), "hay true"},
		{Volcanoes, volcanoEntry("https:", "javascript:"), "1: fuente_url: "},
		{Volcanoes, volcanoEntry("https://", "https://user:pass@"), "1: fuente_url: "},
		{Volcanoes, volcanoEntry("https://", "//"), "1: fuente_url: "},
		{Volcanoes, volcanoEntry("https://rnvv", `https://rnvv\"`), "1: fuente_url: "},
		{Volcanoes, volcanoEntry("https://", "https://"+strings.Repeat("x", 500)), "tiene 529 caracteres; se admiten hasta 500"},
		{Volcanoes, volcanoEntry("SERNAGEOMIN", "<b>SERNAGEOMIN"), "1: fuente: "},
		{Volcanoes, volcanoEntry("SERNAGEOMIN", `a\u0000b`), `'\x00'`},
		{Volcanoes, volcanoEntry("SERNAGEOMIN", `a\u202eb`), `'\u202e'`},
		{Volcanoes, volcanoEntry("SERNAGEOMIN", `  `), "1: fuente: falta este campo obligatorio"},
		{Volcanoes, volcanoEntry("2026-11-20T18", "2026-11-21T18"), "está en el futuro; ahora son las 2026-11-21T13:00:00Z"},
		{Volcanoes, volcanoEntry("2026-11-20T18:00:00-03:00", "ayer"), "se admite una fecha AAAA-MM-DD o un instante con zona"},
		{Volcanoes, volcanoEntry("2026-11-20T18:00:00-03:00", "2026-11-20T18:00:00"), "1: publicado_en: "},
		{Volcanoes, volcanoEntry("2026-11", "1026-11"), "1: publicado_en: "},
		{Volcanoes, volcanoEntry("2026-11-20T18:00:00-03:00", "2026-11-31"), "1: publicado_en: "},
		{Volcanoes, volcanoEntry(`{`, `{"fecha":"x",`), "1: fecha: campo desconocido; se admiten: volcan, nivel_tecnico"},
		{Volcanoes, volcanoEntry(`{`, `{"fuente":"x",`), "1: fuente: campo repetido"},
		{Volcanoes, volcanoEntry(`{`, "{\"\x1b[31m\":\"x\","), ""},
		{Volcanoes, volcanoEntry() + ",\n\n7", "3: se esperaba un objeto {…} y hay un número"},
		{Closures, closureEntry("torres-del-paine", "torres-del-payne"), "¿quiso decir torres-del-paine?"},
		{Closures, closureEntry("base-torres", "base-tores"), "1: sendero: \"base-tores\" no está en el catálogo; se admite su slug o su nombre; ¿quiso decir base-torres?"},
		{Closures, closureEntry(`"sendero":"base-torres"`, `"alcance":"sendero"`), "1: sendero: falta este campo obligatorio"},
		{Closures, closureEntry(`"parque":`, `"alcance":"parque","parque":`), "1: alcance: es parque, pero hay un sendero"},
		{Closures, closureEntry(`"parque":`, `"alcance":"comuna","parque":`), "se admite: parque, sendero"},
		{Closures, closureEntry("cerrado", "abierto"), `"abierto" no es válido; se admite: cerrado, restringido`},
		{Closures, closureEntry("2026-11-25", "2026-11-19"), `1: hasta: "2026-11-19" no es posterior a desde ("2026-11-20")`},
		{Closures, closureEntry("Viento", strings.Repeat("ñ", 500)), "tiene 519 caracteres; se admiten hasta 500"},
		{Closures, closureEntry("Viento", `<script>`), "contiene < o >"},
		{Closures, closureEntry("Viento", `a\nb`), "se admite una línea de texto"},
		{Closures, closureEntry() + "," + closureEntry(), "este aviso ya está en una fila anterior"},
	} {
		text := faultsIn(t, c.kind, Document{Name: "f", Data: []byte("[" + c.text + "]")}) + "\n"
		text = columnAndIndex.ReplaceAllString(text, "$1: ")
		if !strings.Contains(text, "f:"+c.want) && !strings.Contains(text, c.want) {
			t.Errorf("%.150s:\nsaid %q\nwant %q", c.text, text, c.want)
		}
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' }) {
			t.Errorf("a control character reaches the terminal: %q", text)
		}
	}
}

func TestAllFaultsAtOnceInTheOrderOfTheLines(t *testing.T) {
	text := "[\n" + volcanoEntry("villarrica", "x1x1", "naranja", "azul") + ",\n" + volcanoEntry() + ",\n" + volcanoEntry("villarrica", "lascar", "https", "gopher", `"volcan"`, `"otro":"x","volcan"`) + "]"
	said := faultsIn(t, Volcanoes, Document{Name: "avisos.json", Data: []byte(text)})
	lines := strings.Split(said, "\n")
	if len(lines) != 5 || !strings.Contains(lines[0], "avisos.json no es válido y no se usa nada de él (errores: 4)") {
		t.Fatal(said)
	}
	for i, start := range []string{"avisos.json:2:11: [0].volcan: ", "avisos.json:2:34: [0].nivel_tecnico: ", "avisos.json:4:2: [2].otro: ", "avisos.json:4:93: [2].fuente_url: "} {
		if !strings.HasPrefix(lines[i+1], start) {
			t.Errorf("line %d is %q, want %q", i+1, lines[i+1], start)
		}
	}
}

func TestBadTables(t *testing.T) {
	const header = "volcan,nivel_tecnico,fuente,fuente_url,publicado_en\n"
	const row = "villarrica,naranja,S,https://x.cl,2026-11-20\n"
	for text, want := range map[string]string{
		strings.Repeat("volcan,", 100_000) + "\n": "tiene 100001 columnas; se admiten: volcan, nivel_tecnico",
		"volcan,nivel\n":               `f:1: columna desconocida "nivel"; se admiten: volcan,`,
		"volcan,volcan\n":              "f:1: la columna volcan está repetida",
		"volcan\nvillarrica\n":         "f:2: nivel_tecnico: falta este campo obligatorio",
		header + row + "lascar,roja\n": "f:3: tiene 2 columnas y la cabecera 5",
		header + "\n" + row + "lascar,\"roja\n,S,https://x\n":           "no es CSV bien formado (comillas sin pareja",
		header + strings.Replace(row, "naranja", "na\xf1", 1):           "hay bytes que no son UTF-8",
		header + "\"villa\nrrica\",naranja,S,https://x.cl,2026-11-20\n": `f:2: volcan: "villa\nrrica" no está`,
		"<!DOCTYPE html>\n<html></html>":                                "columna desconocida",
		"   \n":                                                         "está vacío",
	} {
		if said := faultsIn(t, Volcanoes, Document{Name: "f", Data: []byte(text)}); !strings.Contains(said, want) {
			t.Errorf("%q: %s", text, said)
		}
	}
}

func TestHostileDocumentsAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":          "",
		"null":             "null",
		"NaN":              `[{"volcan":NaN}]`,
		"page":             "<html><body>503</body></html>",
		"error":            `{"error":true,"reason":"no"}`,
		"no list":          "{}",
		"list not a list":  `{"volcanes":{"a":1}}`,
		"two lists":        `{"volcanes":[],"alertas_volcanicas":[]}`,
		"other kind":       `{"cierres":[]}`,
		"broken off":       "[" + volcanoEntry(),
		"two documents":    "[][]",
		"deep":             strings.Repeat("[", 10_000),
		"deep, closed":     strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		"deep value":       `[{"volcan":` + strings.Repeat(`{"a":`, 9_990) + "1" + strings.Repeat("}", 9_990) + "}]",
		"deep, many":       `[` + volcanoEntry("villarrica", "x") + `,{"volcan":` + strings.Repeat("[", 5_000) + strings.Repeat("1,", 100_000) + "1" + strings.Repeat("]", 5_000) + "}]",
		"too long":         "[" + strings.Repeat(" ", MaxBytes) + "]",
		"many":             "[" + strings.TrimSuffix(strings.Repeat("{},", 300_000), ",") + "]",
		"many numbers":     "[" + strings.TrimSuffix(strings.Repeat("1,", 400_000), ",") + "]",
		"many good ones":   "[" + strings.TrimSuffix(strings.Repeat(`{"volcan":"x"},`, 6000), ",") + "]",
		"wrong encoding":   "[{\"volcan\":\"\xff\"}]",
		"lone surrogate":   `[{"volcan":"\ud800"}]`,
		"numbers for text": `[1e999, -0, "x"]`,
	} {
		begin := time.Now()
		said := faultsIn(t, Volcanoes, Document{Name: "f", Data: []byte(text), OnlyJSON: true})
		if took := time.Since(begin); took > 3*time.Second {
			t.Errorf("%s takes %v", name, took)
		}
		if !strings.Contains(said, "\nf:") {
			t.Errorf("%s: %s", name, said)
		}
	}
	if said := faultsIn(t, Volcanoes, Document{Name: "f", Data: []byte("volcan\n"), OnlyJSON: true}); !strings.Contains(said, "no es JSON") {
		t.Error(said)
	}
	limit := "[" + strings.Repeat(" ", MaxBytes-2) + "]"
	if b := readText(t, Volcanoes, limit); b.Len() != 0 {
		t.Error(b)
	}
}

func TestEveryVolcanoParkAndTrailOfTheCatalogueCanBeNamed(t *testing.T) {
	c := catalogue.Default()
	var rows []string
	for _, v := range c.Volcanoes {
		rows = append(rows, volcanoEntry("villarrica", v.Slug))
	}
	if b := readText(t, Volcanoes, "["+strings.Join(rows, ",")+"]"); len(b.Volcanic) != len(c.Volcanoes) {
		t.Errorf("%d of %d volcanoes", len(b.Volcanic), len(c.Volcanoes))
	}
	rows = nil
	for _, trail := range c.Trails {
		rows = append(rows, closureEntry("torres-del-paine", c.Parks[trail.Park].Slug, "base-torres", trail.Slug))
	}
	for i, closure := range readText(t, Closures, "["+strings.Join(rows, ",")+"]").Closures {
		if closure.Trail != c.Trails[i].Slug || closure.Park != c.Parks[c.Trails[i].Park].Slug {
			t.Errorf("%s becomes %s/%s", c.Trails[i].Slug, closure.Park, closure.Trail)
		}
	}
}

func TestKinds(t *testing.T) {
	for k := range NumKinds {
		if got, ok := KindOf(k.String()); !ok || got != k {
			t.Error(k)
		}
	}
	if _, ok := KindOf("observaciones"); ok {
		t.Error("observaciones are no notices")
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"[" + volcanoEntry() + "]", "[" + closureEntry() + "]", `{"cierres":[]}`, "[[[", "null",
		"parque;situacion;fuente;fuente_url\nlauca;cerrado;C;https://x.cl\n", "volcan,\"", "\uFEFF[]", `{"volcanes":[],"a":{"b":[1]}}`,
	} {
		f.Add([]byte(text), true)
		f.Add([]byte(text), false)
	}
	c := catalogue.Default()
	f.Fuzz(func(t *testing.T, data []byte, onlyJSON bool) {
		for kind := range NumKinds {
			b, err := Read(kind, Document{Name: "f", Data: data, OnlyJSON: onlyJSON}, c, now)
			if err != nil {
				if faults := (*FaultsError)(nil); !errors.As(err, &faults) || len(faults.Faults) == 0 {
					t.Fatalf("%v", err)
				}
				continue
			}
			for _, v := range b.Volcanic {
				if v.Level < Green || v.Level > Red || v.Volcano == "" || v.Source == "" || v.PublishedAt.IsZero() || v.ObtainedAt.After(now) {
					t.Fatalf("%+v", v)
				}
			}
			for _, v := range b.Closures {
				if v.Park == "" || v.Source == "" || strings.ContainsAny(v.Detail+v.Source, "<>\n\x00") || v.Situation == "" ||
					!v.From.IsZero() && !v.Until.IsZero() && !v.From.Before(v.Until) {
					t.Fatalf("%+v", v)
				}
			}
			s := Set{}
			s[kind] = b
			for p := range 3 {
				_ = fmt.Sprint(s.Volcanic(c, p, now), s.Closures(c, p, now))
			}
		}
	})
}
