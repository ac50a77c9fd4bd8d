package snapshot

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
)

// The fixture's present hour is 13:00 UTC: 10:00 in a zone three hours behind, which has 14 hours left of its day.
var behind = time.FixedZone("", -3*3600)

func onDay(days int) time.Time { return hour.In(behind).AddDate(0, 0, days) }

// worstOfPark is the worst day of the first park.
func worstOfPark(v View, day time.Time) WorstDay {
	return v.WorstOfDay(day, func(ahead int) ParkState { return v.Park(0, ahead) })
}

func TestWorstOfDay(t *testing.T) {
	nobody := strings.Repeat("-", 72)
	for _, c := range []struct {
		trails []string
		day    int
		want   string // state, reason, spells, hours and missing
	}{
		{[]string{strings.Repeat("v", 72)}, 0, "verde  [{0 14}] 14 0"},
		{[]string{strings.Repeat("v", 72)}, 1, "verde  [{14 38}] 24 0"},
		{[]string{strings.Repeat("v", 72)}, 2, "verde  [{38 62}] 24 0"},
		{[]string{strings.Repeat("v", 72)}, 3, " datos_parciales [] 24 14"},
		{[]string{strings.Repeat("v", 72)}, 4, " fuera_de_plazo [] 24 24"},
		{[]string{strings.Repeat("v", 72)}, -1, " fuera_de_plazo [] 0 0"},
		{[]string{strings.Repeat("v", 13) + "r" + strings.Repeat("v", 58)}, 1, "verde  [{14 38}] 24 0"},
		{[]string{strings.Repeat("v", 14) + "r" + strings.Repeat("v", 57)}, 1, "rojo  [{14 15}] 24 0"},
		{[]string{strings.Repeat("v", 37) + "a" + strings.Repeat("v", 34)}, 1, "amarillo  [{37 38}] 24 0"},
		{[]string{strings.Repeat("v", 38) + "a" + strings.Repeat("v", 33)}, 1, "verde  [{14 38}] 24 0"},
		{[]string{strings.Repeat("v", 20) + "-" + strings.Repeat("v", 51)}, 1, " datos_parciales [] 24 1"},
		{[]string{strings.Repeat("v", 20) + "-rr" + strings.Repeat("v", 49)}, 1, "rojo  [{21 23}] 24 1"},
		{[]string{strings.Repeat("v", 72), nobody}, 1, " datos_parciales [] 24 24"},
		{[]string{strings.Repeat("a", 72), nobody}, 1, "amarillo  [{14 38}] 24 24"},
		{nil, 1, " sin_corridas [] 24 24"},
	} {
		w := worstOfPark(publication(c.trails...).At(hour), onDay(c.day))
		if got := fmt.Sprint(w.State, " ", w.Reason, " ", w.Spells, " ", w.Hours, " ", w.Missing); got != c.want {
			t.Errorf("%q on day %d: %q, want %q", c.trails, c.day, got, c.want)
		}
		if w.State > hazard.Green && (w.Missing > 0) != (w.Quality == hazard.Partial) {
			t.Errorf("%q on day %d: %d hours missing, quality %v", c.trails, c.day, w.Missing, w.Quality)
		}
	}
	over := publication(strings.Repeat("r", 72)).At(hour.Add(2 * time.Hour))
	if w := worstOfPark(over, onDay(1)); w.State != hazard.Unknown || w.Reason != hazard.EstimateOver || w.Missing != 24 {
		t.Errorf("past the validity: %+v", w)
	}
}

// Days on which the clocks change have 23 and 25 hours.
func TestHoursOfADay(t *testing.T) {
	zone, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Fatal(err)
	}
	for date, want := range map[string]int{"2026-09-06": 23, "2026-04-04": 25, "2026-09-07": 24} {
		noon, err := time.ParseInLocation("2006-01-02 15", date+" 12", zone)
		if err != nil {
			t.Fatal(err)
		}
		v := Publication{Hour: noon.Add(-20 * time.Hour).UTC()}.At(noon.Add(-20 * time.Hour))
		if first, end := v.hoursOn(noon); end-first != want {
			t.Errorf("%s has %d hours, want %d", date, end-first, want)
		}
	}
}

// Of any hours: no day says less than its worst hour, none is green of which an hour is
// not known, and none is surer than an hour of it.
func TestNoDaySaysLessThanItsWorstHour(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 72))
	greens := 0
	for range 3000 {
		texts := make([]string, 1+random.IntN(3))
		for i := range texts {
			letters := []byte(strings.Repeat("v", random.IntN(76)))
			for k := range letters {
				if random.IntN(150) == 0 {
					letters[k] = "var-"[random.IntN(4)]
				}
			}
			texts[i] = string(letters)
		}
		p := publication(texts...)
		for i := range p.Trails {
			for h := range p.Trails[i].Hours {
				e := &p.Trails[i].Hours[h]
				if e.State != hazard.Unknown {
					e.Models = e.Models[:2+random.IntN(3)]
					e.Confidence = hazard.Low + hazard.Confidence(random.IntN(3))
				}
			}
		}
		v := p.At(hour.Add(time.Duration(random.IntN(80)) * time.Minute))
		day := onDay(random.IntN(4))
		w := worstOfPark(v, day)
		for ahead := range 100 {
			if v.hour.Add(time.Duration(ahead)*time.Hour).In(behind).YearDay() != day.YearDay() {
				continue
			}
			at := v.Park(0, ahead)
			switch {
			case at.State >= hazard.Amber && w.State < at.State:
				t.Fatalf("%q: %v in a day of %v", texts, at.State, w.State)
			case w.State != hazard.Green:
			case at.State != hazard.Green:
				t.Fatalf("%q: a green day with an hour that is %v", texts, at.State)
			case at.Models < w.Models || at.Confidence < w.Confidence:
				t.Fatalf("%q: %d models, confidence %v in a day of %d, %v", texts, at.Models, at.Confidence, w.Models, w.Confidence)
			}
		}
		if w.State == hazard.Green {
			greens++
		}
	}
	if greens < 100 {
		t.Errorf("only %d green days: the test says little", greens)
	}
}
