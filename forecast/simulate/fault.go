package simulate

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"time"

	"vigia/forecast/hazard"
)

// Kind is something that goes wrong with a weather provider.
type Kind uint8

// The kinds of faults. Each has been seen with the real provider.
const (
	EmptyBody            Kind = iota // 200 and nothing
	NaNLatitude                      // 200 with "latitude":nan, which is not JSON
	TruncatedStream                  // 200, half of the JSON, then "Unexpected error while streaming data"
	BadGatewayHTML                   // 502 with a page of HTML
	RateLimited                      // 429 with the text of Fault.Scope
	ObjectInsteadOfArray             // the first element alone, or an array where an object belongs
	WrongLength                      // an array without its last element
	SeriesLength                     // series (Fault.Variables) one value shorter than the times
	Nulls                            // null in series (Fault.Variables), where Fault.Where says
	FrozenRun                        // no run after Fault.Since, answered and described as if all were well
	Outage                           // the connection is closed without an answer
	Absurd                           // gusts times 100, 33 m of snow, 0 °C at -100 km
	Slow                             // the answer begins after Fault.Delay
	Dribble                          // the answer comes in small pieces, Fault.Delay between them
	Refused                          // 400 with a reason
	ServerDown                       // 503 with an empty body

	numKinds = int(ServerDown) + 1
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

// Where says which values of a series are null.
type Where uint8

// The places of nulls in a series.
const (
	Everywhere Where = iota
	AtEnd            // the last quarter
	Inside           // every fifth value of the middle half
)

// Target says which calls a fault befalls. Faults of the weather itself and of
// the list of places (NaNLatitude, ObjectInsteadOfArray, WrongLength,
// SeriesLength, Nulls, Absurd) leave metadata as it is.
type Target uint8

// The targets of a fault.
const (
	Forecasts Target = iota
	Metadata
	AllCalls
)

// Fault is a deliberate fault. The zero values of its fields mean the widest.
type Fault struct {
	Kind      Kind
	On        Target
	Model     string            // only this model (or alias); empty: every model
	Calls     int               // how many matching calls; 0: until [Server.Recover]
	Variables []hazard.Variable // of SeriesLength, Nulls and Absurd; empty: all
	Where     Where             // of Nulls
	Scope     Scope             // of RateLimited
	Since     time.Time         // of FrozenRun: the instant from which no run came; zero: now
	Delay     time.Duration     // of Slow and Dribble, on the machine's clock
	// ReasonFirst writes the keys of an error the other way round: the provider
	// does both.
	ReasonFirst bool
}

// Fail makes calls go wrong. Several faults add up: values are changed by all
// that match, and of those that replace the answer the first one wins.
func (s *Server) Fail(f Fault) {
	if int(f.Kind) >= numKinds {
		panic(fmt.Sprintf("simulate: unknown kind of fault %d", f.Kind))
	}
	if f.Since.IsZero() {
		f.Since = s.clock.Now()
	}
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

// take gives the faults that befall a call, and counts them down.
func (s *Server) take(target Target, m *model) faults {
	s.mu.Lock()
	defer s.mu.Unlock()
	var hit faults
	kept := s.faults[:0]
	for _, f := range s.faults {
		if f.matches(target, m) {
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

func (f *Fault) matches(target Target, m *model) bool {
	if f.Kind == FrozenRun {
		target = f.On // both calls must tell of the same run
	}
	return (f.On == AllCalls || f.On == target) &&
		(f.Model == "" || m != nil && (f.Model == m.id || f.Model == m.alias))
}

// faults are those that befall one call.
type faults []Fault

func (fs faults) find(k Kind) (*Fault, bool) {
	for i := range fs {
		if fs[i].Kind == k {
			return &fs[i], true
		}
	}
	return nil, false
}

// status is what the call ends with, 0 when it ends without an answer.
func (fs faults) status() int {
	if _, ok := fs.find(Outage); ok {
		return 0
	}
	if status, _, _, ok := fs.refusal(); ok {
		return status
	}
	return http.StatusOK
}

// newestRun is the model's newest run as the call may tell it.
func (fs faults) newestRun(m *model, now time.Time) time.Time {
	for _, f := range fs {
		if f.Kind == FrozenRun && f.Since.Before(now) {
			now = f.Since
		}
	}
	return m.newestRun(now)
}

// spoil changes a place's values.
func (fs faults) spoil(t *table, q *query) {
	for i := range fs {
		f := &fs[i]
		for j, v := range q.variables {
			if len(f.Variables) != 0 && !slices.Contains(f.Variables, v) {
				continue
			}
			switch f.Kind {
			case SeriesLength:
				t.values[j] = t.values[j][:max(0, q.hours-1)]
			case Nulls:
				f.blank(t.values[j])
			case Absurd:
				absurd(t.values[j], v)
			}
		}
	}
}

func (f *Fault) blank(series []float64) {
	n := len(series)
	for i := range series {
		switch {
		case f.Where == Everywhere,
			f.Where == AtEnd && i >= n-max(1, n/4),
			f.Where == Inside && i >= n/4 && i < n*3/4 && i%5 == 0:
			series[i] = missing
		}
	}
}

// absurd puts what no weather can be into a series.
func absurd(series []float64, v hazard.Variable) {
	for i := range series {
		switch v {
		case hazard.SnowDepth:
			series[i] = 33
		case hazard.FreezingLevel:
			series[i] = -100000
		case hazard.WindGust, hazard.WindSpeed:
			series[i] = 100 * (series[i] + 10)
		case hazard.WeatherCode:
			series[i] = 250
		default:
			series[i] = 9999
		}
	}
}

// refusal gives the status, type and text that stand in for the answer.
func (fs faults) refusal() (status int, contentType, text string, ok bool) {
	const asJSON, asHTML = "application/json; charset=utf-8", "text/html"
	for _, f := range fs {
		switch f.Kind {
		case EmptyBody:
			return http.StatusOK, asJSON, "", true
		case ServerDown:
			return http.StatusServiceUnavailable, asHTML, "", true
		case BadGatewayHTML:
			return http.StatusBadGateway, asHTML, "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n", true
		case RateLimited:
			return http.StatusTooManyRequests, asJSON, errorText(scopeReasons[f.Scope], f.ReasonFirst), true
		case Refused:
			return http.StatusBadRequest, asJSON, errorText("The supplied API key is invalid.", f.ReasonFirst), true
		}
	}
	return 0, "", "", false
}

// bend changes the bytes of a whole answer.
func (fs faults) bend(a answer) []byte {
	for _, f := range fs {
		switch {
		case f.Kind == TruncatedStream:
			half := len(a.text) / 2
			return append(a.text[:half:half], "Unexpected error while streaming data"...)
		case len(a.ends) == 0:
			continue
		case f.Kind == NaNLatitude:
			key, rest, _ := bytes.Cut(a.text, []byte(`"latitude":`))
			_, rest, _ = bytes.Cut(rest, []byte{','})
			return slices.Concat(key, []byte(`"latitude":nan,`), rest)
		case f.Kind == ObjectInsteadOfArray && len(a.ends) == 1:
			return slices.Concat([]byte{'['}, a.text, []byte{']'})
		case f.Kind == ObjectInsteadOfArray:
			return a.text[1:a.ends[0]]
		case f.Kind == WrongLength && len(a.ends) == 1:
			return []byte("[]")
		case f.Kind == WrongLength:
			last := a.ends[len(a.ends)-2]
			return append(a.text[:last:last], ']')
		}
	}
	return a.text
}
