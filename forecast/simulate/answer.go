package simulate

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// A sampler makes the hours of an answer for a place.
type sampler func(*spot) []Values

// forecast samples the hours of a query as the newest run and, before it, the earlier ones
// predict them.
func forecast(seed uint64, q *query, newest time.Time) sampler {
	hours, leads := make([]hour, q.hours), make([]time.Duration, q.hours)
	for i := range hours {
		run := q.model.runFor(q.at(i), newest)
		hours[i], leads[i] = modelHour(seed, q.model, run, q.at(i)), q.at(i).Sub(run)
	}
	return func(s *spot) []Values {
		values := s.sample(seed, hours)
		for i := range values {
			q.model.blank(&values[i], leads[i])
		}
		return values
	}
}

// sample makes the weather of hours at a place.
func (s *spot) sample(seed uint64, hours []hour) []Values {
	values := make([]Values, len(hours))
	for i := range hours {
		values[i] = s.weather(seed, &hours[i])
	}
	return values
}

// answer writes a whole answer, an object for one place and an array for several.
func (s *Server) answer(q *query, now time.Time) []byte {
	var sample sampler
	if q.model == archive {
		sample = reanalysis(s.seed, q)
	} else {
		sample = forecast(s.seed, q, s.newestRun(q.model, now))
	}
	members := s.members(q, now)
	times := q.appendTimes(nil)
	b := make([]byte, 0, len(q.places)*(len(times)+600+6*q.hours*len(q.variables)))
	served := func(place catalogue.Location) (mean, spread []Values) {
		if len(members) > 0 {
			return s.ensemble(q, members, place, now)
		}
		return s.served(q, sample, place, now), nil
	}
	for i := range q.places {
		switch {
		case i > 0:
			b = append(b, ',')
		case len(q.places) > 1:
			b = append(b, '[')
		}
		b = q.appendElement(b, i, times, served)
	}
	if len(q.places) > 1 {
		b = append(b, ']')
	}
	return b
}

// served returns the hours of a query at a place as they are answered.
func (s *Server) served(q *query, sample sampler, place catalogue.Location, now time.Time) []Values {
	values := sample(newSpot(place))
	for k := range values {
		if s.override != nil {
			s.override(q.model.id, place, q.at(k), &values[k])
			values[k].round()
		}
		if q.model == archive && q.at(k).After(now.Add(-archiveDelay)) {
			values[k] = nothing
		}
	}
	return values
}

// appendElement writes one place's object.
func (q *query) appendElement(b []byte, place int, times []byte, served func(catalogue.Location) (mean, spread []Values)) []byte {
	p, cell := q.places[place], func(degrees float64) float64 { return math.Round(degrees/q.model.grid) * q.model.grid }
	b = fmt.Appendf(b, `{"latitude":%.7g,"longitude":%.7g,"generationtime_ms":%.7g,"utc_offset_seconds":0,"timezone":"GMT","timezone_abbreviation":"GMT","elevation":%.1f`,
		cell(p.Latitude), cell(p.Longitude), 0.0009*float64(q.hours)*float64(1+len(q.variables)), p.Elevation)
	if q.ids[place] != 0 {
		b = fmt.Appendf(b, `,"location_id":%d`, q.ids[place])
	}
	b = append(b, `,"hourly_units":{"time":"unixtime"`...)
	for _, v := range q.variables {
		b = fmt.Appendf(b, `,"%s":"%s"`, variables[v].name, q.model.unit(v))
	}
	for _, level := range q.levels {
		b = fmt.Appendf(b, `,"%s":"%s"`, level.name, q.model.unit(hazard.WindAloft))
	}
	for _, v := range q.spreads {
		b = fmt.Appendf(b, `,"%s%s":"%s"`, variables[v].name, spreadSuffix, q.model.unitOfSpread(v))
	}
	b = append(append(b, `},"hourly":{"time":`...), times...)
	var values, spreads []Values
	if len(q.variables)+len(q.spreads) > 0 {
		values, spreads = served(p)
	}
	for _, v := range q.variables {
		b = appendSeries(b, variables[v].name, v, values, q.hours)
	}
	for _, v := range q.spreads {
		b = appendSeries(b, variables[v].name+spreadSuffix, v, spreads, q.hours)
	}
	return append(q.appendLevels(b, p, served), '}', '}')
}

// appendSeries writes the values of a variable under a name, null throughout where there
// are none.
func appendSeries(b []byte, name string, v hazard.Variable, values []Values, hours int) []byte {
	b = append(b, `,"`+name+`":[`...)
	for i := range hours {
		x := math.NaN()
		if values != nil {
			x = values[i][v]
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = appendFixed(b, x, variables[v].decimals)
	}
	return append(b, ']')
}

func (q *query) appendTimes(b []byte) []byte {
	b = append(b, '[')
	for i := range q.hours {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, q.at(i).Unix(), 10)
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
