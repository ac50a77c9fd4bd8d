package api

import (
	"strings"

	"vigia/store/catalogue"
)

// longestEcho is the longest name that is repeated in an error.
const longestEcho = 64

// looksLikeSlug tells whether s is short and made of a slug's letters, in either
// case, or the underscore of parameters.
func looksLikeSlug(s string) bool {
	if s == "" || len(s) > longestEcho {
		return false
	}
	for i := range len(s) {
		c := s[i] | 0x20
		if !(c >= 'a' && c <= 'z' || s[i] >= '0' && s[i] <= '9' || s[i] == '-' || s[i] == '_') {
			return false
		}
	}
	return true
}

// nearest gives the candidate that was probably meant: few letters away, or the
// only one that contains the name. "" when none is near.
func nearest(name string, candidates []string) string {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	best, distance := "", max(2, len(name)/4)+1
	containing, containers := "", 0
	for _, candidate := range candidates {
		if d := catalogue.EditDistance(name, candidate); d < distance {
			best, distance = candidate, d
		}
		if len(name) >= 4 && strings.Contains(candidate, name) {
			containing = candidate
			containers++
		}
	}
	if best == "" && containers == 1 {
		return containing
	}
	return best
}
