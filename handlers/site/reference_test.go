package site

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vigia/web/wording"
)

// openAPI reads the OpenAPI document.
func openAPI() (*contract, error) {
	text, err := os.ReadFile("../api/openapi.json")
	if err != nil {
		return nil, err
	}
	return readContract(text)
}

func theContract(t testing.TB) *contract {
	t.Helper()
	c, err := openAPI()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// everyOperation calls do for each operation with its path and method.
func (c *contract) everyOperation(do func(path string, item *pathItem, method string, o *operation)) {
	for i := range c.Paths {
		for _, o := range c.Paths[i].Value.operations() {
			do(c.Paths[i].Name, &c.Paths[i].Value, o.Name, o.Value)
		}
	}
}

// contractKeys are the keys of texts that the OpenAPI document asks for, by prefix.
func contractKeys() map[string][]string {
	c, err := openAPI()
	if err != nil {
		return nil
	}
	r := referenceWords{wording.Spanish, c}
	f := map[string][]string{
		"api.en.": {"path", "query"}, "api.tipo.": {"string", "number", "integer", "boolean", "object", "date", "date-time"},
	}
	c.everyOperation(func(_ string, item *pathItem, _ string, o *operation) {
		f["api.op."] = append(f["api.op."], o.ID)
		if o.Description != "" {
			f["api.mas."] = append(f["api.mas."], o.ID)
		}
		for _, p := range slices.Concat(item.Parameters, o.Parameters) {
			f["api.param."] = append(f["api.param."], p.Name)
		}
	})
	for _, r := range c.Components.Responses {
		f["api.respuesta."] = append(f["api.respuesta."], r.Name)
	}
	for _, resource := range r.resources() {
		f["api.recurso."] = append(f["api.recurso."], resource.Name)
	}
	c.everyField(func(resource, path string, _ *schema) {
		f["api.campo."] = append(f["api.campo."], strings.TrimPrefix(r.fieldKey(resource, path), "api.campo."))
	})
	return f
}

// everyField calls do for each field of each resource.
func (c *contract) everyField(do func(resource, path string, s *schema)) {
	var walk func(resource, prefix string, s *schema)
	walk = func(resource, prefix string, s *schema) {
		for _, name := range s.members() {
			field := s.Properties[name]
			do(resource, prefix+name, field)
			walk(resource, prefix+name+".", field)
			if field.Items != nil {
				walk(resource, prefix+name+"[].", field.Items)
			}
		}
	}
	for i := range c.Components.Schemas {
		walk(c.Components.Schemas[i].Name, "", &c.Components.Schemas[i].Value)
	}
}

func TestReferenceHasAllOfTheDocument(t *testing.T) {
	c, e := theContract(t), short(newSnapshot(t))
	operations := 0
	for _, root := range []string{"", "/en"} {
		page := pageOf(t, e, now, root+"/api")
		if err := wellFormed(page); err != nil {
			t.Error(err)
		}
		text := readable(page)
		c.everyOperation(func(path string, item *pathItem, method string, o *operation) {
			operations++
			_, section, _ := strings.Cut(page, `<h3 id="`+o.ID+`">`)
			section, _, _ = strings.Cut(section, "</section>")
			if !strings.HasPrefix(readable("<h3>"+section), " "+method+" "+path) {
				t.Errorf("%s: no %s %s", root, method, path)
			}
			for _, p := range slices.Concat(item.Parameters, o.Parameters) {
				if !strings.Contains(section, "<code>"+p.Name+"</code>") {
					t.Errorf("%s %s: no parameter %s", method, path, p.Name)
				}
			}
			if runs := strings.Contains(section, `class="probar"`); runs != (method == "GET") {
				t.Errorf("%s %s: it can be run: %v", method, path, runs)
			}
			for _, status := range o.Responses {
				if data := status.Value.data(); data != nil && data.Ref != "" && !strings.Contains(section, `href="#recurso-`+refName(data.Ref)+`"`) {
					t.Errorf("%s %s: no %s", method, path, data.Ref)
				}
				name := refName(status.Value.Ref)
				if name != "" && !strings.Contains(section, status.Name+` <a href="#error-`+name+`">`) {
					t.Errorf("%s %s: no %s", method, path, status.Name)
				}
			}
		})
		c.everyField(func(resource, path string, s *schema) {
			_, part, _ := strings.Cut(page, `id="recurso-`+resource+`">`)
			part, _, _ = strings.Cut(part, "</details>")
			base := regexp.MustCompile(`href="#recurso-(\w+)">(?:Todo|Everything)`).FindStringSubmatch(part)
			if !strings.Contains(part, "<code>"+path+"</code>") && base == nil {
				t.Errorf("%s: %s has no field %s", root, resource, path)
			}
			for _, value := range allowedValues(s) {
				if !strings.Contains(part, "<code>"+value+"</code>") && base == nil {
					t.Errorf("%s.%s: the value %s is missing", resource, path, value)
				}
			}
		})
		if strings.Contains(text, "api.") && regexp.MustCompile(`\bapi\.[a-z]+\.`).MatchString(text) {
			t.Errorf("%s: a text is missing", root)
		}
	}
	if operations != 32 {
		t.Errorf("%d operations in two languages", operations)
	}
}

// What the document says in Spanish is what the page says.
func TestReferenceSaysWhatTheDocumentSays(t *testing.T) {
	c := theContract(t)
	words := referenceWords{wording.Spanish, c}
	same := func(what, key, said string) {
		if said != "" && words.Text(key) != said {
			t.Errorf("%s: the document says %q, the page %q", what, said, words.Text(key))
		}
	}
	c.everyOperation(func(_ string, item *pathItem, _ string, o *operation) {
		same(o.ID, "api.op."+o.ID, o.Summary)
		same(o.ID, "api.mas."+o.ID, o.Description)
		for _, p := range slices.Concat(item.Parameters, o.Parameters) {
			same(p.Name, "api.param."+p.Name, p.Description)
		}
	})
	for _, r := range c.Components.Responses {
		same(r.Name, "api.respuesta."+r.Name, r.Value.Description)
	}
	for _, s := range c.Components.Schemas {
		if s.Value.Properties != nil {
			same(s.Name, "api.recurso."+s.Name, s.Value.Description)
		}
	}
	c.everyField(func(resource, path string, s *schema) {
		same(resource+"."+path, words.fieldKey(resource, path), s.Description)
	})
}
