package openmeteo

import (
	"io"
	"math"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// Limits of an answer, generous against what is asked.
const (
	maxHours      = 31 * 24
	bytesPerPoint = 128 * 1024
	bytesPerCall  = 64 * 1024

	minUnix = 631152000  // 1990-01-01
	maxUnix = 4102444800 // 2100-01-01
)

// decoder reads the answer to one call. An answer holds one element for each
// place; the decoder keeps one element at a time and hands it to the assembly.
type decoder struct {
	scan   *scanner
	places []catalogue.Location
	first  int // index of places[0] among all the places asked
	into   *assembly
	now    element
	axis   []int64 // the hours of the first element, which all must have
	from   float64 // the number of the first place in location_id; NaN before one is seen
}

// element is what the answer says of one place. Its slices are used again for
// the next one.
type element struct {
	latitude  float64 // of the grid cell; NaN when not told
	longitude float64
	offset    float64 // of local times from UTC, s
	id        float64 // location_id; NaN when not told
	hours     []int64 // unix s, or local s when local is set
	local     bool
	values    [hazard.NumVariables][]float32
	inHourly  [hazard.NumVariables]bool
	units     [hazard.NumVariables]unit
	sections  [numSections]bool // the parts that were there
	failed    bool              // {"error":true}
	reason    string
}

// unit is what hourly_units says of a variable.
type unit uint8

const (
	noUnit        unit = iota // nothing
	expectedUnit              // what we count on
	undefinedUnit             // the model does not have the variable
)

// The parts of an element of which a second one would contradict the first.
const (
	hourlySection = iota
	unitsSection
	timeSection
	numSections
)

func newDecoder(places []catalogue.Location, first int, into *assembly) *decoder {
	return &decoder{places: places, first: first, into: into, from: math.NaN()}
}

// decode reads an answer to its end. On an error the assembly is spoilt. Where the
// answer broke off, a number may be cut in two: what does not fit then is no fault
// of the provider's.
func (d *decoder) decode(body io.Reader) *Error {
	err := d.read(body)
	if err != nil && err.Kind == Mismatch && d.scan.brokeOff() {
		return d.scan.fault("the rest of the answer")
	}
	return err
}

func (d *decoder) read(body io.Reader) *Error {
	d.scan = newScanner(body, bytesPerCall+int64(len(d.places))*bytesPerPoint)
	switch d.scan.peek() {
	case '{':
		return d.decodeObject()
	case '[':
		return d.decodeArray()
	case '<':
		return &Error{Kind: ServerFault, Reason: "a web page instead of data"}
	case 0:
		if d.scan.pos == d.scan.end && d.scan.err == io.EOF {
			return malformed("an empty answer")
		}
	}
	return d.scan.fault("an object or an array")
}

func (d *decoder) decodeObject() *Error {
	if err := d.element(); err != nil {
		return err
	}
	if len(d.places) != 1 {
		return mismatch("one place in the answer, %d asked", len(d.places))
	}
	if err := d.accept(0); err != nil {
		return err
	}
	return d.scan.finish()
}

func (d *decoder) decodeArray() *Error {
	if len(d.places) == 1 {
		return mismatch("a list in the answer, one place asked")
	}
	index := 0
	err := d.scan.array(func() *Error {
		if index == len(d.places) {
			return mismatch("more places in the answer than the %d asked", len(d.places))
		}
		if err := d.element(); err != nil {
			return err
		}
		index++
		return d.accept(index - 1)
	})
	switch {
	case err != nil:
		return err
	case index != len(d.places):
		return mismatch("%d places in the answer, %d asked", index, len(d.places))
	}
	return d.scan.finish()
}

// element reads one element, from nothing: no value of the one before may stay.
func (d *decoder) element() *Error {
	e := &d.now
	missing := math.NaN()
	*e = element{latitude: missing, longitude: missing, id: missing, hours: e.hours[:0], values: e.values}
	for v := range e.values {
		e.values[v] = e.values[v][:0]
	}
	if err := d.scan.object(d.member); err != nil {
		return err
	}
	if e.failed {
		return errorSaid(e.reason)
	}
	return nil
}

// member reads one member of an element.
func (d *decoder) member(key []byte) (err *Error) {
	e := &d.now
	switch string(key) {
	case "latitude":
		e.latitude, err = d.scan.number()
	case "longitude":
		e.longitude, err = d.scan.number()
	case "utc_offset_seconds":
		e.offset, err = d.scan.number()
	case "location_id":
		e.id, err = d.scan.numberOrNull()
	case "hourly":
		if err = d.enter(hourlySection, "hourly"); err == nil {
			err = d.scan.object(d.series)
		}
	case "hourly_units":
		if err = d.enter(unitsSection, "hourly_units"); err == nil {
			err = d.scan.object(d.unit)
		}
	case "error":
		e.failed, err = d.scan.boolean()
	case "reason":
		err = d.readReason()
	default:
		err = d.scan.skip(1)
	}
	return err
}

func (d *decoder) readReason() *Error {
	text, err := d.scan.str()
	d.now.reason = string(text)
	return err
}

// enter marks a section as seen and refuses it a second time.
func (d *decoder) enter(section int, name string) *Error {
	if d.now.sections[section] {
		return mismatch("%s appears twice", name)
	}
	d.now.sections[section] = true
	return nil
}

// series reads one member of hourly.
func (d *decoder) series(key []byte) (err *Error) {
	e := &d.now
	if string(key) == "time" {
		if err = d.enter(timeSection, "time"); err != nil {
			return err
		}
		return d.scan.array(d.hour)
	}
	v, ok := variableNamed(key)
	if !ok {
		return d.scan.skip(2)
	}
	if e.inHourly[v] {
		return mismatch("%s appears twice", variables[v].name)
	}
	e.inHourly[v] = true
	e.values[v], err = d.scan.floats(e.values[v], maxHours)
	if err != nil {
		err.Reason = variables[v].name + ": " + err.Reason
	}
	return err
}

// hour reads one time stamp: seconds since 1970, or a local time without zone.
func (d *decoder) hour() *Error {
	e := &d.now
	if len(e.hours) == maxHours {
		return mismatch("more than %d hours", maxHours)
	}
	local := d.scan.peek() == '"'
	if len(e.hours) > 0 && local != e.local {
		return mismatch("times of two forms")
	}
	e.local = local
	if !local {
		seconds, err := d.scan.number()
		if err != nil {
			return err
		}
		t, ok := unixTime(seconds)
		if !ok {
			return mismatch("a time that is none")
		}
		e.hours = append(e.hours, t.Unix())
		return nil
	}
	text, err := d.scan.str()
	if err != nil {
		return err
	}
	t, bad := time.Parse("2006-01-02T15:04", string(text))
	if bad != nil || t.Unix() < minUnix || t.Unix() > maxUnix {
		return mismatch("a time that is none")
	}
	e.hours = append(e.hours, t.Unix())
	return nil
}

// unit reads one member of hourly_units.
func (d *decoder) unit(key []byte) *Error {
	v, ok := variableNamed(key)
	if !ok {
		return d.scan.skip(2)
	}
	text, err := d.scan.str()
	if err != nil {
		return err
	}
	now := expectedUnit
	switch string(text) {
	case variables[v].unit:
	case "undefined":
		now = undefinedUnit
	default:
		return mismatch("%s is in %q, not in %q", variables[v].name, text, variables[v].unit)
	}
	if before := d.now.units[v]; before != noUnit && before != now {
		return mismatch("%s has two units", variables[v].name)
	}
	d.now.units[v] = now
	return nil
}
