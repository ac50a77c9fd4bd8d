package simulate

import (
	"math"
	"strconv"
	"time"

	"vigia/store/catalogue"
)

var missing = math.NaN()

// table is one place's answer: for each variable asked, the hours' values.
type table struct {
	values [][]float64
	hours  []hour
	leads  []time.Duration
}

// hoursOf makes the hours of a window as the newest run and, before it, the
// earlier ones predict them.
func hoursOf(seed uint64, q *query, newest time.Time) *table {
	t := &table{hours: make([]hour, q.hours), leads: make([]time.Duration, q.hours)}
	for i := range t.hours {
		at := q.start.Add(time.Duration(i) * time.Hour)
		run := q.model.runFor(at, newest)
		t.hours[i] = modelHour(seed, q.model, run, at)
		t.leads[i] = at.Sub(run)
	}
	t.values = make([][]float64, len(q.variables))
	for i := range t.values {
		t.values[i] = make([]float64, q.hours)
	}
	return t
}

// fill works out one place's values.
func (t *table) fill(seed uint64, q *query, place catalogue.Location, override Override) {
	s := newSpot(place)
	for i := range t.hours {
		v := s.weather(seed, &t.hours[i])
		q.model.blank(&v, t.leads[i])
		if override != nil {
			override(q.model.id, place, q.start.Add(time.Duration(i)*time.Hour), &v)
			v.round()
		}
		for j, variable := range q.variables {
			t.values[j][i] = v[variable]
		}
	}
}

// appendElement writes one place's object.
func (t *table) appendElement(b []byte, q *query, place int, times []byte) []byte {
	p := q.places[place]
	b = append(b, `{"latitude":`...)
	b = appendShort(b, math.Round(p.Latitude/q.model.grid)*q.model.grid)
	b = append(b, `,"longitude":`...)
	b = appendShort(b, math.Round(p.Longitude/q.model.grid)*q.model.grid)
	b = append(b, `,"generationtime_ms":`...)
	b = appendShort(b, 0.0009*float64(q.hours)*float64(1+len(q.variables)))
	b = append(b, `,"utc_offset_seconds":0,"timezone":"GMT","timezone_abbreviation":"GMT","elevation":`...)
	b = appendFixed(b, p.Elevation, 1)
	if q.ids[place] != 0 {
		b = append(b, `,"location_id":`...)
		b = strconv.AppendInt(b, int64(q.ids[place]), 10)
	}
	b = appendUnits(b, q)
	b = append(b, `,"hourly":{"time":`...)
	b = append(b, times...)
	for j, v := range q.variables {
		b = append(b, ',', '"')
		b = append(b, variables[v].name...)
		b = append(b, '"', ':')
		b = appendSeries(b, t.values[j], variables[v].decimals)
	}
	return append(b, '}', '}')
}

func appendUnits(b []byte, q *query) []byte {
	b = append(b, `,"hourly_units":{"time":"unixtime`...)
	for _, v := range q.variables {
		unit := variables[v].unit
		if !q.model.has(v) {
			unit = "undefined"
		}
		b = append(b, `","`...)
		b = append(b, variables[v].name...)
		b = append(b, `":"`...)
		b = append(b, unit...)
	}
	return append(b, `"}`...)
}

func appendTimes(b []byte, q *query) []byte {
	b = append(b, '[')
	for i := range q.hours {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, q.start.Add(time.Duration(i)*time.Hour).Unix(), 10)
	}
	return append(b, ']')
}

func appendSeries(b []byte, values []float64, decimals int) []byte {
	b = append(b, '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendFixed(b, v, decimals)
	}
	return append(b, ']')
}

// appendFixed writes a value with a fixed number of digits after the point, and
// null for what is missing or no number.
func appendFixed(b []byte, v float64, decimals int) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, v, 'f', decimals, 64)
}

func appendShort(b []byte, v float64) []byte {
	return strconv.AppendFloat(b, float64(float32(v)), 'g', 7, 64)
}

// answer writes a whole answer, an object for one place and an array for several.
func (s *Server) answer(q *query, now time.Time) []byte {
	t, fill := &table{}, s.fillArchive
	if q.model != archive {
		t = hoursOf(s.seed, q, s.newestRun(q.model, now))
		fill = func(t *table, q *query, place int, _ time.Time) { t.fill(s.seed, q, q.places[place], s.override) }
	}
	times := appendTimes(nil, q)
	b := make([]byte, 0, len(q.places)*(len(times)+600+6*q.hours*len(q.variables)))
	for i := range q.places {
		switch {
		case i > 0:
			b = append(b, ',')
		case len(q.places) > 1:
			b = append(b, '[')
		}
		fill(t, q, i, now)
		b = t.appendElement(b, q, i, times)
	}
	if len(q.places) > 1 {
		b = append(b, ']')
	}
	return b
}
