package wording

import (
	"strings"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store/notices"
)

// Hazard names a hazard within a sentence: "viento fuerte".
func (l *Language) Hazard(h hazard.Hazard) string { return l.Text("amenaza." + h.String()) }

// Level names the level of an alert within a sentence.
func (l *Language) Level(level alert.Level) string { return l.Text("nivel." + level.String()) }

// State names a state; hazard.Unknown is that there are no data.
func (l *Language) State(s hazard.State) string { return l.Text("estado." + StateKey(s)) }

// StateKey is the last part of the keys of a state, and what pages choose its shape
// and colour by.
func StateKey(s hazard.State) string {
	if s == hazard.Unknown {
		return "nada"
	}
	return s.String()
}

// StateBy names a state with its hazard: "rojo por viento fuerte". Without a hazard
// it is the state alone.
func (l *Language) StateBy(s hazard.State, h hazard.Hazard) string {
	if h == hazard.NoHazard {
		return l.State(s)
	}
	return l.Text("estado.por", "estado", l.State(s), "amenaza", l.Hazard(h))
}

// Reason returns a sentence on why there is no state; ShortReason in few words.
func (l *Language) Reason(r hazard.Reason) string { return l.Text("motivo." + string(r)) }

// ShortReason returns in few words why there is no state.
func (l *Language) ShortReason(r hazard.Reason) string { return l.Text("motivo_corto." + string(r)) }

// Confidence names a confidence, "" for none.
func (l *Language) Confidence(c hazard.Confidence) string {
	if c == hazard.NoConfidence {
		return ""
	}
	return l.Text("confianza." + c.String())
}

// Quality returns what is lacking in the data, "" when they are complete.
func (l *Language) Quality(q hazard.Quality) string {
	switch q {
	case hazard.Partial, hazard.Stale:
		return l.Text("calidad." + q.String())
	default:
		return ""
	}
}

// Votes returns how many models agree, "" for none: never as a probability, which it is
// not.
func (l *Language) Votes(agree, total uint8) string {
	switch total {
	case 0:
		return ""
	case 1:
		return l.Text("modelos.votos.uno", "n", agree)
	}
	return l.Text("modelos.votos.otros", "n", agree, "m", total)
}

// Advice returns what to consider in view of hazards, and whom to ask.
func (l *Language) Advice(hazards ...hazard.Hazard) string {
	text := ""
	for _, h := range hazards {
		text += l.Text("consejo."+h.String()) + " "
	}
	return text + l.Text("consejo.consulte")
}

// Disclaimer is the sentence that goes with every estimate: what it is not, and whom
// to ask.
func (l *Language) Disclaimer() string { return l.Text("oficial.largo") }

// Marked marks a text about weather that is made up.
func (l *Language) Marked(text string) string { return l.Text("simulado.marca") + " " + text }

// AlertName returns the level and hazards of an alert: "Peligro: viento fuerte y nieve".
func (l *Language) AlertName(a *alert.Alert) string {
	return l.Text("alerta.titulo", "nivel", Capital(l.Level(a.Level)), "amenaza", l.AlertHazards(a))
}

// AlertHazards names the worst hazard of an alert with another, or that there are others.
func (l *Language) AlertHazards(a *alert.Alert) string {
	switch h := a.Hazards(); len(h) {
	case 0:
		return ""
	case 1:
		return l.Hazard(h[0])
	case 2:
		return l.Text("alerta.y_otra", "amenaza", l.Hazard(h[0]), "otra", l.Hazard(h[1]))
	default:
		return l.Text("alerta.y_otros", "amenaza", l.Hazard(h[0]))
	}
}

// Cause is a criterion that is met, in words.
type Cause struct {
	Name   string
	Models string // "2 de 4 modelos sobre 90 km/h"
	Value  string // median of the models
	Range  string // of the models, "" when they all say the same
	Place  string // "en Paso John Gardner", "" for none
}

// Cause returns a cause and the place where it is met.
func (l *Language) Cause(c hazard.Cause, place string) Cause {
	reached := "causa.sobre"
	if c.Low {
		reached = "causa.bajo"
	}
	said := Cause{
		Name: l.Text("cantidad." + c.Quantity.String()), Value: l.Quantity(c.Value, c.Quantity),
		Models: l.Text(reached, "votos", l.Votes(c.Over, c.Total), "valor", l.Quantity(c.Threshold, c.Quantity)),
	}
	if !Missing(c.Min) && !Missing(c.Max) && c.Min != c.Max {
		low, high := l.Quantity(c.Min, c.Quantity), l.Quantity(c.Max, c.Quantity)
		if figure, unit, _ := strings.Cut(low, "\u00a0"); strings.HasSuffix(high, "\u00a0"+unit) {
			low = figure
		}
		said.Range = l.Text("causa.rango", "minimo", low, "maximo", high)
	}
	if place != "" {
		said.Place = l.Text("causa.lugar", "lugar", place)
	}
	return said
}

// Sentence returns a cause by itself.
func (c Cause) Sentence(l *Language) string {
	text := Capital(c.Name)
	if c.Place != "" {
		text += " " + c.Place
	}
	text += ": " + c.Models + " (" + l.Text("causa.mediana", "valor", c.Value)
	if c.Range != "" {
		text += "; " + c.Range
	}
	return strings.ReplaceAll(text, "\u00a0", " ") + ")."
}

// FirstCause is the first cause of a hazard's part in an alert that has a value which says
// something to people; ok is false when none has.
func (l *Language) FirstCause(p *alert.Part) (said Cause, ok bool) {
	for i := range p.Causes {
		c := &p.Causes[i]
		if c.Quantity != hazard.WeatherCodeQuantity && !Missing(c.Value) {
			return l.Cause(c.Cause, c.Where()), true
		}
	}
	return said, false
}

// Trails lists trails by their names: the first of many, and how many others there
// are.
func (l *Language) Trails(names []string) string {
	const most = 3
	list := strings.Join(names, ", ")
	if len(names) > most {
		list = l.AndMore(strings.Join(names[:most-1], ", "), len(names)-most+1)
	}
	return l.Text("alerta.lista_senderos", "nombres", list)
}

// AndMore adds to some names how many others there are, if any.
func (l *Language) AndMore(names string, more int) string {
	if more == 0 {
		return names
	}
	return l.Text("alerta.y_mas", "nombres", names, "n", more)
}

// AlertTitle returns level, hazard, place and hours at a glance.
func (l Localizer) AlertTitle(a *alert.Alert, park string) string {
	return l.Text("alerta.titulo.en", "titulo", l.AlertName(a), "parque", park, "cuando", l.Window(a.Start, a.End))
}

// AlertSummary returns what the models have, when, how much against which threshold,
// where, how many of them agree, and the trails by their names. Of several hazards each
// has its own hours.
func (l Localizer) AlertSummary(a *alert.Alert, trails []string) string {
	said := []string{l.Text("alerta.resumen", "amenaza", l.AlertHazards(a), "cuando", l.Window(a.Start, a.End))}
	if ahead := a.Ahead(); len(ahead) == 1 {
		said = append(said, l.PartReasons(&ahead[0])...)
	} else {
		for i := range ahead {
			said = append(said, l.PartName(&ahead[i])+": "+l.Part(&ahead[i]))
		}
	}
	if len(trails) > 0 {
		said = append(said, l.Trails(trails))
	}
	return strings.Join(said, " ")
}

// PartName returns a hazard in an alert with its level: "Nieve (precaución)".
func (l *Language) PartName(p *alert.Part) string {
	return l.Text("alerta.parte", "amenaza", Capital(l.Hazard(p.Hazard)), "nivel", l.Level(p.Level))
}

// Part returns the hours of a hazard in an alert, with its reasons.
func (l Localizer) Part(p *alert.Part) string {
	return strings.Join(append([]string{l.Window(p.Start, p.End) + "."}, l.PartReasons(p)...), " ")
}

// PartReasons returns sentences on why there is a hazard in an alert.
func (l *Language) PartReasons(p *alert.Part) (said []string) {
	if cause, ok := l.FirstCause(p); ok {
		said = append(said, cause.Sentence(l))
	}
	if p.Total > 0 {
		said = append(said, l.Text("alerta.acuerdo", "votos", l.Votes(p.Agree, p.Total)))
	}
	if p.Held() {
		said = append(said, l.Text("alerta.sostenida"))
	}
	return said
}

var changeKeys = [...]string{
	alert.Opened: "cambio.emitida", alert.Raised: "cambio.sube", alert.Lowered: "cambio.baja", alert.Moved: "cambio.horario",
	alert.Ended: "cambio.termina", alert.Withdrawn: "cambio.retirada", alert.Extended: "cambio.alarga",
	alert.Rearranged: "cambio.senderos", alert.Joined: "cambio.unida", alert.Disappeared: "cambio.sin_lugar",
	alert.Added: "cambio.suma", alert.Ceased: "cambio.cesa", alert.Revised: "cambio.revisada",
}

// Change returns a line of an alert's history, in dates alone: what was tomorrow then is
// not tomorrow now.
func (l Localizer) Change(c *alert.Change) string {
	l.Days = ByDate
	return l.Text(changeKeys[c.What], "nivel", l.Level(c.Level), "cuando", l.Span(c.Start, c.End), "amenaza", l.Hazard(c.Hazard))
}

// Official returns what official bodies say of a place, each with who says it: closures,
// then volcanoes. What concerns the trail own, in whose row it stands, goes without
// its name.
func (l *Language) Official(closures []notices.Holding, volcanic []notices.Nearby, own string) (lines []string) {
	for _, c := range closures {
		line := l.Text("cierre."+c.Situation, "fuente", c.Source)
		if c.Trail != own {
			line = l.Text("oficial.situacion", "lugar", l.closedPlace(&c), "situacion", line)
		}
		lines = append(lines, l.Aged(line, c.Stale))
	}
	for _, v := range volcanic {
		line := l.Text("volcan.alerta", "volcan", v.Name, "nivel", l.Text("volcan.nivel."+v.Level.String()), "fuente", v.Source)
		lines = append(lines, l.Aged(line, v.Stale))
	}
	return lines
}

func (l *Language) closedPlace(c *notices.Holding) string {
	if c.Trail == "" {
		return l.Text("oficial.todo")
	}
	return c.TrailName
}

// Aged marks what was not obtained anew for too long.
func (l *Language) Aged(said string, stale bool) string {
	if stale {
		return l.Text("oficial.vieja", "que", said)
	}
	return said
}
