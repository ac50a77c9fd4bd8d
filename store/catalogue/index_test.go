package catalogue

import (
	"fmt"
	"slices"
	"testing"
)

func TestNameOrder(t *testing.T) {
	names := []string{"Zapallar", "Ñuñoa", "Nuble", "Nz", "Óbidos", "Oasis", "Árbol", "Abedul", "avellano", "Úrsula", "Uva"}
	slices.SortFunc(names, func(a, b string) int {
		switch {
		case nameKey(a) < nameKey(b):
			return -1
		case nameKey(a) > nameKey(b):
			return 1
		}
		return 0
	})
	want := []string{"Abedul", "Árbol", "avellano", "Nuble", "Nz", "Ñuñoa", "Oasis", "Óbidos", "Úrsula", "Uva", "Zapallar"}
	if !slices.Equal(names, want) {
		t.Errorf("order %v, want %v", names, want)
	}
}

// checkIndex checks every number that refers to something else.
func checkIndex(t testing.TB, c *Catalogue) {
	t.Helper()
	next := 0
	for i, p := range c.Parks {
		if i > 0 && nameKey(c.Parks[i-1].Name) > nameKey(p.Name) {
			t.Errorf("park %q comes after %q", p.Name, c.Parks[i-1].Name)
		}
		if found, ok := c.ParkBySlug(p.Slug); !ok || found != i {
			t.Errorf("ParkBySlug(%q) = %d, %v; want %d", p.Slug, found, ok, i)
		}
		if p.FirstTrail != next || p.NumTrails < 1 {
			t.Errorf("park %s has %d trails from %d, want some from %d", p.Slug, p.NumTrails, p.FirstTrail, next)
		}
		next += p.NumTrails
		for _, trail := range c.TrailsOf(i) {
			if trail.Park != i {
				t.Errorf("trail %s is of park %d, not %d", trail.Slug, trail.Park, i)
			}
		}
	}
	if next != len(c.Trails) {
		t.Errorf("the parks have %d trails of %d", next, len(c.Trails))
	}
	seen := map[Location]bool{}
	for _, place := range c.Locations {
		if seen[place] {
			t.Errorf("%v is asked twice", place)
		}
		seen[place] = true
	}
	for _, trail := range c.Trails {
		critical := 0
		for _, point := range trail.Points {
			if c.Locations[point.At] != point.Location {
				t.Errorf("trail %s: point %q lies elsewhere than location %d", trail.Slug, point.Name, point.At)
			}
			if point.Critical {
				critical++
			}
		}
		if critical != 1 {
			t.Errorf("trail %s has %d critical points", trail.Slug, critical)
		}
	}
	if _, ok := c.ParkBySlug("no-hay"); ok {
		t.Error("a park that does not exist was found")
	}
}

func TestIndex(t *testing.T) {
	for name, c := range map[string]*Catalogue{"default": Default(), "full": mustParse(t, full)} {
		t.Run(name, func(t *testing.T) { checkIndex(t, c) })
	}
}

func TestPointsShareLocations(t *testing.T) {
	c := mustParse(t, full)
	if len(c.Locations) != 4 {
		t.Errorf("%d locations, want 4: two trails start at the same place", len(c.Locations))
	}
	if c.TrailsOf(1)[0].Points[0].At != c.TrailsOf(1)[1].Points[0].At {
		t.Error("the same place is asked under two numbers")
	}
}

func TestTrailsKeepTheOrderOfTheFile(t *testing.T) {
	const each = 60
	f := &file{Parks: []parkEntry{{Park: Park{Slug: "b", Name: "B"}}, {Park: Park{Slug: "a", Name: "A"}}}}
	for i := range 2 * each {
		f.Trails = append(f.Trails, trailEntry{In: f.Parks[i%2].Slug, Trail: Trail{Slug: fmt.Sprintf("%03d", i), Points: []Point{{}}}})
	}
	c := f.complete()
	if c.Parks[0].Slug != "a" || c.Parks[1].FirstTrail != each {
		t.Fatalf("parks = %+v", c.Parks)
	}
	for i := range c.Parks {
		for j, trail := range c.TrailsOf(i) {
			if want := fmt.Sprintf("%03d", 2*j+1-i); trail.Slug != want {
				t.Fatalf("trail %d of park %s is %s, want %s", j, c.Parks[i].Slug, trail.Slug, want)
			}
		}
	}
}
