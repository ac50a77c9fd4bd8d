package site

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
)

// TestPagesSayTheWordsOfTheCatalogue: what pages say of every hazard, level, reason,
// quality and confidence, in every language, is what package wording says of it.
// Packages api, mail and push hold themselves to the same.
func TestPagesSayTheWordsOfTheCatalogue(t *testing.T) {
	reasons := []hazard.Reason{hazard.NoRuns, hazard.PartialData, hazard.FewModels, hazard.DataTooOld, hazard.EstimateOver, hazard.BeyondHorizon, hazard.OnlyTendency, hazard.ClockSuspect}
	qualities, confidences := []hazard.Quality{hazard.Partial, hazard.Stale}, []hazard.Confidence{hazard.Low, hazard.Medium, hazard.High}
	e := newSnapshot(t)
	e.Alerts = nil
	for h := range hazard.Hazard(hazard.NumHazards) {
		for level := alert.Caution; level <= alert.Danger; level++ {
			e.Alerts = append(e.Alerts, madeAlert(fmt.Sprintf("a-%v-%v", h, level), e.Catalogue.Parks[0], e.Catalogue.Trails[0].Slug, h, level, 1, 5))
		}
	}
	var states []hazard.Estimate // a park each
	for _, reason := range reasons {
		states = append(states, unknown(noonHour, reason))
	}
	for _, quality := range qualities {
		state := green(noonHour)
		state.Quality = quality
		states = append(states, state)
	}
	for _, confidence := range confidences {
		state := signalled(noonHour, hazard.Wind, hazard.Red, gust)
		state.Confidence = confidence
		states = append(states, state)
	}
	for i, state := range states {
		for trail := range e.Catalogue.Parks[i].NumTrails {
			e.Trails[e.Catalogue.Parks[i].FirstTrail+trail].Hours = []hazard.Estimate{state}
		}
	}
	shelf := newSite(t).Pages(e, now)
	for _, l := range locales {
		says := func(path string, all ...string) {
			page := html.UnescapeString(content(t, shelf.Page(l.Root+path).Body()))
			for _, words := range all {
				if !strings.Contains(page, words) {
					t.Errorf("%s%s does not say %q", l.Root, path, words)
				}
			}
		}
		for i := range e.Alerts {
			a := &e.Alerts[i]
			says(alertsPath+"/"+a.ID, l.words.AlertName(a), l.words.Advice(a.Hazards()...))
		}
		var words []string
		for _, reason := range reasons {
			words = append(words, l.words.Reason(reason))
		}
		for _, quality := range qualities {
			words = append(words, l.words.Quality(quality))
		}
		for _, confidence := range confidences {
			words = append(words, l.words.Confidence(confidence))
		}
		if slices.Contains(words, "") || len(words) != len(states) {
			t.Fatalf("%q", words)
		}
		for i, said := range words {
			says("/parques/"+e.Catalogue.Parks[i].Slug, said)
		}
	}
}
