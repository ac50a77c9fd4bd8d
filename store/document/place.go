package document

import (
	"fmt"
	"strconv"
	"strings"
)

// Place is where a value stands in a document: the way to it and its first character.
// The way is kept as links and spelled out only for a fault.
type Place struct {
	parent *Place
	key    string // of a member; "" for an element of a list
	index  int    // of an element

	offset, line, column int
}

// AtLine returns the place of a field of which only the line is known; "" stands for
// the line as a whole.
func AtLine(line int, field string) *Place {
	return &Place{parent: &Place{}, key: field, index: -1, line: line}
}

// String returns the way to the value, as senderos[12].puntos[0].latitud.
func (p *Place) String() string {
	if p.parent == nil {
		return ""
	}
	above := p.parent.String()
	switch {
	case p.key == "" && p.index < 0:
		return above
	case p.key == "":
		return fmt.Sprintf("%s[%d]", above, p.index)
	case above == "":
		return shownKey(p.key)
	default:
		return above + "." + shownKey(p.key)
	}
}

// Member returns the place of a member that an object or row lacks; "" stands for the
// object itself.
func (p *Place) Member(key string) *Place {
	if key == "" {
		return p
	}
	return &Place{parent: p, key: key, line: p.line, column: p.column}
}

// Parent returns the object or list that a value is in.
func (p *Place) Parent() *Place { return p.parent }

// shownKey quotes a key that is not one of ours in form, since what stands in
// the document is printed on terminals and in logs.
func shownKey(key string) string {
	plain := key != "" && len(key) <= 40 && !strings.ContainsFunc(key, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	if plain {
		return key
	}
	return Shown(key)
}

// Shown quotes a text of the document for a message: printable and short.
func Shown(text string) string {
	const limit = 60
	count := 0
	for i := range text {
		if count++; count > limit {
			return strconv.Quote(text[:i] + "…")
		}
	}
	return strconv.Quote(text)
}
