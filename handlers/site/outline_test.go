package site

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vigia/web"
)

// outlineFile is the outline of the country and its neighbours, that of the map.
const outlineFile = "static/contorno.json"

// The outline of the chart: what is smaller than a point of a telephone's screen
// is left out of it.
const (
	leastDetail = 1.2 // units of the chart
	leastIsland = 22  // the same, squared
	beyondZone  = 6   // the same: the cut through the land lies out of sight
)

// outline reads the country's land from the map's outline and draws it as a path for each
// zone of the chart.
func outline(files fs.FS) ([]string, error) {
	raw, err := fs.ReadFile(files, outlineFile)
	if err != nil {
		return nil, fmt.Errorf("reading the outline: %w", err)
	}
	var land struct {
		Features []struct {
			Properties struct{ Name string }
			Geometry   struct{ Coordinates json.RawMessage }
		}
	}
	if err := json.Unmarshal(raw, &land); err != nil {
		return nil, fmt.Errorf("reading the outline: %w", err)
	}
	for _, country := range land.Features {
		if country.Properties.Name != "Chile" {
			continue
		}
		var shapes [][][][2]float64
		if err := json.Unmarshal(country.Geometry.Coordinates, &shapes); err != nil {
			return nil, fmt.Errorf("reading the outline of Chile: %w", err)
		}
		var paths []string
		for i := range chartZones {
			paths = append(paths, drawLand(&chartZones[i], shapes))
		}
		return paths, nil
	}
	return nil, errors.New("the outline has no Chile")
}

// drawLand draws the outer rings of shapes that can be seen in a zone.
func drawLand(zone *chartZone, shapes [][][][2]float64) string {
	var path strings.Builder
	for _, shape := range shapes {
		var ring [][2]float64
		for _, at := range shape[0] {
			x, y := zone.point(at[1], at[0])
			ring = append(ring, [2]float64{x, y})
		}
		ring = below(below(ring, -beyondZone, 1), zone.height()+beyondZone, -1)
		if len(ring) > 2 && area(ring) >= leastIsland && shape[0][0][0] > chartWest {
			drawRing(&path, simplified(append(ring, ring[0]), leastDetail))
		}
	}
	return path.String()
}

// below cuts a ring along a line from west to east and keeps what lies below it, or above
// it where side is -1 (Sutherland and Hodgman).
func below(ring [][2]float64, line, side float64) (kept [][2]float64) {
	for i, at := range ring {
		before := ring[(i+len(ring)-1)%len(ring)]
		in, was := side*(at[1]-line) >= 0, side*(before[1]-line) >= 0
		if in != was {
			share := (line - before[1]) / (at[1] - before[1])
			kept = append(kept, [2]float64{before[0] + share*(at[0]-before[0]), line})
		}
		if in {
			kept = append(kept, at)
		}
	}
	return kept
}

// drawRing writes a closed line in whole units, each point from the one before.
func drawRing(path *strings.Builder, ring [][2]float64) {
	x, y := 0, 0
	for i, at := range ring[:len(ring)-1] {
		toX, toY := int(math.Round(at[0])), int(math.Round(at[1]))
		switch {
		case i == 0:
			fmt.Fprintf(path, "M%d %dl", toX, toY)
		case toX == x && toY == y:
			continue
		default:
			path.WriteString(pair(toX-x, toY-y))
		}
		x, y = toX, toY
	}
	path.WriteByte('z')
}

// pair writes a step with no more signs than a path needs.
func pair(x, y int) string {
	text := strconv.Itoa(x)
	if y >= 0 {
		text += " "
	}
	return text + strconv.Itoa(y) + " "
}

// area is what a ring encloses.
func area(ring [][2]float64) float64 {
	sum := 0.0
	for i := range ring {
		next := ring[(i+1)%len(ring)]
		sum += ring[i][0]*next[1] - next[0]*ring[i][1]
	}
	return math.Abs(sum) / 2
}

// simplified leaves out the points of a line that lie nearer than a distance to
// what is drawn without them (Douglas and Peucker).
func simplified(line [][2]float64, distance float64) [][2]float64 {
	if len(line) < 3 {
		return line
	}
	first, last, far, at := line[0], line[len(line)-1], 0.0, 0
	for i := 1; i < len(line)-1; i++ {
		if d := offLine(line[i], first, last); d > far {
			far, at = d, i
		}
	}
	if far <= distance {
		return [][2]float64{first, last}
	}
	before, after := simplified(line[:at+1], distance), simplified(line[at:], distance)
	return append(before[:len(before)-1:len(before)-1], after...)
}

// offLine is how far a point lies from the line between two, or from the first
// where both are one, as at the ends of a ring.
func offLine(p, from, to [2]float64) float64 {
	dx, dy := to[0]-from[0], to[1]-from[1]
	length := math.Hypot(dx, dy)
	if length == 0 {
		return math.Hypot(p[0]-from[0], p[1]-from[1])
	}
	return math.Abs(dy*(p[0]-from[0])-dx*(p[1]-from[1])) / length
}

const chartFile = "../../web/templates/contorno.html"

// TestOutlineIsCurrent draws the country from the map's outline and compares it with
// the drawing that the program carries, see the go:generate in site.go.
func TestOutlineIsCurrent(t *testing.T) {
	paths, err := outline(web.Files)
	if err != nil {
		t.Fatal(err)
	}
	var made strings.Builder
	for i, path := range paths {
		if n := len(path); n < 250 || n > 4500 || strings.ContainsAny(path, "Ne") {
			t.Errorf("%s: %d bytes: %.60s", chartZones[i].Key, n, path)
		}
		fmt.Fprintf(&made, "{{define \"contorno-%s\"}}%s{{end}}\n", chartZones[i].Key, path)
	}
	line := [][2]float64{{0, 0}, {1, .2}, {2, 0}, {3, 5}, {4, 0}}
	if got := simplified(line, 1); !slices.Equal(got, [][2]float64{{0, 0}, {2, 0}, {3, 5}, {4, 0}}) {
		t.Errorf("simplified to %v", got)
	}
	if *update {
		if err := os.WriteFile(chartFile, []byte(made.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if carried, err := os.ReadFile(chartFile); err != nil || string(carried) != made.String() {
		t.Errorf("%s is not that of the map: run go generate ./handlers/site (%v)", chartFile, err)
	}
}
