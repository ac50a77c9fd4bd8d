package site

import (
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
)

// What lies ahead without an alert is said, with when the alert opens; what alerts tell of is
// not, and where nobody knows of the alerts nothing is.
func TestWhatNoAlertTellsOfIsSaid(t *testing.T) {
	e := newSnapshot(t)
	e.Rules = hazard.DefaultRules()
	v := viewOf(t, e, now)
	states := func(changes map[int]hazard.State) func(int) snapshot.ParkState {
		return func(h int) snapshot.ParkState {
			state, ok := changes[h]
			if !ok {
				return snapshot.ParkState{State: hazard.Green, Main: hazard.NoHazard}
			}
			return snapshot.ParkState{State: state, Main: hazard.Wind}
		}
	}
	list := func(level alert.Level, from, to int) []AlertView {
		return []AlertView{{Alert: &alert.Alert{Level: level, Start: v.HourAhead(from), End: v.HourAhead(to)}}}
	}
	red, amber := map[int]hazard.State{30: hazard.Amber, 40: hazard.Red, 41: hazard.Red}, map[int]hazard.State{30: hazard.Amber}
	for name, c := range map[string]struct {
		changes map[int]hazard.State
		alerts  []AlertView
		unknown bool
		want    string // "" for nothing
	}{
		"green":                   {nil, nil, false, ""},
		"red":                     {red, nil, false, "Aún sin confirmar: rojo por viento fuerte, el lun 23 nov de 6 a 8 h. La alerta se abre si 2 corridas nuevas seguidas lo muestran, o cuando falten 24 h o menos."},
		"red beside a caution":    {red, list(alert.Caution, 28, 50), false, "Aún sin confirmar: rojo"},
		"red in a danger":         {red, list(alert.Danger, 28, 50), false, ""},
		"red after a danger":      {red, list(alert.Danger, 28, 40), false, "Aún sin confirmar: rojo"},
		"red, alerts not known":   {red, nil, true, ""},
		"amber":                   {amber, nil, false, "Aún sin confirmar: amarillo por viento fuerte, mañana (dom 22) de 20 a 21 h. La alerta se abre si dura dos horas o más"},
		"amber beside an alert":   {amber, list(alert.Caution, 2, 5), false, ""},
		"amber beyond the reach":  {map[int]hazard.State{70: hazard.Amber}, nil, false, ""},
		"red, the worst is named": {map[int]hazard.State{3: hazard.Amber, 40: hazard.Red}, nil, false, "Aún sin confirmar: rojo"},
	} {
		got := v.unconfirmed(alertList{Known: !c.unknown, Active: c.alerts}, 60, states(c.changes))
		if (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Advice and telephones stand before all else but the card where it is amber or red now or in
// a day, and the telephones stand once.
func TestAdviceStandsUnderTheCard(t *testing.T) {
	e := short(newSnapshot(t))
	trail := 3
	park := "/parques/" + e.Catalogue.Parks[e.Catalogue.Trails[trail].Park].Slug
	first, last := e.Catalogue.Parks[e.Catalogue.Trails[trail].Park].FirstTrail, e.Catalogue.Parks[e.Catalogue.Trails[trail].Park].NumTrails
	worst := func(at int) {
		for i := first; i < first+last; i++ {
			for h := range e.Trails[i].Hours {
				e.Trails[i].Hours[h] = green(noonHour.Add(time.Duration(h) * time.Hour))
			}
		}
		if at >= 0 {
			e.Trails[trail].Hours[at].State, e.Trails[trail].Hours[at].Main = hazard.Red, hazard.Snow
		}
	}
	for name, c := range map[string]struct {
		at   int
		want bool
	}{"now": {0, true}, "in a day": {23, true}, "later": {24, false}, "never": {-1, false}} {
		worst(c.at)
		for _, path := range []string{park, walk(e, trail)} {
			page := pageOf(t, e, now, path)
			before, _, _ := strings.Cut(page, `class="por-dia"`)
			advised := strings.Contains(before, viewOf(t, e, now).Advice(hazard.Snow)) && strings.Contains(before, `href="tel:`)
			if advised != c.want {
				t.Errorf("%s, %s: advice and telephones under the card: %v", name, path, advised)
			}
			if n := strings.Count(page, `href="tel:133"`); n > 1 || n == 0 && path == park {
				t.Errorf("%s, %s: the telephones stand %d times", name, path, n)
			}
		}
	}
}

// The card says once why there is no data.
func TestWhyNoDataIsSaidOnce(t *testing.T) {
	e := newSnapshot(t)
	for _, path := range []string{"/parques/" + e.Catalogue.Parks[0].Slug, walk(e, 0)} {
		_, card, _ := strings.Cut(pageOf(t, e, e.ValidUntil, path), `<section class="ahora`)
		card, _, _ = strings.Cut(card, "</section>")
		reason := viewOf(t, e, e.ValidUntil).validity().Reason
		if n := strings.Count(card, reason); reason == "" || n != 1 {
			t.Errorf("%s: %q stands %d times", path, reason, n)
		}
	}
}
