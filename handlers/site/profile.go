package site

import (
	"fmt"
	"math"

	"vigia/store/catalogue"
)

// The profile's measures, in units of its drawing. Points stand at equal
// distances, because how far they are along the path is not known.
const (
	profileWidth  = 320
	profileTop    = 26
	profileBottom = 96
	profileMargin = 34
	profileLeast  = 300 // metres that the height of the drawing stands for at least, so that flat stays flat
)

// profile is a trail's points: a drawing of those that are known and nothing
// between them, and the same in words.
type profile struct {
	Points []profilePoint
	Path   string // straight links from point to point; empty with one point
	Scale  string // what the height of the drawing stands for
}

// profilePoint is a place of a trail that is assessed.
type profilePoint struct {
	Number                    int
	Name, Elevation, Exposure string
	Critical                  bool
	X, Y, TextY               int
}

func (v View) profile(points []catalogue.Point) profile {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range points {
		low, high = min(low, points[i].Location.Elevation), max(high, points[i].Location.Elevation)
	}
	metres := max(high-low, profileLeast)
	low = (low+high)/2 - metres/2 // flat trails lie in the middle
	var p profile
	var path []byte
	for i, point := range points {
		x := profileWidth / 2
		if len(points) > 1 {
			x = profileMargin + i*(profileWidth-2*profileMargin)/(len(points)-1)
		}
		y := profileBottom - int(math.Round((point.Location.Elevation-low)/metres*(profileBottom-profileTop)))
		path = fmt.Appendf(path, "%c%d %d", "ML"[min(i, 1)], x, y)
		p.Points = append(p.Points, profilePoint{
			Number: i + 1, Name: point.Name, Elevation: v.Measure(float32(point.Location.Elevation), 0, "m"),
			Exposure: v.Text("exposicion." + point.Exposure.String()), Critical: point.Critical, X: x, Y: y, TextY: y - 12,
		})
	}
	if len(points) > 1 {
		p.Path, p.Scale = string(path), v.Measure(float32(metres), 0, "m")
	}
	return p
}
