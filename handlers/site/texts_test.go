package site

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/notices"
	"vigia/store/subscription"
	"vigia/web"
	"vigia/web/wording"
)

// modelIDs are those of the models that are asked for unless somebody says otherwise.
var modelIDs = []string{"ecmwf_ifs", "ncep_gfs_global", "dwd_icon_global", "cmc_gem_gdps"}

// families are the keys that are made of a prefix and a name, by prefix.
func families(t *testing.T) map[string][]string {
	f := map[string][]string{
		"estado.":        {"nada"},
		"motivo.":        {"sin_corridas", "datos_parciales", "pocos_modelos", "datos_vencidos", "estimacion_vencida", "fuera_de_plazo", "tendencia", "reloj_no_confiable"},
		"calidad.":       {hazard.Partial.String(), hazard.Stale.String()},
		"tipo_parque.":   {},
		"tipo_sendero.":  {},
		"dificultad.":    {"baja", "media", "alta", "muy_alta"},
		"zona.":          {"UTC"},
		"modelo.":        modelIDs,
		"rumbo.":         {"n", "ne", "e", "se", "s", "so", "o", "no"},
		"rumbo_corto.":   {"n", "ne", "e", "se", "s", "so", "o", "no"},
		"metodo.falta.":  modelIDs,
		"modelo_estado.": {"ok", "atrasado", "vencido", "sin_datos"},
		"tabla.":         {"temperatura", "sensacion", "viento", "racha", "precipitacion", "nieve", "isoterma", "visibilidad", "uv"},
	}
	f["rumbo_corto."] = f["rumbo."]
	f["dias."] = dayKeys[:]
	f["motivo_corto."] = f["motivo."]
	for _, code := range []int{0, 1, 2, 3, 45, 48, 51, 53, 55, 56, 57, 61, 63, 65, 66, 67, 71, 73, 75, 77, 80, 81, 82, 85, 86, 95, 96, 99} {
		f["cielo."] = append(f["cielo."], strconv.Itoa(code)) // those that the provider uses
	}
	for x := range hazard.NumExposures {
		f["exposicion."] = append(f["exposicion."], hazard.Exposure(x).String())
	}
	for _, name := range []string{"pendiente", "correo_apagado", "no_se_pudo", "demasiadas", "ajena", "metodo", "forma", "confirmada",
		"ya_confirmada", "enlace_desconocido", "gestion_desconocida", "no_fui_yo", "cancelada"} {
		f["resultado."] = append(f["resultado."], name+".titulo", name+".texto")
	}
	f["push.estado."] = pushStates
	f["campo."] = []string{"parques", "senderos", "nivel_minimo", "idioma", "viaje", "silencio", "amenazas", "consentimiento", "email"}
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
	for l := notices.Green; l <= notices.Red; l++ {
		f["volcan.nivel."] = append(f["volcan.nivel."], l.String())
	}
	f["cierre."] = []string{"cerrado", "restringido"}
	for c := hazard.Low; c <= hazard.High; c++ {
		f["confianza."] = append(f["confianza."], c.String())
		f["metodo.confianza."] = append(f["metodo.confianza."], c.String())
	}
	for _, state := range statesWorstFirst {
		f["portada.grupo."] = append(f["portada.grupo."], wording.StateKey(state))
	}
	f["senal."], f["verde."] = []string{"votos", "breve"}, []string{"votos.uno", "votos.otros", "breve.uno", "breve.otros"}
	f["mapa.js."] = []string{"nombre", "cargando", "fallo", "sin_datos", "vencido", "continente", "acercar", "alejar", "varios", "hasta", "dia"}
	f["carta.zona."] = []string{"norte", "centro", "sur", "austral"}
	f["alertas.nivel."] = []string{"peligro.uno", "peligro.otros", "precaucion.uno", "precaucion.otros"}
	for h := range hazard.NumHazards {
		f["amenaza."] = append(f["amenaza."], hazard.Hazard(h).String())
	}
	f["consejo."], f["metodo.que."], f["metodo.fuente."] = f["amenaza."], f["amenaza."], f["amenaza."]
	for e := range hazard.NumExposures {
		f["metodo.exposicion."] = append(f["metodo.exposicion."], hazard.Exposure(e).String())
	}
	for _, z := range hazard.Zones() {
		f["metodo.zona."] = append(f["metodo.zona."], z.String())
	}
	for c := hazard.HighUV; c.String() != ""; c++ {
		f["uv.clase."] = append(f["uv.clase."], c.String())
	}
	for q := range hazard.Lead + 1 {
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
	f["precision.variable."] = []string{"racha_kmh", "viento_kmh", "temperatura_c", "precipitacion_mm"}
	f["precision.unidad."] = f["precision.variable."]
	for prefix, names := range contractKeys() {
		f[prefix] = append(f[prefix], names...)
	}
	f["titulo."] = pageNames(t)
	f["descripcion."] = f["titulo."]
	return f
}

// pageNames are the names of the pages' templates, and the second of the first page.
func pageNames(t *testing.T) []string {
	names := []string{"portada_dia"}
	for _, page := range pageTemplate.FindAllStringSubmatch(templateSource(t), -1) {
		names = append(names, page[1])
	}
	return names
}

// pageTemplate is the template of a page.
var pageTemplate = regexp.MustCompile(`{{define "([a-z_]+)"}}{{template "inicio" .}}`)

// templateSource returns all templates, one after the other.
func templateSource(t *testing.T) string {
	t.Helper()
	names, err := fs.Glob(web.Files, "templates/*.html")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	if content, err := os.ReadFile("testdata/reference.html"); err == nil {
		all.Write(content)
	}
	for _, name := range names {
		content, err := fs.ReadFile(web.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(content)
	}
	return all.String()
}

// readers are the files of Go that ask for texts by their keys.
func readers(t *testing.T) (files []string) {
	files = []string{"../api/documents.go"} // elsewhere in the API what looks like a key is a field
	for _, folder := range []string{".", "..", "../feeds", "../forms", "../../web/wording", "../../notify/mail", "../../notify/push"} {
		found, err := filepath.Glob(folder + "/*.go")
		if err != nil || len(found) == 0 {
			t.Fatal(folder, err)
		}
		files = append(files, found...)
	}
	made := []string{"reference_page_test.go", "resources_test.go"} // they make a page that the program carries
	return append(slices.DeleteFunc(files, func(file string) bool { return strings.HasSuffix(file, "_test.go") }), made...)
}

// wantedKeys are all keys that templates and code ask for.
func wantedKeys(t *testing.T) map[string]bool {
	wanted := make(map[string]bool)
	for prefix, names := range families(t) {
		for _, name := range names {
			wanted[prefix+name] = true
		}
	}
	key := regexp.MustCompile(`"([a-z_]+(?:\.[a-z0-9_]+)+)"`)
	counted := regexp.MustCompile(`Count\("([a-z_.]+)"`)
	read := func(source string) {
		for _, match := range counted.FindAllStringSubmatch(source, -1) {
			wanted[match[1]+".uno"], wanted[match[1]+".otros"] = true, true
		}
		for _, match := range key.FindAllStringSubmatch(counted.ReplaceAllString(source, ""), -1) {
			wanted[match[1]] = true
		}
	}
	read(templateSource(t))
	for _, file := range readers(t) {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		read(string(source))
	}
	for file := range newSite(t).named {
		delete(wanted, file)
	}
	for _, name := range []string{workerFile, "mail.html", "mail.txt"} { // files, not keys
		delete(wanted, name)
	}
	for _, threshold := range hazard.DefaultRules().Thresholds() {
		delete(wanted, threshold.Key)
	}
	return wanted
}

func TestEveryKeyExistsAndIsUsed(t *testing.T) {
	wanted := wantedKeys(t)
	for _, l := range locales {
		for key := range wanted {
			if !l.words.Has(key) {
				t.Errorf("no text for %q in %s", key, l.Code)
			}
		}
		for key := range l.words.Keys() {
			if !wanted[key] {
				t.Errorf("nothing uses %q in %s", key, l.Code)
			}
		}
	}
}

func TestTextsHaveNoForbiddenWords(t *testing.T) {
	for key := range wording.Spanish.Keys() {
		if found := officialWord(wording.Spanish.Text(key)); found != "" {
			t.Errorf("%s says %q", key, found)
		}
	}
	for _, bad := range []string{"es seguro", "Alerta amarilla", "sendero cerrado", "cerrado según los modelos", "Botón Rojo", "Recibir avisos"} {
		if officialWord(bad) == "" {
			t.Errorf("the list does not find %q", bad)
		}
	}
}
