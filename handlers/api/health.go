package api

import (
	"net/http"
	"time"

	"vigia/forecast/hazard"
	"vigia/handlers/prepared"
	"vigia/store"
	"vigia/store/subscription"
)

// lateness is how far past its due time a publication may be before the service
// calls itself degraded.
const lateness = 5 * time.Minute

// healthFacts is what /health tells. Its ages follow the clock, so it is written
// when asked for: some hundred nanoseconds of appending.
type healthFacts struct {
	edition      *store.Edition
	version      string
	total, known int
	stale        bool
	desk         Desk                                     // nil is no channel
	certificate  func() (expires time.Time, failing bool) // nil is none
	backups      Backups                                  // nil is none made
	file         File                                     // nil is one that is always written
}

// File is where everything is kept.
type File interface {
	// WriteError tells why the last write was refused, nil when it went through.
	WriteError() error
}

// Backups is what makes the copies of the file.
type Backups interface {
	// Last tells when the newest copy was made, zero for never, and whether the daily
	// one cannot be made.
	Last() (at time.Time, failing bool)
}

func (b *build) healthFacts() healthFacts {
	h := healthFacts{edition: b.e, version: b.Version, total: len(b.e.Catalogue.Trails), desk: b.Desk, certificate: b.Certificate, backups: b.Backups, file: b.File}
	if b.e.Simulated {
		h.version += "+simulado"
	}
	for t := range b.e.Catalogue.Trails {
		if latest := b.latest(t); latest != nil && latest.State != hazard.Unknown {
			h.known++
			h.stale = h.stale || latest.Quality == hazard.Stale
		}
	}
	return h
}

// down tells that no trail has an estimate that holds.
func (h *healthFacts) down() bool { return h.known == 0 }

// degraded tells that something is missing, old or late though there are
// estimates.
func (h *healthFacts) degraded(now time.Time) bool {
	e := h.edition
	if h.known < h.total || h.stale || h.refusing() || h.noticesTrouble(now) {
		return true
	}
	if !e.NextAt.IsZero() && now.After(e.NextAt.Add(lateness)) {
		return true
	}
	for i := range e.Models {
		if e.Models[i].State != "ok" {
			return true
		}
	}
	return false
}

// serveHealth answers /health.
func (s *Snapshot) serveHealth(w http.ResponseWriter, r *http.Request, now time.Time) {
	if s.health.down() {
		Refuse(w, r, now, s.outage(now, "el servicio está en estado «caido»: ninguna estimación está vigente; sigue intentando obtener datos, consulte de nuevo más tarde"))
		return
	}
	body := prepared.Passing(s.health.json(now))
	body.Serve(w, r, prepared.Terms{Now: now, CacheControl: prepared.NoStore})
}

func (h *healthFacts) json(now time.Time) []byte {
	e := h.edition
	w := writer{b: make([]byte, 0, 1<<10)}
	w.open('{')
	var channels [subscription.NumChannels]channelState
	for c := range channels {
		channels[c] = h.channel(subscription.Channel(c))
	}
	certificate, copied := h.certificateState(now), h.copies()
	state := "ok"
	if h.degraded(now) || channels[subscription.Email].troubled() || channels[subscription.WebPush].troubled() || certificate.troubled() || copied.state == "error" {
		state = "degradado"
	}
	w.textAt("estado", state)
	w.textAt("version", h.version)
	w.textAt("fase", "alfa")
	w.instantAt("iniciado_en", e.StartedAt)
	w.instantAt("ultima_estimacion", e.IssuedAt)
	w.age("edad_s", e.IssuedAt, now)
	w.instantAt("proxima_estimacion", e.NextAt)
	w.key("senderos")
	w.open('{')
	w.integerAt("total", h.total)
	w.integerAt("con_estado", h.known)
	w.integerAt("sin_datos", h.total-h.known)
	w.close('}')
	w.key("modelos")
	h.writeModels(&w, now)
	channels[subscription.Email].writeAt(&w, "correo")
	channels[subscription.WebPush].writeAt(&w, "webpush")
	h.writeNotices(&w, now)
	h.writeStore(&w)
	certificate.write(&w, now)
	copied.writeAt(&w, now)
	w.key("proveedor")
	w.open('{')
	w.integerAt("peso_hoy", e.WeightDay)
	w.key("limite_dia")
	if e.DayLimit > 0 {
		w.integer(e.DayLimit)
	} else {
		w.null() // a contract without one
	}
	w.close('}')
	w.close('}')
	return w.b
}

// unset is the state of a channel that the service is not set up for.
const unset = "no_configurado"

// channelState is how it stands with a channel of messages.
type channelState struct {
	state  string
	queued int
}

func (h *healthFacts) channel(c subscription.Channel) channelState {
	if h.desk == nil {
		return channelState{state: unset}
	}
	state, queued := h.desk.Outbox(c)
	return channelState{state, queued}
}

// troubled tells that messages do not go out as they should.
func (c channelState) troubled() bool { return c.state != "ok" && c.state != unset }

func (c channelState) writeAt(w *writer, name string) {
	w.key(name)
	w.open('{')
	w.textAt("estado", c.state)
	if c.state == unset {
		w.nullAt("en_cola")
	} else {
		w.integerAt("en_cola", c.queued)
	}
	w.close('}')
}

func (h *healthFacts) writeModels(w *writer, now time.Time) {
	w.open('[')
	for i := range h.edition.Models {
		m := &h.edition.Models[i]
		w.item()
		w.open('{')
		w.textAt("modelo", m.Model)
		w.instantAt("corrida", m.Run)
		w.age("edad_s", m.Run, now)
		w.textAt("estado", m.State)
		w.textOrNullAt("ultimo_error", m.LastError)
		w.close('}')
	}
	w.close(']')
}

// refusing tells that the file could not be written, or its history not be read, when
// that was tried last: with the edition, or since.
func (h *healthFacts) refusing() bool {
	return h.edition.StoreError != "" || h.file != nil && h.file.WriteError() != nil
}

func (h *healthFacts) writeStore(w *writer) {
	state := "ok"
	if h.refusing() {
		state = "error"
	}
	w.key("base_de_datos")
	w.open('{')
	w.textAt("estado", state)
	w.key("bytes")
	if h.edition.FileBytes > 0 {
		w.integer(int(h.edition.FileBytes))
	} else {
		w.null()
	}
	w.close('}')
}

// copiesState is how it stands with the daily copies of the file.
type copiesState struct {
	state string
	last  time.Time // zero when there is none
}

func (h *healthFacts) copies() copiesState {
	if h.backups == nil {
		return copiesState{state: unset}
	}
	last, failing := h.backups.Last()
	switch {
	case failing:
		return copiesState{"error", last}
	case last.IsZero():
		return copiesState{"pendiente", last}
	}
	return copiesState{"ok", last}
}

func (c copiesState) writeAt(w *writer, now time.Time) {
	w.key("respaldo")
	w.open('{')
	w.textAt("estado", c.state)
	w.instantAt("ultimo", c.last)
	w.age("edad_s", c.last, now)
	w.close('}')
}

// age writes the seconds from t to now, null when t is not known and 0 when the
// clock was set back behind it.
func (w *writer) age(name string, t, now time.Time) {
	w.key(name)
	if t.IsZero() {
		w.null()
		return
	}
	w.integer(max(0, int(now.Sub(t)/time.Second)))
}
