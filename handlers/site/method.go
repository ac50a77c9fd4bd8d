package site

import (
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
)

// methodPage explains how estimates are made: with which rules and models now.
type methodPage struct {
	Rules   string // version of the rules, "" when there are none
	Steps   []string
	Trust   []string // when a confidence is given
	Alerts  []string
	Data    string // how old data may be
	Hazards []hazardRules
	Models  []modelRow
	CSV     string // path of the raw pairs
}

// hazardRules is a hazard with its thresholds.
type hazardRules struct {
	ID, Name, About, Source string
	Notes                   []string
	Rows                    []ruleRow
}

// modelRow is a model as it stands.
type modelRow struct {
	Name, State, Lacks string
	Run                instant
	Age                string
}

func (a almanac) method(e *store.Edition) methodPage {
	page := methodPage{CSV: precisionCSV}
	for _, m := range e.Models {
		row := modelRow{
			Name: a.texts.named("modelo.", m.Model), State: a.texts.named("modelo_estado.", m.State),
			Lacks: a.texts.named("metodo.falta.", m.Model), Run: a.instant(m.Run), Age: a.texts.say("dato.falta"),
		}
		if row.Lacks == m.Model { // nothing is known of it
			row.Lacks = a.texts.say("dato.falta")
		}
		if !m.Run.IsZero() {
			row.Age = a.texts.say("metodo.edad", "n", int(a.now.Sub(m.Run)/time.Hour))
		}
		page.Models = append(page.Models, row)
	}
	if e.Rules == nil {
		return page
	}
	page.Rules = e.Rules.Version()
	w := ruleWords{a.texts, e.Rules.Thresholds()}
	page.Steps, page.Trust, page.Alerts, page.Data = w.steps(), w.trust(), w.alerts(), w.say("metodo.datos", "h", w.figure("histeresis.vigencia_datos_h"))
	for i := range hazard.NumHazards {
		h := hazard.Hazard(i)
		key := h.String()
		page.Hazards = append(page.Hazards, hazardRules{
			ID: "peligro-" + key, Name: a.texts.say("amenaza." + key), About: a.texts.say("metodo.que." + key),
			Source: a.texts.say("metodo.fuente." + key), Notes: w.notes(h), Rows: a.texts.ruleRows(e.Rules, h),
		})
	}
	return page
}

// ruleWords says the rules that are no thresholds of a hazard, with the figures of
// their file.
type ruleWords struct {
	texts
	list []hazard.Threshold
}

// find gives a value of the rules by its place in their file; a value that is not
// there has no figure.
func (w ruleWords) find(key string) hazard.Threshold {
	for _, t := range w.list {
		if t.Key == key {
			return t
		}
	}
	return hazard.Threshold{}
}

func (w ruleWords) figure(key string) string {
	if t := w.find(key); t.HasValue {
		return w.decimal(t.Value, 6)
	}
	return w.texts.say("dato.falta")
}

// share is a figure that is a part of one, in per cent.
func (w ruleWords) share(key string) string {
	if t := w.find(key); t.HasValue {
		return w.decimal(t.Value*100, 1)
	}
	return w.texts.say("dato.falta")
}

// steps are how an estimate is made, from the values of the models to the state.
func (w ruleWords) steps() []string {
	votes := w.say("metodo.paso.votos", "k", w.figure("combinacion.k_rojo_min"), "rojo", w.share("combinacion.f_rojo"), "amarillo", w.share("combinacion.f_amarillo"))
	if w.find("combinacion.un_modelo_rojo_es_amarillo").Text == "true" {
		votes += " " + w.say("metodo.paso.uno")
	}
	return []string{
		w.say("metodo.paso.puntos"), w.say("metodo.paso.celda"), w.say("metodo.paso.voto"), w.say("metodo.paso.falta"), votes,
		w.say("metodo.paso.plazo", "rojo", w.figure("combinacion.plazo_rojo_h"), "nivel", w.figure("combinacion.plazo_nivel_h")),
		w.say("metodo.paso.peor"), w.say("metodo.paso.cuenta"),
	}
}

func (w ruleWords) trust() (list []string) {
	for _, name := range []string{hazard.High.String(), hazard.Medium.String()} {
		list = append(list, w.say("metodo.confianza."+name, "n", w.figure("confianza."+name+".n"),
			"a", w.share("confianza."+name+".acuerdo"), "h", w.figure("confianza."+name+".plazo")))
	}
	return append(list, w.say("metodo.confianza.baja"))
}

func (w ruleWords) alerts() []string {
	return []string{
		w.say("metodo.alerta.cuando"),
		w.say("metodo.alerta.sale", "f", w.share("histeresis.factor_salida"), "n", w.figure("histeresis.corridas_bajar")),
		w.say("metodo.alerta.entra", "h", w.figure("histeresis.subida_inmediata_plazo_h"), "n", w.figure("histeresis.corridas_subir")),
		w.say("metodo.alerta.horario"), w.say("metodo.alerta.sin_datos"),
	}
}

// notes are what holds of a hazard beside its table.
func (w ruleWords) notes(h hazard.Hazard) []string {
	switch h {
	case hazard.WetCold:
		return []string{w.say("metodo.nota.frio_mojado")}
	case hazard.Rain:
		return []string{w.say("metodo.nota.lluvia", "mm", w.figure("lluvia.antecedente.p72h"), "factor", w.figure("lluvia.antecedente.factor"))}
	case hazard.Storm:
		return []string{w.say("metodo.nota.tormenta", "h", w.figure("tormenta.rojo_plazo_max_h"))}
	case hazard.Fire:
		return []string{w.say("metodo.nota.incendio", "amarillo", w.figure("incendio.amarillo_fwi"), "rojo", w.figure("incendio.rojo_fwi"))}
	case hazard.Visibility:
		return []string{w.say("metodo.nota.visibilidad")}
	default:
		return nil
	}
}
