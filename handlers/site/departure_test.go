package site

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/notices"
)

// leaving is a snapshot of a trail of Dos Lagunas that takes so many hours, green but for
// what change does with its 72 hours. It is seen at 5 h of Sunday 22 November 2026.
func leaving(t testing.TB, hours float64, change func(e *store.Snapshot, trail []hazard.Estimate)) (View, int) {
	t.Helper()
	e := newSnapshot(t)
	c := *e.Catalogue
	c.Trails = slices.Clone(c.Trails)
	e.Catalogue, e.Alerts = &c, nil
	park, _ := c.ParkBySlug("dos-lagunas")
	i := c.Parks[park].FirstTrail
	c.Trails[i].MinHours, c.Trails[i].MaxHours = hours/2, hours
	at := noonHour.Add(15 * time.Hour)
	e.Hour, e.IssuedAt, e.ValidUntil = at, at, at.Add(80*time.Minute)
	e.Trails[i].Hours = make([]hazard.Estimate, 72)
	for h := range e.Trails[i].Hours {
		e.Trails[i].Hours[h] = green(at.Add(time.Duration(h) * time.Hour))
	}
	if change != nil {
		change(e, e.Trails[i].Hours)
	}
	return viewOf(t, e, at).ofPark(c.Parks[park]), i
}

// windy makes the hours of each day from one of the clock to another amber for wind.
func windy(from, to int) func(*store.Snapshot, []hazard.Estimate) {
	return func(_ *store.Snapshot, hours []hazard.Estimate) {
		for i := range hours {
			if h := (5 + i) % 24; h >= from && h < to {
				hours[i] = signalled(hours[i].Hour, hazard.Wind, hazard.Amber, gust)
			}
		}
	}
}

func TestDeparturesInWords(t *testing.T) {
	shut := func(e *store.Snapshot, _ []hazard.Estimate) {
		e.Notices[notices.Closures] = notices.Batch{Kind: notices.Closures, Closures: []notices.Closure{{Park: "dos-lagunas", Situation: "cerrado", Source: "CONAF", ObtainedAt: noonHour}}}
	}
	warned := func(e *store.Snapshot, _ []hazard.Estimate) {
		e.Alerts = []alert.Alert{madeAlert("a", e.Catalogue.Parks[2], "mirador-laguna-el-toro", hazard.Wind, alert.Danger, 20, 40)}
	}
	for name, c := range map[string]struct {
		hours  float64
		change func(*store.Snapshot, []hazard.Estimate)
		said   string   // of today
		rows   []string // the sign and words of today's rows
	}{
		"calm": {8.3, nil, "Si sale entre las 07:00 y las 12:00, está de vuelta entre las 15:30 y las 20:30, con luz y en verde; el sol se pone a las 21:06.",
			[]string{"verde 7–12 h 15:30–20:30 verde todo el camino, con luz", "noche 13–21 h 21:30–05:30 del día siguiente vuelve de noche"}},
		"wind from 17 h": {8.3, windy(17, 20), "Si sale entre las 07:00 y las 08:00, está de vuelta entre las 15:30 y las 16:30, con luz y en verde; después, amarillo por viento fuerte desde las 17:00.",
			[]string{"verde 7–8 h", "amarillo 9–12 h 17:30–20:30 amarillo por viento fuerte, desde las 17:00", "amarillo 13–19 h 21:30–03:30 del día siguiente amarillo por viento fuerte, desde las 17:00; vuelve de noche", "noche 20–21 h"}},
		"one hour":     {2, windy(9, 24), "Si sale a las 07:00, está de vuelta a las 09:00", nil},
		"wind all day": {3, windy(8, 24), "Ninguna salida alcanza a volver con luz y en verde. Si sale a las 07:00: amarillo por viento fuerte, desde las 08:00.", []string{"amarillo 7–18 h", "amarillo 19–21 h"}},
		"two spans":    {2, windy(10, 14), "Si sale entre las 07:00 y las 08:00, está de vuelta entre las 09:00 y las 10:00, con luz y en verde; después, amarillo por viento fuerte desde las 10:00. Si sale entre las 14:00 y las 19:00,", nil},
		"no estimate from 15 h": {6, func(_ *store.Snapshot, hours []hazard.Estimate) {
			for i := 10; i < len(hours); i++ {
				hours[i] = unknown(hours[i].Hour, hazard.PartialData)
			}
		}, "Si sale entre las 07:00 y las 09:00, está de vuelta entre las 13:00 y las 15:00, con luz y en verde; después no hay estimación al día, desde las 15:00.",
			[]string{"verde 7–9 h", "nada 10–15 h 16:00–21:00 sin estimación al día, desde las 15:00", "nada 16–21 h 22:00–03:00 del día siguiente sin estimación al día, ya al salir; vuelve de noche"}},
		"old data": {3, func(_ *store.Snapshot, hours []hazard.Estimate) {
			for i := range hours {
				hours[i].Quality = hazard.Stale
			}
		}, "Ninguna salida: falta una estimación al día para alguna hora del camino.", []string{"nada 7–18 h", "nada 19–21 h"}},
		"official": {3, shut, "Ninguna salida: no hay acceso, según la fuente oficial.", []string{" 7–18 h 10:00–21:00 sin acceso, según la fuente oficial", " 19–21 h"}},
		"alert of the trail": {3, func(e *store.Snapshot, _ []hazard.Estimate) {
			e.Alerts = []alert.Alert{madeAlert("a", e.Catalogue.Parks[2], "mirador-laguna-escondida", hazard.Wind, alert.Danger, 20, 25)}
		}, "Si sale a las 07:00, está de vuelta a las 10:00, con luz y en verde; después rige una alerta de los modelos (peligro). Si sale entre las 15:00 y las 18:00",
			[]string{"verde 7 h", "rojo 8–14 h 11:00–17:00 alerta de los modelos (peligro) en parte del camino", "verde 15–18 h", "noche 19–21 h"}},
		"alert of another trail": {3, warned, "Si sale entre las 07:00 y las 18:00", nil},
		"takes all the light":    {14.5, nil, "Ninguna salida alcanza a volver con luz: el sol se pone a las 21:06.", []string{"noche 7–21 h"}},
	} {
		v, i := leaving(t, c.hours, c.change)
		plan := v.departurePlan(i)
		if len(plan.Days) != 3 || plan.None != "" {
			t.Errorf("%s: %+v", name, plan)
			continue
		}
		day := plan.Days[0]
		if said := strings.Join(day.Said, " "); !strings.HasPrefix(said, c.said) {
			t.Errorf("%s: %q", name, said)
		}
		var rows []string
		for _, r := range day.Rows {
			rows = append(rows, strings.Join([]string{r.Key, r.Leave, r.Return, r.What}, " "))
		}
		if c.rows != nil && !slices.EqualFunc(rows, c.rows, strings.HasPrefix) {
			t.Errorf("%s: rows %q", name, rows)
		}
	}
}

func TestDeparturesThatCannotBeReckoned(t *testing.T) {
	for name, c := range map[string]struct {
		hours float64
		says  string
		spans bool
	}{
		"no duration":   {math.NaN(), "No se conoce cuánto demora este sendero", true},
		"several days":  {40, "Es una caminata de más de un día", true},
		"a day's march": {18, "Con 18 h de camino no alcanza la luz de un día (15 h)", true},
	} {
		v, i := leaving(t, c.hours, nil)
		if plan := v.departurePlan(i); !strings.HasPrefix(plan.None, c.says) || plan.Days != nil || plan.Unknown || (len(plan.Spans) > 0) != c.spans {
			t.Errorf("%s: %+v", name, plan)
		}
	}
	e := expired(newSnapshot(t))
	for _, i := range []int{3, 7} {
		page := trailPageOf(t, e, i, now)
		text := readable(page)
		if !strings.Contains(text, "No hay estimaciones vigentes de este sendero: no se puede calcular a qué hora salir.") || strings.Contains(text, "verde todo el camino") {
			t.Errorf("%s without estimates", e.Catalogue.Trails[i].Name)
		}
	}
}

// The page of a trail offers exactly the departures that lie within the spans of the API.
func TestDeparturesLieInTheSpansOfTheAPI(t *testing.T) {
	e := newSnapshot(t)
	e.Rules = hazard.DefaultRules()
	offered := 0
	for _, slug := range []string{"torres-del-paine", "rapa-nui", "dos-lagunas", "villarrica"} {
		park, _ := e.Catalogue.ParkBySlug(slug)
		p, told := e.Catalogue.Parks[park], spansOf(t, e, slug)
		v := viewOf(t, e, now).ofPark(p)
		for i := p.FirstTrail; i < p.FirstTrail+p.NumTrails; i++ {
			for _, day := range v.departures(i, plannedDays) {
				for _, d := range day.Departures {
					within := slices.ContainsFunc(told[e.Catalogue.Trails[i].Name], func(s apiSpan) bool {
						return !d.Leave.Before(s.From) && !d.Return.After(s.To.Add(time.Second)) // as the API writes them
					})
					if d.Clear != within {
						t.Errorf("%s: %v to %v is offered: %v", e.Catalogue.Trails[i].Name, d.Leave, d.Return, d.Clear)
					}
					if d.Clear {
						offered++
					}
				}
			}
		}
	}
	if offered < 100 {
		t.Errorf("only %d departures", offered)
	}
}
