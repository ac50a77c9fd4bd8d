package openmeteo

import (
	"math"
	"slices"
	"strconv"
)

// accept checks an element as a whole and puts it into the assembly. index is its place in
// this call.
func (d *decoder) accept(index int, e *element) *Error {
	if err := d.checkHours(e); err != nil {
		return err
	}
	if err := d.checkNumber(e.ID, index); err != nil {
		return err
	}
	for v, series := range e.Hourly.values {
		if series == nil {
			continue
		}
		k := &variables[v]
		unit, known := e.Units[k.name]
		switch {
		case len(series) != len(e.Hourly.times):
			return errorf(Mismatch, "%s has %d values for %d hours", k.name, len(series), len(e.Hourly.times))
		case known && unit != k.unit && unit != "undefined":
			return errorf(OtherUnits, "%s is in %q, not in %q", k.name, unit, k.unit)
		case unit == "undefined" || allMissing(series):
			// What a value without a unit means is not known: it is missing.
			e.Hourly.values[v] = nil
		case !known:
			return errorf(Mismatch, "%s has no unit", k.name)
		}
	}
	return d.into.put(d.points[index], e)
}

// checkNumber demands that location_id, where there is one, is of the place that was
// asked: numbered from 1 as we do, or from 0 as a server does by itself.
func (d *decoder) checkNumber(id *float64, index int) *Error {
	if id == nil {
		return nil
	}
	if d.from == nil {
		d.from = new(*id - float64(index))
	}
	if *id != *d.from+float64(index) || (*d.from != 0 && *d.from != 1) {
		return errorf(Mismatch, "it carries the number %v", *id)
	}
	return nil
}

// at names the place, as counted from 1 in the call, that an error is about.
func (e *Error) at(index int) *Error {
	return &Error{Kind: e.Kind, Err: e.Err, Reason: "place " + strconv.Itoa(index+1) + " of the call: " + e.Reason}
}

// checkHours demands consecutive full hours, the same for every place, and turns
// local times into UTC.
func (d *decoder) checkHours(e *element) *Error {
	hours := e.Hourly.times
	switch {
	case len(hours) == 0:
		return errorf(Mismatch, "no hours")
	case e.Hourly.local && math.Abs(e.Offset) > 24*3600:
		return errorf(Mismatch, "an offset from UTC of more than a day")
	}
	for i := range hours {
		if e.Hourly.local {
			hours[i] -= int64(e.Offset)
		}
		if hours[i]%3600 != 0 || hours[i] != hours[0]+int64(i)*3600 {
			return errorf(Mismatch, "the times are not consecutive full hours")
		}
	}
	if d.axis == nil {
		d.axis = hours
	}
	if !slices.Equal(d.axis, hours) {
		return errorf(Mismatch, "%d hours from %d on, other hours than the first place", len(hours), hours[0])
	}
	return nil
}

func allMissing(series []float32) bool {
	return !slices.ContainsFunc(series, func(x float32) bool { return x == x })
}
