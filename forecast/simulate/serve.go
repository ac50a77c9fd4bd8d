package simulate

import (
	"compress/gzip"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

const (
	maxForm = 128 << 10 // bytes of a form that are read
	minGzip = 1 << 10   // bytes of an answer that are worth compressing
)

// serveWeather answers GET and POST of /v1/forecast and /v1/archive.
func (s *Server) serveWeather(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	now := s.clock.Now()
	q, err := readQuery(r, now)
	if err != nil {
		text, _ := json.Marshal(map[string]any{"error": true, "reason": err.Error()}) // never fails
		w.WriteHeader(http.StatusBadRequest)
		w.Write(text)
		return
	}
	send(w, r, s.answer(q, now))
}

// serveMetadata answers with the metadata of a model's newest run.
func (s *Server) serveMetadata(w http.ResponseWriter, r *http.Request) {
	m, ok := modelByMeta(r.PathValue("meta"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	send(w, r, m.metadata(s.newestRun(m, s.clock.Now())))
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

// send writes an answer, gzipped where it is long and the client accepts it.
func send(w http.ResponseWriter, r *http.Request, text []byte) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Vary", "Accept-Encoding")
	if len(text) < minGzip || !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Write(text)
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		panic("simulate: gzip level: " + err.Error())
	}
	z.Write(text)
	z.Close()
}
