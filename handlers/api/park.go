package api

import (
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/handlers/prepared"
	"vigia/store/catalogue"
)

// outlook is what the trails of a park together say.
type outlook struct {
	state      hazard.State
	quality    hazard.Quality
	reason     hazard.Reason
	main       hazard.Hazard
	confidence hazard.Confidence
	worst      int // index of the trail that the state comes from, -1 without estimates
	count      [hazard.Red + 1]int
	total      int
}

// outlookOf combines a park's trails at the present hour. Amber and red stand
// whatever is missing elsewhere; green needs every trail.
func (b *build) outlookOf(park int) outlook {
	o := outlook{main: hazard.NoHazard, worst: -1}
	var stale, incomplete int
	var reasons []hazard.Reason
	var worst *hazard.Estimate
	for t := range b.trailsOf(park) {
		o.total++
		latest := b.latest(t)
		if latest == nil {
			o.count[hazard.Unknown]++
			reasons = append(reasons, b.reasonWithout(t))
			continue
		}
		o.count[latest.State]++
		if latest.State == hazard.Unknown {
			reasons = append(reasons, reasonOf(latest))
		}
		switch latest.Quality {
		case hazard.Stale:
			stale++
		case hazard.Partial, hazard.NoData:
			incomplete++
		}
		if worst == nil || worseThan(latest, worst) {
			worst, o.worst = latest, t
		}
	}
	o.settle(worst, reasons)
	o.quality = qualityOf(o.total, o.total-o.count[hazard.Unknown], stale, incomplete)
	return o
}

// worseThan orders estimates for the one that speaks for the park: the worse
// state, then the surer.
func worseThan(a, b *hazard.Estimate) bool {
	if a.State != b.State {
		return a.State > b.State
	}
	return a.Confidence > b.Confidence
}

func (o *outlook) settle(worst *hazard.Estimate, reasons []hazard.Reason) {
	switch {
	case o.total == 0:
		o.reason = hazard.NoRuns
	case worst != nil && (worst.State > hazard.Green || worst.State == hazard.Green && len(reasons) == 0):
		o.state, o.main, o.confidence = worst.State, worst.Main, worst.Confidence
	case len(reasons) < o.total:
		o.reason = hazard.PartialData
	default:
		o.reason = common(reasons)
	}
}

// common gives the reason that all share, else that data are partial.
func common(reasons []hazard.Reason) hazard.Reason {
	for _, r := range reasons[1:] {
		if r != reasons[0] {
			return hazard.PartialData
		}
	}
	return reasons[0]
}

func qualityOf(total, known, stale, incomplete int) hazard.Quality {
	switch {
	case known == 0:
		return hazard.NoData
	case stale > 0:
		return hazard.Stale
	case incomplete > 0 || known < total:
		return hazard.Partial
	default:
		return hazard.Complete
	}
}

// worstAhead is the worst state of a park in the next 24 hours, null-aware: green
// only when every hour of every trail is known.
func (b *build) worstAhead(park int) hazard.State {
	worst, complete, any := hazard.Unknown, true, false
	for t := range b.trailsOf(park) {
		any = true
		hours := b.hours(t)
		complete = complete && len(hours) >= 24
		for i := range hours[:min(len(hours), 24)] {
			complete = complete && hours[i].State != hazard.Unknown
			worst = max(worst, hours[i].State)
		}
	}
	if worst == hazard.Green && !(complete && any) {
		return hazard.Unknown
	}
	return worst
}

func (b *build) parkList() *prepared.Body {
	w := writer{}
	w.open('[')
	for p := range b.e.Catalogue.Parks {
		w.item()
		w.open('{')
		o := b.outlookOf(p)
		b.writePark(&w, p, &o)
		w.close('}')
	}
	w.close(']')
	return prepared.JSON(w.b)
}

// writePark writes the members of a Park.
func (b *build) writePark(w *writer, index int, o *outlook) {
	park := &b.e.Catalogue.Parks[index]
	w.textAt("slug", park.Slug)
	w.textAt("nombre", park.Name)
	w.textAt("tipo", park.Kind)
	w.textAt("region", park.Region)
	w.textOrNullAt("administrador", park.Administrator)
	w.decimalAt("latitud", park.Latitude, 5)
	w.decimalAt("longitud", park.Longitude, 5)
	w.decimalAt("altitud_m", park.ElevationM, 0)
	w.decimalAt("superficie_ha", park.AreaHa, 1)
	w.textAt("zona_horaria", park.ZoneName)
	w.textOrNullAt("estado", o.state.String())
	active := b.activeAlerts(index)
	w.textOrNullAt("nivel", highest(active).String())
	w.textAt("calidad", o.quality.String())
	w.textOrNullAt("motivo_sin_estado", string(o.reason))
	w.textOrNullAt("amenaza_principal", o.main.String())
	w.textOrNullAt("confianza", o.confidence.String())
	w.key("senderos_por_estado")
	w.open('{')
	w.integerAt("total", o.total)
	w.integerAt("verde", o.count[hazard.Green])
	w.integerAt("amarillo", o.count[hazard.Amber])
	w.integerAt("rojo", o.count[hazard.Red])
	w.integerAt("sin_datos", o.count[hazard.Unknown])
	w.close('}')
	w.key("alertas_activas")
	if b.known[index] {
		w.integer(len(active))
	} else {
		w.null()
	}
	w.textOrNullAt("estado_maximo_24h", b.worstAhead(index).String())
	w.instantAt("estimado_en", b.e.IssuedAt)
	w.instantAt("vigente_hasta", b.validity())
	w.booleanAt("oficial", false)
	b.writeParkLinks(w, park)
}

// validity is until when the estimates hold, past where the data became too old;
// zero when there never were any.
func (b *build) validity() time.Time {
	if b.e.IssuedAt.IsZero() && b.e.Reason != hazard.DataTooOld {
		return time.Time{}
	}
	return b.e.ValidUntil
}

func (b *build) writeParkLinks(w *writer, park *catalogue.Park) {
	w.key("enlaces")
	w.open('{')
	w.textAt("api", b.link("/api/v1/parques/"+park.Slug))
	w.textAt("web", b.link("/parques/"+park.Slug))
	w.textOrNullAt("insignia", b.linkIfPage("/insignia/"+park.Slug+".svg"))
	w.textOrNullAt("atom", b.linkIfPage("/parques/"+park.Slug+"/alertas.atom"))
	w.close('}')
}

func (b *build) parkDetail(index int) *prepared.Body {
	park := &b.e.Catalogue.Parks[index]
	o := b.outlookOf(index)
	w := writer{}
	w.open('{')
	b.writePark(&w, index, &o)
	w.key("senderos")
	b.writeTrails(&w, index)
	w.key("ultima_estimacion")
	if o.worst < 0 {
		w.null()
	} else {
		b.writeLatest(&w, o.worst)
	}
	w.key("alertas")
	if outdated := b.outdatedAlerts(index); b.known[index] || len(outdated) > 0 {
		b.writeAlerts(&w, append(b.activeAlerts(index), outdated...))
	} else {
		w.null()
	}
	b.writeNotices(&w, index)
	w.key("telefonos_emergencia")
	writeNumbers(&w, b.e.Catalogue.Emergency)
	w.key("fuentes")
	b.writeSources(&w, park)
	w.textAt("aviso", b.notice())
	w.close('}')
	return prepared.JSON(w.b)
}

func writeNumbers(w *writer, numbers []catalogue.EmergencyNumber) {
	w.open('[')
	for _, n := range numbers {
		w.item()
		w.open('{')
		w.textAt("numero", n.Number)
		w.textAt("nombre", n.Name)
		w.textOrNullAt("nota", n.Note)
		w.close('}')
	}
	w.close(']')
}

func highest(alerts []*alert.Alert) alert.Level {
	level := alert.NoLevel
	for _, a := range alerts {
		level = max(level, a.Level)
	}
	return level
}
