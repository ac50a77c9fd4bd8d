package catalogue

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lined is the least catalogue with more fields of its trail.
func lined(fields string) string {
	return strings.Replace(least, `"tipo": "circuito",`, `"tipo": "circuito", `+fields+`,`, 1)
}

func coordinates(places ...string) string {
	return `"linea": {"type": "LineString", "coordinates": [` + strings.Join(places, ",") + `]}`
}

func TestLineOfATrail(t *testing.T) {
	c := mustParse(t, lined(coordinates("[-71.41, -36.91, 950]", "[-71.405, -36.905]", "[-71.40, -36.90]", "[-71.40, -36.93]")))
	want := []Vertex{{-36.91, -71.41}, {-36.90, -71.40}, {-36.93, -71.40}}
	if got := c.Trails[0].Line; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the line runs through %v, want %v: what lies on it is left out", got, want)
	}
	if c := mustParse(t, least); c.Trails[0].Line != nil {
		t.Errorf("a trail without a line has %v", c.Trails[0].Line)
	}
}

func TestFaultsOfLines(t *testing.T) {
	for _, test := range []struct{ fields, path, say string }{
		{coordinates("[-36.91, -71.41]", "[-36.90, -71.40]"), "senderos[0].linea", "el punto 1 de la línea (latitud -71.41, longitud -36.91) está fuera de Chile"},
		{coordinates("[-71.41, -36.91]", "[-71.40, -35.90]"), "senderos[0].linea", "salta 112 km hasta su punto 2"},
		{coordinates("[-71.31, -36.91]", "[-71.30, -36.90]"), "senderos[0].linea", "la línea pasa a 9 km de «Inicio»; se admiten hasta 3 km"},
		{coordinates("[-71.41, -36.91]"), "senderos[0].linea.coordinates", "la lista tiene 1 elementos"},
		{coordinates("[-71.41]", "[-71.40, -36.90]"), "senderos[0].linea.coordinates[0]", "la lista tiene 1 elementos"},
		{coordinates(`"x"`, "[-71.40, -36.90]"), "senderos[0].linea.coordinates[0]", "se esperaba una lista"},
		{`"linea": {"type": "Polygon", "coordinates": [[-71.41, -36.91],[-71.40, -36.90]]}`, "senderos[0].linea.type", "LineString"},
		{`"linea": {"coordinates": [[-71.41, -36.91],[-71.40, -36.90]]}`, "senderos[0].linea.type", "falta"},
		{`"linea": [[-71.41, -36.91],[-71.40, -36.90]]`, "senderos[0].linea", "se esperaba un objeto"},
		{`"linea_archivo": "../otro.gpx"`, "senderos[0].linea_archivo", "junto al catálogo"},
		{`"linea_archivo": "/etc/passwd"`, "senderos[0].linea_archivo", "junto al catálogo"},
		{`"linea_archivo": "a.gpx"`, "senderos[0].linea_archivo", "sin un archivo de catálogo"},
		{coordinates("[-71.41, -36.91]", "[-71.40, -36.90]") + `, "linea_archivo": "a.gpx"`, "senderos[0].linea", "se admite una de las dos"},
	} {
		_, err := Parse("prueba.json", []byte(lined(test.fields)))
		if err == nil || !strings.Contains(err.Error(), " "+test.path+": ") || !strings.Contains(err.Error(), test.say) {
			t.Errorf("%s: %v, want %q at %s", test.fields, err, test.say, test.path)
		}
	}
}

// A place that is known to some kilometres only, or that is a guess, may lie farther off.
func TestRoughPlacesMayLieOffTheLine(t *testing.T) {
	off := coordinates("[-71.31, -36.91]", "[-71.30, -36.90]")
	mustParse(t, lined(off+`, "ubicacion_aproximada": true`))
	mustParse(t, strings.Replace(lined(off), `"exposicion": "bosque"}`, `"exposicion": "bosque", "estimado": true}`, 1))
}

const track = `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><metadata><name>Laguna</name></metadata>
<wpt lat="1" lon="2"/><trk><trkseg><trkpt lat="-36.91" lon="-71.41"><ele>950</ele></trkpt>
<trkpt lat="-36.90" lon="-71.40"/></trkseg><trkseg><trkpt lat="-36.905" lon="-71.39"/></trkseg></trk></gpx>`

func TestLineOfAFile(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := write("parques.json", lined(`"linea_archivo": "laguna.gpx"`))
	write("laguna.gpx", track)
	c, err := Load(path)
	if err != nil || len(c.Trails[0].Line) != 3 || c.Trails[0].Line[2] != (Vertex{-36.905, -71.39}) {
		t.Fatalf("%v, %v", c, err)
	}
	for text, say := range map[string]string{
		"":            "no tiene una huella",
		"hola":        "no tiene una huella",
		"<kml></kml>": "no comienza con <gpx>",
		track[:300]:   "no es XML bien formado",
		"<gpx></gpx>": "no tiene una huella",
		`<?xml version="1.0" encoding="ISO-8859-1"?><gpx/>`:                              "no es XML bien formado",
		strings.ReplaceAll(track, `lat="-36.91"`, `lat="norte"`):                         "un punto no tiene latitud y longitud (línea 3)",
		strings.ReplaceAll(track, `lat="-36.91"`, ``):                                    "un punto no tiene latitud",
		strings.ReplaceAll(track, `lat="-36.91"`, `lat="NaN"`):                           "fuera de Chile",
		strings.ReplaceAll(track, `lat="-36.91"`, `lat="36.91"`):                         "fuera de Chile",
		"<gpx>" + strings.Repeat(`<trkpt lat="-36.91" lon="-71.41"/>`, 20001) + "</gpx>": "más de 20000 puntos",
		strings.Repeat(" ", maxLineFile+1):                                               "no es un archivo de hasta 8 MB",
	} {
		write("laguna.gpx", text)
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), say) || !strings.Contains(err.Error(), "senderos[0].linea_archivo") {
			t.Errorf("%.40q: %v, want %q", text, err, say)
		}
	}
	if err := os.Remove(filepath.Join(folder, "laguna.gpx")); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "no se pudo abrir") {
		t.Errorf("without the file: %v", err)
	}
	if err := os.Mkdir(filepath.Join(folder, "laguna.gpx"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "no es un archivo") {
		t.Errorf("with a folder in its place: %v", err)
	}
}

// What is left out of a line lies within the distance of what is kept.
func TestSimplifiedStaysNear(t *testing.T) {
	var line []Vertex
	for i := range 5000 {
		a := float64(i) / 90
		line = append(line, Vertex{-40 + .02*math.Sin(a) + float64(i)*1e-6, -72 + .03*math.Cos(a/3)})
	}
	kept := simplified(line, .005)
	if len(kept) > len(line)/3 || kept[0] != line[0] || kept[len(kept)-1] != line[len(line)-1] {
		t.Errorf("%d of %d vertices kept", len(kept), len(line))
	}
	for _, v := range line {
		if off := offLine(v, kept); off > .00501 {
			t.Fatalf("%v lies %.4f km off", v, off)
		}
	}
}

// FuzzGPX: nothing makes parseGPX panic, and what it accepts is a line.
func FuzzGPX(f *testing.F) {
	for _, seed := range []string{track, "", "<gpx>", "<gpx><rtept lat='1' lon='2'/><rtept lat='1' lon='2'/></gpx>", track[:250],
		"<gpx><trkpt lat='-Inf' lon='nan'/><trkpt lat='1e999' lon=''/></gpx>", "\uFEFF" + track, "<!DOCTYPE gpx [<!ENTITY a 'b'>]><gpx>&a;</gpx>"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		line, err := parseGPX(data)
		if err == nil && (len(line) < 2 || len(line) > maxVertices) || err != nil && line != nil {
			t.Fatalf("%d vertices, %v", len(line), err)
		}
	})
}
