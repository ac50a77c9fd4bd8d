package openmeteo

import (
	"math"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// assembly puts the elements of one or several calls together to one answer.
type assembly struct {
	points        int
	columns       *hazard.Columns // nil before the first element
	implausible   int
	implausibleBy [hazard.NumVariables]int
	raised        int
	farthestKm    float64
	farthestPoint int
}

func newAssembly(points int) *assembly {
	return &assembly{points: points, farthestPoint: -1}
}

// put screens the values of an element, which is checked in itself, and keeps
// them as those of a point.
func (a *assembly) put(point int, place catalogue.Location, e *element) *Error {
	start := time.Unix(e.hours[0], 0).UTC()
	if a.columns == nil {
		a.columns = hazard.NewColumns(start, a.points, len(e.hours))
	}
	// At midnight UTC the window asked for moves on by a day between two calls.
	shift := int(start.Sub(a.columns.Start) / time.Hour)
	if shift < -24 || shift > 24 || len(e.hours) != a.columns.Hours {
		return mismatch("the hours of the last call do not fit those of the calls before")
	}
	a.measure(point, place, e)
	for v := range e.values {
		if e.inHourly[v] {
			dropped := variables[v].screen(e.values[v])
			a.implausible += dropped
			a.implausibleBy[v] += dropped
		}
	}
	if e.inHourly[hazard.WindGust] && e.inHourly[hazard.WindSpeed] {
		a.raised += raiseGusts(e.values[hazard.WindGust], e.values[hazard.WindSpeed])
	}
	for v := range e.values {
		if !e.inHourly[v] || allMissing(e.values[v]) {
			continue
		}
		a.columns.Fill(hazard.Variable(v))
		series := a.columns.Series(hazard.Variable(v), point)
		copy(series[max(shift, 0):], e.values[v][max(-shift, 0):])
	}
	return nil
}

// measure keeps the distance of the grid cell when it is the farthest so far.
func (a *assembly) measure(point int, place catalogue.Location, e *element) {
	km := distanceKm(place.Latitude, place.Longitude, e.latitude, e.longitude)
	if km > a.farthestKm || (a.farthestPoint < 0 && !math.IsNaN(km)) {
		a.farthestKm, a.farthestPoint = km, point
	}
}

// checkCovers demands that the answer holds the present hour: one for other days
// comes from a cache, or from a clock that is wrong, here or there.
func (a *assembly) checkCovers(now time.Time) *Error {
	start := a.columns.Start
	end := start.Add(time.Duration(a.columns.Hours) * time.Hour)
	if now.Before(start) || !now.Before(end) {
		return mismatch("the answer is for %s to %s, not for now", start.Format(time.DateTime), end.Format(time.DateTime))
	}
	return nil
}

func (a *assembly) answer() *Answer {
	answer := &Answer{
		Columns: a.columns, Implausible: a.implausible, Raised: a.raised,
		FarthestKm: a.farthestKm, FarthestPoint: a.farthestPoint,
	}
	for v, column := range a.columns.Values {
		answer.Missing[v] = column == nil
	}
	return answer
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
