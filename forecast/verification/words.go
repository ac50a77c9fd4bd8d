package verification

import (
	"strings"
	"unicode"
)

// shown is a value of the file in the words of a fault: short, on one line.
func shown(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		text = string(runes[:40]) + "…"
	}
	return "«" + strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return '·'
		}
		return c
	}, text) + "»"
}
