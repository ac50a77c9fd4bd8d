package simulate

import (
	"math"
	"net/http"
	"net/url"
	"time"

	"vigia/forecast/hazard"
)

// archive is the reanalysis of the simulated weather: what came to pass, as a
// coarse model sees it, five days late. Like ERA5 it has no visibility, CAPE,
// freezing level and UV index.
var archive = &model{
	id: "era5", grid: 0.25, salt: 105,
	lacks: []hazard.Variable{hazard.CAPE, hazard.SightRange, hazard.FreezingLevel, hazard.UVIndex},
}

const (
	archiveDelay    = 5 * 24 * time.Hour
	archiveBegins   = 1940
	maxArchiveHours = 400 * 24
)

// serveArchive answers /v1/archive for whole days. Days that are not there yet
// are null, as in the real one.
func (s *Server) serveArchive(w http.ResponseWriter, r *http.Request) {
	s.run(1)
	defer s.run(-1)
	call := Call{At: s.clock.Now(), Model: archive.id, Weight: 1}
	q, status, err := readArchive(w, r, call.At)
	if err != nil {
		call.Status = status
		s.book(&call)
		writeError(w, status, err.Error())
		return
	}
	call.Places, call.Variables, call.Days = len(q.places), len(q.variables), q.days()
	fs := s.take(Forecasts, archive)
	if call.Status = fs.status(); call.Status == http.StatusOK {
		call.Weight = weightOf(q)
	}
	if reason, ok := s.admit(&call); !ok {
		writeError(w, call.Status, reason)
		return
	}
	if !fs.play(w, r) {
		s.note(send(w, r, fs.bend(s.archiveAnswer(q, call.At, fs)), fs))
	}
}

// readArchive takes the request's fields from the address or the form.
func readArchive(w http.ResponseWriter, r *http.Request, now time.Time) (*query, int, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if len(r.URL.RawQuery) > maxQuery || r.ParseForm() != nil {
		return nil, http.StatusBadRequest, refuse("Bad Request")
	}
	q := &query{model: archive}
	for _, read := range []func(url.Values) error{q.readChoices, q.readPlaces, q.readVariables, q.readArchiveModel} {
		if err := read(r.Form); err != nil {
			return nil, http.StatusBadRequest, err
		}
	}
	return q, http.StatusBadRequest, q.readArchiveDates(r.Form, now.UTC())
}

func (q *query) readArchiveModel(form url.Values) error {
	if ids := list(form, "models"); len(ids) != 1 || ids[0] != archive.id {
		return refuse("This server's archive has exactly one model, %s.", archive.id)
	}
	return nil
}

func (q *query) readArchiveDates(form url.Values, now time.Time) error {
	var ends [2]time.Time
	first, last := time.Date(archiveBegins, 1, 1, 0, 0, 0, 0, time.UTC), now.Truncate(24*time.Hour)
	for i, name := range []string{"start_date", "end_date"} {
		day, err := time.Parse(time.DateOnly, form.Get(name))
		if err != nil {
			return refuse("Invalid date format. Make sure to use 'YYYY-MM-DD'. Parameter '%s'.", name)
		}
		if day.Before(first) || day.After(last) {
			return refuse("Parameter '%s' is out of allowed range from %s to %s", name, first.Format(time.DateOnly), last.Format(time.DateOnly))
		}
		ends[i] = day
	}
	q.start, q.hours = ends[0], 24+int(ends[1].Sub(ends[0])/time.Hour)
	if ends[1].Before(ends[0]) || q.hours > maxArchiveHours {
		return refuse("End-date must be larger or equals than start-date")
	}
	return nil
}

// archiveAnswer writes the whole answer.
func (s *Server) archiveAnswer(q *query, now time.Time, fs faults) answer {
	t := &table{values: make([][]float64, len(q.variables))}
	times := appendTimes(nil, q)
	a := answer{text: []byte{'['}}
	if len(q.places) == 1 {
		a.text = nil
	}
	for i := range q.places {
		if i > 0 {
			a.text = append(a.text, ',')
		}
		s.fillArchive(t, q, i, now)
		fs.spoil(t, q)
		a.text = t.appendElement(a.text, q, i, times)
		a.ends = append(a.ends, len(a.text))
	}
	if len(q.places) > 1 {
		a.text = append(a.text, ']')
	}
	return a
}

// fillArchive works out one place's values.
func (s *Server) fillArchive(t *table, q *query, place int, now time.Time) {
	override := s.override.Load()
	for j := range t.values {
		t.values[j] = make([]float64, q.hours)
	}
	around := newSpot(q.places[place])
	truth := make([]Values, q.hours+2)
	for i := range truth {
		h := truthHour(s.seed, q.start.Add(time.Duration(i-1)*time.Hour))
		truth[i] = around.weather(s.seed, &h)
	}
	for i := range q.hours {
		at := q.start.Add(time.Duration(i) * time.Hour)
		v := smoothed(&truth[i], &truth[i+1], &truth[i+2])
		archive.blank(&v, 0)
		if override != nil {
			(*override)(archive.id, q.places[place], at, &v)
			v.round()
		}
		if at.After(now.Add(-archiveDelay)) {
			v = nothing
		}
		for j, variable := range q.variables {
			t.values[j][i] = v[variable]
		}
	}
}

// nothing is an hour without a value.
var nothing = func() (v Values) {
	for i := range v {
		v[i] = math.NaN()
	}
	return v
}()

// smoothed is an hour as a model with coarse cells sees it: a mean with the hours
// beside it, in which peaks are flatter. Codes are no amounts and stay.
func smoothed(before, now, after *Values) Values {
	v := *now
	for i := range v {
		if hazard.Variable(i) != hazard.WeatherCode {
			v[i] = (before[i] + 2*now[i] + after[i]) / 4
		}
	}
	v.round()
	return v
}
