package catalogue

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// position finds the line and column of the first place of a text.
func position(t *testing.T, text, at string) (line, column int) {
	t.Helper()
	i := strings.Index(text, at)
	if i < 0 {
		t.Fatalf("%q is not in the text", at)
	}
	before := text[:i]
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:]) + 1
}

func TestFaults(t *testing.T) {
	type replacement struct{ old, new string }
	tests := []struct {
		name string
		replacement
		path string
		at   string // text at whose start the fault is
		say  string
	}{
		{"unknown field", replacement{`"largo_km": 16`, `"largo": 16`}, "senderos[0].largo", `"largo": 16`, "campo desconocido"},
		{"unknown field at the top", replacement{`"version"`, `"versión"`}, `"versión"`, `"versión"`, "telefonos_emergencia"},
		{"repeated field", replacement{`"slug": "playa",`, `"slug": "playa", "slug": "playita",`}, "senderos[1].slug", `"slug": "playita"`, "campo repetido"},
		{"field repeated by an escape", replacement{`"slug": "playa",`, `"slug": "playa", "slu\u0067": "x",`}, "senderos[1].slug", `"slu\u0067"`, "campo repetido"},
		{"missing field", replacement{`"altitud_m": 0, `, ``}, "senderos[1].puntos[0].altitud_m", `{"nombre": "Playa", "latitud"`, "falta"},
		{"null for a required one", replacement{`"nombre": "Alto"`, `"nombre": null`}, "senderos[0].nombre", `null, "tipo"`, "falta este campo"},
		{"text for a number", replacement{`"altitud_m": 0`, `"altitud_m": "0"`}, "senderos[1].puntos[0].altitud_m", `"0"`, "se esperaba un número y hay un texto"},
		{"number for a text", replacement{`"Alto"`, `5`}, "senderos[0].nombre", `5, "tipo": "ida`, "hay un número"},
		{"object for a list", replacement{`"reglas": ["Regla única & suficiente."]`, `"reglas": {"a": [1]}`}, "reglas", `{"a"`, "se esperaba una lista"},
		{"list for an object", replacement{`{"nombre": "SBAP", "verificado_en": "2026-11-01", "nota": "Traspasada."}`, `["SBAP"]`}, "parques[0].administrador", `["SBAP"]`, "se esperaba un objeto"},
		{"text for a flag", replacement{`"remota": true`, `"remota": "si"`}, "senderos[0].remota", `"si"`, "true o false"},
		{"null in a list", replacement{`"Regla única & suficiente."`, `null`}, "reglas[0]", `null]`, "hay null"},
		{"latitude", replacement{`"latitud": -29.5, "longitud": -71, "altitud_m": 0`, `"latitud": -92.5, "longitud": -71, "altitud_m": 0`}, "senderos[1].puntos[0].latitud", "-92.5", "de -90 a 90"},
		{"longitude", replacement{`"longitud": -70.9`, `"longitud": -709`}, "volcanes[0].longitud", "-709", "de -180 a 180"},
		{"no place", replacement{`"latitud": -29.5, "longitud": -71, "altitud_m": 0`, `"latitud": 0, "longitud": 0.0, "altitud_m": 0`}, "senderos[1].puntos[0]", `{"nombre": "Playa", "lat`, "latitud y longitud son 0"},
		{"height", replacement{`"altitud_m": 3500`, `"altitud_m": 7000.5`}, "volcanes[0].altitud_m", "7000.5", "de -100 a 7000"},
		{"number beyond float64", replacement{`"altitud_m": 3500`, `"altitud_m": 1e999`}, "volcanes[0].altitud_m", "1e999", "de -100 a 7000"},
		{"length zero", replacement{`"largo_km": 16`, `"largo_km": 0`}, "senderos[0].largo_km", `0, "dif`, "fuera de lo posible"},
		{"distance", replacement{`11.5`, `-1`}, "volcanes[0].parques[0].distancia_km", "-1}", "de 0 a 1000"},
		{"slug with capitals", replacement{`"slug": "bajo"`, `"slug": "Bajo"`}, "senderos[2].slug", `"Bajo", "parque"`, "letras a-z"},
		{"slug with hyphens at an end", replacement{`"slug": "bajo"`, `"slug": "bajo-"`}, "senderos[2].slug", `"bajo-"`, "letras a-z"},
		{"slug too long", replacement{`"slug": "bajo"`, `"slug": "` + strings.Repeat("a", 65) + `"`}, "senderos[2].slug", `"aaaa`, "64"},
		{"empty slug", replacement{`"slug": "bajo"`, `"slug": ""`}, "senderos[2].slug", `"", "parque"`, "falta este campo"},
		{"trail repeated in its park", replacement{`"slug": "bajo"`, `"slug": "alto"`}, "senderos[2].slug", `"alto", "parque": "nandu", "nombre": "Bajo"`, "otro sendero"},
		{"volcano's park", replacement{`"parque": "nandu", "distancia`, `"parque": "otro", "distancia`}, "volcanes[0].parques[0].parque", `"otro"`, "ningún parque"},
		{"park twice at a volcano", replacement{`11.5}`, `11.5}, {"parque": "nandu", "distancia_km": 3}`}, "volcanes[0].parques[1].parque", `"nandu", "distancia_km": 3`, "ya está"},
		{"volcano twice", replacement{`"volcanes": [`, `"volcanes": [{"slug": "fumarola", "nombre": "F", "latitud": -35, "longitud": -70, "altitud_m": 1, "vigilado": false},`}, "volcanes[1].slug", `"fumarola", "nombre": "Fumarola"`, "otro volcán"},
		{"park kind", replacement{`"reserva_nacional"`, `"reserva"`}, "parques[0].tipo", `"reserva"`, "monumento_natural"},
		{"trail kind", replacement{`"travesia"`, `"ida"`}, "senderos[1].tipo", `"ida"`, "ida_y_vuelta, circuito, travesia"},
		{"difficulty", replacement{`"alta"`, `"Alta"`}, "senderos[0].dificultad", `"Alta"`, "muy_alta"},
		{"climate zone", replacement{`"austral"`, `"patagonia"`}, "senderos[0].zona_clima", `"patagonia"`, "arido, centro, sur, austral"},
		{"climate zone without a word", replacement{`"austral"`, `""`}, "senderos[0].zona_clima", `"", "remota"`, "arido, centro, sur, austral"},
		{"exposure", replacement{`"costa"`, `"playa"`}, "senderos[1].puntos[0].exposicion", `"playa"}`, "cresta_paso"},
		{"two critical points", replacement{`"cresta_paso"`, `"cresta_paso", "critico": true`}, "senderos[0].puntos[2]", `{"nombre": "Cumbre"`, "más de un punto crítico"},
		{"too many points", replacement{`[{"nombre": "Playa",`, `[` + strings.Repeat(`{"nombre": "P", "latitud": 1, "longitud": 1, "altitud_m": 1, "exposicion": "costa"},`, 100) + `{"nombre": "Playa",`}, "senderos[1].puntos", `[{"nombre": "P"`, "101 elementos; se admiten hasta 100"},
		{"no points", replacement{`[{"nombre": "Playa", "latitud": -29.5, "longitud": -71, "altitud_m": 0, "exposicion": "costa"}]`, `[]`}, "senderos[1].puntos", `[]`, "al menos 1"},
		{"time zone", replacement{`"Pacific/Easter"`, `"Pacific/Rapa_Nui"`}, "parques[1].zona_horaria", `"Pacific/Rapa_Nui"`, "zona horaria"},
		{"machine's time zone", replacement{`"Pacific/Easter"`, `"Local"`}, "parques[1].zona_horaria", `"Local"`, "zona horaria"},
		{"time zone that leaves its folder", replacement{`"Pacific/Easter"`, `"../etc/passwd"`}, "parques[1].zona_horaria", `"../etc`, "zona horaria"},
		{"date", replacement{`2026-11-01`, `2026-02-30`}, "parques[0].administrador.verificado_en", `"2026-02-30"`, "AAAA-MM-DD"},
		{"address", replacement{`https://example.cl`, `javascript:alert(1)//`}, "parques[0].url", `"javascript`, "http"},
		{"address with a user", replacement{`https://example.cl`, `https://a:b@example.cl`}, "parques[0].url", `"https://a:b@`, "http"},
		{"phone", replacement{`+56 2 2345`, `llame al 133`}, "telefonos_emergencia[0].numero", `"llame`, "número de teléfono"},
		{"markup", replacement{`"Guardería"`, `"<b>Guardería</b>"`}, "telefonos_emergencia[0].nombre", `"<b>`, "< o >"},
		{"end of markup", replacement{`"Guardería"`, `"a>b"`}, "telefonos_emergencia[0].nombre", `"a>b"`, "< o >"},
		{"control character", replacement{`"De día."`, `"De\u0000día."`}, "telefonos_emergencia[0].nota", `"De\u0000`, `\x00`},
		{"invisible character", replacement{`"De día."`, `"De\u202edía."`}, "telefonos_emergencia[0].nota", `"De\u202e`, `\u202e`},
		{"half of a character", replacement{`"De día."`, `"De \ud800"`}, "telefonos_emergencia[0].nota", `"De \ud800`, `\ufffd`},
		{"blank", replacement{`"Guardería"`, `"   "`}, "telefonos_emergencia[0].nombre", `"   "`, "falta este campo"},
		{"text too long", replacement{`"Playa", "tipo"`, `"` + strings.Repeat("ñ", 121) + `", "tipo"`}, "senderos[1].nombre", `"ññ`, "121 caracteres; se admiten hasta 120"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if strings.Count(full, test.old) == 0 {
				t.Fatalf("%q is not in the example", test.old)
			}
			text := strings.Replace(full, test.old, test.new, 1)
			faults := faultsOf(t, text)
			if len(faults) != 1 {
				t.Fatalf("faults = %+v, want one", faults)
			}
			f := faults[0]
			if f.Field != test.path || !strings.Contains(f.Problem, test.say) {
				t.Errorf("fault = %+v, want path %s and %q", f, test.path, test.say)
			}
			if line, column := position(t, text, test.at); f.Line != line || f.Column != column {
				t.Errorf("fault at %d:%d, want %d:%d", f.Line, f.Column, line, column)
			}
		})
	}
}

func TestParkFaults(t *testing.T) {
	repeated := strings.Replace(full, `"slug": "nube"`, `"slug": "nandu"`, 1)
	faults := faultsOf(t, repeated)
	if len(faults) != 2 || faults[0].Field != "parques[1].slug" || faults[1].Field != "senderos[1].parque" {
		t.Errorf("faults = %+v, want the repeated park and the trail whose park is gone", faults)
	}
	walked := strings.Replace(full, `"slug": "playa", "parque": "nube"`, `"slug": "playa", "parque": "nandu"`, 1)
	faults = faultsOf(t, walked)
	if len(faults) != 1 || faults[0].Field != "parques[1]" || !strings.Contains(faults[0].Problem, "Sector de visita") {
		t.Errorf("faults = %+v, want the park without trails and the cure", faults)
	}
	wrongSlug := strings.NewReplacer(`"nube"`, `"NUBE"`).Replace(full)
	faults = faultsOf(t, wrongSlug)
	if len(faults) != 1 || faults[0].Field != "parques[1].slug" {
		t.Errorf("faults = %+v, want only the slug: its trail refers to it rightly", faults)
	}
}

func TestEmptyCatalogue(t *testing.T) {
	faults := faultsOf(t, `{"parques": [], "senderos": []}`)
	if len(faults) != 2 || faults[0].Field != "parques" || faults[1].Field != "senderos" {
		t.Errorf("faults = %+v, want both lists", faults)
	}
	faults = faultsOf(t, `{}`)
	if len(faults) != 2 || faults[0].Field != "parques" || faults[1].Field != "senderos" {
		t.Errorf("faults = %+v, want both fields missing", faults)
	}
	faults = faultsOf(t, strings.Replace(least, `"parques"`, `"parks"`, 1))
	if len(faults) != 2 || faults[0].Field != "parques" || faults[1].Field != "parks" {
		t.Errorf("faults = %+v, want the field missing and the unknown one, not every trail", faults)
	}
}

func TestEveryFaultIsNamed(t *testing.T) {
	text := strings.NewReplacer(
		`"nombre": "Bajo"`, `"nombre": null`, `"altitud_m": 3500`, `"altitud_m": 9000`, `"vigilado": true`, `"vigilado": 1`,
		`"zona_clima": "austral"`, `"zona": "austral"`, `"Guardería"`, `" "`,
	).Replace(full)
	_, err := Parse("prueba.json", []byte(text))
	message := err.Error()
	for _, path := range []string{
		"telefonos_emergencia[0].nombre", "senderos[0].zona", "senderos[2].nombre", "volcanes[0].altitud_m", "volcanes[0].vigilado",
	} {
		if !strings.Contains(message, ": "+path+": ") {
			t.Errorf("%s is not named in:\n%s", path, message)
		}
	}
	if got := strings.Count(message, "\nprueba.json:"); got != 5 {
		t.Errorf("%d lines, want 5:\n%s", got, message)
	}
}
