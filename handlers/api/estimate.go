package api

import (
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
	"vigia/web/wording"
)

// writeEstimate writes the Estimate of a trail's hour; hour is its index from
// the present one.
func (b *build) writeEstimate(w *writer, trail *catalogue.Trail, hour int, e *hazard.Estimate, withModels bool) {
	w.open('{')
	w.textAt("sendero", trail.Slug)
	w.instantAt("hora", e.Hour)
	w.textAt("hora_local", b.localHour(trail.Park, hour, e.Hour))
	w.textOrNullAt("estado", e.State.String())
	w.textAt("calidad", e.Quality.String())
	w.textOrNullAt("motivo_sin_estado", string(reasonOf(e)))
	w.textOrNullAt("amenaza_principal", e.Main.String())
	w.key("amenazas")
	w.open('[')
	for i := range e.Hazards {
		w.item()
		writeHazard(w, trail, &e.Hazards[i])
	}
	w.close(']')
	w.textOrNullAt("confianza", e.Confidence.String())
	w.key("variables")
	writeMedians(w, &e.Medians)
	if withModels {
		w.key("modelos")
		writeVotes(w, e.Models)
	}
	w.b = append(w.b, b.fixed...)
}

// reasonOf gives why a state is missing, and nothing when it is there.
func reasonOf(e *hazard.Estimate) hazard.Reason {
	switch {
	case e.State != hazard.Unknown:
		return hazard.NoReason
	case e.Reason == hazard.NoReason:
		return hazard.PartialData
	default:
		return e.Reason
	}
}

// closingMembers are the same in every estimate of a publication.
func (b *build) closingMembers() []byte {
	w := writer{b: []byte(`,`)}
	w.raw(`"reglas_version":`)
	w.text(b.e.Rules.Version())
	w.instantAt("estimado_en", b.e.IssuedAt)
	w.instantAt("vigente_hasta", b.e.ValidUntil)
	w.booleanAt("oficial", false)
	w.close('}')
	return w.b
}

func writeHazard(w *writer, trail *catalogue.Trail, h *hazard.HazardEstimate) {
	w.open('{')
	w.textAt("amenaza", h.Hazard.String())
	w.textOrNullAt("estado", h.State.String())
	w.integerAt("modelos_de_acuerdo", int(h.Agree))
	w.integerAt("modelos_total", int(h.Total))
	w.textOrNullAt("confianza", h.Confidence.String())
	w.key("causas")
	w.open('[')
	if h.State == hazard.Amber || h.State == hazard.Red {
		for i := range h.Causes {
			w.item()
			place := ""
			if at := int(h.Causes[i].Point); at < len(trail.Points) {
				place = trail.Points[at].Name
			}
			writeCause(w, &h.Causes[i], place)
		}
	}
	w.close(']')
	w.close('}')
}

func writeCause(w *writer, c *hazard.Cause, place string) {
	decimals := wording.Decimals(c.Quantity)
	w.open('{')
	w.textAt("variable", c.Quantity.String())
	w.decimalAt("valor", float64(c.Value), decimals)
	w.decimalAt("minimo", float64(c.Min), decimals)
	w.decimalAt("maximo", float64(c.Max), decimals)
	w.decimalAt("umbral", float64(c.Threshold), 2)
	w.textAt("unidad", c.Quantity.Unit())
	w.textOrNullAt("punto", place)
	w.close('}')
}

func writeMedians(w *writer, m *hazard.Medians) {
	w.open('{')
	w.decimalAt("temperatura_c", float64(m.Temperature), 1)
	w.decimalAt("sensacion_termica_c", float64(m.FeelsLike), 1)
	w.decimalAt("viento_kmh", float64(m.Wind), 1)
	w.decimalAt("racha_kmh", float64(m.Gust), 1)
	w.decimalAt("precipitacion_mm", float64(m.Precipitation), 1)
	w.decimalAt("nieve_cm", float64(m.Snow), 1)
	w.decimalAt("isoterma_cero_m", float64(m.FreezingLevel), 0)
	w.decimalAt("visibilidad_m", float64(m.Sight), 0)
	w.decimalAt("uv", float64(m.UV), 1)
	w.close('}')
}

func writeVotes(w *writer, votes []hazard.Vote) {
	w.open('[')
	for i := range votes {
		w.item()
		w.open('{')
		w.textAt("modelo", votes[i].Model)
		w.instantAt("corrida", votes[i].Run)
		w.key("horizonte_h")
		if votes[i].Run.IsZero() {
			w.null()
		} else {
			w.integer(votes[i].Lead)
		}
		w.close('}')
	}
	w.close(']')
}

// localHour gives an hour on the clocks of a park, kept by zone because
// formatting it for every estimate costs more than the rest of the estimate.
func (b *build) localHour(park, index int, hour time.Time) string {
	zone := zoneOf(&b.e.Catalogue.Parks[park])
	name := zone.String()
	kept := b.local[name]
	if kept == nil {
		kept = make([]string, horizon)
		start := b.e.Hour.Add(time.Duration(b.first) * time.Hour)
		for i := range kept {
			kept[i] = start.Add(time.Duration(i) * time.Hour).In(zone).Format(time.RFC3339)
		}
		b.local[name] = kept
	}
	if expected := b.e.Hour.Add(time.Duration(b.first+index) * time.Hour); expected.Equal(hour) {
		return kept[index]
	}
	return hour.In(zone).Format(time.RFC3339)
}

// zoneOf gives a park's zone, UTC when it was not set.
func zoneOf(p *catalogue.Park) *time.Location {
	if p.TimeZone == nil {
		return time.UTC
	}
	return p.TimeZone
}
