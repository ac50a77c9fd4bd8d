package simulate

import (
	"encoding/json"
	"net/http"
	"time"
)

const maxForm = 128 << 10 // bytes of a form that are read

// serveWeather answers GET and POST of /v1/forecast and /v1/archive.
func (s *Server) serveWeather(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	now := s.clock.Now()
	q, err := readQuery(r, now)
	if err != nil {
		refuse(w, err)
		return
	}
	send(w, s.answer(q, now))
}

// refuse answers to a request that cannot be read.
func refuse(w http.ResponseWriter, why error) {
	text, _ := json.Marshal(map[string]any{"error": true, "reason": why.Error()}) // never fails
	w.WriteHeader(http.StatusBadRequest)
	w.Write(text)
}

// serveMetadata answers with the metadata of a model's newest run.
func (s *Server) serveMetadata(w http.ResponseWriter, r *http.Request) {
	m, ok := modelByMeta(r.PathValue("meta"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	send(w, m.metadata(s.newestRun(m, s.clock.Now())))
}

// metadata describes a run in the fields of Open-Meteo's meta.json
// (https://open-meteo.com/en/docs/model-updates).
func (m *model) metadata(run time.Time) []byte {
	available := m.availableAt(run).Unix()
	text, _ := json.Marshal(map[string]int64{ // never fails
		"last_run_initialisation_time": run.Unix(),
		"last_run_modification_time":   available - 240,
		"last_run_availability_time":   available,
		"update_interval_seconds":      int64(m.interval / time.Second),
		"temporal_resolution_seconds":  3600,
		"data_end_time":                run.Add(m.horizon).Unix(),
	})
	return text
}

func send(w http.ResponseWriter, text []byte) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Write(text)
}
