package openmeteo

import (
	"context"
	"slices"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// levelHeights are the heights, m above sea in the standard atmosphere, of the pressure
// levels of 925, 850, 700, 600 and 500 hPa. Their winds follow the variables of the rules
// in the table of variables, and become [hazard.WindAloft].
var levelHeights = [...]float64{760, 1460, 3010, 4210, 5570}

// An answer may have numSeries series: those of the rules, the levels' winds and, from
// firstSpread on, the spreads of an ensemble.
const (
	firstSpread = hazard.NumVariables + len(levelHeights)
	numSeries   = firstSpread + len(ensembleVariables)
)

// AloftPlaces returns where the wind aloft is asked for ([hazard.Point.Aloft]): the places
// of the sites' points, ascending.
func AloftPlaces(sites []hazard.Site) (places []int) {
	for _, site := range sites {
		for _, point := range site.Points {
			if point.Aloft() {
				places = append(places, point.At)
			}
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// HasWindAloft reports whether a model has winds at pressure levels.
func HasWindAloft(model string) bool {
	m, _ := lookUp("", model)
	return m.aloft
}

// WindAloft asks a model for the wind in the free air at the places' own heights, for the
// hours that Forecast has. Errors are as of [Client.Forecast].
func (c *Client) WindAloft(ctx context.Context, model string, places []catalogue.Location) (*Answer, error) {
	return c.forecast(ctx, "wind aloft", model, places, []Group{everywhere([]hazard.Variable{hazard.WindAloft}, len(places))})
}

// HistoryAloft asks for the wind aloft as [Client.History] does for the variables of the
// rules.
func (c *Client) HistoryAloft(ctx context.Context, model string, places []catalogue.Location, first, last time.Time) (*Answer, error) {
	return c.history(ctx, "archived wind aloft", model, places, []hazard.Variable{hazard.WindAloft}, first, last)
}

// windAloft interpolates, in height, the winds of the levels to a height in m above sea.
// Above and below all levels it is that of the nearest. It is missing where a level that
// it rests on is: nil, or NaN in an hour.
func windAloft(levels [][]float32, height float64) []float32 {
	above := slices.IndexFunc(levelHeights[:], func(level float64) bool { return level >= height })
	switch {
	case above < 0:
		return levels[len(levels)-1]
	case above == 0 || levelHeights[above] == height:
		return levels[above]
	case levels[above-1] == nil || levels[above] == nil:
		return nil
	}
	low, high := levelHeights[above-1], levelHeights[above]
	share := float32((height - low) / (high - low))
	winds := make([]float32, len(levels[above]))
	for i, wind := range levels[above-1] {
		winds[i] = wind + share*(levels[above][i]-wind)
	}
	return winds
}
