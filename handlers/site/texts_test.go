package site

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/subscription"
	"vigia/web"
)

// modelIDs are those of the models that are asked for unless somebody says otherwise.
var modelIDs = []string{"ecmwf_ifs", "ncep_gfs_global", "dwd_icon_global", "cmc_gem_gdps"}

// families are the keys that are made of a prefix and a name, by prefix.
func families() map[string][]string {
	f := map[string][]string{
		"estado.":        {"nada"},
		"motivo.":        {"sin_corridas", "datos_parciales", "datos_vencidos", "estimacion_vencida", "fuera_de_plazo", "reloj_no_confiable"},
		"calidad.":       {hazard.Partial.String(), hazard.Stale.String()},
		"tipo_parque.":   {},
		"tipo_sendero.":  {},
		"dificultad.":    {"baja", "media", "alta", "muy_alta"},
		"zona.":          {"UTC"},
		"modelo.":        modelIDs,
		"metodo.falta.":  modelIDs,
		"modelo_estado.": {"ok", "atrasado", "vencido", "sin_datos"},
		"mediana.":       {"temperatura", "sensacion", "viento", "racha", "precipitacion", "nieve", "isoterma", "visibilidad", "uv"},
	}
	f["motivo_corto."] = f["motivo."]
	f["tabla."] = f["mediana."]
	for x := range hazard.NumExposures {
		f["exposicion."] = append(f["exposicion."], hazard.Exposure(x).String())
	}
	for _, name := range []string{"pendiente", "correo_apagado", "no_se_pudo", "demasiadas", "ajena", "metodo", "forma", "confirmada",
		"ya_confirmada", "enlace_desconocido", "gestion_desconocida", "no_fui_yo", "cancelada"} {
		f["resultado."] = append(f["resultado."], name+".titulo", name+".texto")
	}
	f["push.estado."] = pushStates
	f["campo."] = formFields
	f["falta."] = []string{"campo", "parques", "email", "consentimiento", "viaje", "silencio"}
	f["norma."] = []string{"parques", "senderos", "nivel_minimo", "viaje", "silencio", "amenazas", "idioma", "email"}
	f["idioma."] = []string{subscription.Spanish.String(), subscription.English.String()}
	f["precision.desde."] = []string{hazard.Amber.String(), hazard.Red.String()}
	f["precision.nulo."] = []string{"sin_eventos", "sin_pronosticos", "muestra_insuficiente"}
	f["precision.situacion."] = []string{store.StageNone, store.StagePreliminary, store.StageStable}
	for _, tier := range store.Tiers {
		f["precision.referencia."] = append(f["precision.referencia."], tier.String())
		f["precision.que."] = append(f["precision.que."], tier.String())
	}
	for s := hazard.Green; s <= hazard.Red; s++ {
		f["estado."] = append(f["estado."], s.String())
	}
	for c := hazard.Low; c <= hazard.High; c++ {
		f["confianza."] = append(f["confianza."], c.String())
		f["metodo.confianza."] = append(f["metodo.confianza."], c.String())
	}
	for _, state := range statesWorstFirst {
		f["portada.grupo."] = append(f["portada.grupo."], levelKey(state))
	}
	f["mapa.js."] = []string{"nombre", "cargando", "fallo", "sin_datos", "vencido", "vence", "por", "continente", "acercar", "alejar"}
	f["alertas.nivel."] = []string{"peligro.uno", "peligro.otros", "precaucion.uno", "precaucion.otros"}
	for h := range hazard.NumHazards {
		f["alerta.considere."] = append(f["alerta.considere."], hazard.Hazard(h).String())
		f["amenaza."] = append(f["amenaza."], hazard.Hazard(h).String())
	}
	f["metodo.que."], f["metodo.fuente."] = f["amenaza."], f["amenaza."]
	for e := range hazard.NumExposures {
		f["metodo.exposicion."] = append(f["metodo.exposicion."], hazard.Exposure(e).String())
	}
	for _, z := range hazard.Zones() {
		f["metodo.zona."] = append(f["metodo.zona."], z.String())
	}
	for q := range hazard.TemperatureQuantity + 1 {
		f["cantidad."] = append(f["cantidad."], q.String())
	}
	for l := alert.Caution; l <= alert.Danger; l++ {
		f["nivel."], f["nivel_minimo."] = append(f["nivel."], l.String()), append(f["nivel_minimo."], l.String())
	}
	for p := alert.Scheduled; p <= alert.Finished; p++ {
		f["situacion."] = append(f["situacion."], p.String())
	}
	c := catalogue.Default()
	for _, p := range c.Parks {
		f["tipo_parque."] = append(f["tipo_parque."], p.Kind)
		f["zona."] = append(f["zona."], p.ZoneName)
	}
	for _, trail := range c.Trails {
		f["tipo_sendero."] = append(f["tipo_sendero."], trail.Kind)
	}
	for prefix, names := range contractKeys() {
		f[prefix] = append(f[prefix], names...)
	}
	for _, name := range pageTemplates {
		f["titulo."], f["descripcion."] = append(f["titulo."], name), append(f["descripcion."], name)
	}
	return f
}

// wantedKeys are all keys that templates and code ask for.
func wantedKeys(t *testing.T) map[string]bool {
	wanted := make(map[string]bool)
	for prefix, names := range families() {
		for _, name := range names {
			wanted[prefix+name] = true
		}
	}
	key := regexp.MustCompile(`"([a-z_]+(?:\.[a-z0-9_]+)+)"`)
	counted := regexp.MustCompile(`count\("([a-z_.]+)"`)
	read := func(source string) {
		for _, match := range counted.FindAllStringSubmatch(source, -1) {
			wanted[match[1]+".uno"], wanted[match[1]+".otros"] = true, true
		}
		for _, match := range key.FindAllStringSubmatch(counted.ReplaceAllString(source, ""), -1) {
			wanted[match[1]] = true
		}
	}
	for _, file := range templateFiles(append(slices.Clone(sharedTemplates), pageTemplates...)) {
		source, err := fs.ReadFile(web.Files, file)
		if err != nil {
			t.Fatal(err)
		}
		read(string(source))
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		read(string(source))
	}
	for file := range newSite(t).named {
		delete(wanted, file)
	}
	delete(wanted, workerFile)
	for _, threshold := range hazard.DefaultRules().Thresholds() {
		delete(wanted, threshold.Key)
	}
	return wanted
}

func TestEveryKeyExistsAndIsUsed(t *testing.T) {
	words, wanted := newSite(t).languages[0].texts, wantedKeys(t)
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		if strings.TrimSpace(words.words[key]) == "" {
			t.Errorf("no text for %q", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(words.words)) {
		if !wanted[key] {
			t.Errorf("nothing uses %q", key)
		}
	}
}

// forbidden are words that are those of official bodies, and promises that a
// model cannot make.
var forbidden = regexp.MustCompile(`(?i)\bsegur[oa]s?\b|\bseguridad garantizada|alerta (temprana|amarilla|roja|verde)|(aviso|alerta|alarma) meteorol|bot[oó]n rojo|` +
	`\bavisos?\b|\bcierres?\b|\bcerrad[oa]s?\b|\bevacu|\bprohibid|\bexact[oa]s?\b|\balarma\b|\bprobabilidad de \d`)

// unofficial is what every page says of itself.
var unofficial = regexp.MustCompile(`No (es un aviso oficial|son avisos oficiales)`)

// officialWord gives what stands in a text and is forbidden, "" for nothing.
func officialWord(text string) string {
	return forbidden.FindString(unofficial.ReplaceAllString(text, ""))
}

func TestTextsHaveNoForbiddenWords(t *testing.T) {
	for key, text := range newSite(t).languages[0].words {
		if found := officialWord(text); found != "" {
			t.Errorf("%s says %q", key, found)
		}
	}
	for _, bad := range []string{"es seguro", "Alerta amarilla", "sendero cerrado", "Botón Rojo", "Recibir avisos"} {
		if officialWord(bad) == "" {
			t.Errorf("the list does not find %q", bad)
		}
	}
}

func TestSayFillsPlaces(t *testing.T) {
	words := texts{words: map[string]string{"a": "{n} de {m}: {n}", "c.uno": "un {n}", "c.otros": "{n} cosas"}}
	for got, want := range map[string]string{
		words.say("a", "n", 3, "m", "{n}"): "3 de {n}: 3",
		words.say("falta"):                 "falta",
		words.count("c", 1):                "un 1",
		words.count("c", 0):                "0 cosas",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if _, err := parseTexts(tongues[0], []byte("[]")); err == nil {
		t.Error("a list passed for texts")
	}
}
