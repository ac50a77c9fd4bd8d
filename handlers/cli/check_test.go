package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vigia/handlers/cli/clitest"
	"vigia/handlers/mapfile/mapfiletest"
	"vigia/store/catalogue/cataloguetest"
)

// scaled writes a catalogue of so many trails.
func scaled(t *testing.T, trails int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "parques.json")
	if err := os.WriteFile(path, cataloguetest.File(trails), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// check prints the weight of the models, the catalogue and the contract in use.
func TestCheckPrintsTheWeightInUse(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{nil, "about 9289 of weight a day (models: 4, places: 433); the free service allows 10000\n"},
		{[]string{"--wind-aloft=no"}, "about 8489 of weight a day (models: 4, places: 433); the free"},
		{[]string{"--ensembles=no"}, "about 8969 of weight a day (models: 4, places: 433); the free service allows 10000\n"},
		{[]string{"--models", "ecmwf_ifs"}, "about 2963 of weight a day (models: 1, places: 433); the free"},
		{[]string{"--models", "gem_global,ecmwf_ifs"}, "about 4229 of weight a day (models: 2, places: 433); the free"},
		{[]string{"--provider-key", "k"}, "about 9289 of weight a day (models: 4, places: 433); what your contract allows is not known here\n"},
		{[]string{"--catalogue", scaled(t, 10)}, "about 380 of weight a day (models: 4, places: 19); the free"},
		{[]string{"--catalogue", scaled(t, 1000)}, "about 41594 of weight a day (models: 4, places: 2012), more than the 10000 that the free service allows: name fewer models or places, or take a contract (--provider-key); the ensembles, for which there is no room, are not asked\n"},
	} {
		status, printed := clitest.Run(t, append([]string{"check", "--contact", "a@example.cl", "--data", t.TempDir()}, c.args...)...)
		if status != 0 || !strings.Contains(printed, "provider: "+c.says) {
			t.Errorf("%q: status %d, no %q in\n%s", c.args, status, c.says, printed)
		}
	}
}

// check says what the map has, or every fault of it.
func TestCheckValidatesTheMap(t *testing.T) {
	data := mapfiletest.Archive()
	path := filepath.Join(t.TempDir(), "region.pmtiles")
	check := func() (int, string) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return clitest.Run(t, "check", "--contact", "a@example.cl", "--data", t.TempDir(), "--map", path)
	}
	if status, printed := check(); status != 0 || !strings.Contains(printed, "map: 0.0 MB of vector tiles, zoom 1 to 1") {
		t.Errorf("status %d:\n%s", status, printed)
	}
	data[mapfiletest.TileKind], data[mapfiletest.TilePacking] = 2, 3
	if status, printed := check(); status == 0 || !strings.Contains(printed, "PNG, not vector tiles") || !strings.Contains(printed, "brotli") {
		t.Errorf("status %d:\n%s", status, printed)
	}
}
