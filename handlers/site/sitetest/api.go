package sitetest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/julienschmidt/httprouter"

	"vigia/forecast/hazard"
	"vigia/handlers/api"
	"vigia/store"
)

// API asks the API for a path under /api/v1, as it stands at an instant, and
// reads its data.
func API(t *testing.T, e *store.Snapshot, at time.Time, path string, data any) {
	t.Helper()
	complete := *e
	complete.Rules = hazard.DefaultRules()
	snapshot := api.Builder{BaseURL: "https://vigia.example"}.Build(&complete, at, at)
	router, add := Router()
	api.AddRoutes(add, func() (*api.Answers, time.Time) { return snapshot, at }, api.Signups{})
	w := httptest.NewRecorder()
	router.ServeHTTP(w, httptest.NewRequest("GET", "/api/v1"+path, nil))
	if err := json.Unmarshal(w.Body.Bytes(), &struct{ Data any }{data}); err != nil || w.Code != 200 {
		t.Fatalf("%s: %d, %v: %.200s", path, w.Code, err, w.Body)
	}
}

// Router returns a router, and what adds routes to it as the server does.
func Router() (*httprouter.Router, api.Register) {
	router := httprouter.New()
	router.RedirectTrailingSlash, router.RedirectFixedPath = false, false
	return router, func(method, pattern, _ string, serve httprouter.Handle) {
		router.Handle(method, pattern, serve)
		if method == http.MethodGet {
			router.HEAD(pattern, serve)
		}
	}
}
