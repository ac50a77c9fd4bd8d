package site

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/catalogue"
)

func TestChartHasEveryParkOnIt(t *testing.T) {
	e := newSnapshot(t)
	home := homeOf(t, e)
	chart := home.Map
	parks := 0
	for _, s := range chart.Signs {
		parks += s.Count
	}
	if parks != len(e.Catalogue.Parks) {
		t.Errorf("the signs stand for %d parks of %d", parks, len(e.Catalogue.Parks))
	}
	var islands []string
	for _, i := range chart.Insets {
		islands = append(islands, i.Name)
	}
	slices.Sort(islands)
	if want := []string{"Juan Fernández", "Rapa Nui"}; !slices.Equal(islands, want) {
		t.Errorf("islands %v", islands)
	}
	if got := islandName("Parque Nacional Islas Desventuradas del Norte"); got != "Islas Desventur…" {
		t.Errorf("a long name is cut to %q", got)
	}
	for _, state := range []*store.Snapshot{expired(e), empty(e.Catalogue)} {
		for _, s := range homeOf(t, state).Map.Signs {
			if s.Level != "nada" {
				t.Fatalf("a sign is %s without estimates", s.Level)
			}
		}
	}
}

// The chart shows the states that it is given, which need not be those of now.
func TestChartShowsTheStatesThatItIsGiven(t *testing.T) {
	v := viewOf(t, newSnapshot(t), now)
	parks := v.standings(v.ShownDays()[0])
	states := []hazard.State{hazard.Green, hazard.Unknown, hazard.Amber, hazard.Red}
	want := make(map[string]string)
	for i := range parks {
		parks[i].state = states[i%len(states)]
		want[v.Catalogue.Parks[parks[i].park].Slug] = []string{"verde", "nada", "amarillo", "rojo"}[i%len(states)]
	}
	chart := v.chart(parks)
	var got map[string]string
	if err := json.Unmarshal([]byte(chart.States), &got); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("states %v, %v, want %v", got, err, want)
	}
	rank := []string{"rojo", "amarillo", "nada", "verde"}
	groups := make(map[string]mapGroup)
	for _, g := range chart.Groups {
		groups[g.Anchor] = g
	}
	for _, s := range chart.Signs {
		if s.Count == 1 {
			if slug := s.Link[strings.LastIndex(s.Link, "/")+1:]; want[slug] != s.Level {
				t.Errorf("%s is shown %s, want %s", slug, s.Level, want[slug])
			}
			continue
		}
		g := groups[strings.TrimPrefix(s.Link, "#")]
		if len(g.Places) != s.Count {
			t.Errorf("%s stands for %d parks and leads to %d", s.Label, s.Count, len(g.Places))
		}
		for _, p := range g.Places {
			if p.Key != want[p.Path[strings.LastIndex(p.Path, "/")+1:]] || slices.Index(rank, p.Key) < slices.Index(rank, s.Level) {
				t.Errorf("%s is %s under a sign that is %s", p.Name, p.Key, s.Level)
			}
		}
	}
}

// No sign covers another or leaves the chart, wherever the parks of a catalogue lie.
func TestNoSignCoversAnother(t *testing.T) {
	e := newSnapshot(t)
	random := rand.New(rand.NewPCG(4, 2))
	for round := range 30 {
		c := *e.Catalogue
		c.Parks = slices.Clone(c.Parks)
		for i := range c.Parks {
			if p := &c.Parks[i]; round > 0 && random.IntN(3) > 0 {
				p.Latitude, p.Longitude = -17-random.Float64()*40, -80+random.Float64()*15
			}
		}
		checkSigns(t, chartOf(t, e, &c))
	}
}

func chartOf(t *testing.T, e *store.Snapshot, c *catalogue.Catalogue) countryChart {
	t.Helper()
	moved := *e
	moved.Catalogue = c
	return homeOf(t, &moved).Map
}

func checkSigns(t *testing.T, chart countryChart) {
	t.Helper()
	for i, s := range chart.Signs {
		if s.X < signReach || s.X > chart.Width-signReach || s.Y < signReach || s.Y > chart.Height-signReach {
			t.Errorf("%s stands at %d, %d of %d, %d", s.Label, s.X, s.Y, chart.Width, chart.Height)
		}
		for _, o := range chart.Signs[:i] {
			if d := math.Hypot(float64(s.X-o.X), float64(s.Y-o.Y)); d < signsApart-1.5 { // both are rounded
				t.Errorf("%s is %.1f from %s", s.Label, d, o.Label)
			}
		}
	}
}
