package api

import (
	"time"

	"vigia/forecast/hazard"
	"vigia/handlers/prepared"
	"vigia/store/catalogue"
)

// The hours of use of a trail, local time, both included: what a day's level is
// the worst of.
const (
	firstHourOfUse = 6
	lastHourOfUse  = 21
	daysSummed     = 3
)

func (b *build) trailList(park int) *prepared.Body {
	w := writer{}
	b.writeTrails(&w, park)
	return prepared.JSON(w.b)
}

func (b *build) writeTrails(w *writer, park int) {
	w.open('[')
	for t := range b.trailsOf(park) {
		w.item()
		w.b = append(w.b, b.trail[t]...)
	}
	w.close(']')
}

func (b *build) writeTrail(w *writer, index int) {
	trail := &b.e.Catalogue.Trails[index]
	w.open('{')
	w.textAt("slug", trail.Slug)
	w.textAt("parque", b.e.Catalogue.Parks[trail.Park].Slug)
	w.textAt("nombre", trail.Name)
	w.textAt("tipo", trail.Kind)
	w.decimalAt("largo_km", trail.LengthKm, 1)
	w.decimalAt("desnivel_m", trail.ClimbM, 0)
	w.decimalAt("altitud_inicio_m", trail.StartElevationM, 0)
	w.decimalAt("altitud_max_m", trail.MaxElevationM, 0)
	w.textOrNullAt("dificultad", trail.Difficulty)
	w.key("duracion_h")
	w.open('{')
	w.decimalAt("min", trail.MinHours, 1)
	w.decimalAt("max", trail.MaxHours, 1)
	w.close('}')
	w.key("puntos")
	writePoints(w, trail.Points)
	w.key("ultima_estimacion")
	b.writeLatest(w, index)
	w.key("resumen_dias")
	b.writeDays(w, index)
	w.key("ventanas_sin_alerta")
	b.writeWindows(w, index)
	w.close('}')
}

// writeLatest writes a trail's estimate for the present hour, null without one.
func (b *build) writeLatest(w *writer, index int) {
	latest := b.latest(index)
	if latest == nil {
		w.null()
		return
	}
	b.writeEstimate(w, &b.e.Catalogue.Trails[index], 0, latest, true)
}

func writePoints(w *writer, points []catalogue.Point) {
	w.open('[')
	for i := range points {
		p := &points[i]
		w.item()
		w.open('{')
		w.textAt("nombre", p.Name)
		w.decimalAt("latitud", p.Location.Latitude, 5)
		w.decimalAt("longitud", p.Location.Longitude, 5)
		w.decimalAt("altitud_m", p.Location.Elevation, 0)
		w.textAt("exposicion", p.Exposure.String())
		w.booleanAt("critico", p.Critical)
		w.close('}')
	}
	w.close(']')
}

// daySummary is the worst of the hours of use of one local day.
type daySummary struct {
	covered int // hours of use that the estimates reach
	unknown int // those of them without a state
	worst   *hazard.Estimate
}

func (d *daySummary) add(e *hazard.Estimate) {
	d.covered++
	if e.State == hazard.Unknown {
		d.unknown++
		return
	}
	if d.worst == nil || e.State > d.worst.State {
		d.worst = e
	}
}

// state is the day's level: a warning stands whatever is missing, and green
// needs every hour that the estimates reach.
func (d *daySummary) state() hazard.State {
	if d.worst == nil || d.worst.State == hazard.Green && d.unknown > 0 {
		return hazard.Unknown
	}
	return d.worst.State
}

// writeDays writes the days from today on. Local days are counted from noon to
// noon, because some have no midnight.
func (b *build) writeDays(w *writer, index int) {
	zone := zoneOf(&b.e.Catalogue.Parks[b.e.Catalogue.Trails[index].Park])
	today := noonOf(b.now.In(zone))
	hours := b.hours(index)
	w.open('[')
	for day := range daysSummed {
		noon := today.AddDate(0, 0, day)
		var summary daySummary
		for i := range hours {
			local := hours[i].Hour.In(zone)
			if sameDay(local, noon) && local.Hour() >= firstHourOfUse && local.Hour() <= lastHourOfUse {
				summary.add(&hours[i])
			}
		}
		w.item()
		writeDay(w, noon, &summary)
	}
	w.close(']')
}

func writeDay(w *writer, noon time.Time, summary *daySummary) {
	state := summary.state()
	w.open('{')
	w.textAt("fecha", noon.Format(time.DateOnly))
	w.textOrNullAt("estado_maximo", state.String())
	if state == hazard.Amber || state == hazard.Red {
		w.instantAt("hora_peor", summary.worst.Hour)
		w.textOrNullAt("amenaza_principal", summary.worst.Main.String())
	} else {
		w.nullAt("hora_peor")
		w.nullAt("amenaza_principal")
	}
	w.close('}')
}

// noonOf gives the noon of t's day in t's zone.
func noonOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 12, 0, 0, 0, t.Location())
}

func sameDay(a, b time.Time) bool {
	return a.YearDay() == b.YearDay() && a.Year() == b.Year()
}

// writeWindows writes the spans of hours without any model alert.
func (b *build) writeWindows(w *writer, index int) {
	park := &b.e.Catalogue.Parks[b.e.Catalogue.Trails[index].Park]
	w.open('[')
	for _, span := range Spans(b.e, index, b.hours(index), b.now) {
		w.item()
		w.open('{')
		w.instantAt("desde", span.From)
		w.instantAt("hasta", span.To)
		w.integerAt("horas", span.Hours)
		w.booleanAt("dentro_de_luz", inDaylight(span.From, span.To, park))
		w.close('}')
	}
	w.close(']')
}
