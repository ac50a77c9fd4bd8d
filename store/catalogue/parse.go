package catalogue

import (
	"fmt"
	"io"
	"os"
	"slices"

	"vigia/store/document"
)

// MaxBytes is the largest catalogue file that is read.
const MaxBytes = 64 << 20

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
	return Parse(path, data)
}

// Parse reads a catalogue from the content of a file; the name is that used in
// messages. The form is described at the package. The catalogue is taken as a
// whole or not at all: whatever is wrong comes as a *document.FaultsError that names
// every fault.
func Parse(name string, data []byte) (*Catalogue, error) {
	text, err := document.Text(name, data, MaxBytes)
	if err != nil {
		return nil, err
	}
	from, root, err := document.NewReader(name, text)
	if err != nil {
		return nil, err
	}
	r := &reader{from}
	d := r.catalogue(root)
	r.check(&d)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return complete(d), nil
}

// complete makes a catalogue of a draft without faults.
func complete(d draft) *Catalogue {
	c := &Catalogue{Version: d.version, Rules: d.rules, Emergency: d.emergency}
	if c.Rules == nil {
		c.Rules = DerivationRules()
	}
	if !d.emergencyGiven {
		c.Emergency = slices.Clone(Default().Emergency)
	}
	parks := make(map[string]int, len(d.parks))
	for i, p := range d.parks {
		parks[p.Slug] = i
		c.Parks = append(c.Parks, p.Park)
	}
	for _, t := range d.trails {
		t.derive()
		t.Trail.Park = parks[t.park.slug]
		c.Trails = append(c.Trails, t.Trail)
	}
	for _, v := range d.volcanoes {
		for _, n := range v.near {
			v.Parks = append(v.Parks, NearPark{Park: parks[n.park.slug], DistanceKm: n.km})
		}
		c.Volcanoes = append(c.Volcanoes, v.Volcano)
	}
	c.deriveBasins(d.trails)
	c.index()
	return c
}
