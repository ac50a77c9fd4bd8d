package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"vigia/handlers/httpcache"
)

// ServiceWorker is the path of the script that keeps pages for when there is no
// connection and receives pushes. Its place makes the whole site its own, and
// browsers look there for a newer one.
const ServiceWorker = "/sw.js"

// workerFile is the script's name in static/, and emptyKit what stands in it for
// the files that it keeps.
const (
	workerFile = "sw.js"
	emptyKit   = `var kit = { version: "", files: [] };`
)

// offlinePath is the path of the page that is shown where there is no connection
// and no copy of what was asked for.
const offlinePath = "/sin-conexion"

// putOffline adds the page that browsers keep before they need it.
func (p *pageBuilder) putOffline() {
	p.pages.Put(p.Path(offlinePath), p.offline)
}

func (v View) offline() *httpcache.Body {
	f := v.undated(offlinePath, "sin_conexion", v.Catalogue.Emergency) // a script adds what the browser has kept
	f.NoIndex = true
	return f.Render("sin_conexion")
}

// kit is what the service worker fetches before it is needed.
type kit struct {
	Version string   `json:"version"`
	Files   []string `json:"files"`
}

// addWorker prepares the service worker. Its version stands for the content of all
// that it keeps, so that browsers find each deploy by themselves and throw away
// what was before it.
func (s *Site) addWorker(files fs.FS) error {
	source, err := fs.ReadFile(files, "static/"+workerFile)
	if err != nil {
		return fmt.Errorf("reading the service worker: %w", err)
	}
	if !bytes.Contains(source, []byte(emptyKit)) {
		return fmt.Errorf("the service worker has no place for its files: %s", emptyKit)
	}
	list, err := json.Marshal(s.workerKit(source))
	if err != nil {
		return fmt.Errorf("writing the service worker's files: %w", err)
	}
	filled := bytes.Replace(source, []byte(emptyKit), []byte("var kit = "+string(list)+";"), 1)
	s.assets[ServiceWorker] = httpcache.Static(assetTypes[".js"], filled)
	return nil
}

func (s *Site) workerKit(source []byte) kit {
	sum := sha256.New()
	sum.Write(source)
	var k kit
	for _, name := range slices.Sorted(maps.Keys(s.named)) {
		if !inKit(name) {
			continue
		}
		at := s.named[name]
		fmt.Fprintln(sum, at, s.assets[at].ETag())
		k.Files = append(k.Files, at)
	}
	for i := range s.languages {
		l := &s.languages[i]
		fmt.Fprintln(sum, s.nothing(l).offline().ETag())
		k.Files = append(k.Files, l.Path(offlinePath))
	}
	k.Version = hex.EncodeToString(sum.Sum(nil)[:5])
	return k
}

// inKit reports whether a page needs a file of static/ where there is no connection.
// What only the map and the graphs need is large, and kept when it was asked for.
func inKit(name string) bool {
	switch path.Ext(name) {
	case ".css", ".js":
		return name != workerFile && !strings.HasPrefix(name, "leaflet.") && !strings.HasPrefix(name, "protomaps") && !strings.HasPrefix(name, "uplot.")
	case ".woff2", ".svg", ".webmanifest":
		return true
	default:
		return name == "icono-192.png"
	}
}
