package site

import (
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/handlers/site/sitetest"
	"vigia/store"
)

// apiSpan is a span as the API tells of it.
type apiSpan struct {
	From time.Time `json:"desde"`
	To   time.Time `json:"hasta"`
}

// spansOf reads the spans of a park's trails from the API itself.
func spansOf(t *testing.T, e *store.Snapshot, slug string) map[string][]apiSpan {
	t.Helper()
	var trails []struct {
		Name  string    `json:"nombre"`
		Spans []apiSpan `json:"ventanas_sin_alerta"`
	}
	sitetest.API(t, e, now, "/parques/"+slug+"/senderos", &trails)
	spans := make(map[string][]apiSpan)
	for _, trail := range trails {
		spans[trail.Name] = trail.Spans
	}
	return spans
}

// The spans of the page are those of the API, each in the light of its day.
func TestSpansAreThoseOfTheAPI(t *testing.T) {
	e := newSnapshot(t)
	e.Rules = hazard.DefaultRules()
	for _, slug := range []string{"torres-del-paine", "rapa-nui", "dos-lagunas", "villarrica"} {
		park, _ := e.Catalogue.ParkBySlug(slug)
		p := e.Catalogue.Parks[park]
		v := viewOf(t, e, now).In(p.TimeZone)
		table, told := v.lightTable(park), spansOf(t, e, slug)
		for _, row := range table.Trails {
			for d, day := range table.Days {
				var want []apiSpan
				for _, s := range told[row.Name] {
					if s.From.Before(day.set) && day.rise.Before(s.To) {
						want = append(want, s)
					}
				}
				got := row.Days[d].Spans
				if len(got) != len(want) {
					t.Fatalf("%s, %s: %d spans, the API has %d", row.Name, day.Name, len(got), len(want))
				}
				for i := range want {
					from, to := got[i].from.Truncate(time.Second), got[i].to.Truncate(time.Second) // as the API writes them
					if !from.Equal(want[i].From) || !to.Equal(want[i].To) || from.Before(day.rise.Truncate(time.Second)) || to.After(day.set) {
						t.Errorf("%s, %s: %v to %v, want %v to %v", row.Name, day.Name, from, to, want[i].From, want[i].To)
					}
				}
			}
		}
	}
}

// A span is marked when the trail takes longer, one that has begun by what is left
// of it, and none is without estimates.
func TestSpansAgainstTheDuration(t *testing.T) {
	e := newSnapshot(t)
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
	v := viewOf(t, e, now).In(c.Parks[trail.Park].TimeZone)
	days := v.lightDays(c.Parks[trail.Park])
	for _, test := range []struct {
		min, max float64
		want     string
	}{{1, 2, ""}, {1, 2.5, "solo a paso rápido"}, {2.5, 3, "no alcanza"}, {30, 60, "no alcanza"}} {
		trail.MinHours, trail.MaxHours = test.min, test.max
		row := v.lightRow(3, days)
		if got := row.Days[0].Spans; len(got) != 1 || got[0].Text != "14–17" || got[0].Fit != test.want {
			t.Errorf("%v to %v h: %+v", test.min, test.max, got)
		}
		if row.LongerThan != (test.max == 60) || len(row.Days[1].Spans) > 0 {
			t.Errorf("%v to %v h: %+v", test.min, test.max, row)
		}
	}
	if viewOf(t, expired(e), now).lightTable(trail.Park) != nil {
		t.Error("spans of estimates that are over")
	}
}

func TestSpansPromiseNothing(t *testing.T) {
	for root, says := range map[string][2]string{"": {"No quiere decir que no haya peligro", "14–21:05"}, "/en": {"This does not mean that there is no danger", "14:00–21:05"}} {
		must, page := says[0], readable(pageOf(t, short(newSnapshot(t)), now, root+"/parques/dos-lagunas"))
		at := strings.Index(page, says[1])
		if at < 0 || strings.LastIndex(page[:at], must) < 0 {
			t.Errorf("%q does not stand before the spans", must)
		}
	}
}
