package catalogue

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// withoutOdds replaces what reflect.DeepEqual cannot compare: missing figures,
// which are equal to nothing, and zones, which are loaded anew each time.
func withoutOdds(c *Catalogue) Catalogue {
	missing := func(f *float64) {
		if math.IsNaN(*f) {
			*f = -1
		}
	}
	same := *c
	same.Parks, same.Trails = slices.Clone(c.Parks), slices.Clone(c.Trails)
	for i := range same.Parks {
		p := &same.Parks[i]
		missing(&p.AreaHa)
		if p.TimeZone.String() == p.ZoneName {
			p.TimeZone = time.UTC
		}
	}
	for i := range same.Trails {
		t := &same.Trails[i]
		missing(&t.LengthKm)
		missing(&t.MinHours)
		missing(&t.MaxHours)
	}
	return same
}

func exported(t testing.TB, c *Catalogue) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.Export(&b); err != nil {
		t.Fatalf("Export: %v", err)
	}
	return b.Bytes()
}

// checkRoundTrip exports a catalogue and reads it back.
func checkRoundTrip(t testing.TB, c *Catalogue) {
	t.Helper()
	file := exported(t, c)
	again, err := Parse("exported", file)
	if err != nil {
		t.Fatalf("what was exported is refused: %v\n%s", err, file)
	}
	if !reflect.DeepEqual(withoutOdds(c), withoutOdds(again)) {
		t.Fatalf("read back: %+v\nwas: %+v", withoutOdds(again), withoutOdds(c))
	}
	if !bytes.Equal(file, exported(t, again)) {
		t.Fatal("exported again, the file differs")
	}
}

func TestExportRoundTrip(t *testing.T) {
	for name, c := range map[string]*Catalogue{
		"default": Default(), "least": mustParse(t, least), "full": mustParse(t, full),
		"no emergency numbers": mustParse(t, strings.Replace(least, "{\n", "{\"telefonos_emergencia\": [],\n", 1)),
	} {
		t.Run(name, func(t *testing.T) { checkRoundTrip(t, c) })
	}
}

func TestEmbeddedFileIsAsExported(t *testing.T) {
	if !bytes.Equal(defaultFile, exported(t, Default())) {
		t.Error("default.json is not what Export writes: run the generator")
	}
}

func TestExportKeepsTextReadable(t *testing.T) {
	file := string(exported(t, mustParse(t, full)))
	for _, want := range []string{`"https://example.cl/a?b=1&c=2"`, `"Regla única & suficiente."`, `"largo_km":null`} {
		if !strings.Contains(file, want) {
			t.Errorf("%s is missing from:\n%s", want, file)
		}
	}
}

func TestExportHasNoNegativeZero(t *testing.T) {
	text := strings.NewReplacer(`"longitud": -71.41`, `"longitud": -0.0`, `"altitud_m": 950`, `"altitud_m": -0`).Replace(least)
	if file := string(exported(t, mustParse(t, text))); strings.Contains(file, ":-0") {
		t.Errorf("a zero kept its sign:\n%s", file)
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("no space left")

func TestExportTellsWriteErrors(t *testing.T) {
	if err := Default().Export(failingWriter{}); !errors.Is(err, errFull) {
		t.Errorf("error = %v, want that of the writer", err)
	}
}
