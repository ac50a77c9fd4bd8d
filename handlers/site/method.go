package site

import (
	"slices"
	"time"

	"vigia/forecast/hazard"
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
}

// hazardRules is a hazard with its thresholds.
type hazardRules struct {
	Key   string
	Notes []string
	Rows  []ruleRow
}

// modelRow is a model as it stands.
type modelRow struct {
	Name, State, Lacks string
	Run                Instant
	Age                string
}

func (v View) method() methodPage {
	var page methodPage
	for _, m := range v.Models {
		row := modelRow{
			Name: v.Named("modelo.", m.Model), State: v.Named("modelo_estado.", m.State),
			Lacks: v.Named("metodo.falta.", m.Model), Run: v.Instant(m.Run), Age: v.Text("dato.falta"),
		}
		if row.Lacks == m.Model { // nothing is known of it
			row.Lacks = v.Text("dato.falta")
		}
		if !m.Run.IsZero() {
			row.Age = v.Text("metodo.edad", "n", int(v.Now.Sub(m.Run)/time.Hour))
		}
		page.Models = append(page.Models, row)
	}
	if v.Rules == nil {
		return page
	}
	page.Rules = v.Rules.Version()
	w := ruleWords{v, v.Rules.Thresholds()}
	page.Steps, page.Trust, page.Alerts, page.Data = w.steps(), w.trust(), w.alerts(), w.Text("metodo.datos", "h", w.figure("histeresis.vigencia_datos_h"))
	for i := range hazard.NumHazards {
		h := hazard.Hazard(i)
		page.Hazards = append(page.Hazards, hazardRules{h.String(), w.notes(h), v.ruleRows(v.Rules, h)})
	}
	return page
}

// ruleWords are the words for the rules that are no thresholds of a hazard, with the figures of
// their file.
type ruleWords struct {
	View
	list []hazard.Threshold
}

// figure returns a value of the rules by its place in their file.
func (w ruleWords) figure(key string) string { return w.scaled(key, 1, 6) }

// share is a figure that is a part of one, in per cent.
func (w ruleWords) share(key string) string { return w.scaled(key, 100, 1) }

func (w ruleWords) scaled(key string, factor float64, places int) string {
	for _, t := range w.list {
		if t.Key == key && t.HasValue {
			return w.Decimal(t.Value*factor, places)
		}
	}
	return w.Text("dato.falta")
}

// steps are how an estimate is made, from the values of the models to the state.
func (w ruleWords) steps() []string {
	votes := w.Text("metodo.paso.votos", "k", w.figure("combinacion.k_rojo_min"), "rojo", w.share("combinacion.f_rojo"), "amarillo", w.share("combinacion.f_amarillo"))
	if slices.ContainsFunc(w.list, func(t hazard.Threshold) bool {
		return t.Key == "combinacion.un_modelo_rojo_es_amarillo" && t.Text == "true"
	}) {
		votes += " " + w.Text("metodo.paso.uno")
	}
	return []string{
		w.Text("metodo.paso.puntos"), w.Text("metodo.paso.celda"),
		w.Text("metodo.paso.fase", "nieve", w.figure("fase.bulbo_toda_nieve"), "lluvia", w.figure("fase.bulbo_toda_lluvia"), "cm", w.figure("fase.cm_por_mm")),
		w.Text("metodo.paso.voto"), w.Text("metodo.paso.falta"), votes,
		w.Text("metodo.paso.plazo", "rojo", w.figure("combinacion.plazo_rojo_h"), "nivel", w.figure("combinacion.plazo_nivel_h")),
		w.Text("metodo.paso.peor"), w.Text("metodo.paso.cuenta"),
		w.Text("metodo.paso.uv", "moderado", w.figure("uv.clases.1.0"), "alto", w.figure("uv.clases.2.0"), "muy", w.figure("uv.clases.3.0"),
			"extremo", w.figure("uv.clases.4.0"), "mas", w.figure("uv.glaciar_nieve_clases_mas")),
		w.Text("metodo.paso.altura"),
	}
}

func (w ruleWords) trust() (list []string) {
	for _, name := range []string{hazard.High.String(), hazard.Medium.String()} {
		list = append(list, w.Text("metodo.confianza."+name, "n", w.figure("confianza."+name+".n"),
			"a", w.share("confianza."+name+".acuerdo"), "h", w.figure("confianza."+name+".plazo")))
	}
	return append(list, w.Text("metodo.confianza.baja"))
}

func (w ruleWords) alerts() []string {
	return []string{
		w.Text("metodo.alerta.cuando"),
		w.Text("metodo.alerta.sale", "f", w.share("histeresis.factor_salida"), "n", w.figure("histeresis.corridas_bajar")),
		w.Text("metodo.alerta.entra", "h", w.figure("histeresis.subida_inmediata_plazo_h"), "n", w.figure("histeresis.corridas_subir")),
		w.Text("metodo.alerta.horario"), w.Text("metodo.alerta.sin_datos"),
	}
}

// notes are what holds of a hazard beside its table.
func (w ruleWords) notes(h hazard.Hazard) []string {
	switch h {
	case hazard.WetCold:
		return []string{w.Text("metodo.nota.frio_mojado")}
	case hazard.Rain:
		return []string{w.Text("metodo.nota.lluvia", "mm", w.figure("lluvia.antecedente.p72h"), "factor", w.figure("lluvia.antecedente.factor"))}
	case hazard.Storm:
		return []string{w.Text("metodo.nota.tormenta")}
	case hazard.Visibility:
		return []string{w.Text("metodo.nota.visibilidad")}
	default:
		return nil
	}
}
