package openmeteo

import (
	"slices"

	"vigia/forecast/hazard"
)

// Group is what some of the places of a question are asked for. What a place is not asked
// for is missing there. A place may be in several groups.
type Group struct {
	Variables []hazard.Variable
	Places    []int // indexes in the places of the question
}

// startVariables are asked everywhere. Ten weigh one.
var startVariables = []hazard.Variable{
	hazard.Temperature, hazard.Humidity, hazard.Precipitation, hazard.WindSpeed, hazard.WindGust, hazard.WindDirection,
	hazard.WeatherCode, hazard.CloudCover, hazard.CAPE, hazard.FreezingLevel,
}

// exposedVariables are asked where a trail lies open to the weather, and at its critical
// point.
var exposedVariables = append(slices.Clip(startVariables), hazard.SnowDepth, hazard.SightRange, hazard.UVIndex, hazard.Snowfall)

// Groups returns what a forecast is asked for at the places of sites, of which there are
// so many: each place is in one group, by what the points there need
// ([hazard.Point.Exposed]).
func Groups(sites []hazard.Site, places int) []Group {
	exposed := make([]bool, places)
	for _, site := range sites {
		for _, point := range site.Points {
			exposed[point.At] = exposed[point.At] || point.Exposed()
		}
	}
	start, open := Group{Variables: startVariables}, Group{Variables: exposedVariables}
	for place, isExposed := range exposed {
		group := &start
		if isExposed {
			group = &open
		}
		group.Places = append(group.Places, place)
	}
	return slices.DeleteFunc([]Group{open, start}, func(g Group) bool { return len(g.Places) == 0 })
}

// everywhere is the group of all of so many places.
func everywhere(variables []hazard.Variable, places int) Group {
	all := make([]int, places)
	for i := range all {
		all[i] = i
	}
	return Group{variables, all}
}

// pointWeight returns what a place costs by the provider's rule: 1, or V/10 for V
// variables, or V/10 × days/14, whichever is most.
func pointWeight(variables []hazard.Variable, days int) float64 {
	tenths := float64(len(variables)) / 10
	return max(1, tenths, tenths*float64(days)/14)
}

// weightOf returns what calls for all groups cost.
func weightOf(groups []Group, days int) (weight float64) {
	for _, g := range groups {
		weight += float64(len(g.Places)) * pointWeight(g.Variables, days)
	}
	return weight
}
