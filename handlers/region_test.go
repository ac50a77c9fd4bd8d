package handlers

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"vigia/handlers/mapfile"
	"vigia/handlers/mapfile/mapfiletest"
)

// The operator's own map comes in pieces, and nothing else of its folder does.
func TestRegionInPieces(t *testing.T) {
	data := mapfiletest.Archive()
	path := filepath.Join(t.TempDir(), "region.pmtiles")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	region, err := mapfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { region.Close() })
	s := newStand(t, newSnapshot(), func(o *Options) {
		addSite(t, o)
		o.Region, o.RegionPath = region, mapfile.Path
	})
	whole := s.get(mapfile.Path)
	checkSecurity(t, mapfile.Path, whole, true)
	if whole.StatusCode != 200 || !bytes.Equal(whole.body, data) || whole.Header.Get("Etag") == "" || whole.Header.Get("Content-Encoding") != "" {
		t.Errorf("the whole: %d, %d bytes, %v", whole.StatusCode, len(whole.body), whole.Header)
	}
	piece := s.get(mapfile.Path, "Range", "bytes=100-163", "Accept-Encoding", "gzip")
	if piece.StatusCode != 206 || !bytes.Equal(piece.body, data[100:164]) || piece.Header.Get("Content-Encoding") != "" {
		t.Errorf("a piece: %d, %d bytes, %v", piece.StatusCode, len(piece.body), piece.Header)
	}
	for _, path := range []string{mapfile.Path + "/", mapfile.Path + "/../region.pmtiles", "/region.pmtiles", "/mapa.pmtiles%00", "/mapa.pmtiles/..%2f..%2fetc%2fpasswd"} {
		if got := s.get(path); got.StatusCode == 200 || bytes.Contains(got.body, []byte("PMTiles")) {
			t.Errorf("%s: %d", path, got.StatusCode)
		}
	}
	if got := withPages(t, newSnapshot()).get(mapfile.Path); got.StatusCode != 404 {
		t.Errorf("without a map: %d", got.StatusCode)
	}
}
