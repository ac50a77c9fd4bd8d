package site

import (
	"testing"

	"vigia/store"
)

// What the tests in a browser look at beside the pages.
var (
	AWeek, FullSheet, Walk = aWeek, fullSheet, walk
	TableColumns           = tableColumns
)

// HomeCounts are how many parks the first page counts, by the key of their state.
func HomeCounts(t testing.TB, e *store.Snapshot) map[string]int {
	counts := make(map[string]int)
	for _, c := range homeOf(t, e).Counts {
		counts[c.Key] = c.Parks
	}
	return counts
}
