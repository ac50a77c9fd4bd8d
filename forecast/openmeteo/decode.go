package openmeteo

import (
	"io"
	"math"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vigia/forecast/hazard"
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

// decoder reads the answer to one call. An answer holds one element for each place; the
// decoder reads one at a time and puts it into the assembly.
type decoder struct {
	json   *jsontext.Decoder
	body   *boundedReader
	points []int // indexes of the places of the call in the assembly
	into   *assembly
	axis   []int64  // the hours of the first element, which all must have
	from   *float64 // the number of the first place in location_id; nil before one is seen
}

// element is the part of the answer about one place. What it does not have is nil.
type element struct {
	Latitude  *float64       `json:"latitude"` // of the grid cell
	Longitude *float64       `json:"longitude"`
	Elevation *float64       `json:"elevation"`          // m, for which the temperature is meant
	Offset    float64        `json:"utc_offset_seconds"` // of local times from UTC
	ID        *float64       `json:"location_id"`
	Units     map[string]any `json:"hourly_units"`
	Hourly    hourly         `json:"hourly"`
	Failed    bool           `json:"error"`
	Reason    string         `json:"reason"`
}

// hourly holds the series of an element.
type hourly struct {
	times  []int64 // unix s, or local s when local is set
	local  bool
	values [numSeries][]float32 // NaN is missing; nil is a variable that is not there
}

func newDecoder(points []int, into *assembly) *decoder {
	return &decoder{points: points, into: into}
}

// decode reads an answer to its end: an object for one place, an array for several. On an
// error the assembly is spoilt.
func (d *decoder) decode(body io.Reader) *Error {
	d.open(body, bytesPerCall+int64(len(d.points))*bytesPerPoint)
	if d.json.PeekKind() != jsontext.KindBeginArray {
		if err := d.place(0); err != nil {
			return err
		}
		return d.finish(1)
	}
	if len(d.points) == 1 {
		return errorf(Mismatch, "a list in the answer, one place asked")
	}
	_, err := d.json.ReadToken()
	places := 0
	for ; err == nil && d.json.PeekKind() != jsontext.KindEndArray; places++ {
		if err := d.place(places); err != nil {
			return err
		}
	}
	if err == nil {
		_, err = d.json.ReadToken()
	}
	if err != nil {
		return d.fault(err)
	}
	return d.finish(places)
}

// place reads an element and puts it into the assembly.
func (d *decoder) place(index int) *Error {
	switch kind := d.json.PeekKind(); {
	case index == len(d.points):
		return errorf(Mismatch, "more places in the answer than the %d asked", index)
	case kind != jsontext.KindBeginObject && kind != jsontext.KindInvalid:
		return errorf(Malformed, "%v where a place should be", kind)
	}
	var e element
	if err := json.UnmarshalDecode(d.json, &e); err != nil {
		return d.fault(err)
	}
	if e.Failed {
		return refusalError(http.StatusOK, e.Reason)
	}
	if err := d.accept(index, &e); err != nil {
		return err.at(index)
	}
	return nil
}

// finish demands that as many places came as were asked, and nothing more.
func (d *decoder) finish(places int) *Error {
	if places != len(d.points) {
		return errorf(Mismatch, "%d places in the answer, %d asked", places, len(d.points))
	}
	t, err := d.json.ReadToken()
	switch {
	case err == nil:
		return errorf(Malformed, "%v where the end of the answer should be", t.Kind())
	case err == io.EOF:
		return nil
	}
	return d.fault(err)
}

// UnmarshalJSONFrom reads the times and the series of the variables that are known.
func (h *hourly) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() != jsontext.KindBeginObject {
		return errorf(Malformed, "%v where hourly should be", d.PeekKind())
	}
	_, err := d.ReadToken()
	for err == nil && d.PeekKind() == jsontext.KindString {
		var name jsontext.Token
		if name, err = d.ReadToken(); err != nil {
			break
		}
		switch v, known := variableNamed(name.String()); {
		case known:
			err = h.readSeries(d, v)
		case name.String() == "time":
			err = readList(d, "time", h.addTime)
		default:
			err = d.SkipValue()
		}
	}
	if err == nil {
		_, err = d.ReadToken() // the end of the object, or what is wrong there
	}
	return err
}

func (h *hourly) readSeries(d *jsontext.Decoder, v hazard.Variable) error {
	h.values[v] = make([]float32, 0, len(h.times))
	return readList(d, variables[v].name, func(t jsontext.Token) error {
		x := math.NaN()
		switch t.Kind() {
		case jsontext.KindNull:
		case jsontext.KindNumber:
			x, _ = t.Float() // infinite when a float64 cannot hold it
		default:
			return errorf(Malformed, "%v where a number should be", t.Kind())
		}
		h.values[v] = append(h.values[v], float32(x))
		return nil
	})
}

// addTime takes a time stamp: seconds since 1970, or a local time without zone.
func (h *hourly) addTime(t jsontext.Token) error {
	local := t.Kind() == jsontext.KindString
	if len(h.times) > 0 && local != h.local {
		return errorf(Mismatch, "times of two forms")
	}
	h.local = local
	var seconds float64
	switch {
	case local:
		at, _ := time.Parse("2006-01-02T15:04", t.String()) // on an error the year 1, out of range
		seconds = float64(at.Unix())
	case t.Kind() == jsontext.KindNumber:
		seconds, _ = t.Float()
	default:
		return errorf(Malformed, "%v where a number should be", t.Kind())
	}
	at, ok := unixTime(seconds)
	if !ok {
		return errorf(Mismatch, "a time that is none")
	}
	h.times = append(h.times, at.Unix())
	return nil
}

// readList reads an array of at most maxHours items and calls each for every one.
func readList(d *jsontext.Decoder, name string, each func(jsontext.Token) error) error {
	t, err := d.ReadToken()
	if err == nil && t.Kind() != jsontext.KindBeginArray {
		return errorf(Malformed, "%s: %v where a list should be", name, t.Kind())
	}
	for n := 0; err == nil; n++ {
		if t, err = d.ReadToken(); err != nil || t.Kind() == jsontext.KindEndArray {
			return err
		}
		if n == maxHours {
			return errorf(Mismatch, "%s: more than %d hours", name, maxHours)
		}
		err = each(t)
	}
	if fault, ok := err.(*Error); ok {
		fault.Reason = name + ": " + fault.Reason
	}
	return err
}
