package simulate

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	maxForm  = 128 << 10 // bytes of a POSTed form
	maxQuery = 8 << 10   // bytes of a query in the address
)

// serveForecast answers GET and POST /v1/forecast.
func (s *Server) serveForecast(w http.ResponseWriter, r *http.Request) {
	s.run(1)
	defer s.run(-1)
	call := Call{At: s.clock.Now(), Weight: 1}
	q, status, err := readForecast(w, r, call.At)
	if err != nil {
		call.Status = status
		s.book(&call)
		writeError(w, status, err.Error())
		return
	}
	call.Model, call.Places, call.Variables, call.Days = q.model.id, len(q.places), len(q.variables), q.days()
	fs := s.take(Forecasts, q.model)
	if call.Status = fs.status(); call.Status == http.StatusOK {
		call.Weight = weightOf(q)
	}
	if reason, ok := s.admit(&call); !ok {
		writeError(w, call.Status, reason)
		return
	}
	if fs.play(w, r) {
		return
	}
	a, err := s.newAnswer(r.Context(), q, fs.newestRun(q.model, call.At), fs)
	if err != nil {
		s.note(err)
		return
	}
	s.note(send(w, r, fs.bend(a), fs))
}

// note logs an answer that its reader did not wait for.
func (s *Server) note(err error) {
	if err != nil {
		s.log.Debug("an answer of simulated weather was not read to its end", "error", err)
	}
}

// readForecast takes the request's fields from the address or the form.
func readForecast(w http.ResponseWriter, r *http.Request, now time.Time) (*query, int, error) {
	if len(r.URL.RawQuery) > maxQuery {
		return nil, http.StatusRequestURITooLong, refuse("URI Too Long")
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
			return nil, http.StatusRequestEntityTooLarge, refuse("Payload Too Large")
		}
		return nil, http.StatusBadRequest, refuse("Bad Request")
	}
	q, err := parseQuery(r.Form, now)
	return q, http.StatusBadRequest, err
}

// play plays the faults that stand in for the whole answer, and tells whether
// one did.
func (fs faults) play(w http.ResponseWriter, r *http.Request) bool {
	if f, ok := fs.find(Slow); ok {
		pause(r, f.Delay)
	}
	if _, ok := fs.find(Outage); ok {
		panic(http.ErrAbortHandler) // net/http's way to close a connection unanswered
	}
	status, contentType, text, ok := fs.refusal()
	if ok {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		io.WriteString(w, text)
	}
	return ok
}

// pause waits like a slow network: on the machine's clock, and no longer than
// the other side does.
func pause(r *http.Request, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	}
}

// serveMetadata tells of a model's newest run. It costs nothing.
func (s *Server) serveMetadata(w http.ResponseWriter, r *http.Request) {
	m, ok := modelByMeta(r.PathValue("meta"))
	if !ok {
		writeError(w, http.StatusNotFound, "Not Found")
		return
	}
	call := Call{At: s.clock.Now(), Model: m.id, Metadata: true}
	fs := s.take(Metadata, m)
	call.Status = fs.status()
	s.book(&call)
	if !fs.play(w, r) {
		s.note(send(w, r, fs.bend(answer{text: m.metadata(fs.newestRun(m, call.At))}), fs))
	}
}

// metadata describes a run in the fields of Open-Meteo's meta.json
// (https://open-meteo.com/en/docs/model-updates).
func (m *model) metadata(run time.Time) []byte {
	available := m.availableAt(run).Unix()
	b, err := json.Marshal(map[string]int64{
		"last_run_initialisation_time": run.Unix(),
		"last_run_modification_time":   available - 240,
		"last_run_availability_time":   available,
		"update_interval_seconds":      int64(m.interval / time.Second),
		"temporal_resolution_seconds":  3600,
		"data_end_time":                run.Add(m.horizon).Unix(),
	})
	if err != nil {
		panic("simulate: metadata cannot be written: " + err.Error())
	}
	return b
}

// worthPacking is the length from which an answer is gzipped.
const worthPacking = 1024

// send writes an answer, gzipped for those who accept it.
func send(w http.ResponseWriter, r *http.Request, text []byte, fs faults) error {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Vary", "Accept-Encoding")
	if f, ok := fs.find(Dribble); ok {
		return dribble(w, r, text, f.Delay)
	}
	if !acceptsGzip(r) || len(text) < worthPacking {
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		_, err := w.Write(text)
		return err
	}
	w.Header().Set("Content-Encoding", "gzip")
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		panic("simulate: gzip level: " + err.Error())
	}
	_, err = z.Write(text)
	return errors.Join(err, z.Close())
}

// dribblePieces is in how many pieces a dribbled answer comes.
const dribblePieces = 64

// dribble writes an answer in pieces with a pause before each.
func dribble(w http.ResponseWriter, r *http.Request, text []byte, delay time.Duration) error {
	flush := http.NewResponseController(w)
	for piece := range slices.Chunk(text, len(text)/dribblePieces+1) {
		pause(r, delay)
		if _, err := w.Write(piece); err != nil {
			return err
		}
		if err := flush.Flush(); err != nil {
			return err
		}
		if err := r.Context().Err(); err != nil {
			return err
		}
	}
	return nil
}

func acceptsGzip(r *http.Request) bool {
	for _, one := range strings.Split(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(one), ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			q, found := strings.CutPrefix(strings.TrimSpace(weight), "q=")
			value, err := strconv.ParseFloat(q, 64)
			return !found || err != nil || value > 0
		}
	}
	return false
}

func writeError(w http.ResponseWriter, status int, reason string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	io.WriteString(w, errorText(reason, false))
}

// errorText is the provider's form of an error.
func errorText(reason string, reasonFirst bool) string {
	quoted, err := json.Marshal(reason)
	if err != nil {
		panic("simulate: a string cannot be written: " + err.Error())
	}
	if reasonFirst {
		return `{"reason":` + string(quoted) + `,"error":true}`
	}
	return `{"error":true,"reason":` + string(quoted) + `}`
}
