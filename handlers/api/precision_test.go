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
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	if strings.Contains(text, "<") {
		t.Error("markup in the answer")
	}
}
