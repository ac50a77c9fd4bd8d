package api

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"vigia/forecast/alert"
	"vigia/store"
)

// verified is a summary with a score that is shown and one that is not.
func verified() *store.Verification {
	x := func(v float64) *float64 { return &v }
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	full := store.Result{
		Tier: store.Reanalysis, Level: alert.Caution, Bin: "24-48", Events: 51, Hits: 28, False: 72, Misses: 23, Correct: 2680,
		POD: x(.549), FAR: x(.72), CSI: x(.22764), Bias: x(1.96), ETS: x(.216), HSS: x(.355), SEDI: x(.8), Brier: x(.1),
		PODRange: &store.Interval{Low: .41, High: .68}, FARRange: &store.Interval{Low: .62, High: .8},
		CSIRange: &store.Interval{Low: .1, High: .3}, Enough: true,
	}
	few := store.Result{Tier: store.ParkRecords, Level: alert.Danger, Hazard: "viento", Bin: "0-6", Events: 3, Hits: 3, Reason: "muestra_insuficiente"}
	return &store.Verification{
		CalculatedAt: at.Add(30 * time.Minute), From: at.AddDate(0, 0, -90), To: at, Stage: store.StagePreliminary,
		Issued: 1000, Verified: 600, Pending: 300,
		References:  []store.Reference{{Tier: store.ParkRecords, Description: "registro <b>", Independent: true}},
		Results:     []store.Result{full, few},
		Reliability: []store.ReliabilityBin{{Tier: store.Reanalysis, Level: alert.Caution, Bin: "24-48", To: 1. / 3, N: 4}},
		FlipFlop:    x(.12), FlipFlopN: 400,
		Strata: []store.StratumResult{
			{Stratum: store.Stratum{Zone: "austral", Exposure: "cresta_paso", Season: "otono"}, Result: full, Reliability: []store.ReliabilityBin{{From: .5, To: .75, N: 40, Events: 14, Observed: x(.35)}}, Curve: []store.ValuePoint{{CostLoss: .1, Issued: x(-.25)}}},
			{Stratum: store.Stratum{Park: "lauca", Trail: "laguna", Month: 2}, Result: few},
		},
		Values: []store.ValueScores{
			{Tier: store.Reanalysis, Variable: "racha_kmh", Bin: "24-48", N: 1600, Days: 100, Bias: x(-4.25), MAE: x(8.1), CRPS: x(6.0404), Models: []store.ModelScores{{Model: "m", N: 1600, Bias: x(-6)}}, Ranks: []float64{160.5, 1439.5}},
			{Tier: store.Stations, Stratum: &store.Stratum{Zone: "sur", Exposure: "costa", Season: "verano"}, Variable: "temperatura_c", Bin: "0-6", N: 3, Days: 1},
		},
		Ensembles: []store.EnsembleScores{
			{Ensemble: "ncep_gefs025_ensemble_mean", Tier: store.Reanalysis, Level: alert.Danger, Hazard: "viento", Bin: "24-48", N: 900, Events: 31, Brier: x(.0412), Models: x(.05), Reliability: []store.ReliabilityBin{{From: .5, To: .75, N: 40, Events: 14, Observed: x(.35)}}},
			{Ensemble: "ecmwf_ifs025_ensemble_mean", Tier: store.Stations, Level: alert.Caution, Hazard: "frio", Bin: "0-6", N: 2},
		},
		Curves:    []store.ValueCurve{{Tier: store.Reanalysis, Level: alert.Danger, Hazard: "viento", Bin: "24-48", Points: []store.ValuePoint{{CostLoss: .3, Models: x(.5)}}}},
		Baselines: []store.Baseline{{Name: "siempre_verde", Tier: store.Reanalysis, Level: alert.Caution, Bin: "24-48", CSI: x(0)}, {Name: "persistencia", Tier: store.ParkRecords, Level: alert.Danger, Hazard: "viento", Bin: "0-6"}},
	}
}

// What is said about the log fits its schema, with and without data.
func TestPrecisionFitsItsSchema(t *testing.T) {
	text, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("openapi.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("openapi.json#/components/schemas/Precision")
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]*store.Verification{"nothing": nil, "no pairs": {Stage: store.StageNone}, "scores": verified()} {
		data, err := jsonschema.UnmarshalJSON(bytes.NewReader(encode(precision(v))))
		if err == nil {
			err = schema.Validate(data)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPrecisionSaysWhatTheSummarySays(t *testing.T) {
	text := string(encode(precision(verified())))
	for _, want := range []string{
		`"periodo":{"desde":"2026-08-03T00:00:00Z","hasta":"2026-11-02T00:00:00Z"}`,
		`"registro":{"estimaciones":1000,"verificadas":600,"pendientes":300,"descartadas":100}`,
		`"n":2803,"eventos":51,"aciertos":28,"falsas_alarmas":72,"omisiones":23,"negativos_correctos":2680,"pod":0.549,"far":0.72,"csi":0.228`,
		`"ic95":{"pod":[0.41,0.68],"far":[0.62,0.8],"csi":[0.1,0.3],"ets":null,"hss":null},"suficiente":true,"motivo_nulo":null`,
		`"amenaza":"viento","plazo":"0-6","n":3,"eventos":3,"aciertos":3,"falsas_alarmas":0,"omisiones":0,"negativos_correctos":0,"pod":null`,
		`"suficiente":false,"motivo_nulo":"muestra_insuficiente"`,
		`{"nombre":"siempre_verde","csi":0,`, `{"nombre":"persistencia","csi":null,`, `"indice_vaiven":0.12,"n":400`,
		`"desde":0,"hasta":0.333,"n":4,"eventos":0,"frecuencia":null,"ic95":null`,
		`{"estrato":{"zona":"austral","exposicion":"cresta_paso","estacion":"otono","parque":null,"sendero":null,"mes":null},"referencia":"C"`,
		`"fiabilidad":[{"desde":0.5,"hasta":0.75,"n":40,"eventos":14,"frecuencia":0.35,"ic95":null}],"valor_economico":[{"costo_perdida":0.1,"nivel_emitido":-0.25,"parte_de_modelos":null}]`,
		`{"estrato":{"zona":null,"exposicion":null,"estacion":null,"parque":"lauca","sendero":"laguna","mes":2}`,
		`{"referencia":"C","estrato":null,"variable":"racha_kmh","plazo":"24-48","n":1600,"dias":100,"sesgo":-4.25,"mae":8.1,"crps":6.04,"modelos":[{"modelo":"m","n":1600,"sesgo":-6,"mae":null}],"rangos":[160.5,1439.5],"motivo_nulo":null,"advertencia":"ERA5`,
		`"variable":"temperatura_c","plazo":"0-6","n":3,"dias":1,"sesgo":null,"mae":null,"crps":null,"modelos":[],"rangos":[],"motivo_nulo":"muestra_insuficiente","advertencia":null`,
		`{"referencia":"C","nivel":"peligro","amenaza":"viento","plazo":"24-48","puntos":[{"costo_perdida":0.3,"nivel_emitido":null,"parte_de_modelos":0.5}],"advertencia":"ERA5`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	if strings.Contains(text, "<") {
		t.Error("markup in the answer")
	}
}
