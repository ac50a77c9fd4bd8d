package site

import (
	"cmp"
	"math"
	"slices"

	"vigia/forecast/hazard"
)

// mapPlace is a place that a map shows, with its state.
type mapPlace struct {
	x, y  float64 // in units of the drawing
	state hazard.State
	name  string
	path  string
}

// mapCluster is the places that one sign stands for: those that would cover each other.
type mapCluster struct {
	x, y   float64
	places []mapPlace // the worst first; the sign stands at its place
}

// clustered returns the clusters of places, so that no two signs are nearer to each other
// than apart. The worst places keep their own; the nearest sign takes what is too near.
func clustered(places []mapPlace, apart float64) []mapCluster {
	places = slices.Clone(places)
	slices.SortStableFunc(places, func(a, b mapPlace) int {
		return cmp.Compare(slices.Index(statesWorstFirst, a.state), slices.Index(statesWorstFirst, b.state))
	})
	var clusters []mapCluster
	for _, p := range places {
		near, at := apart, -1
		for i, c := range clusters {
			if d := math.Hypot(c.x-p.x, c.y-p.y); d < near {
				near, at = d, i
			}
		}
		if at < 0 {
			clusters = append(clusters, mapCluster{x: p.x, y: p.y})
			at = len(clusters) - 1
		}
		clusters[at].places = append(clusters[at].places, p)
	}
	return clusters
}

// mapBox is a rectangle of a drawing that something takes up.
type mapBox struct{ left, top, right, bottom float64 }

func (b mapBox) within(o mapBox) bool {
	return b.left >= o.left && b.right <= o.right && b.top >= o.top && b.bottom <= o.bottom
}

func (b mapBox) overlaps(o mapBox) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// around is the square whose sides are r away from a place.
func around(x, y, r float64) mapBox { return mapBox{x - r, y - r, x + r, y + r} }

// mapLabel is a name on a map.
type mapLabel struct {
	Text   string
	X, Y   int    // where its base line begins, or its middle or end by Anchor
	Anchor string // SVG text-anchor
}

// labeller puts names where they cover nothing.
type labeller struct {
	frame mapBox
	taken []mapBox
	size  float64 // height of the letters, in units of the drawing
}

// letterWidth is the mean width of a letter, by the height of letters: a little more than
// that of usual faces.
const letterWidth = .56

// place returns a name beside a place, r away from it: at the right, the left, below or
// above, where nothing stands. ok is false where there is no room.
func (l *labeller) place(text string, x, y, r float64) (label mapLabel, ok bool) {
	width := float64(len([]rune(text))) * l.size * letterWidth
	for _, try := range []struct {
		x, y   float64
		anchor string
		left   float64
	}{
		{x + r, y + l.size*.35, "start", x + r}, {x - r, y + l.size*.35, "end", x - r - width},
		{x, y + r + l.size*.8, "middle", x - width/2}, {x, y - r - l.size*.2, "middle", x - width/2},
	} {
		box := mapBox{try.left, try.y - l.size*.85, try.left + width, try.y + l.size*.3}
		if box.within(l.frame) && !slices.ContainsFunc(l.taken, box.overlaps) {
			l.taken = append(l.taken, box)
			return mapLabel{text, round(try.x), round(try.y), try.anchor}, true
		}
	}
	return mapLabel{}, false
}

func round(v float64) int { return int(math.Round(v)) }
