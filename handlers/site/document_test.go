package site

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// contract is what the OpenAPI document says, in its order.
type contract struct {
	Info       struct{ Version string }
	Servers    []struct{ URL string }
	Paths      ordered[pathItem]
	Components struct {
		Schemas   ordered[schema]
		Responses ordered[response]
	}
}

// pathItem is a path of the document: its own parameters, and an operation for each
// method.
type pathItem struct {
	Parameters []parameter
	Get        *operation
	Post       *operation
	Delete     *operation
}

type operation struct {
	ID          string `json:"operationId"`
	Summary     string
	Description string
	Parameters  []parameter
	RequestBody *struct{ Content map[string]media }
	Responses   ordered[response]
}

type parameter struct {
	Name, In, Description string
	Required              bool
	Schema                schema
	Example               any
}

// response is an answer, or the name of a shared one.
type response struct {
	Ref         string `json:"$ref"`
	Description string
	Content     map[string]media
}

type media struct {
	Schema   schema
	Example  json.RawMessage
	Examples ordered[struct{ Value json.RawMessage }]
}

// schema is a JSON schema, as far as the document uses them.
type schema struct {
	Ref         string `json:"$ref"`
	Type        any    // a name, or several
	Format      string
	Enum        []any
	Const       any
	Default     any
	Minimum     *float64
	Maximum     *float64
	Description string
	Required    []string
	Properties  map[string]*schema
	Items       *schema
	OneOf       []*schema
}

// named is a member of an object of the document.
type named[T any] struct {
	Name  string
	Value T
}

// ordered is an object whose members keep their order.
type ordered[T any] []named[T]

// UnmarshalJSON reads an object member by member.
func (o *ordered[T]) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return fmt.Errorf("%v where an object was expected (%w)", open, err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		member := named[T]{Name: name.(string)}
		if err := d.Decode(&member.Value); err != nil {
			return fmt.Errorf("%s: %w", member.Name, err)
		}
		*o = append(*o, member)
	}
	return nil
}

// find returns a member by its name.
func (o ordered[T]) find(name string) (value T, ok bool) {
	for _, m := range o {
		if m.Name == name {
			return m.Value, true
		}
	}
	return value, false
}

// readContract reads the OpenAPI document.
func readContract(raw []byte) (*contract, error) {
	c := new(contract)
	if err := json.Unmarshal(raw, c); err != nil {
		return nil, fmt.Errorf("reading the OpenAPI document: %w", err)
	}
	if len(c.Servers) == 0 || len(c.Paths) == 0 {
		return nil, fmt.Errorf("reading the OpenAPI document: it names no server or no path")
	}
	return c, nil
}

// refName returns the last name of a reference: Parque of #/components/schemas/Parque.
func refName(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// operations are those of a path, with the methods by which they are asked for.
func (p *pathItem) operations() (list []named[*operation]) {
	for _, m := range []named[*operation]{{"GET", p.Get}, {"POST", p.Post}, {"DELETE", p.Delete}} {
		if m.Value != nil {
			list = append(list, m)
		}
	}
	return list
}

// resolve follows the reference of a schema.
func (c *contract) resolve(s *schema) *schema {
	if s.Ref == "" {
		return s
	}
	if found, ok := c.Components.Schemas.find(refName(s.Ref)); ok {
		return &found
	}
	return s
}

// types are the JSON types that a schema allows.
func (s *schema) types() (list []string) {
	switch t := s.Type.(type) {
	case string:
		return []string{t}
	case []any:
		for _, name := range t {
			list = append(list, fmt.Sprint(name))
		}
	}
	return list
}

// data is the schema of what an answer carries, nil for an answer without envelope.
func (r *response) data() *schema {
	return r.Content["application/json"].Schema.Properties["data"]
}

// members are the names of the properties of a schema: the required ones in their
// order, then the rest by name.
func (s *schema) members() []string {
	list := slices.Clone(s.Required)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
