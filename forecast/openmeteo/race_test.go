//go:build race

package openmeteo

const raceDetector = true
