//go:build race

package handlers

// raceEnabled: under the race detector pools drop things at random.
const raceEnabled = true
