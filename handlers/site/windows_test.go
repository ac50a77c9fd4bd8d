package site

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/handlers/api"
	"vigia/store"
)

// apiSpan is a span as the API tells of it.
type apiSpan struct {
	From  time.Time `json:"desde"`
	To    time.Time `json:"hasta"`
	Light bool      `json:"dentro_de_luz"`
}

// apiSpans reads the spans of a park's trails from the API itself.
func apiSpans(t *testing.T, e *store.Edition, slug string) map[string][]apiSpan {
	t.Helper()
	var answer struct {
		Data []struct {
			Name  string    `json:"nombre"`
			Spans []apiSpan `json:"ventanas_sin_alerta"`
		}
	}
	w := httptest.NewRecorder()
	router := api.NewRouter(func() (*api.Snapshot, time.Time) { return api.Builder{}.Build(e, now, now), now }, api.Signups{})
	router.ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/parques/"+slug+"/senderos", nil))
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || len(answer.Data) == 0 {
		t.Fatalf("%s: %v: %.200s", slug, err, w.Body)
	}
	spans := make(map[string][]apiSpan)
	for _, trail := range answer.Data {
		spans[trail.Name] = trail.Spans
	}
	return spans
}

// The spans of the page are those of the API, cut to the light of the days.
func TestSpansAreThoseOfTheAPI(t *testing.T) {
	e := edition(t)
	e.Rules = hazard.DefaultRules()
	for _, slug := range []string{"torres-del-paine", "rapa-nui", "dos-lagunas", "villarrica"} {
		park, _ := e.Catalogue.ParkBySlug(slug)
		p := e.Catalogue.Parks[park]
		a, m := almanacAt(t, p.ZoneName, now), read(e, now)
		table, told := a.lightTable(m, park), apiSpans(t, e, slug)
		for _, row := range table.Trails {
			for d, day := range table.Days {
				var want []lightSpan
				for _, s := range told[row.Name] {
					from, to := later(s.From, day.rise), earlier(s.To, day.set)
					if s.Light && s.From.After(day.rise) && s.To.Before(day.set) && (!from.Equal(s.From) || !to.Equal(s.To)) {
						t.Errorf("%s: a span within the light is cut", row.Name)
					}
					if from.Before(to) {
						want = append(want, lightSpan{from: from, to: to})
					}
				}
				got := row.Days[d].Spans
				if len(got) != len(want) {
					t.Fatalf("%s, %s: %d spans, the API has %d", row.Name, day.Name, len(got), len(want))
				}
				for i := range want {
					if !got[i].from.Equal(want[i].from) || !got[i].to.Equal(want[i].to) {
						t.Errorf("%s, %s: %v to %v, want %v to %v", row.Name, day.Name, got[i].from, got[i].to, want[i].from, want[i].to)
					}
				}
			}
		}
	}
}

// A span is marked when the trail takes longer, one that has begun by what is left
// of it, and none is without estimates.
func TestSpansAgainstTheDuration(t *testing.T) {
	e := edition(t)
	c := *e.Catalogue
	c.Trails = append(c.Trails[:0:0], c.Trails...)
	e.Catalogue, e.Alerts = &c, nil
	trail := &c.Trails[3] // its estimates are made green to the 10th hour, 14 to 24 h; the sun sets after 21 h
	for h := range e.Trails[3].Hours {
		e.Trails[3].Hours[h] = unknown(noonHour, hazard.PartialData)
		if h < 3 {
			e.Trails[3].Hours[h] = green(noonHour.Add(time.Duration(h) * time.Hour))
		}
	}
	a, m := almanacAt(t, c.Parks[trail.Park].ZoneName, now), read(e, now)
	days := a.lightDays(m, c.Parks[trail.Park])
	for _, test := range []struct {
		min, max float64
		want     string
	}{{1, 2, ""}, {1, 2.5, "solo a paso rápido"}, {2.5, 3, "no alcanza"}, {30, 60, "no alcanza"}} {
		trail.MinHours, trail.MaxHours = test.min, test.max
		row := a.lightRow(m, 3, days)
		if got := row.Days[0].Spans; len(got) != 1 || got[0].Text != "14–17" || got[0].Lack != test.want {
			t.Errorf("%v to %v h: %+v", test.min, test.max, got)
		}
		if row.LongerThan != (test.max == 60) || len(row.Days[1].Spans) > 0 {
			t.Errorf("%v to %v h: %+v", test.min, test.max, row)
		}
	}
	if a.lightTable(read(expired(e), now), trail.Park) != nil {
		t.Error("spans of estimates that are over")
	}
}

func TestSpansPromiseNothing(t *testing.T) {
	for root, must := range map[string]string{"": "No quiere decir que no haya peligro", "/en": "That does not mean that there is no danger"} {
		page := readable(pageOf(t, short(edition(t)), now, root+"/parques/dos-lagunas"))
		at := strings.Index(page, "14–21:05")
		if at < 0 || strings.LastIndex(page[:at], must) < 0 {
			t.Errorf("%q does not stand before the spans", must)
		}
	}
}
