package mail

import (
	"strings"
	"unicode"
)

// oneLine gives a text without whatever could break a line, turn its direction or
// end a header: names come from catalogues that operators write.
func oneLine(text string) string {
	if isOneLine(text) {
		return text
	}
	text = strings.Map(func(r rune) rune {
		switch {
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

// isOneLine tells at a glance whether a text is surely in one line: nearly all are.
func isOneLine(text string) bool {
	space := true // the character before, and that before the first
	for _, r := range text {
		switch {
		case r == ' ' && space, r < ' ':
			return false
		case r < 0x7f, r > 0xa0 && r < 0x61c, r > 0x200f && r < 0x2028, r > 0x206f && r < 0x3000: // ASCII, Latin, dashes and quotes, signs
		default:
			return false // one of the rare ones, or ill-formed
		}
		space = r == ' '
	}
	return !space || text == ""
}
