package api

import (
	"time"

	"vigia/handlers/prepared"
	"vigia/store"
)

// precision is the status of the verification log. What is not known, or rests on
// too few events, is null.
func (b *build) precision() *prepared.Body {
	v := b.e.Verification
	w := writer{}
	w.open('{')
	if v == nil {
		w.textAt("situacion", store.StageNone)
		w.rawAt("periodo", `{"desde":null,"hasta":null}`)
		w.rawAt("registro", `{"estimaciones":null,"verificadas":null,"pendientes":null,"descartadas":null}`)
		w.rawAt("referencias", "[]")
		w.rawAt("resultados", "[]")
		w.rawAt("fiabilidad", "[]")
		w.rawAt("estabilidad", `{"indice_vaiven":null,"n":0}`)
		w.rawAt("lineas_base", "[]")
		w.nullAt("calculado_en")
		w.close('}')
		return prepared.JSON(w.b)
	}
	w.textAt("situacion", v.Stage)
	w.key("periodo")
	w.open('{')
	w.instantAt("desde", v.From)
	w.instantAt("hasta", endOfDay(v.To))
	w.close('}')
	w.key("registro")
	w.open('{')
	w.integerAt("estimaciones", v.Issued)
	w.integerAt("verificadas", v.Verified)
	w.integerAt("pendientes", v.Pending)
	w.integerAt("descartadas", v.Dropped())
	w.close('}')
	writeReferences(&w, v)
	w.key("resultados")
	w.open('[')
	for i := range v.Results {
		w.item()
		writeResult(&w, &v.Results[i])
	}
	w.close(']')
	writeReliability(&w, v)
	w.key("estabilidad")
	w.open('{')
	w.numberOrNullAt("indice_vaiven", v.FlipFlop)
	w.integerAt("n", v.FlipFlopN)
	w.close('}')
	writeBaselines(&w, v)
	w.instantAt("calculado_en", v.CalculatedAt)
	w.close('}')
	return prepared.JSON(w.b)
}

// endOfDay is when the day that begins at t is over; the zero time stays.
func endOfDay(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(24 * time.Hour)
}

func writeReferences(w *writer, v *store.Verification) {
	w.key("referencias")
	w.open('[')
	for _, r := range v.References {
		w.item()
		w.open('{')
		w.textAt("tipo", r.Tier.String())
		w.textAt("descripcion", r.Description)
		w.booleanAt("independiente", r.Independent)
		w.close('}')
	}
	w.close(']')
}

func writeResult(w *writer, r *store.Result) {
	w.open('{')
	w.textAt("referencia", r.Tier.String())
	w.textAt("nivel", r.Level.String())
	w.textOrNullAt("amenaza", r.Hazard)
	w.textAt("plazo", r.Bin)
	w.integerAt("n", r.N())
	w.integerAt("eventos", r.Events)
	w.integerAt("aciertos", r.Hits)
	w.integerAt("falsas_alarmas", r.False)
	w.integerAt("omisiones", r.Misses)
	w.integerAt("negativos_correctos", r.Correct)
	w.numberOrNullAt("pod", r.POD)
	w.numberOrNullAt("far", r.FAR)
	w.numberOrNullAt("csi", r.CSI)
	w.numberOrNullAt("sesgo", r.Bias)
	w.numberOrNullAt("ets", r.ETS)
	w.numberOrNullAt("hss", r.HSS)
	w.numberOrNullAt("sedi", r.SEDI)
	w.numberOrNullAt("brier", r.Brier)
	w.key("ic95")
	w.open('{')
	w.intervalAt("pod", r.PODRange)
	w.intervalAt("far", r.FARRange)
	w.intervalAt("csi", r.CSIRange)
	w.intervalAt("ets", r.ETSRange)
	w.intervalAt("hss", r.HSSRange)
	w.close('}')
	w.booleanAt("suficiente", r.Enough)
	w.textOrNullAt("motivo_nulo", r.Reason)
	w.close('}')
}

func writeReliability(w *writer, v *store.Verification) {
	w.key("fiabilidad")
	w.open('[')
	for i := range v.Reliability {
		bin := &v.Reliability[i]
		w.item()
		w.open('{')
		w.textAt("referencia", bin.Tier.String())
		w.textAt("nivel", bin.Level.String())
		w.textAt("plazo", bin.Bin)
		w.decimalAt("desde", bin.From, scoreDecimals)
		w.decimalAt("hasta", bin.To, scoreDecimals)
		w.integerAt("n", bin.N)
		w.integerAt("eventos", bin.Events)
		w.numberOrNullAt("frecuencia", bin.Observed)
		w.intervalAt("ic95", bin.Range)
		w.close('}')
	}
	w.close(']')
}

func writeBaselines(w *writer, v *store.Verification) {
	w.key("lineas_base")
	w.open('[')
	for i := range v.Baselines {
		line := &v.Baselines[i]
		w.item()
		w.open('{')
		w.textAt("nombre", line.Name)
		w.numberOrNullAt("csi", line.CSI)
		w.textAt("referencia", line.Tier.String())
		w.textAt("nivel", line.Level.String())
		w.textOrNullAt("amenaza", line.Hazard)
		w.textAt("plazo", line.Bin)
		w.close('}')
	}
	w.close(']')
}

// scoreDecimals is how exactly scores are written.
const scoreDecimals = 3

func (w *writer) numberOrNullAt(name string, x *float64) {
	if x == nil {
		w.nullAt(name)
		return
	}
	w.decimalAt(name, *x, scoreDecimals)
}

func (w *writer) intervalAt(name string, in *store.Interval) {
	if in == nil {
		w.nullAt(name)
		return
	}
	w.key(name)
	w.open('[')
	w.item()
	w.decimal(in.Low, scoreDecimals)
	w.item()
	w.decimal(in.High, scoreDecimals)
	w.close(']')
}
