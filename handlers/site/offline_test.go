package site

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"vigia/handlers/httpcache"
	"vigia/web"
)

func TestWorkerNamesWhatItKeeps(t *testing.T) {
	s := newSite(t)
	shelf := s.Pages(short(newSnapshot(t)), now)
	worker := content(t, s.Assets()[ServiceWorker])
	if strings.Contains(worker, emptyKit) {
		t.Fatal("the worker has no files")
	}
	k := s.workerKit(nil)
	for _, path := range k.Files {
		if s.Assets()[path] == nil && shelf.Page(path) == nil {
			t.Errorf("%s is neither a file nor a page", path)
		}
		if !strings.Contains(worker, `"`+path+`"`) {
			t.Errorf("the worker does not name %s", path)
		}
	}
	for _, name := range []string{"app.css", "vigencia.js", "sin-conexion.js", "mio.js", "mios.js", "alegreya.woff2", "favicon.svg", "icono-192.png"} {
		if !slices.Contains(k.Files, s.named[name]) {
			t.Errorf("%s is not kept", name)
		}
	}
	for _, path := range []string{"/sin-conexion", "/en/sin-conexion"} {
		if !slices.Contains(k.Files, path) {
			t.Errorf("%s is not kept", path)
		}
	}
	if s.workerKit(nil).Version != k.Version || s.workerKit([]byte("x")).Version == k.Version {
		t.Error("the version does not stand for the worker")
	}
	s.assets["/icono-192.png"] = httpcache.Static("image/png", []byte("another"))
	if s.workerKit(nil).Version == k.Version {
		t.Error("another icon has the same version")
	}
	own, err := readBundle(web.Files)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = own.site(Options{}, web.Files); err != nil {
		t.Fatal(err)
	}
	k = s.workerKit(nil)
	s.languages[1].words = s.languages[0].words
	s.languages[1].templates = s.languages[0].templates
	if s.workerKit(nil).Version == k.Version {
		t.Error("another page for no connection has the same version")
	}
}

func TestWorkerWithoutPlaceForItsFilesIsRefused(t *testing.T) {
	s := newSite(t)
	for _, files := range []fstest.MapFS{{}, {"static/sw.js": {Data: []byte("var kit;")}}} {
		if s.addWorker(files) == nil {
			t.Errorf("%v passes", files)
		}
	}
	if err := s.addWorker(web.Files); err != nil {
		t.Error(err)
	}
}

// Without a script a copy cannot tell that it is over, but it tells until when it
// held, and only such a page says that it holds.
func TestPagesThatHoldSayUntilWhen(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and races nothing that others do not")
	}
	said := regexp.MustCompile(`(?i)vigente hasta|válida? hasta|vale hasta|valid until`)
	const until = "2026-11-21T18:20:00Z"
	for _, root := range []string{"", "/en"} {
		held := 0
		for path, page := range pagesIn(t, root, short(newSnapshot(t)), now) {
			if !strings.Contains(page, "data-vigente-hasta") {
				continue
			}
			held++
			if !strings.Contains(page, `data-vigente-hasta="`+until+`" data-datos-hasta="2026-11-22T02:00:00Z" data-estimado="2026-11-21T17:00:00Z"`) || !said.MatchString(readable(page)) ||
				!strings.Contains(page, `<time datetime="`+until+`">`) {
				t.Errorf("%s%s does not say until when it holds", root, path)
			}
			if !strings.Contains(page, `id="vencida" hidden`) || !strings.Contains(page, `id="vieja" hidden`) || !strings.Contains(page, `id="copia" hidden`) || !strings.Contains(page, `<html lang="`) {
				t.Errorf("%s%s lacks what the worker marks", root, path)
			}
		}
		if held < 20 {
			t.Errorf("%q: only %d pages hold", root, held)
		}
	}
}
