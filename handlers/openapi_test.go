package handlers

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// document is openapi.json with a compiler that finds its schemas.
type document struct {
	root     map[string]any
	compiler *jsonschema.Compiler
}

func documentText(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile("api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

const documentURL = "file:///openapi.json"

func openDocument(t testing.TB) *document {
	t.Helper()
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(documentText(t)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource(documentURL, root); err != nil {
		t.Fatal(err)
	}
	return &document{root: root.(map[string]any), compiler: compiler}
}

// check validates a value against the schema at a JSON pointer.
func (d *document) check(t *testing.T, what, pointer string, value any) {
	t.Helper()
	schema, err := d.compiler.Compile(documentURL + "#" + pointer)
	if err != nil {
		t.Fatalf("%s: schema %s: %v", what, pointer, err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s: %v", what, shorten(err))
	}
}

func shorten(err error) string {
	text := err.Error()
	return text[:min(len(text), 1500)]
}

func escapePointer(s string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(s)
}

// operations gives each path of the document with each method that it names.
func (d *document) operations() (all []operation) {
	for path, item := range d.root["paths"].(map[string]any) {
		for method := range item.(map[string]any) {
			if method != "parameters" {
				all = append(all, operation{path, method})
			}
		}
	}
	return all
}

type operation struct{ path, method string } // the method in lower case

func (o operation) String() string { return strings.ToUpper(o.method) + " " + o.path }

func (d *document) responses(o operation) map[string]any {
	item := d.root["paths"].(map[string]any)[o.path].(map[string]any)
	return item[o.method].(map[string]any)["responses"].(map[string]any)
}

// realPath fills the parameters of a path.
func realPath(path string) string {
	return "/api/v1" + strings.NewReplacer("{slug}", "lauca", "{token}", "x", "{id}", "now").Replace(path)
}

// responsePointer gives the pointer of a response's schema, through a reference
// to a shared response if there is one.
func (d *document) responsePointer(t *testing.T, o operation, status string) (string, map[string]any) {
	t.Helper()
	response, ok := d.responses(o)[status].(map[string]any)
	if !ok {
		t.Errorf("%s: status %s is not in the document", o, status)
		return "", nil
	}
	pointer := "/paths/" + escapePointer(o.path) + "/" + o.method + "/responses/" + status
	if ref, ok := response["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/components/responses/")
		response = d.root["components"].(map[string]any)["responses"].(map[string]any)[name].(map[string]any)
		pointer = "/components/responses/" + name
	}
	content, ok := response["content"].(map[string]any)
	if !ok {
		return "", nil
	}
	media := content["application/json"].(map[string]any)
	return pointer + "/content/application~1json/schema", media
}

// Every answer of every path, in every state that the service can be in, is what
// the document says.
func TestAnswersFollowTheDocument(t *testing.T) {
	d := openDocument(t)
	whole := newStand(t, newSnapshot(), nil)
	for _, stand := range []struct {
		name string
		s    *stand
		turn time.Duration
	}{
		{"with every weather", whole, 0},
		{"the next hour", newStand(t, newSnapshot(), nil), 57 * time.Minute},
		{"expired", newStand(t, newSnapshot(), nil), 2 * time.Hour},
		{"nothing yet", newStand(t, empty(), nil), 0},
	} {
		stand.s.clock.Advance(stand.turn)
		for _, o := range d.operations() {
			if o.path == "/openapi.json" || o.method != "get" {
				continue
			}
			for _, request := range requestsFor(o.path) {
				a := stand.s.get("/api/v1" + request)
				what := stand.name + ": " + request
				d.checkAnswer(t, what, o, a)
			}
		}
	}
}

// checkAnswer validates an answer against the schema of its status.
func (d *document) checkAnswer(t *testing.T, what string, o operation, a answer) {
	t.Helper()
	pointer, _ := d.responsePointer(t, o, strconv.Itoa(a.StatusCode))
	if pointer == "" {
		return
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.body))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	d.check(t, what, pointer, value)
}

// What no resource takes is refused everywhere, and the document says how.
func TestRefusedBodiesFollowTheDocument(t *testing.T) {
	d := openDocument(t)
	s := newStand(t, newSnapshot(), nil)
	for _, o := range d.operations() {
		for status, rest := range map[string]string{
			"411": "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
			"413": "Content-Length: 8193\r\n\r\n" + strings.Repeat("x", 8193),
		} {
			raw := s.raw(strings.ToUpper(o.method) + " " + realPath(o.path) + " HTTP/1.1\r\nHost: x\r\n" + rest)
			head, body, _ := strings.Cut(raw, "\r\n\r\n")
			if !strings.HasPrefix(head, "HTTP/1.1 "+status) {
				t.Errorf("%s, not %s: %.100s", o, status, head)
			}
			pointer, _ := d.responsePointer(t, o, status)
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
			if err != nil {
				t.Fatalf("%s: %v", o, err)
			}
			d.check(t, o.String(), pointer, value)
		}
	}
}

// requestsFor gives requests of one path: each kind of park, parameters, faults.
func requestsFor(path string) []string {
	path = strings.NewReplacer("{token}", "x", "{id}", "now").Replace(path)
	requests := []string{strings.Replace(path, "{slug}", "no-hay", 1), strings.Replace(path, "{slug}", "lauca", 1) + "?nada=1"}
	for p := range int(weathers) {
		requests = append(requests, strings.Replace(path, "{slug}", fewParks().Parks[p].Slug, 1))
	}
	if !strings.Contains(path, "{slug}") {
		requests = requests[1:3]
	}
	switch path {
	case "/parques/{slug}/historial":
		requests = append(requests, "/parques/lauca/historial?dias=1")
	case "/parques/{slug}/pronostico":
		requests = append(requests, "/parques/lauca/pronostico?horas=1")
	case "/alertas/now":
		requests = append(requests, "/alertas/over", "/alertas/nothing")
	case "/alertas":
		requests = append(requests, "/alertas?nivel=peligro", "/alertas?parque=lauca&nivel=precaucion", "/alertas?nivel=rojo")
	}
	return requests
}

// Every example is what its schema says.
func TestExamplesFollowTheirSchemas(t *testing.T) {
	d := openDocument(t)
	examples := 0
	for _, o := range d.operations() {
		for status := range d.responses(o) {
			pointer, media := d.responsePointer(t, o, status)
			if pointer == "" {
				continue
			}
			if example, ok := media["example"]; ok {
				examples++
				d.check(t, o.String()+" "+status+" example", pointer, example)
			} else if o.path != "/openapi.json" {
				t.Errorf("%s %s has no example", o, status)
			}
		}
	}
	if examples < 40 {
		t.Errorf("only %d examples were found", examples)
	}
}

// Every path of the document is served, with the methods that it names and no
// others.
func TestDocumentedPathsAreServed(t *testing.T) {
	d := openDocument(t)
	s := newStand(t, newSnapshot(), nil)
	methods := map[string][]string{}
	for _, o := range d.operations() {
		methods[o.path] = append(methods[o.path], strings.ToUpper(o.method))
	}
	for path, named := range methods {
		named = append(named, "OPTIONS")
		if slices.Contains(named, "GET") {
			named = append(named, "HEAD")
		}
		slices.Sort(named)
		if a := s.do("OPTIONS", realPath(path)); a.Header.Get("Allow") != strings.Join(named, ", ") {
			t.Errorf("%s: Allow %q", path, a.Header.Get("Allow"))
		}
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE"} {
			a := s.do(method, realPath(path))
			if served := a.StatusCode != 405; served != slices.Contains(named, method) ||
				!served && a.Header.Get("Allow") != strings.Join(named, ", ") {
				t.Errorf("%s %s: %d", method, path, a.StatusCode)
			}
			if a.StatusCode == 404 && path != "/suscriptores/{token}" {
				t.Errorf("%s %s: %d", method, path, a.StatusCode)
			}
		}
	}
	served := s.get("/api/v1/openapi.json")
	if !bytes.Equal(served.body, documentText(t)) {
		t.Error("the document that is served is another")
	}
	if key := regexp.MustCompile(`"api\.[\w.-]+"`).Find(served.body); key != nil {
		t.Errorf("no text for %s", key)
	}
}

// The test above would pass on anything if schemas did not refuse: they do.
func TestSchemasRefuse(t *testing.T) {
	d := openDocument(t)
	schema, err := d.compiler.Compile(documentURL + "#/components/schemas/FilaHistorial")
	if err != nil {
		t.Fatal(err)
	}
	good := `{"hora":"2026-11-21T13:00:00Z","estado":null,"calidad":"sin_datos","amenaza_principal":null,"confianza":null,"variables":{"temperatura_c":null,"sensacion_termica_c":null,"viento_kmh":null,"racha_kmh":null,"precipitacion_mm":null,"nieve_cm":null,"isoterma_cero_m":null,"visibilidad_m":null,"viento_altura_kmh":null,"uv":1}}`
	for text, want := range map[string]bool{
		good: true,
		strings.Replace(good, `null`, `"azul"`, 1):              false,
		strings.Replace(good, `"uv":1`, `"uv":1,"más":1`, 1):    false,
		strings.Replace(good, `,"uv":1`, ``, 1):                 false,
		strings.Replace(good, `13:00:00Z`, `10:00:00-03:00`, 1): false,
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := schema.Validate(value) == nil; got != want {
			t.Errorf("valid is %v: %s", got, text)
		}
	}
}
