package site

import (
	"fmt"
	"slices"
	"strings"
)

// typeView is what a value may be.
type typeView struct {
	Text   string // before the resource, or all there is
	Link   string // name of the resource, "" for none
	After  string
	Values []string
}

// resourceView is a resource field by field.
type resourceView struct {
	Name, About, Base string // Base is the resource of which it has every field
	Fields            []fieldView
}

type fieldView struct {
	Path, About string
	Type        typeView
}

// faultView is an answer that says why something cannot be done.
type faultView struct{ Name, Status, Code, About string }

// resources are the schemas that are objects. One that begins with all fields of
// another names it in their place.
func (r referenceWords) resources() (list []resourceView) {
	schemas := r.contract.Components.Schemas
	for i := range schemas {
		s := &schemas[i].Value
		if s.Properties == nil {
			continue
		}
		v := resourceView{Name: schemas[i].Name, About: r.Text("api.recurso." + schemas[i].Name)}
		members := s.members()
		for _, other := range schemas {
			if n := len(other.Value.Required); n > 2 && n < len(members) && slices.Equal(members[:n], other.Value.Required) {
				v.Base, members = other.Name, members[n:]
				break
			}
		}
		for _, name := range members {
			v.Fields = r.addField(v.Fields, v.Name, name, s.Properties[name])
		}
		list = append(list, v)
	}
	return list
}

// addField adds a field, and after it those within it that are of no resource of
// their own.
func (r referenceWords) addField(list []fieldView, resource, path string, s *schema) []fieldView {
	list = append(list, fieldView{path, r.Text(r.fieldKey(resource, path)), r.typeOf(s)})
	inner, prefix := s, path+"."
	if s.Items != nil {
		inner, prefix = s.Items, path+"[]."
	}
	if inner.Ref == "" && inner.Properties != nil {
		for _, name := range inner.members() {
			list = r.addField(list, resource, prefix+name, inner.Properties[name])
		}
	}
	return list
}

// fieldKey is the key of the text on a field: of its place in the resource as far
// as there is one, else of its name.
func (r referenceWords) fieldKey(resource, path string) string {
	parts := strings.Split(strings.ReplaceAll(path, "[]", ""), ".")
	name := parts[len(parts)-1]
	near := strings.Join(parts[max(0, len(parts)-2):], ".")
	for _, key := range []string{resource + "." + strings.Join(parts, "."), resource + "." + near, resource + "." + name, near} {
		if r.Has("api.campo." + key) {
			return "api.campo." + key
		}
	}
	return "api.campo." + name
}

// typeOf says what a value may be: its type, the values that are allowed, whether
// it may be null.
func (r referenceWords) typeOf(s *schema) typeView {
	if len(s.OneOf) > 0 && s.Properties == nil {
		v := r.typeOf(s.OneOf[0])
		v.After = r.Text("api.tipo.null")
		return v
	}
	if s.Ref != "" && r.contract.resolve(s).Properties != nil {
		return typeView{Link: refName(s.Ref)}
	}
	s = r.contract.resolve(s)
	v := r.plainType(s)
	if slices.Contains(s.types(), "null") {
		v.After = r.Text("api.tipo.null")
	}
	return v
}

// plainType is typeOf for a schema that is no reference, without its null.
func (r referenceWords) plainType(s *schema) typeView {
	v := typeView{Values: allowedValues(s)}
	if len(v.Values) > 0 {
		return v
	}
	kinds := slices.DeleteFunc(s.types(), func(kind string) bool { return kind == "null" })
	switch {
	case len(kinds) == 0:
		v.Text = r.Text("api.tipo.cualquiera")
	case kinds[0] == "array" && s.Items != nil:
		v = r.typeOf(s.Items)
		v.Text = strings.TrimSpace(r.Text("api.tipo.lista_de") + " " + v.Text)
	case s.Format == "date-time" || s.Format == "date":
		v.Text = r.Text("api.tipo." + s.Format)
	case strings.HasPrefix(s.Format, "uri"):
		v.Text = r.Text("api.tipo.uri")
	default:
		v.Text = r.Text("api.tipo." + kinds[0])
	}
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		v.Text += ", " + r.Text("api.tipo.rango", "min", r.Decimal(*s.Minimum, 2), "max", r.Decimal(*s.Maximum, 2))
	case s.Minimum != nil:
		v.Text += ", " + r.Text("api.tipo.desde", "min", r.Decimal(*s.Minimum, 2))
	}
	return v
}

// allowedValues are the values that a schema allows by name, without null.
func allowedValues(s *schema) (list []string) {
	for _, value := range append(slices.Clone(s.Enum), s.Const) {
		if value != nil {
			list = append(list, fmt.Sprint(value))
		}
	}
	return list
}

// faults are the shared answers, with the statuses under which they come.
func (r referenceWords) faults() (list []faultView) {
	statuses := make(map[string][]string)
	for _, path := range r.contract.Paths {
		for _, o := range path.Value.operations() {
			for _, status := range o.Value.Responses {
				name := refName(status.Value.Ref)
				if name != "" && !slices.Contains(statuses[name], status.Name) {
					statuses[name] = append(statuses[name], status.Name)
				}
			}
		}
	}
	for _, shared := range r.contract.Components.Responses {
		slices.Sort(statuses[shared.Name])
		list = append(list, faultView{shared.Name, strings.Join(statuses[shared.Name], ", "), shared.Value.code(), r.Text("api.respuesta." + shared.Name)})
	}
	slices.SortStableFunc(list, func(a, b faultView) int { return strings.Compare(a.Status, b.Status) })
	return list
}
