package openmeteo

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// Limits of an answer, generous against what is asked.
const (
	maxHours      = 31 * 24
	bytesPerPoint = 128 * 1024
	bytesPerCall  = 64 * 1024
	bytesPerToken = 64 * 1024

	minUnix = 631152000  // 1990-01-01
	maxUnix = 4102444800 // 2100-01-01
)

// decoder reads the answer to one call. An answer holds one element for each
// place; the decoder keeps one element at a time and then puts it into the assembly.
type decoder struct {
	json   *jsontext.Decoder
	body   *boundedReader
	places []catalogue.Location
	first  int // index of places[0] among all the places asked
	into   *assembly
	now    element
	axis   []int64 // the hours of the first element, which all must have
	from   float64 // the number of the first place in location_id; NaN before one is seen
}

// element is the part of the answer about one place. Its slices are used again for the
// next one.
type element struct {
	latitude  float64 // of the grid cell; NaN when missing
	longitude float64
	elevation float64 // m, for which the temperature is meant; NaN when missing
	offset    float64 // of local times from UTC, s
	id        float64 // location_id; NaN when missing
	hours     []int64 // unix s, or local s when local is set
	local     bool
	values    [hazard.NumVariables][]float32
	inHourly  [hazard.NumVariables]bool
	units     [hazard.NumVariables]unit
	failed    bool // {"error":true}
	reason    string
}

// unit is the entry of hourly_units for a variable.
type unit uint8

const (
	noUnit        unit = iota // nothing
	expectedUnit              // what we count on
	undefinedUnit             // the model does not have the variable
)

func newDecoder(places []catalogue.Location, first int, into *assembly) *decoder {
	return &decoder{places: places, first: first, into: into, from: math.NaN()}
}

// decode reads an answer to its end: an object for one place, an array for several. On an
// error the assembly is spoilt.
func (d *decoder) decode(body io.Reader) *Error {
	d.open(body, bytesPerCall+int64(len(d.places))*bytesPerPoint)
	places := 0
	each := func() *Error {
		if places == len(d.places) {
			return errorf(Mismatch, "more places in the answer than the %d asked", len(d.places))
		}
		if err := d.element(); err != nil {
			return err
		}
		places++
		return d.accept(places - 1)
	}
	var err *Error
	switch list := d.json.PeekKind() == jsontext.KindBeginArray; {
	case list && len(d.places) == 1:
		return errorf(Mismatch, "a list in the answer, one place asked")
	case list:
		err = d.array(each)
	default:
		err = each()
	}
	switch {
	case err != nil:
		return err
	case places != len(d.places):
		return errorf(Mismatch, "%d places in the answer, %d asked", places, len(d.places))
	}
	return d.finish()
}

// element reads the members of one element, from nothing: no value of the one before
// may stay.
func (d *decoder) element() *Error {
	e := &d.now
	missing := math.NaN()
	*e = element{latitude: missing, longitude: missing, elevation: missing, id: missing, hours: e.hours[:0], values: e.values}
	for v := range e.values {
		e.values[v] = e.values[v][:0]
	}
	if err := d.object(d.member); err != nil {
		return err
	}
	if e.failed {
		return refusalError(http.StatusOK, e.reason)
	}
	return nil
}

// member reads one member of an element.
func (d *decoder) member(name string) (err *Error) {
	e := &d.now
	switch name {
	case "latitude":
		e.latitude, err = d.number()
	case "longitude":
		e.longitude, err = d.number()
	case "elevation":
		e.elevation, err = d.numberOrNull()
	case "utc_offset_seconds":
		e.offset, err = d.number()
	case "location_id":
		e.id, err = d.numberOrNull()
	case "hourly":
		err = d.object(d.series)
	case "hourly_units":
		err = d.object(d.unit)
	case "error":
		var t jsontext.Token
		t, err = d.read("true or false", jsontext.KindTrue, jsontext.KindFalse)
		e.failed = t.Kind() == jsontext.KindTrue
	case "reason":
		e.reason, err = d.text()
	default:
		err = d.skip()
	}
	return err
}

// series reads one member of hourly.
func (d *decoder) series(name string) *Error {
	e := &d.now
	if name == "time" {
		return d.array(d.hour)
	}
	v, ok := variableNamed(name)
	if !ok {
		return d.skip()
	}
	e.inHourly[v] = true
	err := d.array(func() *Error {
		if len(e.values[v]) == maxHours {
			return errorf(Mismatch, "a series of more than %d hours", maxHours)
		}
		x, err := d.numberOrNull()
		e.values[v] = append(e.values[v], float32(x))
		return err
	})
	if err != nil {
		err.Reason = name + ": " + err.Reason
	}
	return err
}

// hour reads one time stamp: seconds since 1970, or a local time without zone.
func (d *decoder) hour() *Error {
	e := &d.now
	if len(e.hours) == maxHours {
		return errorf(Mismatch, "more than %d hours", maxHours)
	}
	token, err := d.read("a number", jsontext.KindNumber, jsontext.KindString)
	if err != nil {
		return err
	}
	local := token.Kind() == jsontext.KindString
	if len(e.hours) > 0 && local != e.local {
		return errorf(Mismatch, "times of two forms")
	}
	e.local = local
	var seconds float64
	if local {
		t, _ := time.Parse("2006-01-02T15:04", token.String()) // on an error the year 1, out of range
		seconds = float64(t.Unix())
	} else {
		seconds, _ = token.Float() // the only error is that of the range
	}
	t, ok := unixTime(seconds)
	if !ok {
		return errorf(Mismatch, "a time that is none")
	}
	e.hours = append(e.hours, t.Unix())
	return nil
}

// unit reads one member of hourly_units.
func (d *decoder) unit(name string) *Error {
	v, ok := variableNamed(name)
	if !ok {
		return d.skip()
	}
	text, err := d.text()
	if err != nil {
		return err
	}
	switch text {
	case variables[v].unit:
		d.now.units[v] = expectedUnit
	case "undefined":
		d.now.units[v] = undefinedUnit
	default:
		return &Error{Kind: OtherUnits, Reason: fmt.Sprintf("%s is in %q, not in %q", name, text, variables[v].unit)}
	}
	return nil
}
