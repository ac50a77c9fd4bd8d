//go:build race

package simulate

// underRace returns that the race detector slows the arithmetic down tenfold.
const underRace = true
