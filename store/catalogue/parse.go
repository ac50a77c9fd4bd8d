package catalogue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxBytes is the largest catalogue file that is read.
const MaxBytes = 64 << 20

// Load reads the catalogue of a file. What is wrong with its content comes as a
// *FaultsError.
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
// whole or not at all: whatever is wrong comes as a *FaultsError that names
// every fault.
func Parse(name string, data []byte) (*Catalogue, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF")) // some editors mark UTF-8 so
	var unreadable faultList
	if offset, problem := unreadableAt(data); problem != "" {
		unreadable.add(offset, "", problem)
		return nil, unreadable.err(name, data)
	}
	r := newReader(data)
	d := r.catalogue()
	r.check(&d)
	if err := r.faults.err(name, data); err != nil {
		return nil, err
	}
	return complete(d), nil
}

// unreadableAt tells where and why data are not a JSON text, or "" if they are.
func unreadableAt(data []byte) (offset int, problem string) {
	switch {
	case len(data) > MaxBytes:
		return 0, fmt.Sprintf("el archivo es demasiado grande; se admiten hasta %d MB", MaxBytes>>20)
	case len(bytes.TrimSpace(data)) == 0:
		return 0, "el archivo está vacío"
	case !utf8.Valid(data):
		return firstInvalid(data), "hay bytes que no son UTF-8; guarde el archivo con la codificación UTF-8"
	case json.Valid(data):
		return 0, ""
	}
	var value json.RawMessage
	var syntax *json.SyntaxError
	if err := json.Unmarshal(data, &value); !errors.As(err, &syntax) {
		return 0, fmt.Sprintf("el archivo no se pudo leer como JSON: %v", err)
	}
	offset = max(0, int(syntax.Offset)-1)
	return offset, syntaxProblem(data, offset, syntax.Error())
}

func firstInvalid(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(data)
}

// syntaxProblem puts the standard library's finding into the operator's words.
func syntaxProblem(data []byte, offset int, found string) string {
	offending, _ := utf8.DecodeRune(data[offset:])
	switch {
	case strings.Contains(found, "unexpected end"):
		return "el JSON termina antes de tiempo: falta cerrar una llave, un corchete o unas comillas"
	case strings.Contains(found, "after top-level value"):
		return fmt.Sprintf("sobra texto después del final del JSON, desde %q", offending)
	case strings.Contains(found, "exceeded max depth"):
		return "hay demasiados niveles de llaves o corchetes"
	case offending == '}' || offending == ']':
		return fmt.Sprintf("JSON mal formado: %q no va aquí; quizá sobra la coma anterior", offending)
	default:
		return fmt.Sprintf("JSON mal formado: %q no va aquí; revise comas y comillas", offending)
	}
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
	c.index()
	return c
}
