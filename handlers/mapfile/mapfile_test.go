package mapfile

import (
	"bytes"
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vigia/handlers/mapfile/mapfiletest"
)

func written(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "region.pmtiles")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func opened(t testing.TB, path string) *File {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func ask(f http.Handler, method string, header ...string) (*http.Response, []byte) {
	r := httptest.NewRequest(method, Path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	body, _ := io.ReadAll(w.Result().Body)
	return w.Result(), body
}

func TestPiecesOfTheMap(t *testing.T) {
	data := mapfiletest.Archive()
	f := opened(t, written(t, data))
	if said := f.String(); !strings.Contains(said, "zoom 1 to 1, -52.00 -74.50 to -50.00 -71.50") {
		t.Errorf("it is said to be %q", said)
	}
	whole, body := ask(f, "GET")
	tag := whole.Header.Get("Etag")
	if whole.StatusCode != 200 || !bytes.Equal(body, data) || !strings.HasPrefix(tag, `"`) || len(tag) < 10 ||
		whole.Header.Get("Content-Type") != contentType || whole.Header.Get("Accept-Ranges") != "bytes" {
		t.Errorf("the whole: %d, %d bytes, %v", whole.StatusCode, len(body), whole.Header)
	}
	last := len(data) - 1
	for span, want := range map[string][]byte{"bytes=0-126": data[:127], "bytes=127-200": data[127:201], "bytes=-5": data[last-4:], "bytes=100-": data[100:]} {
		got, body := ask(f, "GET", "Range", span)
		if got.StatusCode != 206 || !bytes.Equal(body, want) || got.Header.Get("Etag") != tag {
			t.Errorf("%s: %d, %d bytes of %d", span, got.StatusCode, len(body), len(want))
		}
	}
	if got, body := ask(f, "GET", "Range", "bytes=999999-"); got.StatusCode != 416 || bytes.Contains(body, []byte("PMTiles")) {
		t.Errorf("beyond its end: %d", got.StatusCode)
	}
	if got, body := ask(f, "GET", "If-None-Match", tag); got.StatusCode != 304 || len(body) != 0 {
		t.Errorf("what is known already: %d", got.StatusCode)
	}
	if got, _ := ask(f, "GET", "Range", "bytes=0-9", "If-Range", `"other"`); got.StatusCode != 200 {
		t.Errorf("a piece of another archive: %d", got.StatusCode)
	}
	if got, body := ask(f, "HEAD"); got.StatusCode != 200 || len(body) != 0 {
		t.Errorf("HEAD: %d, %d bytes", got.StatusCode, len(body))
	}
}

// Another archive has another ETag, also one of the same length.
func TestTagOfAnotherMap(t *testing.T) {
	data := mapfiletest.Archive()
	path := written(t, data)
	first := opened(t, path)
	data[mapfiletest.MaxZoom] = 5
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	second := opened(t, path)
	if first.tag == second.tag {
		t.Errorf("both have %s", first.tag)
	}
	if _, body := ask(first, "GET"); body[mapfiletest.MaxZoom] != 1 {
		t.Error("an archive that is open changes when another takes its place")
	}
}

func TestFaultsOfMaps(t *testing.T) {
	spoil := func(change func(b []byte)) []byte {
		data := mapfiletest.Archive()
		change(data)
		return data
	}
	whole := mapfiletest.Archive()
	for say, data := range map[string][]byte{
		"shorter than the header":                whole[:100],
		"it is no PMTiles archive":               append([]byte("<html>"), whole...),
		"PMTiles of version 2":                   spoil(func(b []byte) { b[mapfiletest.Version] = 2 }),
		"tiles would end after":                  whole[:len(whole)-1],
		"root directory is not within":           spoil(func(b []byte) { binary.LittleEndian.PutUint64(b[mapfiletest.RootLength:], 1<<40) }),
		"root directory would end after":         spoil(func(b []byte) { binary.LittleEndian.PutUint64(b[mapfiletest.RootLength:], 1<<63) }),
		"directories are compressed by number 9": spoil(func(b []byte) { b[mapfiletest.DirectoryPacking] = 9 }),
		"tiles are compressed by brotli":         spoil(func(b []byte) { b[mapfiletest.TilePacking] = 3 }),
		"its tiles are PNG, not vector":          spoil(func(b []byte) { b[mapfiletest.TileKind] = 2 }),
		"zoom levels are 9 to 1":                 spoil(func(b []byte) { b[mapfiletest.MinZoom] = 9 }),
		"its bounds are":                         spoil(func(b []byte) { binary.LittleEndian.PutUint32(b[mapfiletest.West:], 1700000000) }),
		"root directory is damaged: gzip":        spoil(func(b []byte) { b[127] = 0 }),
		"root directory is damaged":              spoil(func(b []byte) { b[140] ^= 0xff; b[141] ^= 0xff }),
		"directory is damaged or has no":         spoil(func(b []byte) { b[mapfiletest.DirectoryPacking] = 1; b[127] = 0 }),
	} {
		f, err := Open(written(t, data))
		if err == nil || !strings.Contains(err.Error(), say) || f != nil {
			t.Errorf("%v, want %q", err, say)
		}
	}
	both := spoil(func(b []byte) { b[mapfiletest.TileKind], b[mapfiletest.TilePacking] = 2, 4 })
	if _, err := Open(written(t, both)); err == nil || !strings.Contains(err.Error(), "PNG") || !strings.Contains(err.Error(), "zstd") {
		t.Errorf("two faults: %v", err)
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there opens")
	}
}

// FuzzOpen: nothing makes Open panic or take more memory than the directory may have.
func FuzzOpen(f *testing.F) {
	f.Add(mapfiletest.Archive())
	f.Add(mapfiletest.Archive()[:130])
	f.Fuzz(func(t *testing.T, data []byte) {
		if file, err := Open(written(t, data)); err == nil {
			if file.root.length > rootEnd || file.String() == "" {
				t.Fatalf("opened with a root directory of %d bytes", file.root.length)
			}
			file.Close()
		}
	})
}
