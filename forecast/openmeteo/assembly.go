package openmeteo

import (
	"cmp"
	"math"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// assembly puts the elements of one or several calls together to one answer.
type assembly struct {
	places        []catalogue.Location // all that an answer is made for
	columns       *hazard.Columns      // nil before the first element
	spread        *hazard.Columns      // likewise of an ensemble; nil before the first that is known
	implausible   int
	implausibleBy [numSeries]int
	reachKm       float64                       // from a place to its grid cell, at most
	asked         []float64                     // heights of the places that came, m
	answered      []float64                     // heights in the answer, m; NaN where it has none
	extremes      [hazard.NumVariables]extremes // over all places
}

func newAssembly(places []catalogue.Location, reachKm float64) *assembly {
	return &assembly{places: places, reachKm: reachKm, asked: make([]float64, len(places)), answered: make([]float64, len(places))}
}

// placesAt returns the places of some indexes.
func (a *assembly) placesAt(points []int) []catalogue.Location {
	places := make([]catalogue.Location, len(points))
	for i, point := range points {
		places[i] = a.places[point]
	}
	return places
}

// put screens the values of an element, which is checked in itself, and keeps
// them as those of a point.
func (a *assembly) put(point int, e *element) *Error {
	start := time.Unix(e.Hourly.times[0], 0).UTC()
	hours, values := len(e.Hourly.times), &e.Hourly.values
	if a.columns == nil {
		a.columns = hazard.NewColumns(start, len(a.places), hours)
	}
	// At midnight UTC the window asked for moves on by a day between two calls.
	shift := int(start.Sub(a.columns.Start) / time.Hour)
	if shift < -24 || shift > 24 || hours != a.columns.Hours {
		return errorf(Mismatch, "the hours of the last call do not fit those of the calls before")
	}
	if err := a.checkCell(point, e); err != nil {
		return err
	}
	for v, series := range values {
		dropped := variables[v].screen(series)
		a.implausible += dropped
		a.implausibleBy[v] += dropped
	}
	values[hazard.WindAloft] = windAloft(values[hazard.NumVariables:firstSpread], a.places[point].Elevation)
	if err := a.checkHere(e); err != nil {
		return err
	}
	if values[hazard.WindGust] != nil {
		raiseGusts(values[hazard.WindGust], values[hazard.WindSpeed])
	}
	for v, series := range values[:hazard.NumVariables] {
		keep(a.columns, hazard.Variable(v), point, series, shift)
	}
	for i, v := range ensembleVariables {
		if series := values[firstSpread+i]; !allMissing(series) && !extremesOf(series).still() {
			if a.spread == nil {
				a.spread = hazard.NewColumns(a.columns.Start, a.columns.Points, a.columns.Hours)
			}
			keep(a.spread, v, point, series, shift)
		}
	}
	return nil
}

// keep keeps a series as that of a point, so many hours later in the columns.
func keep(columns *hazard.Columns, v hazard.Variable, point int, series []float32, shift int) {
	if allMissing(series) {
		return
	}
	for i, x := range series {
		if hour := i + shift; hour >= 0 && hour < columns.Hours {
			columns.Set(v, point, hour, float64(x))
		}
	}
}

// answer returns what was put together, when all of it is there.
func (a *assembly) answer() (*Answer, *Error) {
	if err := cmp.Or(a.checkOrder(), a.checkEverywhere()); err != nil {
		return nil, err
	}
	return &Answer{Columns: a.columns, Spread: a.spread, Implausible: a.implausible}, nil
}

// distanceKm is the great-circle distance (haversine, mean radius 6,371.0 km)
// between two places in degrees; NaN when a coordinate is.
func distanceKm(lat1, lon1, lat2, lon2 float64) float64 {
	const radians, diameterKm = math.Pi / 180, 2 * 6371.0
	sinLat := math.Sin((lat2 - lat1) * radians / 2)
	sinLon := math.Sin((lon2 - lon1) * radians / 2)
	h := sinLat*sinLat + math.Cos(lat1*radians)*math.Cos(lat2*radians)*sinLon*sinLon
	return diameterKm * math.Asin(math.Sqrt(min(h, 1)))
}
