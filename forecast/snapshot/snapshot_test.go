package snapshot

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

var hour = time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC)

// trail makes an estimate of a letter: v, a, r or - for none; with the confidence
// and quality that the two behind it say: h, m, l and c, p, s.
func trail(text string) *hazard.Estimate {
	e := &hazard.Estimate{Main: hazard.NoHazard, Models: make([]hazard.Vote, 4)}
	switch text[0] {
	case 'v':
		e.State = hazard.Green
	case 'a', 'r':
		e.State, e.Main = hazard.Amber, hazard.Wind
		if text[0] == 'r' {
			e.State = hazard.Red
		}
	default:
		e.Reason = hazard.Reason(text[1:])
		return e
	}
	e.Confidence = map[byte]hazard.Confidence{'h': hazard.High, 'm': hazard.Medium, 'l': hazard.Low}[text[1]]
	e.Quality = map[byte]hazard.Quality{'c': hazard.Complete, 'p': hazard.Partial, 's': hazard.Stale}[text[2]]
	return e
}

func TestCombine(t *testing.T) {
	for _, c := range []struct {
		trails []string
		want   string // state, reason, quality, confidence, position of the trail that decides
	}{
		{[]string{"vhc", "vhc"}, "verde  completa alta 0"},
		{[]string{"vhc", "vlc", "vmc"}, "verde  completa baja 1"},
		{[]string{"vhc", "vls", "vmp"}, "verde  desactualizada baja 1"},
		{[]string{"rlc", "rhc", "ahc"}, "rojo  completa alta 1"},
		{[]string{"vlc", "amc"}, "amarillo  completa media 1"},
		{[]string{"vhc", "-datos_vencidos"}, " datos_parciales parcial  -1"},
		{[]string{"vhs", "-datos_vencidos"}, " datos_parciales desactualizada  -1"},
		{[]string{"rhs", "-datos_vencidos"}, "rojo  desactualizada alta 0"},
		{[]string{"rhc", "-datos_vencidos"}, "rojo  parcial alta 0"},
		{[]string{"-datos_vencidos", "-datos_vencidos"}, " datos_vencidos sin_datos  -1"},
		{[]string{"-datos_vencidos", "-sin_corridas"}, " datos_parciales sin_datos  -1"},
		{nil, " sin_corridas sin_datos  -1"},
	} {
		list := make([]*hazard.Estimate, len(c.trails))
		for i, text := range c.trails {
			list[i] = trail(text)
		}
		p := Combine(slices.Values(list))
		got := fmt.Sprint(p.State.String(), " ", p.Reason, " ", p.Quality, " ", p.Confidence, " ", p.Trail)
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.trails, got, c.want)
		}
		if (p.Main == hazard.NoHazard) != (p.State < hazard.Amber) {
			t.Errorf("%q: hazard %v", c.trails, p.Main)
		}
	}
}

// publication has one park of a trail for each text of states, an hour a letter.
func publication(trails ...string) Publication {
	p := Publication{Parks: []catalogue.Park{{NumTrails: len(trails)}}, Hour: hour, IssuedAt: hour, ValidUntil: hour.Add(85 * time.Minute)}
	for _, text := range trails {
		var of Trail
		for _, letter := range text {
			of.Hours = append(of.Hours, *trail(string(letter) + "hc"))
		}
		p.Trails = append(p.Trails, of)
	}
	return p
}

func TestHoursAhead(t *testing.T) {
	v := publication("vvarv", "vvv").At(hour.Add(5 * time.Minute))
	if e := v.TrailAt(1, 3); e.Reason != hazard.BeyondHorizon {
		t.Errorf("past the last hour: %v", e.Reason)
	}
	if state := v.Park(0, 4); state.State != hazard.Unknown {
		t.Errorf("green of one trail of two: %v", state.State)
	}
	later := publication("vr").At(hour.Add(time.Hour))
	if state := later.Park(0, 0); state.State != hazard.Red || !later.PresentHour().Equal(hour.Add(time.Hour)) {
		t.Errorf("an hour on: %v", state.State)
	}
	over := publication("rr").At(hour.Add(85 * time.Minute))
	if state := over.Park(0, 0); state.State != hazard.Unknown || state.Reason != hazard.EstimateOver || state.Quality != hazard.NoData {
		t.Errorf("past the validity: %+v", state)
	}
}
