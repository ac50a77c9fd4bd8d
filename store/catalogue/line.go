package catalogue

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"

	"vigia/store/document"
)

// Limits of a trail's line.
const (
	maxVertices = 20000 // of one line, as it is written
	maxLineFile = 8 << 20
	lineDetailM = 5  // a line is kept to within so many metres
	maxGapKm    = 5  // from one vertex to the next: more is a leap to another place
	maxOffKm    = 3  // from a point of the trail to its line
	roughOffKm  = 15 // the same where the trail's place is approximate
)

// The box that holds Chile with its islands, in degrees.
const (
	chileNorth = -17
	chileSouth = -57
	chileWest  = -110
	chileEast  = -66
)

// lineEntry is a line as GeoJSON has it: longitude, latitude and perhaps a height that is
// not used.
type lineEntry struct {
	Type        string      `json:"type" check:"line"`
	Coordinates [][]float64 `json:"coordinates" check:"2 20000 2 3 -1000 10000"`
}

var lineFileForm = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}\.gpx$`)

func isLineFile(s string) bool { return lineFileForm.MatchString(s) }

// filesBeside returns the folder of a catalogue file, in which the files of lines lie.
func filesBeside(path string) fs.FS { return os.DirFS(filepath.Dir(path)) }

// readLines fills the lines of the trails and names what is wrong with them. files are
// those beside the catalogue, nil where it is no file.
func (f *file) readLines(d *document.Document, files fs.FS) {
	for i := range f.Trails {
		t, at := &f.Trails[i], fmt.Sprintf("/senderos/%d/linea", i)
		var line []Vertex
		switch {
		case t.LineFile != "" && t.Line != nil:
			d.Add(at, "el sendero trae linea y linea_archivo; se admite una de las dos")
			continue
		case t.LineFile != "":
			at += "_archivo"
			line = readLineFile(d, at, files, t.LineFile)
		case t.Line != nil:
			line = t.Line.vertices()
		}
		if len(line) > 1 && t.checkLine(d, at, line) { // shorter ones have their own fault
			t.Trail.Line = simplified(line, lineDetailM/1000.)
		}
	}
}

// vertices are the places of a line whose lists are as long as they should be.
func (l *lineEntry) vertices() []Vertex {
	line := make([]Vertex, 0, len(l.Coordinates))
	for _, c := range l.Coordinates {
		if len(c) < 2 {
			return nil // it has its own fault
		}
		line = append(line, Vertex{Latitude: c[1], Longitude: c[0]})
	}
	return line
}

// readLineFile reads a line from a GPX file beside the catalogue, nil with a fault named.
func readLineFile(d *document.Document, at string, files fs.FS, name string) []Vertex {
	if !isLineFile(name) {
		return nil // it has its own fault
	}
	if files == nil {
		d.Add(at, "%s: sin un archivo de catálogo no hay dónde buscarlo", document.Shown(name))
		return nil
	}
	about, err := fs.Stat(files, name)
	switch {
	case err != nil:
		d.Add(at, "no se pudo abrir %s junto al catálogo", document.Shown(name))
		return nil
	case !about.Mode().IsRegular() || about.Size() > maxLineFile:
		d.Add(at, "%s no es un archivo de hasta %d MB", document.Shown(name), maxLineFile>>20)
		return nil
	}
	data, err := fs.ReadFile(files, name)
	if err != nil {
		d.Add(at, "no se pudo leer %s", document.Shown(name))
		return nil
	}
	line, err := parseGPX(data)
	if err != nil {
		d.Add(at, "%s: %v", document.Shown(name), err)
		return nil
	}
	return line
}

// checkLine names the places of a line that lie outside Chile, its leaps, and the points
// of the trail that it does not pass.
func (t *trailEntry) checkLine(d *document.Document, at string, line []Vertex) (ok bool) {
	ok = true
	fault := func(format string, args ...any) {
		ok = false
		d.Add(at, format, args...)
	}
	for i, v := range line {
		inside := v.Latitude >= chileSouth && v.Latitude <= chileNorth && v.Longitude >= chileWest && v.Longitude <= chileEast
		switch {
		case !inside:
			fault("el punto %d de la línea (latitud %g, longitud %g) está fuera de Chile; GeoJSON lleva primero la longitud", i+1, v.Latitude, v.Longitude)
		case i > 0 && v.km(line[i-1]) > maxGapKm:
			fault("la línea salta %.0f km hasta su punto %d; se admiten hasta %d km", v.km(line[i-1]), i+1, maxGapKm)
		}
	}
	if !ok {
		return false // how far it lies from the points says nothing then
	}
	most := float64(maxOffKm)
	if t.Approximate {
		most = roughOffKm
	}
	for _, p := range t.Points {
		if off := offLine(Vertex{p.Latitude, p.Longitude}, line); !p.Guessed && off > most {
			fault("la línea pasa a %.0f km de «%s»; se admiten hasta %g km", math.Ceil(off), p.Name, most)
		}
	}
	return ok
}

// kmDegree is the length of a degree of latitude.
const kmDegree = 111.2

// flat returns a place in km east and north of an origin: true to 1 % within 100 km.
func (v Vertex) flat(origin Vertex) (x, y float64) {
	return (v.Longitude - origin.Longitude) * kmDegree * math.Cos(origin.Latitude*math.Pi/180), (v.Latitude - origin.Latitude) * kmDegree
}

// km is the distance between places that are near to each other.
func (v Vertex) km(o Vertex) float64 { return math.Hypot(v.flat(o)) }

// offLine is how far a place lies from a line, in km.
func offLine(v Vertex, line []Vertex) float64 {
	off := v.km(line[0])
	for i := 1; i < len(line); i++ {
		off = min(off, offSegment(v, line[i-1], line[i]))
	}
	return off
}

// offSegment is how far a place lies from the segment between two, in km.
func offSegment(v, from, to Vertex) float64 {
	px, py := v.flat(from)
	dx, dy := to.flat(from)
	share := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		share = max(0, min(1, (px*dx+py*dy)/length))
	}
	return math.Hypot(px-share*dx, py-share*dy)
}

// simplified leaves out what lies within a distance, in km, of the line that is drawn
// without it: from each vertex kept it goes as far as that holds, at most so many vertices
// that the time stays in proportion to the line.
func simplified(line []Vertex, distance float64) []Vertex {
	const reach = 200
	kept := []Vertex{line[0]}
	for from := 0; from < len(line)-1; {
		to := from + 1
		for next := to + 1; next < len(line) && next-from <= reach; next++ {
			if !straight(line[from:next+1], distance) {
				break
			}
			to = next
		}
		kept = append(kept, line[to])
		from = to
	}
	return kept
}

// straight reports whether no vertex of a line lies farther than a distance from the
// segment between its ends.
func straight(line []Vertex, distance float64) bool {
	last := len(line) - 1
	for _, v := range line[1:last] {
		if offSegment(v, line[0], line[last]) > distance {
			return false
		}
	}
	return true
}
