package main

import (
	"slices"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// exposureOf maps the tags of the facts. Tags of crossings are not here: they add
// a point of their own.
var exposureOf = map[string]hazard.Exposure{
	"cresta": hazard.Ridge, "volcan": hazard.Ridge, "glaciar": hazard.Glacier,
	"valle": hazard.OpenValley, "bosque": hazard.Forest, "costa": hazard.Coast,
	"desierto": hazard.Desert, "altiplano": hazard.HighPlateau,
}

// mildToHarsh orders the exposures of a trail's start and most exposed point.
var mildToHarsh = []hazard.Exposure{
	hazard.Forest, hazard.OpenValley, hazard.Coast, hazard.Desert,
	hazard.HighPlateau, hazard.Glacier, hazard.Ridge,
}

// plateauFrom is the height, in m, from which open ground is altiplano.
const plateauFrom = 3500

// crosses tells whether the tags name a ford or a gully.
func crosses(tags []string) bool {
	return slices.Contains(tags, "cruce_rio") || slices.Contains(tags, "quebrada")
}

// exposuresAt gives the exposures that the tags allow at a height, from mild to
// harsh and never none: the tag altiplano says nothing of a lower point, and
// tags of crossings say nothing of other points.
func exposuresAt(tags []string, elevation float64, zone hazard.Zone) []hazard.Exposure {
	var found []hazard.Exposure
	for _, e := range mildToHarsh {
		tagged := slices.ContainsFunc(tags, func(tag string) bool {
			exposure, ok := exposureOf[tag]
			return ok && exposure == e
		})
		if tagged && (e != hazard.HighPlateau || elevation >= plateauFrom) {
			found = append(found, e)
		}
	}
	if found == nil {
		return []hazard.Exposure{openGround(elevation, zone)}
	}
	return found
}

// openGround is the exposure of ground of which only place and height are known.
func openGround(elevation float64, zone hazard.Zone) hazard.Exposure {
	switch {
	case elevation >= plateauFrom:
		return hazard.HighPlateau
	case zone == hazard.Arid:
		return hazard.Desert
	default:
		return hazard.OpenValley
	}
}

// coastUpTo is the height, in m, up to which a park's access counts as shore.
const coastUpTo = 20

// sectorExposure is the exposure of the visit sector of a park without trails.
func sectorExposure(p parkFact) hazard.Exposure {
	if p.Elevation <= coastUpTo {
		return hazard.Coast
	}
	return openGround(p.Elevation, catalogue.ZoneAt(p.Latitude, p.Longitude))
}
