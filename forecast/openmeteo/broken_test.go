package openmeteo

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"vigia/store/catalogue"
)

// A connection that breaks within a number leaves a shorter number. That is a
// broken answer, whose weight may not have been used up, and not one that does not
// fit the question.
func TestAnAnswerCutInANumberIsBroken(t *testing.T) {
	place := []catalogue.Location{{Latitude: -51, Longitude: -73, Elevation: 100}}
	const cut = `{"latitude":-51,"longitude":-73,"hourly":{"time":[1763391600,17`
	broken := io.MultiReader(strings.NewReader(cut), iotest.ErrReader(errors.New("timed out")))
	if err := newDecoder(indexes(0, 1), newAssembly(place, cellReachKm)).decode(broken); err == nil || err.Kind == Mismatch || outcomeOf(err) != Unclear {
		t.Errorf("cut within a time: %v", err)
	}
	err := newDecoder(indexes(0, 1), newAssembly(place, cellReachKm)).decode(strings.NewReader(strings.Replace(cut, ",17", ",17]", 1) + strings.Repeat(" ", 1<<17)))
	if err == nil || err.Kind != Mismatch {
		t.Errorf("a time that is none in a whole answer: %v", err)
	}
}
