package catalogue

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/document"
)

// MaxBytes is the largest catalogue file that is read.
const MaxBytes = 64 << 20

// file is a catalogue as it is written: what it lacks of a Catalogue follows from it. The
// tags are those of package document. Heights are those of land in general, a little
// beyond the lowest and highest of Chile.
type file struct {
	Version   string            `json:"version" check:"optional 120"`                // for those who edit it
	Rules     []string          `json:"reglas" check:"optional 0 200 1000"`          // the same
	Emergency []EmergencyNumber `json:"telefonos_emergencia" check:"optional 0 100"` // nil when left out
	Parks     []parkEntry       `json:"parques" check:"1 1000000"`
	Trails    []trailEntry      `json:"senderos" check:"1 1000000"`
	Volcanoes []volcanoEntry    `json:"volcanes" check:"optional 0 1000000"`
}

type parkEntry struct {
	Park
	By *administrator `json:"administrador"`
}

type administrator struct {
	Name string `json:"nombre" check:"120"`
	AsOf string `json:"verificado_en" check:"optional date 120"`
	Note string `json:"nota" check:"optional 1000"`
}

type trailEntry struct {
	Trail
	In       string       `json:"parque"` // slug of the park
	Zone     *hazard.Zone `json:"zona_clima" check:"zone"`
	Remote   *bool        `json:"remota"`
	Fuel     *bool        `json:"combustible"`
	Basin    *bool        `json:"cuenca_alta"`
	Line     *lineEntry   `json:"linea"`
	LineFile string       `json:"linea_archivo" check:"optional line_file 104"`
}

type volcanoEntry struct {
	Volcano
	Near []nearEntry `json:"parques" check:"optional 0 1000000"`
}

type nearEntry struct {
	Park       string  `json:"parque"` // slug
	DistanceKm float64 `json:"distancia_km" check:"0 1000"`
}

var form = document.Form{MaxBytes: MaxBytes, Rules: map[string]document.Rule{
	"slug": document.Slug, "web_address": document.WebAddress,
	"park_kind":  document.OneOf("parque_nacional", "reserva_nacional", "monumento_natural"),
	"trail_kind": document.OneOf(kindThereAndBack, "circuito", "travesia"),
	"difficulty": document.OneOf("baja", "media", "alta", "muy_alta"),
	"zone":       document.OneOf(names(hazard.Arid, hazard.Austral)...),
	"exposure":   document.OneOf(names(0, hazard.Exposure(hazard.NumExposures-1))...),
	"time_zone":  {OK: isZone, Allowed: "el nombre IANA de una zona horaria, como America/Santiago"},
	"phone":      {OK: isPhone, Allowed: "un número de teléfono de hasta 20 cifras, espacios y + inicial"},
	"line":       document.OneOf("LineString"),
	"line_file":  {OK: isLineFile, Allowed: "el nombre de un archivo .gpx junto al catálogo: letras sin tilde, cifras, punto, guion"},
	"date":       {OK: isDate, Allowed: "una fecha AAAA-MM-DD que exista"},
}}

const kindThereAndBack = "ida_y_vuelta"

// names returns the names from a first value to a last.
func names[T interface {
	~uint8
	fmt.Stringer
}](first, last T) (list []string) {
	for v := first; v <= last; v++ {
		list = append(list, v.String())
	}
	return list
}

var phoneForm = regexp.MustCompile(`^\+?[0-9]([0-9 ]*[0-9])?$`)

func isPhone(s string) bool { return len(s) <= 20 && phoneForm.MatchString(s) }

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// isZone reports whether a text names a time zone. "" and "Local" are names to the
// standard library, but what they mean depends on the machine.
func isZone(s string) bool {
	_, err := time.LoadLocation(s)
	return err == nil && s != "" && s != "Local"
}

// Load reads the catalogue of a file. What is wrong with its content comes as a
// *document.FaultsError.
func Load(path string) (*Catalogue, error) {
	file, err := os.Open(path) // #nosec G304 -- the operator names it
	if err != nil {
		return nil, fmt.Errorf("no se pudo abrir el catálogo: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("no se pudo leer el catálogo: %w", err)
	}
	return parse(path, data, filesBeside(path))
}

// Parse reads a catalogue from the content of a file; the name is that used in
// messages. The form is described at the package. The catalogue is taken as a
// whole or not at all: whatever is wrong comes as a *document.FaultsError that names
// every fault. Files of lines are read by [Load] alone.
func Parse(name string, data []byte) (*Catalogue, error) { return parse(name, data, nil) }

func parse(name string, data []byte, files fs.FS) (*Catalogue, error) {
	d, err := document.Open(name, data, form)
	if err != nil {
		return nil, err
	}
	var f file
	d.JSON(&f)
	f.check(d)
	f.readLines(d, files)
	if err := d.Err(); err != nil {
		return nil, err
	}
	return f.complete(), nil
}

// complete makes a catalogue of a file without faults.
func (f *file) complete() *Catalogue {
	c := &Catalogue{Emergency: f.Emergency}
	if c.Emergency == nil {
		c.Emergency = slices.Clone(Default().Emergency)
	}
	zones := map[string]*time.Location{}
	c.parkBySlug = f.sortParks()
	for _, p := range f.Parks {
		if p.By != nil {
			p.Administrator, p.AdministratorAsOf = p.By.Name, p.By.AsOf
		}
		if zones[p.ZoneName] == nil {
			zones[p.ZoneName], _ = time.LoadLocation(p.ZoneName) // it has been checked
		}
		p.TimeZone = zones[p.ZoneName]
		c.Parks = append(c.Parks, p.Park)
	}
	for _, t := range f.Trails {
		t.derive()
		t.Park = c.parkBySlug[t.In]
		c.Trails = append(c.Trails, t.Trail)
	}
	for _, v := range f.Volcanoes {
		for _, n := range v.Near {
			v.Parks = append(v.Parks, NearPark{Park: c.parkBySlug[n.Park], DistanceKm: n.DistanceKm})
		}
		c.Volcanoes = append(c.Volcanoes, v.Volcano)
	}
	c.deriveBasins(f.Trails)
	c.index()
	return c
}
