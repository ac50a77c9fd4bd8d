package simulatetest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind is something that goes wrong with a weather provider.
type Kind uint8

// The kinds of faults. Each has been seen with the real provider.
const (
	EmptyBody            Kind = iota // 200 and nothing
	NaNLatitude                      // 200 with "latitude":nan, or nan among heights, which is not JSON
	TruncatedStream                  // 200, half of the JSON, then "Unexpected error while streaming data"
	BadGatewayHTML                   // 502 with a page of HTML
	RateLimited                      // 429 with the text of Fault.Scope
	ObjectInsteadOfArray             // the first element alone, or an array where an object belongs
	WrongLength                      // an array without its last element, or heights without one
	SeriesLength                     // series one value shorter than the times
	Nulls                            // null everywhere
	FrozenRun                        // no run since Fail was called, answered and described as if all were well
	Outage                           // the connection is closed without an answer
	Absurd                           // 33 m of snow, 0 °C at -100 km, and 9999 of all else
	Slow                             // the answer begins after Fault.Delay
	Dribble                          // the answer comes in small pieces, Fault.Delay between them
	Refused                          // 400 with a reason
	ServerDown                       // 503 with an empty body
	OtherCells                       // grid cells three degrees to the north-east of what was asked
	SwappedCoordinates               // latitude and longitude in each other's place
	Zeros                            // 0 in series, -0 in every second hour
	OtherUnits                       // temperatures said to be in °F
	Reordered                        // the places the other way round, numbered as asked
)

// Scope is the limit that a refusal names.
type Scope uint8

// The limits of the free service.
const (
	PerMinute Scope = iota
	PerHour
	PerDay
	Concurrent
)

// The provider's own words, from its open-source server.
var scopeReasons = [...]string{
	PerMinute:  "Minutely API request limit exceeded. Please try again in one minute.",
	PerHour:    "Hourly API request limit exceeded. Please try again in the next hour.",
	PerDay:     "Daily API request limit exceeded. Please try again tomorrow.",
	Concurrent: "Too many concurrent requests",
}

// Target is which calls a fault befalls.
type Target uint8

// The targets of a fault.
const (
	Forecasts Target = iota
	Metadata
	AllCalls
)

// Fault is a deliberate fault. The zero values of its fields mean the widest.
type Fault struct {
	Kind     Kind
	On       Target
	Model    string        // only this model; empty: every model
	Calls    int           // how many matching calls; 0: until [Server.Recover]
	Variable string        // of Zeros: only this one, by the provider's name; empty: all
	Some     bool          // of OtherCells, SwappedCoordinates and Zeros: in every second place alone
	Scope    Scope         // of RateLimited
	Delay    time.Duration // of Slow and Dribble, on the machine's clock
	// ReasonFirst writes the keys of an error the other way round: the provider
	// does both.
	ReasonFirst bool

	since time.Time // when it began
}

// Fail makes calls go wrong. Several faults add up; of those that replace the answer
// the first one wins.
func (s *Server) Fail(f Fault) {
	f.since = s.clock.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, f)
}

// Recover takes all faults away.
func (s *Server) Recover() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// runsUntil returns when the last run of a model came that is served.
func (s *Server) runsUntil(model string, now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		if f.Kind == FrozenRun && (f.Model == "" || f.Model == model) && f.since.Before(now) {
			now = f.since
		}
	}
	return now
}

// faultsOf returns the faults that befall a call, and counts them down.
func (s *Server) faultsOf(call *Call) (hit []Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.faults[:0]
	for _, f := range s.faults {
		if (f.On == AllCalls || (f.On == Metadata) == call.Metadata) && (f.Model == "" || f.Model == call.Model) {
			hit = append(hit, f)
			if f.Calls == 1 {
				continue
			}
			f.Calls = max(0, f.Calls-1)
		}
		kept = append(kept, f)
	}
	s.faults = kept
	return hit
}

// replacements are what stands in for an answer.
var replacements = map[Kind]struct {
	status            int // 0: nothing is answered
	contentType, text string
}{
	EmptyBody: {200, "application/json", ""}, ServerDown: {503, "text/html", ""}, RateLimited: {status: 429}, Refused: {status: 400}, Outage: {},
	BadGatewayHTML: {502, "text/html", "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n"},
}

// replaces reports whether a fault stands in for the whole answer, and writes down with
// what the call then ends.
func (f *Fault) replaces(call *Call) bool {
	r, ok := replacements[f.Kind]
	if ok && r.status != http.StatusOK {
		call.Status = r.status
		call.Weight = min(call.Weight, 1)
	}
	return ok
}

// play answers with the fault.
func (f *Fault) play(w http.ResponseWriter, r *http.Request) {
	switch by := replacements[f.Kind]; f.Kind {
	case Outage:
		panic(http.ErrAbortHandler) // net/http's way to close a connection unanswered
	case RateLimited:
		refuse(w, by.status, scopeReasons[f.Scope], f.ReasonFirst)
	case Refused:
		refuse(w, by.status, "The supplied API key is invalid.", f.ReasonFirst)
	default:
		w.Header().Set("Content-Type", by.contentType)
		w.WriteHeader(by.status)
		io.WriteString(w, by.text)
	}
}

// ask changes what the weather is asked for.
func (f *Fault) ask(r *http.Request) {
	if f.Kind != Reordered {
		return
	}
	for _, name := range []string{"latitude", "longitude", "elevation"} {
		values := strings.Split(r.Form.Get(name), ",")
		slices.Reverse(values)
		r.Form.Set(name, strings.Join(values, ","))
	}
}

// bend changes an answer with the weather. What it looks for is not in metadata.
func (f *Fault) bend(text []byte) []byte {
	switch f.Kind {
	case NaNLatitude:
		text = bytes.Replace(text, []byte(`{"elevation":[`), []byte(`{"elevation":[nan,`), 1)
		return bytes.Replace(text, []byte(`"latitude":`), []byte(`"latitude":nan,"was":`), 1)
	case TruncatedStream:
		return append(text[:len(text)/2], "Unexpected error while streaming data"...)
	case ObjectInsteadOfArray, WrongLength:
		return f.relist(text)
	case OtherUnits:
		return bytes.ReplaceAll(text, []byte(`"temperature_2m":"°C"`), []byte(`"temperature_2m":"°F"`))
	case OtherCells, SwappedCoordinates:
		return f.move(text)
	case SeriesLength, Nulls, Absurd, Zeros:
		return f.spoil(text)
	default:
		return text
	}
}

// relist makes another list of the places of an answer.
func (f *Fault) relist(text []byte) []byte {
	var places []json.RawMessage
	single := !bytes.HasPrefix(text, []byte("["))
	switch {
	case bytes.HasPrefix(text, []byte(`{"elevation":`)):
		return f.spoil(text)
	case !bytes.Contains(text, []byte(`"hourly"`)):
		return text
	case single:
		places = []json.RawMessage{text}
	case json.Unmarshal(text, &places) != nil:
		panic("simulatetest: the answer is no list")
	}
	switch {
	case f.Kind == WrongLength:
		places = places[:len(places)-1]
	case !single:
		return places[0]
	}
	list, err := json.Marshal(places)
	if err != nil {
		panic(err) // it was read
	}
	return list
}

var coordinates = regexp.MustCompile(`"latitude":([^,]+),"longitude":([^,]+)`)

// move returns of other cells than those that were asked for.
func (f *Fault) move(text []byte) []byte {
	place := -1
	return coordinates.ReplaceAllFunc(text, func(found []byte) []byte {
		if place++; f.Some && place%2 == 0 {
			return found
		}
		parts := coordinates.FindSubmatch(found)
		if f.Kind == SwappedCoordinates {
			return slices.Concat([]byte(`"latitude":`), parts[2], []byte(`,"longitude":`), parts[1])
		}
		moved := func(number []byte) []byte {
			degrees, err := strconv.ParseFloat(string(number), 64)
			if err != nil {
				panic(err)
			}
			return strconv.AppendFloat(nil, degrees+3, 'g', -1, 64)
		}
		return slices.Concat([]byte(`"latitude":`), moved(parts[1]), []byte(`,"longitude":`), moved(parts[2]))
	})
}

var series = regexp.MustCompile(`"([a-zP0-9_]+)":\[([^\]]*)\]`)

// spoil changes the values of the series.
func (f *Fault) spoil(text []byte) []byte {
	place := -1
	return series.ReplaceAllFunc(text, func(found []byte) []byte {
		parts := series.FindSubmatch(found)
		name := string(parts[1])
		if name == "time" { // a place begins with it
			place++
			return found
		}
		if f.Variable != "" && f.Variable != name || f.Some && place%2 == 0 {
			return found
		}
		values := strings.Split(string(parts[2]), ",")
		if f.Kind == SeriesLength || f.Kind == WrongLength {
			values = values[1:]
		}
		for i := range values {
			values[i] = f.value(name, values[i], i)
		}
		return []byte(`"` + name + `":[` + strings.Join(values, ",") + "]")
	})
}

// value is what stands in the place of an hour's value.
func (f *Fault) value(name, value string, hour int) string {
	switch {
	case f.Kind == Nulls:
		return "null"
	case f.Kind == Zeros && value != "null":
		return [...]string{"0", "-0"}[hour%2]
	case f.Kind == Absurd && name == "snow_depth":
		return "33"
	case f.Kind == Absurd && name == "freezing_level_height":
		return "-100000"
	case f.Kind == Absurd:
		return "9999"
	default:
		return value
	}
}
