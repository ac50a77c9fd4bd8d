package api

import (
	"time"

	"vigia/store"
	"vigia/store/notices"
)

// writeNotices writes what official bodies say of a park: beside the estado, which
// they never change. What is not known is absent.
func (b *build) writeNotices(w *writer, park int) {
	w.key("alertas_volcanicas")
	w.open('[')
	for _, v := range b.e.Notices.Volcanic(b.e.Catalogue, park, b.now) {
		w.item()
		w.open('{')
		w.textAt("volcan", v.Name)
		w.textAt("nivel_tecnico", v.Level.String())
		w.decimalAt("distancia_km", v.DistanceKm, 1)
		w.textAt("fuente", v.Source)
		w.textAt("fuente_url", v.SourceURL)
		w.instantAt("publicado_en", v.PublishedAt)
		w.instantAt("obtenido_en", v.ObtainedAt)
		w.booleanAt("desactualizado", v.Stale)
		w.close('}')
	}
	w.close(']')
	w.key("cierres")
	w.open('[')
	for _, c := range b.e.Notices.Closures(b.e.Catalogue, park, b.now) {
		w.item()
		w.open('{')
		w.textAt("alcance", c.Scope())
		w.textOrNullAt("sendero", c.Trail)
		w.textAt("situacion", c.Situation)
		w.textOrNullAt("detalle", c.Detail)
		w.instantAt("desde", c.From)
		w.instantAt("hasta", c.Until)
		w.textAt("fuente", c.Source)
		w.textAt("fuente_url", c.SourceURL)
		w.instantAt("obtenido_en", c.ObtainedAt)
		w.booleanAt("desactualizado", c.Stale)
		w.close('}')
	}
	w.close(']')
}

// noticeState says how the notices of a kind stand, in the words of /health.
func noticeState(b *notices.Batch, feed *store.FeedStatus, now time.Time) string {
	switch {
	case feed.LastError != "":
		return "error"
	case b.ObtainedAt.IsZero() && feed.Configured:
		return "sin_datos"
	case b.ObtainedAt.IsZero():
		return "no_configurado"
	case notices.Stale(b.ObtainedAt, now):
		return "desactualizado"
	default:
		return "ok"
	}
}

// noticesTrouble tells whether a source that was set up does not do its duty.
func (h *healthFacts) noticesTrouble(now time.Time) bool {
	for kind := range h.edition.Feeds {
		feed := &h.edition.Feeds[kind]
		if feed.Configured && noticeState(&h.edition.Notices[kind], feed, now) != "ok" {
			return true
		}
	}
	return false
}

func (h *healthFacts) writeNotices(w *writer, now time.Time) {
	w.key("avisos_oficiales")
	w.open('[')
	for kind := range h.edition.Notices {
		batch, feed := &h.edition.Notices[kind], &h.edition.Feeds[kind]
		w.item()
		w.open('{')
		w.textAt("tipo", notices.Kind(kind).String())
		w.textAt("estado", noticeState(batch, feed, now))
		w.instantAt("obtenido_en", batch.ObtainedAt)
		w.key("avisos")
		if batch.ObtainedAt.IsZero() {
			w.null()
		} else {
			w.integer(batch.Len())
		}
		w.textOrNullAt("ultimo_error", feed.LastError)
		w.close('}')
	}
	w.close(']')
}
