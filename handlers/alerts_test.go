package handlers

import (
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/store"
)

// An alert leads to its own page and its own answer, and those are there.
func TestAnAlertLeadsToItself(t *testing.T) {
	s := withPages(t, newSnapshot())
	list, _ := s.get("/api/v1/alertas").envelope(t)
	if len(list.([]any)) == 0 {
		t.Fatal("no alerts")
	}
	for _, item := range list.([]any) {
		item := item.(map[string]any)
		links := item["enlaces"].(map[string]any)
		for name, want := range map[string]string{"web": "/alertas/", "api": "/api/v1/alertas/"} {
			path := strings.TrimPrefix(links[name].(string), "https://parques.example.cl")
			if path != want+item["id"].(string) {
				t.Errorf("%s leads to %s", name, path)
			}
			if a := s.get(path); a.StatusCode != 200 {
				t.Errorf("%s: %d", path, a.StatusCode)
			}
		}
		if cause := item["causas"].([]any)[0].(map[string]any); cause["sendero"] != item["senderos"].([]any)[0] {
			t.Errorf("cause %v", cause)
		}
	}
}

// What ended stays readable by its id, from the API and on its page, and is in no
// list. What is in force is not shown while nothing is known.
func TestAlertsByID(t *testing.T) {
	e := newSnapshot()
	old := alerts(e.Catalogue)[1]
	old.ID, old.Start, old.End = "old", hour.Add(-9*24*time.Hour), hour.Add(-8*24*time.Hour)
	e.Ended = []alert.Alert{old}
	blind := empty()
	blind.Alerts = alerts(blind.Catalogue)
	for name, c := range map[string]struct {
		snap  *store.Snapshot
		later time.Duration
		want  map[string]string // situacion or code of the fault by id
	}{
		"current": {e, 0, map[string]string{"later": "programada", "now": "vigente", "over": "finalizada", "withdrawn": "finalizada",
			"old": "finalizada", "nothing": "alerta_no_encontrada", "a%22b": "alerta_no_encontrada"}},
		"its hours pass":   {e, 6 * time.Hour, map[string]string{"now": "finalizada", "later": "vigente", "old": "finalizada"}},
		"no estimates yet": {blind, 0, map[string]string{"now": "sin_datos", "over": "finalizada"}},
	} {
		s := withPages(t, c.snap)
		s.clock.Advance(c.later)
		for id, want := range c.want {
			a := s.get("/api/v1/alertas/" + id)
			data, fault := a.envelope(t)
			if data == nil {
				if !strings.HasPrefix(fault, want+":") || strings.Contains(fault, id) {
					t.Errorf("%s: %s: %d %s, want %s", name, id, a.StatusCode, fault, want)
				}
				continue
			}
			got := data.(map[string]any)
			if got["situacion"] != want || got["id"] != id || a.Header.Get("Etag") == "" {
				t.Errorf("%s: %s: %v", name, id, got)
			}
			if page := s.get("/alertas/" + id); page.StatusCode != 200 || want == "finalizada" && !strings.Contains(string(page.body), "Esta alerta terminó") {
				t.Errorf("%s: the page of %s: %d", name, id, page.StatusCode)
			}
		}
		if all, _ := s.get("/api/v1/alertas").envelope(t); all != nil {
			for _, item := range all.([]any) {
				if id := item.(map[string]any)["id"]; id == "old" || id == "over" {
					t.Errorf("%s is in the list", id)
				}
			}
		}
		if page := string(s.get("/alertas").body); strings.Contains(page, "alertas/old") {
			t.Error("an alert of last week is on the page of all")
		}
	}
}
