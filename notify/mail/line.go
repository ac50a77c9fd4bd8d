package mail

import (
	"strings"
	"unicode"
)

// oneLine returns a text without anything that could break a line, turn its direction or
// end a header: names come from catalogues that operators write.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r < 0x7f && r >= ' ': // nearly all
			return r
		case unicode.IsControl(r), unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		default:
			return r
		}
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Join(strings.Fields(text), " ")
}
