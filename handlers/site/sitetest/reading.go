package sitetest

import (
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vigia/handlers/httpcache"
)

// Content reads a body as a client does.
func Content(t testing.TB, b *httpcache.Body) string {
	t.Helper()
	w := httptest.NewRecorder()
	b.Serve(w, httptest.NewRequest("GET", "/", nil), httpcache.Terms{})
	return w.Body.String()
}

var (
	tags = regexp.MustCompile(`(?s)<(script|style)\b.*?</(script|style)>|<[^>]*>`)
	// Spaces finds white space, the non-breaking one included.
	Spaces = regexp.MustCompile(`[\s\x{a0}]+`)
)

// Readable is a page as it is read: its text without markup.
func Readable(page string) string {
	return Spaces.ReplaceAllString(html.UnescapeString(tags.ReplaceAllString(page, " ")), " ")
}

var (
	// Element finds a tag: its slash, name, attributes and closing slash.
	Element   = regexp.MustCompile(`<(/?)([a-zA-Z0-9]+)([^>]*?)(/?)>`)
	attribute = regexp.MustCompile(`\b(id|href|aria-labelledby)="([^"]*)"`)
	// Void are the elements without an end tag.
	Void = []string{"meta", "link", "br", "img", "input", "hr"}
)

// WellFormed checks that every Element is closed in its place, that no id comes
// twice, and that what the page points to within itself exists.
func WellFormed(page string) error {
	ids, refs, open := make(map[string]bool), []string{}, []string{}
	for _, m := range Element.FindAllStringSubmatch(page, -1) {
		ends, name := m[1] == "/", m[2]
		switch {
		case ends && (len(open) == 0 || open[len(open)-1] != name):
			return fmt.Errorf("</%s> within %v", name, open)
		case ends:
			open = open[:len(open)-1]
		case m[4] == "" && !slices.Contains(Void, name):
			open = append(open, name)
		}
		for _, a := range attribute.FindAllStringSubmatch(m[3], -1) {
			switch target, local := strings.CutPrefix(a[2], "#"); {
			case a[1] == "id" && ids[a[2]]:
				return fmt.Errorf("id %q comes twice", a[2])
			case a[1] == "id":
				ids[a[2]] = true
			case a[1] == "aria-labelledby", local:
				refs = append(refs, target)
			}
		}
	}
	for _, ref := range refs {
		if name, err := url.PathUnescape(ref); err != nil || !ids[name] {
			return fmt.Errorf("nothing has the id %q", ref)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("not closed: %v", open)
	}
	return nil
}

// forbidden are words that are those of official bodies, and promises that a
// model cannot make.
var forbidden = regexp.MustCompile(`(?i)\bsegur[oa]s?\b|\bseguridad garantizada|alerta (temprana|amarilla|roja|verde)|(aviso|alerta|alarma) meteorol|bot[oó]n rojo|` +
	`\bavisos?\b|\bcierres?\b|\bcerrad[oa]s?\b|\bevacu|\bprohibid|\bexact[oa]s?\b|\balarma\b|\bprobabilidad de \d`)

// unofficial is what every page says of itself, how it counts its own alerts afterwards, and
// what it repeats of an official body with its name.
var unofficial = regexp.MustCompile(`No (es un aviso oficial|son avisos oficiales)|De 100 avisos de|cerrado según \{fuente\}`)

// OfficialWord returns what stands in a text and is forbidden, "" for nothing.
func OfficialWord(text string) string {
	return forbidden.FindString(unofficial.ReplaceAllString(text, ""))
}

// WordOfLevel finds a level of a state or of an alert in either language.
var WordOfLevel = regexp.MustCompile(`(?i)\b(verde|amarillo|rojo|green|amber|red|peligro por|precaución por|danger|caution)\b`)

// Node is an Element of a document of XML.
type Node struct {
	Name     xml.Name
	Attrs    []xml.Attr
	Text     string
	Children []*Node
}

// Named returns the children with a name.
func (n *Node) Named(name string) (found []*Node) {
	for _, child := range n.Children {
		if child.Name.Local == name {
			found = append(found, child)
		}
	}
	return found
}

// Attr returns the value of an attribute, "" without it.
func (n *Node) Attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// All returns the text of an element and of those in it.
func (n *Node) All() string {
	text := n.Text
	for _, child := range n.Children {
		text += " " + child.All()
	}
	return text
}

// ParseXML reads a document.
func ParseXML(document string) (*Node, error) {
	d, open := xml.NewDecoder(strings.NewReader(document)), []*Node{{}}
	for {
		token, err := d.Token()
		if err == io.EOF {
			return open[0].Children[0], nil
		}
		if err != nil {
			return nil, err
		}
		here := open[len(open)-1]
		switch t := token.(type) {
		case xml.StartElement:
			n := &Node{Name: t.Name, Attrs: slices.Clone(t.Attr)}
			here.Children = append(here.Children, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			here.Text += string(t)
		}
	}
}
