//go:build race

package simulate

// underRace tells that the race detector slows the arithmetic down tenfold.
const underRace = true
