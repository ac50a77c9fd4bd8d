package catalogue

import (
	"math"
	"slices"

	"vigia/forecast/hazard"
)

// basinFrom is the height, in m, from which land upstream can let loose a debris flow
// where rain falls instead of snow, and basinNearKm how near a volcano so high counts.
const (
	basinFrom   = 2500
	basinNearKm = 30
)

// remoteHours is the walk to shelter, in hours, above which a trail is remote.
const remoteHours = 4

// Heights, in m, below which open ground and ridges carry burnable vegetation
// outside the arid zone.
const (
	openFuelBelow  = 2500
	ridgeFuelBelow = 1000
)

// longKm is the length of a trail, in km, of which one exposed point says little.
const longKm = 15

// OneExposedPoint reports whether the trail is longer than 15 km and its estimate rests on fewer than two exposed
// points: past the start, out of the forest, and in a place that is not a guess. It is false of an unknown length.
func (t *Trail) OneExposedPoint() bool {
	exposed := 0
	for i, p := range t.Points {
		if i > 0 && p.Exposure != hazard.Forest && !p.Guessed {
			exposed++
		}
	}
	return t.LengthKm > longKm && exposed < 2
}

// WalkingHours is the walking time by DIN 33466: 4 km/h on the flat, 300 m/h up
// and 500 m/h down; to the larger of the times for distance and for height half
// of the smaller is added. A missing length gives a missing time (NaN).
func WalkingHours(lengthKm, upM, downM float64) float64 {
	flat := lengthKm / 4
	height := upM/300 + downM/500
	return math.Max(flat, height) + math.Min(flat, height)/2
}

// ZoneAt returns the climate zone of a place that does not say its own: north of
// 30° S arid, to 36° S central, to 42° S southern, beyond it austral. Those bands
// are the continent's. Chile's oceanic islands get much more rain than it does at
// their latitudes (about 1,100 mm a year on Rapa Nui), hence the southern zone.
func ZoneAt(latitude, longitude float64) hazard.Zone {
	if isOceanic(latitude, longitude) {
		return hazard.Southern
	}
	switch {
	case latitude > -30:
		return hazard.Arid
	case latitude >= -36:
		return hazard.Central
	case latitude >= -42:
		return hazard.Southern
	default:
		return hazard.Austral
	}
}

func isOceanic(latitude, longitude float64) bool {
	return longitude < -76 && longitude > -110 && latitude < -25 && latitude > -36
}

// deriveBasins tells of the trails that don't say so themselves whether high land lies
// upstream.
func (c *Catalogue) deriveBasins(entries []trailEntry) {
	high := make([]bool, len(c.Parks))
	for i, p := range c.Parks {
		high[i] = p.ElevationM >= basinFrom
	}
	for _, t := range c.Trails {
		high[t.Park] = high[t.Park] || t.MaxElevationM >= basinFrom
	}
	for _, v := range c.Volcanoes {
		for _, near := range v.Parks {
			high[near.Park] = high[near.Park] || v.ElevationM >= basinFrom && near.DistanceKm <= basinNearKm
		}
	}
	for i, entry := range entries {
		t := &c.Trails[i]
		t.Basin = given(entry.Basin, high[t.Park] && t.mayHaveBasin())
	}
}

func (t *Trail) mayHaveBasin() bool {
	start := t.Points[0].Location
	coast := func(p Point) bool { return p.Exposure == hazard.Coast }
	return (t.Zone == hazard.Central || t.Zone == hazard.Southern) &&
		!isOceanic(start.Latitude, start.Longitude) && !slices.ContainsFunc(t.Points, coast)
}

// derive completes a trail with what follows from its facts.
func (t *trailEntry) derive() {
	start, highest := t.Points[0].Location, 0
	critical := false
	for i, p := range t.Points {
		if p.Location.Elevation > t.Points[highest].Location.Elevation {
			highest = i
		}
		critical = critical || p.Critical
	}
	if !critical {
		t.Points[highest].Critical = true
	}
	t.StartElevationM = start.Elevation
	t.MaxElevationM = t.Points[highest].Location.Elevation
	t.ClimbM = t.MaxElevationM - t.StartElevationM
	hours := WalkingHours(t.LengthKm, t.ClimbM, t.ClimbM)
	t.MinHours, t.MaxHours = tenths(0.8*hours), tenths(1.4*hours)

	t.Trail.Zone = given(t.Zone, ZoneAt(start.Latitude, start.Longitude))
	t.Trail.Remote = given(t.Remote, t.hoursToShelter() > remoteHours)
	t.Trail.Fuel = given(t.Fuel, t.hasFuel())
}

// given returns what a file has of a trail, or else what follows from the rest.
func given[T any](value *T, derived T) T {
	if value != nil {
		return *value
	}
	return derived
}

// hoursToShelter is the time to the far end of a walk there and back, and half
// of the total of any other. NaN, which is not above any limit, when the length
// is unknown.
func (t *Trail) hoursToShelter() float64 {
	if t.Kind == kindThereAndBack {
		return WalkingHours(t.LengthKm/2, t.ClimbM, 0)
	}
	return WalkingHours(t.LengthKm, t.ClimbM, t.ClimbM) / 2
}

func (t *Trail) hasFuel() bool {
	for _, p := range t.Points {
		limit := math.Inf(-1)
		switch p.Exposure {
		case hazard.Forest:
			return true
		case hazard.OpenValley, hazard.Coast, hazard.Crossing:
			limit = openFuelBelow
		case hazard.Ridge:
			limit = ridgeFuelBelow
		}
		if t.Zone != hazard.Arid && p.Location.Elevation < limit {
			return true
		}
	}
	return false
}

// tenths rounds to 0.1, upwards from nothing so that no walk takes no time.
func tenths(hours float64) float64 {
	return math.Max(0.1, math.Round(hours*10)/10)
}
