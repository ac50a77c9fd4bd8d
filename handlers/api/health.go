package api

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/notices"
	"vigia/store/subscription"
)

// lateness is how far past its due time a publication may be before the service is
// degraded.
const lateness = 5 * time.Minute

// healthFacts are what /health is read from. Its ages follow the clock, so each answer is
// made for its request.
type healthFacts struct {
	Builder
	snap         *store.Snapshot
	total, known int // trails, and those with a state now
	stale        bool
}

func (b *build) healthFacts() healthFacts {
	h := healthFacts{Builder: b.Builder, snap: b.e, total: len(b.e.Catalogue.Trails)}
	if b.e.Simulated {
		h.Version += "+simulado"
	}
	for t := range b.e.Catalogue.Trails {
		if latest := b.latest(t); latest != nil && latest.State != hazard.Unknown {
			h.known++
			h.stale = h.stale || latest.Quality == hazard.Stale
		}
	}
	return h
}

// down reports whether no trail has an estimate that holds.
func (h *healthFacts) down() bool { return h.known == 0 }

// degraded reports whether something is missing, old, late or failing though there are
// estimates.
func (h *healthFacts) degraded(made *Health, now time.Time) bool {
	for kind := range h.snap.Feeds {
		if h.snap.Feeds[kind].Configured && made.Notices[kind].State != "ok" {
			return true
		}
	}
	late := !h.snap.NextAt.IsZero() && now.After(h.snap.NextAt.Add(lateness))
	failing := func(state string) bool { return state != "ok" && state != unset }
	return h.known < h.total || h.stale || late || made.Database.State != "ok" || made.Backup.State == "error" ||
		slices.ContainsFunc([]string{made.Mail.State, made.WebPush.State, made.Certificate.State}, failing) ||
		slices.ContainsFunc(made.Models, func(m ModelHealth) bool { return m.State != "ok" })
}

// healthState answers /health: 503 when nothing holds, so that a monitor needs to read
// the status alone.
func (c call) healthState() (answer, *Fault) {
	if c.health.down() {
		return answer{}, c.outage(c.now, "el servicio está en estado «caido»: ninguna estimación está vigente; sigue intentando obtener datos. "+
			"El detalle está en "+Prefix+"/health/detalle")
	}
	return c.healthDetail()
}

// healthDetail answers /health/detalle, in every state of the service.
func (c call) healthDetail() (answer, *Fault) { return c.private(http.StatusOK, c.health.read(c.now)) }

// read returns the state of the service at now.
func (h *healthFacts) read(now time.Time) Health {
	e := h.snap
	made := Health{
		State: "ok", Version: h.Version, Phase: "alfa", StartedAt: instantOrNull(e.StartedAt),
		EstimatedAt: instantOrNull(e.IssuedAt), AgeS: ageAt(e.IssuedAt, now), NextEstimate: instantOrNull(e.NextAt),
		Models: h.models(now), Notices: h.notices(now), Jobs: h.jobStates(), Ensembles: h.ensembles(now),
	}
	made.Trails.Total, made.Trails.WithState, made.Trails.NoData = h.total, h.known, h.total-h.known
	made.Mail.State, made.Mail.Queued = h.channel(subscription.Email)
	made.WebPush.State, made.WebPush.Queued = h.channel(subscription.WebPush)
	made.Database.State, made.Database.Bytes, made.Database.Remedy = "ok", orNull(max(0, e.FileBytes)), orNull(h.remedy())
	if made.Database.Remedy != nil {
		made.Database.State = "error"
	}
	made.Certificate.State, made.Certificate.Expires, made.Certificate.Days = h.certificateState(now)
	last := time.Time{}
	made.Backup.State, last = h.backupState()
	made.Backup.Last, made.Backup.AgeS = instantOrNull(last), ageAt(last, now)
	made.Provider.WeightToday, made.Provider.DayLimit = e.WeightDay, orNull(max(0, e.DayLimit))
	if h.down() {
		made.State = "caido"
	} else if h.degraded(&made, now) {
		made.State = "degradado"
	}
	return made
}

// unset is the state of what the service is not set up for.
const unset = "no_configurado"

// channel returns the state of a channel of messages and how many of them wait.
func (h *healthFacts) channel(c subscription.Channel) (state string, queued *int) {
	state, n := h.Subscriptions.Outbox(c)
	if state == unset {
		return unset, nil
	}
	return state, &n
}

func (h *healthFacts) models(now time.Time) []ModelHealth {
	return listOf(h.snap.Models, func(m store.ModelStatus) ModelHealth {
		return ModelHealth{m.Model, instantOrNull(m.Run), ageAt(m.Run, now), m.State, orNull(m.LastError), orNull(m.AloftError)}
	})
}

func (h *healthFacts) ensembles(now time.Time) []EnsembleHealth {
	list := []EnsembleHealth{}
	for i := range h.snap.Ensembles {
		m := &h.snap.Ensembles[i]
		list = append(list, EnsembleHealth{m.Model, instantOrNull(m.Run), ageAt(m.Run, now), m.State, orNull(m.LastError)})
	}
	return list
}

// remedy returns what the operator is to do about the file when it could not be written, or
// its history not be read, the last time that was tried: at the publication, or since. It
// is "" for nothing.
func (h *healthFacts) remedy() string {
	err, damaged := h.FileFault(), (*store.DamagedError)(nil)
	switch {
	case err == nil && h.snap.StoreError == "":
		return ""
	case errors.Is(err, store.ErrDisplaced):
		return "El archivo de datos ya no está en su lugar, y no se guarda nada. Devuélvalo; si se borró, no detenga el servicio: copie antes el archivo de donde dice el registro y recupere la copia con vigia restore."
	case errors.Is(err, store.ErrNoFile), errors.As(err, &damaged):
		return "El archivo de datos está dañado, se perdió o no se puede abrir; el registro dice qué pasó. Detenga el servicio, recupere el último respaldo con vigia restore y vuelva a iniciarlo. Si el disco o el archivo es de solo lectura, corrija eso y reinicie."
	case errors.Is(err, store.ErrFull):
		return "El disco está lleno: libere espacio. El servicio vuelve a guardar por sí solo."
	case errors.Is(err, store.ErrReadOnly):
		return "El disco falló al escribir, y el servicio intenta recuperarse por sí solo. Si sigue así, cambie el disco y recupere el último respaldo con vigia restore."
	}
	return "No se pudo leer o guardar en el archivo de datos; el registro dice por qué. El servicio lo intenta de nuevo."
}

// certificateState returns the state of the certificate of the service's own HTTPS, and
// when it ends and in how many days; nil when there is none.
func (h *healthFacts) certificateState(now time.Time) (state string, expires *time.Time, days *int) {
	if h.Certificate == nil {
		return unset, nil, nil
	}
	end, failing := h.Certificate()
	if end.IsZero() {
		return "sin_certificado", nil, nil
	}
	state = "ok"
	if now.After(end) {
		state = "vencido"
	} else if failing {
		state = "sin_renovar"
	}
	return state, instantOrNull(end), new(max(0, int(end.Sub(now)/(24*time.Hour))))
}

// backupState returns the state of the daily copies of the file and when the last was
// made, zero for never.
func (h *healthFacts) backupState() (state string, last time.Time) {
	if h.Backups == nil {
		return unset, last
	}
	last, failing := h.Backups()
	switch {
	case failing:
		return "error", last
	case last.IsZero():
		return "pendiente", last
	}
	return "ok", last
}

// jobStates returns how the last run of each periodic job went.
func (h *healthFacts) jobStates() []JobHealth {
	return listOf(h.Jobs(), func(job store.JobStatus) JobHealth {
		state := "ok"
		switch {
		case job.Failing:
			state = "error"
		case job.LastRun.IsZero():
			state = "pendiente"
		}
		return JobHealth{job.Name, state, instantOrNull(job.LastRun), int(job.Every / time.Second)}
	})
}

// noticeState returns how the notices of a kind stand, in the words of /health.
func noticeState(b *notices.Batch, feed *store.FeedStatus, now time.Time) string {
	switch {
	case feed.LastError != "":
		return "error"
	case b.ObtainedAt.IsZero() && feed.Configured:
		return "sin_datos"
	case b.ObtainedAt.IsZero():
		return unset
	case notices.Stale(b.ObtainedAt, now):
		return "desactualizado"
	default:
		return "ok"
	}
}

func (h *healthFacts) notices(now time.Time) []NoticeHealth {
	list := make([]NoticeHealth, len(h.snap.Notices))
	for kind := range list {
		batch, feed := &h.snap.Notices[kind], &h.snap.Feeds[kind]
		list[kind] = NoticeHealth{
			Kind: notices.Kind(kind).String(), State: noticeState(batch, feed, now),
			ObtainedAt: instantOrNull(batch.ObtainedAt), LastError: orNull(feed.LastError),
		}
		if !batch.ObtainedAt.IsZero() {
			list[kind].Notices = new(batch.Len())
		}
	}
	return list
}
