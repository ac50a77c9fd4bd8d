package site

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"vigia/forecast/hazard"
)

// Region is an operator's own map of vector tiles, as a script reads it.
type Region struct {
	Path        string        `json:"ruta"`
	MaxZoom     int           `json:"zoom"`       // of the tiles
	Bounds      [2][2]float64 `json:"limites"`    // south-west and north-east: latitude, longitude
	Attribution string        `json:"atribucion"` // whose data it is, "" when the file does not say
}

// region returns the operator's own map as JSON, "" without one.
func (s *Site) region() string {
	if s.Region == nil {
		return ""
	}
	return asJSON(s.Region)
}

// The signs of maps, in units of the drawing: two are one pixel of a telephone.
const (
	signsApart = 52 // 26 px, for a finger
	signReach  = 27 // from a sign's middle to the end of its number
)

// mapSigns are the signs of a map.
type mapSigns struct {
	Signs  []mapSign
	Groups []mapGroup // what signs of several places stand for
	groups string     // begins their anchors
}

// mapSign is a place on a map, or several.
type mapSign struct {
	X, Y  int
	Level string // the level's key
	Count int    // places, 1 or more
	Name  string // of the worst
	Label string // the same with its state
	Link  string
}

// mapGroup is the places that one sign stands for.
type mapGroup struct {
	Anchor string
	Title  string
	Places []groupPlace
}

// groupPlace is a place in a group.
type groupPlace struct {
	Level
	Path, Name string
}

// add puts the sign of a cluster on the map. That of several places leads to their group,
// that of one to its page.
func (m *mapSigns) add(v View, cluster mapCluster) {
	worst := cluster.places[0]
	level := v.level(worst.state)
	sign := mapSign{X: round(cluster.x), Y: round(cluster.y), Level: level.Key, Count: len(cluster.places), Link: worst.path, Name: worst.name,
		Label: v.Text("carta.signo", "lugar", worst.name, "estado", level.Word)}
	if more := len(cluster.places) - 1; more > 0 {
		group := mapGroup{Anchor: fmt.Sprintf("%s-%d", m.groups, len(m.Groups)+1), Title: v.Text("carta.grupo", "n", len(cluster.places))}
		for _, p := range cluster.places {
			group.Places = append(group.Places, groupPlace{v.level(p.state), p.path, p.name})
		}
		m.Groups = append(m.Groups, group)
		sign.Link = "#" + group.Anchor
		sign.Label = v.Text("carta.varios", "lugar", worst.name, "n", more, "estado", level.Word)
	}
	m.Signs = append(m.Signs, sign)
}

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
	slices.SortStableFunc(clusters, func(a, b mapCluster) int { return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x)) }) // as the keyboard goes
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

// place returns a name r away from a place: at the right, the left, below or above, where
// nothing stands. ok is false where there is no room.
func (l *labeller) place(text string, x, y, r float64) (label mapLabel, ok bool) {
	width := float64(len([]rune(text))) * l.size * letterWidth
	beside, under, over := y+l.size*.35, y+r+l.size*.8, y-r-l.size*.2
	for _, try := range []struct {
		x, y   float64
		anchor string
		left   float64
	}{
		{x + r, beside, "start", x + r}, {x - r, beside, "end", x - r - width},
		{x, under, "middle", x - width/2}, {x, over, "middle", x - width/2},
		{x, under, "start", x}, {x, over, "start", x}, {x, under, "end", x - width}, {x, over, "end", x - width},
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
