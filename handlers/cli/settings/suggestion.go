package settings

import (
	"iter"
	"slices"

	"vigia/store/catalogue"
)

// suggestion returns "; did you mean …?" with the name that is nearest to what was typed,
// or "" when none is near.
func suggestion(typed string, names iter.Seq[string]) string {
	best, least := "", 3
	for _, name := range slices.Sorted(names) {
		if d := catalogue.EditDistance(shorten(typed), name); d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}
