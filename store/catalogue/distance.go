package catalogue

// EditDistance counts the bytes to put in, take out or replace to get from one
// slug to another (Levenshtein), for suggestions of what was probably meant.
func EditDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Nearest returns the name that is the fewest bytes away from what was typed, "" when none
// is within most.
func Nearest(typed string, names []string, most int) (nearest string) {
	for _, name := range names {
		if d := EditDistance(typed, name); d <= most {
			nearest, most = name, d-1
		}
	}
	return nearest
}
