package openmeteo

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The places go out in calls of 100 at most, each once, and the heights come back in their
// order; each place weighs 1.
func TestElevations(t *testing.T) {
	places := somePlaces(233)
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/elevation" || r.Method != http.MethodGet {
			t.Errorf("%s %s", r.Method, r.URL.Path)
		}
		var answer struct {
			Elevation []float64 `json:"elevation"`
		}
		for _, text := range list(r.Form, "latitude") {
			latitude, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Error(err)
			}
			answer.Elevation = append(answer.Elevation, -latitude*10)
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	})
	b := newBench(t, p.URL, FreeLimits)
	heights, err := b.client.Elevations(context.Background(), places)
	if err != nil || len(heights) != len(places) {
		t.Fatalf("%d heights: %v", len(heights), err)
	}
	for i, place := range places {
		if got, want := strconv.FormatFloat(heights[i], 'f', 3, 64), strconv.FormatFloat(-place.Latitude*10, 'f', 3, 64); got != want {
			t.Fatalf("place %d lies at %s m, want %s", i, got, want)
		}
	}
	var sizes []int
	for _, form := range p.forms {
		sizes = append(sizes, len(list(form, "latitude")))
		if len(list(form, "longitude")) != sizes[len(sizes)-1] || form.Get("apikey") != testKey || len(form) != 3 {
			t.Errorf("a call with %v", form)
		}
	}
	if !slices.Equal(sizes, []int{78, 78, 77}) || b.ledger.Usage(noon).Day != 233 {
		t.Errorf("calls of %v places weigh %v", sizes, b.ledger.Usage(noon).Day)
	}
}

// A call waits for no room that never comes, and a refusal holds back what follows.
func TestElevationsKeepTheLimits(t *testing.T) {
	p := newProvider(t, says(http.StatusTooManyRequests, `{"error":true,"reason":"Daily API request limit exceeded. Please try again tomorrow."}`))
	b := newBench(t, p.URL, Limits{Day: 200})
	_, err := b.client.Elevations(context.Background(), somePlaces(201))
	failure(t, err, HeldBack)
	if p.calls() != 0 {
		t.Error("the provider was asked for more than a day allows")
	}
	for i, kind := range []Kind{RateLimited, HeldBack} {
		_, err = b.client.Elevations(context.Background(), somePlaces(2))
		if fault := failure(t, err, kind); fault.Scope != Day || p.calls() != 1 {
			t.Errorf("try %d: %v after %d calls", i+1, fault, p.calls())
		}
	}
}

func TestElevationsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		text   string
		kind   Kind
		says   string
	}{
		"empty":        {200, "", Malformed, "heights"},
		"page":         {200, "<html><body>hello</body></html>", ServerFault, "a web page"},
		"gateway":      {502, "<html><body>Bad Gateway</body></html>", ServerFault, "HTTP 502"},
		"cut":          {200, `{"elevation":[38.0,`, Malformed, "heights"},
		"nan":          {200, `{"elevation":[38.0, nan]}`, Malformed, "not a number"},
		"null":         {200, `{"elevation":[38.0, null]}`, Mismatch, "place 2 of the call: no height"},
		"one too few":  {200, `{"elevation":[38.0]}`, Mismatch, "1 heights in the answer, 2 places asked"},
		"one too many": {200, `{"elevation":[38.0, 39.0, 40.0]}`, Mismatch, "3 heights"},
		"other fields": {200, `{"latitude":1}`, Mismatch, "0 heights"},
		"impossible":   {200, `{"elevation":[38.0, 12000.0]}`, Mismatch, "place 2 of the call: a height of 12000 m"},
		"far down":     {200, `{"elevation":[-9999, 38.0]}`, Mismatch, "place 1"},
		"infinite":     {200, `{"elevation":[1e999, 38.0]}`, Malformed, "heights"},
		"texts":        {200, `{"elevation":["38", "39"]}`, Malformed, "heights"},
		"refusal":      {400, `{"reason":"Latitude must be in range","error":true}`, Refused, "Latitude must be in range"},
		"refusal 200":  {200, `{"error":true,"reason":"Minutely API request limit exceeded."}`, RateLimited, "Minutely"},
		"too long":     {200, `{"elevation":[1,2]}` + strings.Repeat(" ", maxSmall), Malformed, "longer"},
	} {
		b := newBench(t, newProvider(t, says(c.status, c.text)).URL, FreeLimits)
		heights, err := b.client.Elevations(context.Background(), somePlaces(2))
		if fault := failure(t, err, c.kind); heights != nil || !strings.Contains(fault.Error(), c.says) {
			t.Errorf("%s: %v, %v", name, heights, fault)
		}
	}
}
