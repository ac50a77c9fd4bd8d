package document

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// check is what the tag of that name says.
type check struct {
	optional bool
	bounds   []float64
	rule     string
}

// field is a field of a struct.
type field struct {
	check
	key   string
	index []int
}

// knownFields keeps the fields of each type that was read.
var knownFields sync.Map

// fieldsOf returns the fields of a struct that have a name in JSON, those of structs
// embedded in it included.
func fieldsOf(t reflect.Type, rules map[string]Rule) []field {
	if known, ok := knownFields.Load(t); ok {
		return known.([]field)
	}
	var fields []field
	for _, f := range reflect.VisibleFields(t) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "" || key == "-" {
			continue
		}
		c := parseCheck(f.Tag.Get("check"))
		c.optional = c.optional || f.Type.Kind() == reflect.Pointer
		if _, ok := rules[c.rule]; !ok && c.rule != "" {
			panic("no rule " + c.rule)
		}
		fields = append(fields, field{c, key, f.Index})
	}
	knownFields.Store(t, fields)
	return fields
}

func parseCheck(tag string) (c check) {
	for _, word := range strings.Fields(tag) {
		if number, err := strconv.ParseFloat(word, 64); err == nil {
			c.bounds = append(c.bounds, number)
		} else if word == "optional" {
			c.optional = true
		} else {
			c.rule = word
		}
	}
	return c
}

func keys(fields []field) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.key
	}
	return strings.Join(names, ", ")
}

// set gives a field a text and returns what is wrong with it, "" when nothing is. A wrong
// text is set all the same, so that what refers to it is not named as a fault too.
func (d *Document) set(v reflect.Value, text string, c check) string {
	text = strings.TrimSpace(text)
	rule := d.form.Rules[c.rule]
	if v.Kind() == reflect.String {
		v.SetString(text)
	} else if i := slices.Index(rule.words, text); i >= 0 {
		v.SetUint(uint64(i))
	}
	switch {
	case text == "" && !c.optional:
		return missing
	case text == "" && v.Kind() == reflect.String:
		return ""
	case len(c.bounds) > 0:
		if problem := lineProblem(text, int(c.bounds[0])); problem != "" {
			return Shown(text) + " " + problem
		}
	}
	if c.rule != "" && !rule.OK(text) {
		return Shown(text) + " no es válido; se admite: " + rule.Allowed
	}
	return ""
}

// lineProblem returns why a text cannot be shown in one line, "" when it can: it has
// more than limit characters, control or invisible ones, or < or > by which it could be
// taken for markup.
func lineProblem(s string, limit int) string {
	if n := utf8.RuneCountInString(s); n > limit {
		return fmt.Sprintf("tiene %d caracteres; se admiten hasta %d", n, limit)
	}
	if strings.ContainsAny(s, "<>") {
		return "contiene < o >, que no se admiten"
	}
	if i := strings.IndexFunc(s, func(c rune) bool { return c == utf8.RuneError || !unicode.IsPrint(c) }); i >= 0 {
		c, _ := utf8.DecodeRuneInString(s[i:])
		return "contiene un carácter que no se puede mostrar (" + strconv.QuoteRuneToASCII(c) + "); se admite una línea de texto"
	}
	return ""
}

func isWebAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil &&
		!strings.ContainsAny(s, " \"'`\\")
}
