package site

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"html/template"
	"os"
	"slices"
	"strings"
	"testing"

	"vigia/handlers/api"
	"vigia/store/catalogue"
	"vigia/web/wording"
)

// referencePage is the reference of the API, made from the document that it serves.
type referencePage struct {
	Version, Prefix, Document string
	Operations                []operationView
	Resources                 []resourceView
	Faults                    []faultView
}

// operationView is an operation as people read it.
type operationView struct {
	ID, Method, Path string // the path with its parameters in braces
	Summary, More    string
	Parameters       []parameterView
	Example          string // the address that the example asks for, "" when it takes a token
	Command          string // the same for a command line
	Bodies           []string
	Body             typeView
	Runs             bool // the page can ask for it
	Data             []typeView
	Bare             bool // the answer has no envelope
	Answers          []answerView
}

type parameterView struct {
	Name, In, About string
	Required        bool
	Type            typeView
	Default         string
	Value           string // of the example
	Choices         []string
	Number          bool
	Min, Max        string
	Park            bool // its value is a park
}

// answerView is a status with the shared answer that it gives.
type answerView struct{ Status, Fault, Code string }

// reference returns the page of a document, with examples of a park of the catalogue.
func (r referenceWords) reference() referencePage {
	page := referencePage{
		Version: r.contract.Info.Version, Prefix: api.Prefix, Document: api.Prefix + "/openapi.json",
		Resources: r.resources(), Faults: r.faults(),
	}
	for _, path := range r.contract.Paths {
		for _, o := range path.Value.operations() {
			v := r.operation(o.Name, path.Name, o.Value)
			for _, parameter := range slices.Concat(path.Value.Parameters, o.Value.Parameters) {
				v.Parameters = append(v.Parameters, r.parameter(&parameter, catalogue.Default()))
			}
			v.example("@{.BaseURL}@")
			page.Operations = append(page.Operations, v)
		}
	}
	return page
}

// referenceWords are the words for what the document says in a language.
type referenceWords struct {
	*wording.Language
	contract *contract
}

func (r referenceWords) operation(method, path string, o *operation) operationView {
	v := operationView{ID: o.ID, Method: method, Path: path, Summary: r.Text("api.op." + o.ID), Runs: method == "GET"}
	if o.Description != "" {
		v.More = r.Text("api.mas." + o.ID)
	}
	if o.RequestBody != nil {
		body := o.RequestBody.Content["application/json"]
		v.Body = r.typeOf(&body.Schema)
		for _, example := range body.Examples {
			v.Bodies = append(v.Bodies, indented(example.Value.Value))
		}
	}
	for _, status := range o.Responses {
		shared, _ := r.contract.Components.Responses.find(refName(status.Value.Ref))
		switch data := status.Value.data(); {
		case data != nil && status.Value.Ref == "":
			v.Data = append(v.Data, r.typeOf(data))
		case status.Value.Content != nil && status.Value.Ref == "":
			v.Bare = true
		default:
			v.Answers = append(v.Answers, answerView{status.Name, refName(status.Value.Ref), shared.code()})
		}
	}
	return v
}

// indented is a JSON value as people read it.
func indented(raw json.RawMessage) string {
	var text bytes.Buffer
	if json.Indent(&text, raw, "", "  ") != nil { // it was read as part of a document, so it is JSON
		return string(raw)
	}
	return text.String()
}

// code is the stable code of an answer that is an error, from its example.
func (r *response) code() string {
	example := string(r.Content["application/json"].Example)
	_, rest, _ := strings.Cut(example, `"error"`)
	code, _, found := strings.Cut(strings.TrimLeft(rest, ` :"`), ":")
	if !found {
		return ""
	}
	return code
}

func (r referenceWords) parameter(p *parameter, c *catalogue.Catalogue) parameterView {
	s := r.contract.resolve(&p.Schema)
	v := parameterView{
		Name: p.Name, In: r.Text("api.en." + p.In), About: r.Text("api.param." + p.Name), Required: p.Required, Type: r.typeOf(&p.Schema),
		Park: refName(p.Schema.Ref) == "Slug",
	}
	if s.Default != nil {
		v.Default = r.Text("api.por_defecto", "valor", s.Default)
	}
	for _, Choice := range s.Enum {
		v.Choices = append(v.Choices, fmt.Sprint(Choice))
	}
	if v.Number = slices.Contains(s.types(), "integer"); v.Number && s.Minimum != nil && s.Maximum != nil {
		v.Min, v.Max = fmt.Sprint(*s.Minimum), fmt.Sprint(*s.Maximum)
		v.Value = v.Min // the shortest answer is example enough
	}
	if v.Park && p.Required {
		v.Value = exampleOf(fmt.Sprint(p.Example), c)
	}
	return v
}

// example fills in what the operation is asked for in its example.
func (v *operationView) example(base string) {
	path, query, known := api.Prefix+v.Path, []string(nil), true
	for _, p := range v.Parameters {
		place := "{" + p.Name + "}"
		switch {
		case !strings.Contains(v.Path, place):
			if p.Value != "" {
				query = append(query, p.Name+"="+p.Value)
			}
		case p.Value == "":
			known, path = false, strings.Replace(path, place, strings.ToUpper(p.Name), 1)
		default:
			path = strings.Replace(path, place, p.Value, 1)
		}
	}
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	if known && v.Runs {
		v.Example = path
	}
	v.Command = "curl '" + base + path + "'"
	if len(v.Bodies) > 0 {
		v.Command = "curl -X " + v.Method + " -H 'Content-Type: application/json' -d @cuerpo.json '" + base + path + "'"
	} else if !v.Runs {
		v.Command = "curl -X " + v.Method + " '" + base + path + "'"
	}
}

// update has TestReferenceIsCurrent write the page instead of comparing it.
var update = flag.Bool("update", false, "write the reference of the API")

const referenceFile = "../../web/templates/api_%s.html"

// TestReferenceIsCurrent makes the reference of the API from the document and compares
// it with the page that the program carries, see the go:generate in site.go.
func TestReferenceIsCurrent(t *testing.T) {
	for _, l := range locales {
		set := template.Must(template.New("").Funcs((&bundle{}).functions(&l)).ParseFiles("testdata/reference.html"))
		var page strings.Builder
		r := referenceWords{l.words, theContract(t)}
		if err := set.ExecuteTemplate(&page, "referencia", r.reference()); err != nil {
			t.Fatal(err)
		}
		// What stands between @{ and }@ is filled in when the page is rendered.
		made := strings.NewReplacer("@{", "{{", "}@", "}}").Replace(page.String())
		made = "{{define \"api-" + l.Code + "\"}}" + made + "{{end}}\n"
		file := fmt.Sprintf(referenceFile, l.Code)
		if *update {
			if err := os.WriteFile(file, []byte(made), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if carried, err := os.ReadFile(file); err != nil || string(carried) != made {
			t.Errorf("%s is not that of the document: run go generate ./handlers/site (%v)", file, err)
		}
	}
}
