package api

import "time"

// The part of the contract that says how good the estimates were, see types.go.

// Precision is the status of the verification log. What is not known, or rests on too
// few events, is null.
type Precision struct {
	Stage  string `json:"situacion" enum:"sin_datos,preliminar,estable"`
	Period struct {
		From *time.Time `json:"desde"`
		To   *time.Time `json:"hasta"`
	} `json:"periodo"`
	Log struct {
		Issued   *int `json:"estimaciones" minimum:"0"`
		Verified *int `json:"verificadas" minimum:"0"`
		Pending  *int `json:"pendientes" minimum:"0"`
		Dropped  *int `json:"descartadas" minimum:"0"`
	} `json:"registro"`
	References  []Reference      `json:"referencias"`
	Results     []Score          `json:"resultados"`
	Reliability []ReliabilityBin `json:"fiabilidad"`
	Stability   struct {
		FlipFlop *float64 `json:"indice_vaiven"`
		N        int      `json:"n" minimum:"0"`
	} `json:"estabilidad"`
	Baselines    []Baseline      `json:"lineas_base"`
	Values       []ValueScore    `json:"valores"`
	Curves       []ValueCurve    `json:"valor_economico"`
	Strata       []StratumScore  `json:"estratos"`
	Ensembles    []EnsembleScore `json:"conjuntos"`
	CalculatedAt *time.Time      `json:"calculado_en"`
}

// Reference is a kind of observation that estimates are compared with.
type Reference struct {
	Tier        string  `json:"tipo" enum:"A,B,C,D"`
	Description string  `json:"descripcion"`
	Independent bool    `json:"independiente"`
	Caution     *string `json:"advertencia"`
}

// Case is what is verified together: one level, hazard (null: all) and lead time.
type Case struct {
	Level  Level   `json:"nivel"`
	Hazard *Hazard `json:"amenaza"`
	Lead   string  `json:"plazo" enum:"0-6,6-24,24-48,48-72"`
}

// Score is the verification of a case.
type Score struct {
	Tier string `json:"referencia" enum:"A,B,C,D"`
	Case
	N        int      `json:"n" minimum:"0"`
	Events   int      `json:"eventos" minimum:"0"`
	Hits     int      `json:"aciertos" minimum:"0"`
	False    int      `json:"falsas_alarmas" minimum:"0"`
	Misses   int      `json:"omisiones" minimum:"0"`
	Correct  int      `json:"negativos_correctos" minimum:"0"`
	POD      *float64 `json:"pod"`
	FAR      *float64 `json:"far"`
	CSI      *float64 `json:"csi"`
	Bias     *float64 `json:"sesgo"`
	ETS      *float64 `json:"ets"`
	HSS      *float64 `json:"hss"`
	SEDI     *float64 `json:"sedi"`
	Brier    *float64 `json:"brier"`
	Interval struct {
		POD *Interval `json:"pod"`
		FAR *Interval `json:"far"`
		CSI *Interval `json:"csi"`
		ETS *Interval `json:"ets"`
		HSS *Interval `json:"hss"`
	} `json:"ic95"`
	Enough    bool     `json:"suficiente"`
	Reason    *string  `json:"motivo_nulo" enum:"sin_eventos,sin_pronosticos,muestra_insuficiente"`
	Forecasts int      `json:"pronosticos" minimum:"0"`
	BaseRate  *float64 `json:"tasa_base"`
	Caution   *string  `json:"advertencia"`
}

// Interval is the lower and the upper end of a 95 % confidence interval.
type Interval [2]float64

// ReliabilityBin is how often the event came where a fraction of the models voted for it.
type ReliabilityBin struct {
	Tier string `json:"referencia" enum:"A,B,C,D"`
	Case
	ShareCases
	Caution *string `json:"advertencia"`
}

// ShareCases are the trail days on which this fraction of the models, from 0 to 1, has a
// day of its own that reaches the level.
type ShareCases struct {
	From     float64   `json:"desde" minimum:"0" maximum:"1"`
	To       float64   `json:"hasta" minimum:"0" maximum:"1"`
	N        int       `json:"n" minimum:"0"`
	Events   int       `json:"eventos" minimum:"0"`
	Observed *float64  `json:"frecuencia"`
	Interval *Interval `json:"ic95"`
}

// Baseline is what the same cases would score without any skill.
type Baseline struct {
	Name string   `json:"nombre" enum:"tasa_base,persistencia,siempre_verde"`
	CSI  *float64 `json:"csi"`
	Tier string   `json:"referencia" enum:"A,B,C,D"`
	Case
	Caution *string `json:"advertencia"`
}

// Stratum is cases of like climate: a zone, exposure and season, or a trail in a month.
type Stratum struct {
	Zone     *string `json:"zona" enum:"arido,centro,sur,austral"`
	Exposure *string `json:"exposicion" enum:"cresta_paso,glaciar_nieve,valle_abierto,bosque,vadeo_quebrada,costa,desierto,altiplano"`
	Season   *string `json:"estacion" enum:"verano,otono,invierno,primavera"`
	Park     *string `json:"parque"`
	Trail    *string `json:"sendero"`
	Month    *int    `json:"mes" minimum:"1" maximum:"12"`
}

// StratumScore is the verification within one stratum.
type StratumScore struct {
	Stratum Stratum `json:"estrato"`
	Score
	Reliability []ShareCases `json:"fiabilidad"`
	Curve       []ValuePoint `json:"valor_economico"`
}

// ValueScore is how far the weather of the models was from what came: of one variable and
// lead, in one stratum or in all (null).
type ValueScore struct {
	Tier     string       `json:"referencia" enum:"A,C"`
	Stratum  *Stratum     `json:"estrato"`
	Variable string       `json:"variable" enum:"racha_kmh,viento_kmh,temperatura_c,precipitacion_mm"`
	Lead     string       `json:"plazo" enum:"0-6,6-24,24-48,48-72"`
	N        int          `json:"n" minimum:"0"`
	Days     int          `json:"dias" minimum:"0"`
	Bias     *float64     `json:"sesgo"`
	MAE      *float64     `json:"mae"`
	CRPS     *float64     `json:"crps"`
	Models   []ModelScore `json:"modelos"`
	Ranks    []float64    `json:"rangos"`
	Reason   *string      `json:"motivo_nulo" enum:"muestra_insuficiente"`
	Caution  *string      `json:"advertencia"`
}

// ModelScore is that of one model by itself.
type ModelScore struct {
	Model string   `json:"modelo"`
	N     int      `json:"n" minimum:"0"`
	Bias  *float64 `json:"sesgo"`
	MAE   *float64 `json:"mae"`
}

// EnsembleScore is the verification of the probabilities that an ensemble gave to one level
// of a hazard, beside the shares of the models on the same trail days.
type EnsembleScore struct {
	Ensemble    string       `json:"conjunto"`
	Tier        string       `json:"referencia" enum:"A,B,C"`
	Level       Level        `json:"nivel"`
	Hazard      Hazard       `json:"amenaza"`
	Lead        string       `json:"plazo" enum:"0-6,6-24,24-48,48-72"`
	N           int          `json:"n" minimum:"0"`
	Events      int          `json:"eventos" minimum:"0"`
	Brier       *float64     `json:"brier"`
	Models      *float64     `json:"brier_modelos"`
	Reason      *string      `json:"motivo_nulo" enum:"muestra_insuficiente"`
	Reliability []ShareCases `json:"fiabilidad"`
	Caution     *string      `json:"advertencia"`
}

// ValueCurve is what the levels are worth to whom precautions cost different shares of the
// loss that they prevent.
type ValueCurve struct {
	Tier string `json:"referencia" enum:"A,B,C"`
	Case
	Points  []ValuePoint `json:"puntos"`
	Caution *string      `json:"advertencia"`
}

// ValuePoint is the relative economic value at one ratio of cost to loss: 1 for perfect
// forecasts, 0 for knowing the climate alone.
type ValuePoint struct {
	CostLoss float64  `json:"costo_perdida" minimum:"0" maximum:"1"`
	Issued   *float64 `json:"nivel_emitido"`
	Models   *float64 `json:"parte_de_modelos"`
}
