package site

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/web/wording"
)

// homeOf is the view of the first page in Spanish.
func homeOf(t testing.TB, e *store.Snapshot) homePage {
	t.Helper()
	v := viewOf(t, e, now)
	return v.home(v.ShownDays()[0])
}

// indexOf is the index of parks and trails in Spanish.
func indexOf(t testing.TB, e *store.Snapshot) []indexLetter {
	t.Helper()
	v := viewOf(t, e, now)
	return v.index(v.standings(v.ShownDays()[0]))
}

func TestHomeOrder(t *testing.T) {
	e := newSnapshot(t)
	home := homeOf(t, e)
	var order []string
	var greens []regionRows
	total := 0
	for _, g := range home.Groups {
		order = append(order, g.Key)
		for range g.rows() {
			total++
		}
		greens = slices.Concat(g.Regions, g.Calm)
	}
	if want := []string{"rojo", "amarillo", "nada", "verde"}; !slices.Equal(order, want) || total != len(e.Catalogue.Parks) {
		t.Errorf("groups %v with %d parks", order, total)
	}
	calm := home.Groups[3].Calm
	if first, last := calm[0].Name, calm[len(calm)-1].Name; first != "Arica y Parinacota" || !strings.HasPrefix(last, "Magallanes") {
		t.Errorf("from %s to %s, want from north to south", first, last)
	}
	for i, c := range home.Counts {
		n := 0
		for _, g := range home.Groups {
			for range g.rows() {
				if g.Key == c.Key {
					n++
				}
			}
		}
		if n != c.Parks || c.Key != wording.StateKey(statesWorstFirst[i]) {
			t.Errorf("count %d is %d of %s, listed are %d", i, c.Parks, c.Key, n)
		}
	}
	soon := slices.ContainsFunc(greens, func(r regionRows) bool {
		return slices.ContainsFunc(r.Parks, func(p parkRow) bool {
			return len(p.Ahead) > 0 && p.Ahead[0].Key == "amarillo" && strings.HasPrefix(p.Ahead[0].When, "mañana (dom 22), 10–")
		})
	})
	if !soon {
		t.Error("no green park says that it turns amber tomorrow")
	}
}

func TestIndexHasEveryParkAndTrailByName(t *testing.T) {
	e := newSnapshot(t)
	var names []string
	trails := 0
	for _, l := range indexOf(t, e) {
		for _, p := range l.Parks {
			names = append(names, properName(p.Name))
			trails += len(p.Trails)
			if initial(p.Name) != l.Letter {
				t.Errorf("%s is under %s", p.Name, l.Letter)
			}
		}
	}
	if !slices.IsSorted(names) || len(names) != len(e.Catalogue.Parks) || trails != len(e.Catalogue.Trails) {
		t.Errorf("%d parks and %d trails, sorted %v", len(names), trails, slices.IsSorted(names))
	}
	for name, want := range map[string]string{"Parque Nacional Ñielol": "Ñ", "Monumento Natural Érica": "E", "Reserva Nacional 7 Tazas": "#", "": "#"} {
		if got := initial(name); got != want {
			t.Errorf("%q is under %q, want %q", name, got, want)
		}
	}
}

func TestLettersOutsideTheAlphabetHaveAPlace(t *testing.T) {
	e := newSnapshot(t)
	c := *e.Catalogue
	c.Parks = slices.Clone(c.Parks)
	for i, name := range []string{"Parque Nacional Ñandú", "7 Tazas", "Østre", "Zulú"} {
		c.Parks[i].Name = name
	}
	e.Catalogue = &c
	page := pageOf(t, short(e), now, "/buscar")
	if err := wellFormed(page); err != nil || !strings.Contains(page, `href="#letra-enie">Ñ<`) {
		t.Errorf("the index of odd names: %v", err)
	}
}

// What a group says once above its parks is so for each park that says nothing.
func TestWhatAGroupSaysOnceIsSoForItsParks(t *testing.T) {
	for name, e := range allStates(t) {
		for _, g := range homeOf(t, e).Groups {
			for p := range g.rows() {
				if p.Meaning == "" || p.Brief == "" && !strings.Contains(g.Lead, p.Meaning) {
					t.Errorf("%s: nobody says that %s is %q", name, p.Name, p.Meaning)
				}
			}
		}
	}
}

// crowd adds alerts to a snapshot: n parks, worse ones last.
func crowd(e *store.Snapshot, parks int) *store.Snapshot {
	crowded := *e
	crowded.Alerts = nil
	for i := range parks {
		park, level := e.Catalogue.Parks[i], alert.Caution
		if i%3 == 2 {
			level = alert.Danger
		}
		for n := range 1 + i%5 {
			crowded.Alerts = append(crowded.Alerts, madeAlert(fmt.Sprintf("%s.%d", park.Slug, n), park,
				e.Catalogue.TrailsOf(i)[0].Slug, hazard.Hazard(n), level, 2+i+n, 20+i+n))
		}
	}
	return &crowded
}

func TestManyAlertsDoNotBuryTheParks(t *testing.T) {
	home := homeOf(t, crowd(newSnapshot(t), 30))
	if len(home.Alerts.Parks) != digestParks || home.Alerts.More != "Hay alertas en 26 parques más" || home.Alerts.All != "Ver las 90 alertas" {
		t.Errorf("%d parks, %q, %q", len(home.Alerts.Parks), home.Alerts.More, home.Alerts.All)
	}
	for i, p := range home.Alerts.Parks {
		if p.Level.Key != "rojo" || len(p.Alerts) > digestAlerts {
			t.Errorf("park %d: %s with %d alerts", i, p.Level.Key, len(p.Alerts))
		}
	}
	if p := home.Alerts.Parks[0]; p.Name != newSnapshot(t).Catalogue.Parks[2].Name || p.More != "y 2 alertas más" {
		t.Errorf("first is %s (%q), want the danger that begins first", p.Name, p.More)
	}
	if p := home.Alerts.Parks[2]; p.Name != newSnapshot(t).Catalogue.Parks[8].Name || p.More != "y 3 alertas más" {
		t.Errorf("third is %s and says %q, want the ninth park with four alerts", p.Name, p.More)
	}
}

func TestDigestWithoutEstimatesIsNoAnswer(t *testing.T) {
	if d := homeOf(t, expired(newSnapshot(t))).Alerts; d.Known || len(d.Parks) == 0 {
		t.Errorf("%+v", d)
	}
	none := newSnapshot(t)
	none.Alerts = nil
	page := readable(pageOf(t, none, now, "/"))
	if !strings.Contains(page, "Los modelos no dan ninguna alerta en este momento.") {
		t.Error("that there is no alert is not said")
	}
}

// Where only some parks have a state, "no alert" is said of these alone.
func TestNoAlertIsSaidOnlyOfWhatIsKnown(t *testing.T) {
	e := short(newSnapshot(t))
	e.Alerts, e.Trails = nil, slices.Clone(e.Trails)
	for i := range e.Trails {
		hours := slices.Clone(e.Trails[i].Hours)
		for h := range hours {
			hours[h] = hazard.Estimate{Hour: hours[h].Hour, Main: hazard.NoHazard, Reason: hazard.FewModels}
			if e.Catalogue.Trails[i].Park == 0 {
				hours[h].State, hours[h].Reason = hazard.Green, hazard.NoReason
			}
		}
		e.Trails[i].Hours = hours
	}
	parks := e.Catalogue.Parks
	for path, want := range map[string]string{
		"/":                         "no dan ninguna alerta donde hay datos. De 5 parques sin datos no se sabe.",
		"/alertas":                  "no dan ninguna alerta donde hay datos. De 5 parques sin datos no se sabe.",
		"/parques/" + parks[0].Slug: "no dan ninguna alerta en este momento.",
		"/parques/" + parks[1].Slug: "No se sabe si hay alertas",
	} {
		page := readable(pageOf(t, e, now, path))
		if !strings.Contains(page, want) || path == "/parques/"+parks[1].Slug && strings.Contains(page, "ninguna alerta") {
			t.Errorf("%s does not say %q", path, want)
		}
	}
}

func TestAlertOfAParkThatIsNoMore(t *testing.T) {
	e := newSnapshot(t)
	e.Alerts[0].Park = "ya-no-existe"
	if len(homeOf(t, e).Alerts.Parks) == 0 {
		t.Error("the alert of a park that is no more is not shown")
	}

}
