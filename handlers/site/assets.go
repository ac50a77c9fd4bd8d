package site

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"vigia/handlers/prepared"
)

// assetTypes are the content types of the files in static/, by extension.
var assetTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
	".txt": "text/plain; charset=utf-8",

	".webmanifest": "application/manifest+json",
}

// fixedAssets are asked for at a path of their own, which no page gives.
var fixedAssets = map[string]string{
	"robots.txt": "/robots.txt", "favicon.svg": "/favicon.svg", "manifest.webmanifest": "/manifest.webmanifest", "sw.js": ServiceWorker,
}

// ServiceWorker is the path of the script that receives pushes. Its place makes
// the whole site its own, and browsers look there for a newer one.
const ServiceWorker = "/sw.js"

// loadAssets prepares the files of static/ and notes the paths that pages name.
func (s *Site) loadAssets(files fs.FS) error {
	s.assets = make(map[string]*prepared.Body)
	entries, err := fs.ReadDir(files, "static")
	if err != nil {
		return fmt.Errorf("listing the assets: %w", err)
	}
	named := make(map[string]string)
	for _, entry := range entries {
		name := entry.Name()
		content, err := fs.ReadFile(files, "static/"+name)
		if err != nil {
			return fmt.Errorf("reading asset %s: %w", name, err)
		}
		kind, ok := assetTypes[path.Ext(name)]
		if !ok {
			return fmt.Errorf("asset %s: no content type for its extension", name)
		}
		at, fixed := fixedAssets[name]
		if !fixed {
			at = hashedPath(name, content)
		}
		named[name] = at
		s.assets[at] = prepared.Static(kind, content)
	}
	for name, path := range map[string]*string{
		"app.css": &s.style, "vigencia.js": &s.script, "avisos.js": &s.push, "favicon.svg": &s.icon, "manifest.webmanifest": &s.manifest,
	} {
		if *path = named[name]; *path == "" {
			return fmt.Errorf("assets: %s is missing", name)
		}
	}
	return nil
}

// hashedPath puts a hash of the content into a file's path: app.css becomes
// /static/app.1a2b3c4d5e.css.
func hashedPath(name string, content []byte) string {
	sum := sha256.Sum256(content)
	ext := path.Ext(name)
	return "/static/" + strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:5]) + ext
}
