package wording

import (
	"math"
	"strconv"
)

// Sky returns the word for a WMO code, "" for one that the provider does not use.
func (l *Language) Sky(code uint8) string {
	key := "cielo." + strconv.Itoa(int(code))
	if !l.Has(key) {
		return ""
	}
	return l.Text(key)
}

// winds are the keys of the eight winds, clockwise from north.
var winds = [...]string{"n", "ne", "e", "se", "s", "so", "o", "no"}

// Direction returns the word for where a wind comes from, in degrees clockwise from north;
// "" for a missing one.
func (l *Language) Direction(degrees float32) string {
	if Missing(degrees) {
		return ""
	}
	eighth := int(math.Round(float64(degrees)/45)) % len(winds)
	return l.Text("rumbo." + winds[(eighth+len(winds))%len(winds)])
}
