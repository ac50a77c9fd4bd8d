package settings

import "strings"

// suggestion gives "; did you mean …?" with the name that is nearest to what was
// typed, or "" when none is near. Of two equally near ones it is the one that
// begins alike for longer.
func suggestion(typed string, names []string, dashes string) string {
	if len(typed) > 40 {
		return ""
	}
	best, bestDistance := "", 0
	for _, name := range names {
		d := editDistance(strings.ToLower(typed), strings.ToLower(name))
		nearer := best == "" || d < bestDistance ||
			d == bestDistance && commonPrefix(typed, name) > commonPrefix(typed, best)
		if d <= max(2, len(name)/3) && nearer {
			best, bestDistance = name, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + dashes + best + "?"
}

func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// editDistance counts the bytes to put in, take out, change, or swap with their
// neighbour to make b of a (Damerau-Levenshtein, optimal string alignment).
func editDistance(a, b string) int {
	var before, above []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, above, row = above, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := above[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(above[j]+1, row[j-1]+1, change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
