package site

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"vigia/store"
	"vigia/store/catalogue"
)

// Every park and trail has its places on its map, apart from each other and within it.
func TestPlaceMapsHoldTheirPlaces(t *testing.T) {
	v := viewOf(t, newSnapshot(t), now)
	for park := range v.Catalogue.Parks {
		of := &v.Catalogue.Parks[park]
		drawn := v.parkMap(park)
		signs := 0
		for _, s := range drawn.Signs {
			signs += s.Count
		}
		if signs != of.NumTrails || drawn.Name == "" || drawn.Scale.Width > barLongest || drawn.Scale.Width < barLongest/5 {
			t.Errorf("%s: signs of %d trails, want %d; %+v", of.Slug, signs, of.NumTrails, drawn.Scale)
		}
		checkPlaces(t, of.Slug, &drawn)
		for trail := of.FirstTrail; trail < of.FirstTrail+of.NumTrails; trail++ {
			alone := v.trailMap(trail)
			if len(alone.Signs) != 1 || alone.Trail != v.Catalogue.Trails[trail].Slug {
				t.Errorf("%s: %d signs", alone.Trail, len(alone.Signs))
			}
			checkPlaces(t, alone.Trail, &alone)
		}
	}
}

func checkPlaces(t *testing.T, of string, m *placeMap) {
	t.Helper()
	checkSigns(t, countryChart{Width: m.Width, Height: m.Height, mapSigns: m.mapSigns})
	frame := mapBox{0, 0, placeWidth, placeHeight}
	for _, dot := range slices.Concat(m.Starts, m.Dots, m.Peaks) {
		if !around(float64(dot.X), float64(dot.Y), dotReach).within(frame) {
			t.Errorf("%s: %s lies at %d, %d", of, dot.Name, dot.X, dot.Y)
		}
	}
	if !slices.ContainsFunc(m.Notes, func(n string) bool { return strings.Contains(n, "no sirve para orientarse") }) {
		t.Errorf("%s: the map does not say what it lacks: %q", of, m.Notes)
	}
}

// No name covers another, whatever the places.
func TestNamesCoverNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	put := 0
	for range 200 {
		l := labeller{frame: mapBox{0, 0, 656, 440}, size: 23}
		for range 12 {
			x, y := random.Float64()*656, random.Float64()*440
			sign := around(x, y, signReach)
			l.taken = append(l.taken, sign)
			before := slices.Clone(l.taken)
			if _, ok := l.place(strings.Repeat("a", 1+random.IntN(26)), x, y, signReach+2); !ok {
				continue
			}
			put++
			name := l.taken[len(l.taken)-1]
			if !name.within(l.frame) || slices.ContainsFunc(before, name.overlaps) {
				t.Fatalf("a name at %+v covers another", name)
			}
		}
	}
	if put < 400 {
		t.Errorf("%d names found room of 2400", put)
	}
}

// Without estimates no sign of a place has a level.
func TestPlaceMapsWithoutEstimates(t *testing.T) {
	e := newSnapshot(t)
	for _, state := range []*store.Snapshot{expired(e), empty(e.Catalogue)} {
		v := viewOf(t, state, now)
		for park := range v.Catalogue.Parks {
			for _, s := range v.parkMap(park).Signs {
				if s.Level != "nada" || !strings.HasSuffix(s.Label, "sin datos") {
					t.Fatalf("%s is %s without estimates", s.Label, s.Level)
				}
			}
		}
	}
}

// A line that is known is drawn as one; what only joins points is said to be that.
func TestPlaceMapDrawsTheLine(t *testing.T) {
	e := newSnapshot(t)
	i := slices.IndexFunc(e.Catalogue.Trails, func(t catalogue.Trail) bool { return len(t.Points) > 1 })
	before := viewOf(t, e, now).trailMap(i)
	c := *e.Catalogue
	c.Trails = slices.Clone(c.Trails)
	for _, p := range c.Trails[i].Points {
		c.Trails[i].Line = append(c.Trails[i].Line, catalogue.Vertex{Latitude: p.Latitude, Longitude: p.Longitude})
	}
	with := *e
	with.Catalogue = &c
	after := viewOf(t, &with, now).trailMap(i)
	if len(before.Links) != 1 || before.Lines != nil || !strings.Contains(before.Notes[0], "no son la huella") {
		t.Errorf("without a line: %d links, lines %v, %q", len(before.Links), before.Lines, before.Notes)
	}
	if len(after.Lines) != 1 || after.Links != nil || !strings.Contains(after.Notes[0], "huella del sendero") || after.Lines[0] == "" {
		t.Errorf("with a line: lines %v, links %v, %q", after.Lines, after.Links, after.Notes)
	}
	page := pageOf(t, &with, now, "/parques/"+c.Parks[c.Trails[i].Park].Slug+"/senderos/"+c.Trails[i].Slug)
	if !strings.Contains(page, `class="plano-huella" d="M`) || !strings.Contains(page, "no comprometen en modo alguno al Estado de Chile") {
		t.Error("the page lacks the line or the notice beside the map")
	}
}
