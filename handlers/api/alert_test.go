package api

import (
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/web/wording"
)

// The situacion of an alert turns at the very instant, and an alert that is over
// is in no list.
func TestSituationAtTheInstant(t *testing.T) {
	e := park(t, "vvvvv")
	e.Alerts = []alert.Alert{wind(alert.Danger, 0, 1)}
	start, end := hour.Add(20*time.Minute), hour.Add(40*time.Minute)
	e.Alerts[0].Start, e.Alerts[0].End = start, end
	for _, c := range []struct {
		at    time.Time
		want  string
		until time.Time
	}{
		{start.Add(-time.Second), "programada", start},
		{start, "vigente", end},
		{end.Add(-time.Second), "vigente", end},
		{end, "", hour.Add(time.Hour)},
	} {
		s := Builder{BaseURL: "https://x.example"}.Build(e, c.at, c.at)
		got := ""
		for _, item := range read(t, s.alerts()[alert.Danger]).([]any) {
			got = item.(map[string]any)["situacion"].(string)
		}
		if got != c.want || !s.Until().Equal(c.until) {
			t.Errorf("at %v: %q until %v, want %q until %v", c.at, got, s.Until(), c.want, c.until)
		}
	}
}

// An alert whose data became too old is shown as such in its park, not dropped;
// the list of active alerts is not given.
func TestOutdatedAlertsAreShownAsSuch(t *testing.T) {
	e := park(t, "vvvvv")
	e.Alerts = []alert.Alert{wind(alert.Danger, 0, 30), wind(alert.Caution, -9, -3)}
	e.Trails, e.IssuedAt, e.Reason, e.ValidUntil = nil, time.Time{}, hazard.DataTooOld, hour.Add(-time.Hour)
	d := detail(t, e, now)
	list, ok := d["alertas"].([]any)
	if !ok || len(list) != 1 {
		t.Fatalf("alertas %v", d["alertas"])
	}
	if a := list[0].(map[string]any); a["vigente_hasta"] != "2026-11-21T12:00:00Z" || a["situacion"] != "vigente" {
		t.Errorf("%v", a)
	}
	if d["estado"] != nil || d["nivel"] != nil || d["alertas_activas"] != nil {
		t.Errorf("estado %v, nivel %v, %v active", d["estado"], d["nivel"], d["alertas_activas"])
	}
	if d["vigente_hasta"] != "2026-11-21T12:00:00Z" || d["estimado_en"] != nil {
		t.Errorf("estimated %v, until %v", d["estimado_en"], d["vigente_hasta"])
	}
	if s := (Builder{BaseURL: "https://x.example"}).Build(e, now, now); s.alerts != nil || s.park[0].alerts != nil {
		t.Error("a list of active alerts is given")
	}
	e.Alerts = nil
	if d := detail(t, e, now); d["alertas"] != nil {
		t.Errorf("none known and none is not the same: %v", d["alertas"])
	}
}

// Estimates run out before the next snapshot says why: their alerts are shown in
// between, too, and end by the clock.
func TestAlertsOutliveTheEstimatesBehindThem(t *testing.T) {
	e := park(t, "vvvvv")
	e.Alerts = []alert.Alert{wind(alert.Danger, 0, 30)}
	end, over := e.Alerts[0].End, e.ValidUntil
	for _, c := range []struct {
		at    time.Time
		shown bool
		until time.Time
	}{
		{over, true, end},
		{end.Add(-time.Second), true, end},
		{end, false, time.Time{}},
	} {
		d := detail(t, e, c.at)
		list, _ := d["alertas"].([]any)
		if (len(list) == 1) != c.shown || d["estado"] != nil || d["nivel"] != nil || d["alertas_activas"] != nil {
			t.Errorf("at %v: alertas %v, estado %v, nivel %v", c.at, d["alertas"], d["estado"], d["nivel"])
		}
		s := Builder{BaseURL: "https://x.example"}.Build(e, c.at, c.at)
		if s.alerts != nil || !s.Until().Equal(c.until) {
			t.Errorf("at %v: a list of active alerts %t, until %v, want none until %v", c.at, s.alerts != nil, s.Until(), c.until)
		}
	}
}

// TestAlertsSayTheWordsOfTheCatalogue: what the API says of every hazard and level is
// what package wording says of it.
func TestAlertsSayTheWordsOfTheCatalogue(t *testing.T) {
	e := park(t, "vvvvv")
	for h := range hazard.Hazard(hazard.NumHazards) {
		for level := alert.Caution; level <= alert.Danger; level++ {
			a := wind(level, 0, 30)
			a.Tracks[0].Hazard = h
			e.Alerts = []alert.Alert{a}
			s := Builder{BaseURL: "https://x.example"}.Build(e, now, now)
			said := read(t, s.alerts()[level]).([]any)[0].(map[string]any)
			title, summary, advice := said["titulo"].(string), said["resumen"].(string), said["recomendacion"].(string)
			if !strings.HasPrefix(title, wording.Spanish.AlertName(&a)+" ") || !strings.Contains(summary, wording.Spanish.Hazard(h)) || advice != wording.Spanish.Advice(h) {
				t.Errorf("%q, %q, %q", title, summary, advice)
			}
		}
	}
}
