// Package document reads what operators and official bodies write for the service, and
// names everything that is wrong in it at once, each fault with its place.
//
// [Open] checks the bytes → [Document.JSON] or [Document.Rows] fills structs and names what
// is wrong with single values → the caller checks what the values say of each other and
// names that too ([Document.Add], [Document.AddRow]) → [Document.Err] returns all faults in
// the order of the text.
//
// # Fields
//
// The tag json names a field. The tag check has words in this order:
//
//	optional  the field may be left out
//	numbers   of a list, the least and the most elements; of a number, the least and the
//	          most; after them those of a text, the most characters
//	a word    the [Rule] that a text follows
//
// A field that is null or an empty text is left out; spaces at the ends of a text do not
// count. A field behind a pointer is optional. A text with a most is one line that can be shown
// anywhere. A number that is left out is NaN. A field of another type than
// text that has a rule gets the index of the word in it.
package document

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Form says how documents of a kind are read.
type Form struct {
	MaxBytes int // 1 MB at the least
	Rules    map[string]Rule
}

// Rule says which texts a field may hold.
type Rule struct {
	OK      func(string) bool
	Allowed string   // in Spanish, for faults
	words   []string // all that are allowed, if there are but some
}

// OneOf returns the rule of a set of words.
func OneOf(words ...string) Rule {
	return Rule{func(text string) bool { return slices.Contains(words, text) }, strings.Join(words, ", "), words}
}

const maxSlug = 64 // characters

var slugForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// The rules that several documents share.
var (
	Slug       = Rule{OK: isSlug, Allowed: "letras a-z sin tilde, cifras y guiones simples, hasta 64 caracteres"}
	WebAddress = Rule{OK: isWebAddress, Allowed: "una dirección http o https completa, sin usuario"}
)

func isSlug(s string) bool { return len(s) <= maxSlug && slugForm.MatchString(s) }

// Document is a text that is read, with what was found wrong in it.
type Document struct {
	name  string
	form  Form
	text  []byte
	list  jsontext.Pointer // JSON: what has the rows
	table bool             // it is CSV
	lines []int            // CSV: the line of each row
	found []finding
}

// Open returns a document without the mark by which some editors begin UTF-8. The error is
// a *FaultsError: it is empty, too large or not UTF-8.
func Open(name string, data []byte, form Form) (*Document, error) {
	d := &Document{name: name, form: form, text: bytes.TrimPrefix(data, []byte("\uFEFF"))}
	switch {
	case len(d.text) > form.MaxBytes:
		d.addAt(0, "", "el archivo es demasiado grande; se admiten hasta %d MB", form.MaxBytes>>20)
	case len(bytes.TrimSpace(d.text)) == 0:
		d.addAt(0, "", "el archivo está vacío")
	case !utf8.Valid(d.text):
		d.addAt(bytes.IndexRune(d.text, utf8.RuneError), "", "hay bytes que no son UTF-8; guarde el archivo con la codificación UTF-8")
	}
	return d, d.Err()
}

// decoder returns a decoder of the JSON.
func (d *Document) decoder() *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(d.text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// next returns the offset of the token that a decoder reads next.
func (d *Document) next(dec *jsontext.Decoder) int {
	offset := int(dec.InputOffset())
	for offset < len(d.text) && strings.IndexByte(" \t\r\n,:", d.text[offset]) >= 0 {
		offset++
	}
	return offset
}
