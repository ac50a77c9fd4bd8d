package openmeteo

import (
	"math"
	"strconv"
)

// accept checks the element read last as a whole and puts it into the assembly. index is its
// place in this call.
func (d *decoder) accept(index int) *Error {
	e := &d.now
	if err := d.checkHours(); err != nil {
		return err.at(index)
	}
	if err := d.checkNumber(index); err != nil {
		return err.at(index)
	}
	for v := range e.values {
		k := &variables[v]
		switch {
		case !e.inHourly[v]:
			continue
		case len(e.values[v]) != len(e.hours):
			return errorf(Mismatch, "%s has %d values for %d hours", k.name, len(e.values[v]), len(e.hours)).at(index)
		case e.units[v] == undefinedUnit || allMissing(e.values[v]):
			// What a value without a unit means is not known: it is missing.
			e.inHourly[v] = false
		case e.units[v] == noUnit:
			return errorf(Mismatch, "%s has no unit", k.name).at(index)
		}
	}
	if err := d.into.put(d.first+index, d.places[index], e); err != nil {
		return err.at(index)
	}
	return nil
}

// checkNumber demands that location_id, where there is one, is of the place that was
// asked: numbered from 1 as we do, or from 0 as a server does by itself.
func (d *decoder) checkNumber(index int) *Error {
	id := d.now.id
	if math.IsNaN(id) {
		return nil
	}
	if math.IsNaN(d.from) {
		d.from = id - float64(index)
	}
	if id != d.from+float64(index) || (d.from != 0 && d.from != 1) {
		return errorf(Mismatch, "it carries the number %v", id)
	}
	return nil
}

// at names the place, as counted from 1 in the call, that an error is about.
func (e *Error) at(index int) *Error {
	return &Error{Kind: e.Kind, Err: e.Err, Reason: "place " + strconv.Itoa(index+1) + " of the call: " + e.Reason}
}

// checkHours demands consecutive full hours, the same for every place, and turns
// local times into UTC.
func (d *decoder) checkHours() *Error {
	e := &d.now
	if len(e.hours) == 0 {
		return errorf(Mismatch, "no hours")
	}
	if e.local {
		if math.Abs(e.offset) > 24*3600 {
			return errorf(Mismatch, "an offset from UTC of more than a day")
		}
		for i := range e.hours {
			e.hours[i] -= int64(e.offset)
		}
	}
	if d.axis == nil {
		for i, h := range e.hours {
			if h%3600 != 0 || h != e.hours[0]+int64(i)*3600 {
				return errorf(Mismatch, "the times are not consecutive full hours")
			}
		}
		d.axis = append(d.axis, e.hours...)
		return nil
	}
	if len(d.axis) != len(e.hours) {
		return errorf(Mismatch, "%d hours, the first place has %d", len(e.hours), len(d.axis))
	}
	for i, h := range e.hours {
		if h != d.axis[i] {
			return errorf(Mismatch, "other hours than the first place")
		}
	}
	return nil
}

func allMissing(series []float32) bool {
	for _, x := range series {
		if x == x {
			return false
		}
	}
	return true
}
