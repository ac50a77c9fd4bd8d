//go:build browser

package site_test

import (
	"testing"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/handlers/site/sitetest"
	"vigia/store"
)

// With every hazard against every truth the page is short on a phone, begins with the
// sentences, and no open table reaches out of the screen.
func TestPrecisionIsShortOnAPhone(t *testing.T) {
	ctx := browser(t)
	e := sitetest.Verified(t)
	full := *e.Verification
	full.References, full.Results, full.Values = nil, nil, nil
	for _, tier := range store.Tiers {
		full.References = append(full.References, store.Reference{Tier: tier, Description: "x: Faro Sur a 4 km", Independent: tier.Independent()})
		for h := range hazard.NumHazards + 1 {
			for _, bin := range store.VerifiedBins {
				r := e.Verification.Results[0]
				r.Tier, r.Level, r.Bin, r.Forecasts = tier, alert.Caution, bin, 214
				if h > 0 {
					r.Hazard = hazard.Hazard(h - 1).String()
				}
				full.Results = append(full.Results, r)
			}
		}
		for _, bin := range store.VerifiedBins {
			for _, variable := range []string{"racha_kmh", "viento_kmh", "temperatura_c", "precipitacion_mm"} {
				v := e.Verification.Values[0]
				v.Tier, v.Bin, v.Variable = tier, bin, variable
				full.Values = append(full.Values, v)
			}
		}
	}
	e.Verification = &full
	server := serveStates(t, map[string]*store.Snapshot{"": e})
	for _, path := range []string{"/precision", "/en/precision"} {
		visit(t, ctx, server.URL+path, 360, "light")
		if height := evaluate[int](t, ctx, `document.documentElement.scrollHeight`); height > 6000 {
			t.Errorf("%s is %d px high", path, height)
		} else {
			t.Logf("%s is %d px high", path, height)
		}
		if first := evaluate[string](t, ctx, `document.querySelector("h1 ~ ul > li").innerText`); len(first) < 20 {
			t.Errorf("%s begins with %q", path, first)
		}
		evaluate[bool](t, ctx, `[...document.querySelectorAll("details")].every(d => d.open = true)`)
		if out := evaluate[[]string](t, ctx, wider); len(out) > 0 {
			t.Errorf("%s: %v", path, out)
		}
	}
}
