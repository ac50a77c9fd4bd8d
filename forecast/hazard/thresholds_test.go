package hazard

import (
	"bytes"
	"strings"
	"testing"
)

func TestEveryThresholdIsPublishedWithItsSource(t *testing.T) {
	rules := DefaultRules()
	seen := map[string]bool{}
	for _, threshold := range rules.Thresholds() {
		if seen[threshold.Key] {
			t.Errorf("%s twice", threshold.Key)
		}
		seen[threshold.Key] = true
		if threshold.Source == "" || threshold.Description == "" {
			t.Errorf("%s has no source or no description", threshold.Key)
		}
		if threshold.HasValue && threshold.Unit == "" {
			t.Errorf("%s has no unit", threshold.Key)
		}
	}
	for _, key := range []string{"viento.bosque.rojo.racha", "aluvion.rojo.1.h0", "calor.base.rojo", "uv.clases.4.0", "fase.cm_por_mm", "histeresis.vigencia_datos_h"} {
		if !seen[key] {
			t.Errorf("%s is not published", key)
		}
	}
	if seen["version"] || seen["nota"] || seen["fase.nota"] || rules.Version() == "" {
		t.Error("what the file says of itself is not a threshold")
	}
}

func TestFaultyThresholdsAreRefused(t *testing.T) {
	for name, c := range map[string][2]string{
		"unknown name":     {`"viento_lluvia": {`, `"viento_y_lluvia": {`},
		"text for number":  {`"p6h": 10`, `"p6h": "diez"`},
		"no version":       {`"version": "2026.12.1"`, `"version": ""`},
		"exposure missing": {`"bosque": {`, `"selva": {`},
		"cut short":        {`"vigencia_datos_h": 9`, ``},
		"name missing":     {`"p6h": 10,`, ``},
		"red too easy":     {`"racha": 100`, `"racha": 60`},
		"red too warm":     {`"wct_max": -7`, `"wct_max": 1`},
	} {
		data := bytes.Replace(defaultThresholds, []byte(c[0]), []byte(c[1]), 1)
		if bytes.Equal(data, defaultThresholds) {
			t.Fatalf("%s: %q is not in the file", name, c[0])
		}
		if _, err := ParseRules(data); err == nil || !strings.HasPrefix(err.Error(), "thresholds: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParseRules(f *testing.F) {
	f.Add(defaultThresholds)
	f.Fuzz(func(t *testing.T, data []byte) {
		if rules, err := ParseRules(data); err == nil && rules.Version() == "" {
			t.Error("accepted without a version")
		}
	})
}
