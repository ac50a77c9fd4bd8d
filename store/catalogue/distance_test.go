package catalogue

import "testing"

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"lauca", "lauca", 0}, {"", "lauca", 5}, {"lauca", "", 5}, {"laucas", "lauca", 1},
		{"torres-del-payne", "torres-del-paine", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 2},
	} {
		if got := EditDistance(c.a, c.b); got != c.want {
			t.Errorf("from %q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	parks := []string{"torres-del-paine", "lauca", "bernardo-ohiggins", "isla-magdalena", "puyehue"}
	for name, want := range map[string]string{"torres-del-payne": "torres-del-paine", "LAUCA": "lauca", "lauka": "lauca",
		"torresdelpaine": "torres-del-paine", "zzzzzzzz": "", "x": ""} {
		if got := nearest(name, parks, func(slug *string) string { return *slug }); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
