package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"vigia/forecast/hazard"
	"vigia/web/wording"
)

var update = flag.Bool("update", false, "write openapi.json anew")

// TestDocumentIsMadeFromTheTypes makes the document from the types of this package, the
// words of web/es.json and the operations of operations_test.go, and compares it with
// openapi.json; with -update it writes that file.
func TestDocumentIsMadeFromTheTypes(t *testing.T) {
	made, err := json.MarshalIndent(makeDocument(t), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	made = append(made, '\n')
	if *update {
		if err := os.WriteFile("openapi.json", made, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(made, openAPI) {
		t.Error("openapi.json is not what the types give: run go generate ./handlers/api")
	}
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		fmt.Fprintf(&b, "%q:%s", m.name, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (o *object) add(name string, value any) { *o = append(*o, member{name, value}) }

// resources are the types that have a name of their own in the document, in its order.
// Others stand where they are used.
var resources = []struct {
	name string
	of   reflect.Type
}{
	{"Tiempo", reflect.TypeFor[Weather]()}, {"TiempoDelDia", reflect.TypeFor[WeatherDay]()}, {"UV", reflect.TypeFor[UV]()}, {"HorasDeUV", reflect.TypeFor[UVHours]()}, {"Causa", reflect.TypeFor[Cause]()}, {"EstimacionDeAmenaza", reflect.TypeFor[HazardOfHour]()},
	{"Variables", reflect.TypeFor[Variables]()}, {"Modelo", reflect.TypeFor[ModelRun]()},
	{"Estimacion", reflect.TypeFor[Estimate]()}, {"EstimacionSinModelos", reflect.TypeFor[ForecastHour]()},
	{"Punto", reflect.TypeFor[Point]()}, {"ResumenDia", reflect.TypeFor[Day]()}, {"Ventana", reflect.TypeFor[Window]()},
	{"Sendero", reflect.TypeFor[Trail]()}, {"Parque", reflect.TypeFor[Park]()}, {"Cambio", reflect.TypeFor[Change]()},
	{"AmenazaDeAlerta", reflect.TypeFor[HazardOfAlert]()}, {"Alerta", reflect.TypeFor[Alert]()}, {"AlertaVolcanica", reflect.TypeFor[VolcanicAlert]()}, {"Cierre", reflect.TypeFor[Closure]()},
	{"Telefono", reflect.TypeFor[EmergencyNumber]()}, {"Fuente", reflect.TypeFor[Source]()},
	{"ParqueDetalle", reflect.TypeFor[ParkDetail]()}, {"FilaHistorial", reflect.TypeFor[PastHour]()},
	{"Historial", reflect.TypeFor[History]()}, {"Pronostico", reflect.TypeFor[Forecast]()},
	{"Umbral", reflect.TypeFor[Threshold]()}, {"Umbrales", reflect.TypeFor[Thresholds]()},
	{"Precision", reflect.TypeFor[Precision]()}, {"Salud", reflect.TypeFor[Health]()},
	{"PeticionDeSuscripcion", reflect.TypeFor[NewSubscription]()}, {"SuscripcionPendiente", reflect.TypeFor[PendingSubscription]()},
	{"SuscripcionActiva", reflect.TypeFor[ActiveSubscription]()}, {"SuscripcionCancelada", reflect.TypeFor[CancelledSubscription]()},
	{"Suscripcion", reflect.TypeFor[Subscription]()}, {"ClavePublica", reflect.TypeFor[PublicKey]()},
}

// words are the named texts of the API, with the values that they may have.
var words = []struct {
	name   string
	of     reflect.Type
	schema jsonschema.Schema
}{
	{"Estado", reflect.TypeFor[State](), stateSchema},
	{"Nivel", reflect.TypeFor[Level](), oneOf("precaucion", "peligro")},
	{"Calidad", reflect.TypeFor[Quality](), oneOf(stringsOf(hazard.Complete, hazard.Partial, hazard.Stale, hazard.NoData)...)},
	{"Confianza", reflect.TypeFor[Confidence](), oneOf(stringsOf(hazard.High, hazard.Medium, hazard.Low)...)},
	{"Amenaza", reflect.TypeFor[Hazard](), oneOf(hazardNames()...)},
	{"MotivoSinEstado", reflect.TypeFor[StateReason](), oneOf(string(hazard.NoRuns), string(hazard.PartialData), string(hazard.FewModels),
		string(hazard.DataTooOld), string(hazard.EstimateOver), string(hazard.BeyondHorizon), string(hazard.OnlyTendency), string(hazard.ClockSuspect))},
	{"Slug", reflect.TypeFor[Slug](), jsonschema.Schema{Type: "string", Pattern: "^[a-z0-9]+(-[a-z0-9]+)*$"}},
	{"NombreSendero", reflect.TypeFor[TrailName](), jsonschema.Schema{Type: "string", Pattern: "^[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$"}},
}

func hazardNames() (names []string) {
	for h := range hazard.Hazard(hazard.NumHazards) {
		names = append(names, h.String())
	}
	return names
}

// stateSchema says what green is not.
var stateSchema = func() jsonschema.Schema {
	s := oneOf(stringsOf(hazard.Green, hazard.Amber, hazard.Red)...)
	s.Description = "verde: los modelos no muestran señales de riesgo; no significa que falte el riesgo. null: sin datos; el motivo está en motivo_sin_estado."
	return s
}()

func stringsOf[T fmt.Stringer](values ...T) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = v.String()
	}
	return list
}

func oneOf(values ...string) jsonschema.Schema {
	s := jsonschema.Schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, v)
	}
	return s
}

func reference(kind, name string) string { return "#/components/" + kind + "/" + name }

// references are the schemas that stand for the named types within others.
var references = func() map[reflect.Type]*jsonschema.Schema {
	all := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Time](): {Type: "string", Format: "date-time", Pattern: "Z$"},
	}
	for _, r := range resources {
		all[r.of] = &jsonschema.Schema{Ref: reference("schemas", r.name)}
	}
	for _, w := range words {
		all[w.of] = &jsonschema.Schema{Ref: reference("schemas", w.name)}
	}
	return all
}()

// schemaOf returns the schema of a type, with references to the named ones within it.
func schemaOf(t testing.TB, of reflect.Type, name string) *jsonschema.Schema {
	t.Helper()
	known := maps.Clone(references)
	if name != "" {
		delete(known, of)
		for field := range of.Fields() {
			if field.Anonymous {
				delete(known, field.Type)
			}
		}
	}
	s, err := jsonschema.ForType(of, &jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		t.Fatalf("%s: %v", of, err)
	}
	if of.Kind() == reflect.Slice {
		s.Type, s.Types = "array", nil
	}
	if name != "" {
		describe(t, s, of, []string{name})
		s.Description = wording.Spanish.Text("api.recurso." + name)
	}
	return s
}

// describe adds to the schema of a struct what the tags and the words of its fields say.
// path leads to it from the resource that it belongs to.
func describe(t testing.TB, s *jsonschema.Schema, of reflect.Type, path []string) {
	t.Helper()
	var required []string
	for _, field := range reflect.VisibleFields(of) {
		name := strings.Split(field.Tag.Get("json"), ",")[0]
		p := s.Properties[name]
		if p == nil || field.Anonymous {
			continue
		}
		here := append(slices.Clone(path), name)
		constrain(t, p, field)
		p.Description = wording.Spanish.Text(fieldKey(here))
		if field.Tag.Get("required") != "" {
			required = append(required, name)
		}
		inner, within := p, field.Type
		for within.Kind() == reflect.Pointer || within.Kind() == reflect.Slice {
			if within.Kind() == reflect.Slice {
				inner = inner.Items
			}
			within = within.Elem()
		}
		if inner.Properties != nil {
			describe(t, inner, within, here)
		}
	}
	if required != nil { // where a struct says what is, the rest is not
		s.Required = required
	}
}

// fieldKey is the key of the words on a field: of its place in the resource as far as
// there is one, else of its name.
func fieldKey(path []string) string {
	resource, parts := path[0], path[1:]
	name := parts[len(parts)-1]
	near := strings.Join(parts[max(0, len(parts)-2):], ".")
	for _, key := range []string{strings.Join(path, "."), resource + "." + near, resource + "." + name, near} {
		if wording.Spanish.Has("api.campo." + key) {
			return "api.campo." + key
		}
	}
	return "api.campo." + name
}

// constrain adds what the tags of a field say of its values.
func constrain(t testing.TB, s *jsonschema.Schema, field reflect.StructField) {
	t.Helper()
	tag := field.Tag.Get
	if s.Ref != "" && slices.Contains(s.Types, "null") {
		*s = jsonschema.Schema{OneOf: []*jsonschema.Schema{{Ref: s.Ref}, {Type: "null"}}}
	}
	switch nullable := tag("nullable") != ""; {
	case nullable && s.Type != "":
		s.Types, s.Type = []string{"null", s.Type}, ""
	case !nullable && field.Type.Kind() == reflect.Slice:
		s.Types, s.Type = nil, "array"
	}
	s.Format, s.Pattern = cmp.Or(tag("format"), s.Format), cmp.Or(tag("pattern"), s.Pattern)
	if tag("enum") != "" {
		s.Enum = oneOf(strings.Split(tag("enum"), ",")...).Enum
		if slices.Contains(s.Types, "null") {
			s.Enum = append(s.Enum, nil)
		}
	}
	if text := tag("const"); text != "" {
		var value any = text
		if s.Type == "boolean" {
			value = text == "true"
		}
		s.Const = &value
	}
	if text := tag("default"); text != "" {
		s.Default = json.RawMessage(strconv.Quote(text))
	}
	for name, at := range map[string]**float64{"minimum": &s.Minimum, "maximum": &s.Maximum} {
		if text := tag(name); text != "" {
			*at = new(parseFloat(t, text))
		}
	}
	for name, at := range map[string]**int{"minItems": &s.MinItems, "maxItems": &s.MaxItems, "minLength": &s.MinLength, "maxLength": &s.MaxLength} {
		if text := tag(name); text != "" {
			*at = new(int(parseFloat(t, text)))
		}
	}
}

func parseFloat(t testing.TB, text string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// makeSchemas returns the named schemas.
func makeSchemas(t testing.TB) (all object) {
	t.Helper()
	for _, w := range words {
		all.add(w.name, w.schema)
	}
	for _, r := range resources {
		s := schemaOf(t, r.of, r.name)
		if r.of == reflect.TypeFor[NewSubscription]() {
			askForOneChannel(s)
		}
		all.add(r.name, s)
	}
	fault := envelope(jsonschema.Schema{Type: "null"}, jsonschema.Schema{
		Type: "string", Pattern: "^[a-z_]+: .+", Description: wording.Spanish.Text("api.campo.error"),
	})
	fault.Description = wording.Spanish.Text("api.recurso.Error")
	all.add("Error", fault)
	return all
}

// askForOneChannel adds what the tags of NewSubscription cannot say: either address, and the names
// of places.
func askForOneChannel(s *jsonschema.Schema) {
	s.Properties["parques"].Items = &jsonschema.Schema{Ref: reference("schemas", "Slug")}
	s.Properties["senderos"].Items = &jsonschema.Schema{Type: "string", Pattern: "^([a-z0-9]+(-[a-z0-9]+)*/)?[a-z0-9]+(-[a-z0-9]+)*$"}
	s.Properties["amenazas"].Items = &jsonschema.Schema{Ref: reference("schemas", "Amenaza")}
	for _, channel := range []struct{ own, other, kind string }{{"email", "webpush", "string"}, {"webpush", "email", "object"}} {
		var name any = channel.own
		s.OneOf = append(s.OneOf, &jsonschema.Schema{
			Properties: map[string]*jsonschema.Schema{"canal": {Const: &name}, channel.own: {Type: channel.kind}, channel.other: {Type: "null"}},
			Required:   []string{channel.own},
		})
	}
}

// envelope returns the schema of an answer that carries data.
func envelope(data, fault jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
		Required: []string{"data", "error", "ts"}, PropertyOrder: []string{"data", "error", "ts"},
		Properties: map[string]*jsonschema.Schema{"data": &data, "error": &fault, "ts": {
			Type: "string", Format: "date-time", Pattern: `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`,
			Description: wording.Spanish.Text("api.campo.ts"),
		}},
	}
}
