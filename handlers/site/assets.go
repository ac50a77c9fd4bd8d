package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"vigia/handlers/httpcache"
)

// assetTypes are the content types of the files in static/, by extension.
var assetTypes = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".json":  "application/json; charset=utf-8",
	".png":   "image/png",
	".svg":   "image/svg+xml",
	".txt":   "text/plain; charset=utf-8",
	".woff2": "font/woff2",

	".webmanifest": "application/manifest+json",
}

// fixedAssets have a path of their own, which clients know by themselves.
var fixedAssets = map[string]string{
	workerFile:    ServiceWorker,
	"favicon.svg": "/favicon.svg", "apple-touch-icon.png": "/apple-touch-icon.png",
	"manifest.webmanifest": "/manifest.webmanifest", "manifest.en.webmanifest": "/manifest.en.webmanifest",
	"icono-192.png": "/icono-192.png", "icono-512.png": "/icono-512.png", "icono-maskable-512.png": "/icono-maskable-512.png",
}

// ContentPolicy is what browsers let a page load and do: only what is of this
// site, and no style or script within the page.
const ContentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// styleSheet is the name of the one sheet that the files of styles/ make, in the
// order of their names.
const styleSheet = "app.css"

// loadAssets prepares the files of static/ and notes the paths that pages name.
func (b *bundle) loadAssets(files fs.FS) error {
	b.assets, b.named = make(map[string]*httpcache.Body), make(map[string]string)
	entries, err := fs.ReadDir(files, "static")
	if err != nil {
		return fmt.Errorf("listing the assets: %w", err)
	}
	for _, entry := range entries {
		if entry.Name() == workerFile {
			continue // it names the others, and pages
		}
		content, err := fs.ReadFile(files, "static/"+entry.Name())
		if err != nil {
			return fmt.Errorf("reading asset %s: %w", entry.Name(), err)
		}
		if err := b.addAsset(entry.Name(), content); err != nil {
			return err
		}
	}
	return b.addStyle(files)
}

func (b *bundle) addAsset(name string, content []byte) error {
	kind, ok := assetTypes[path.Ext(name)]
	if !ok {
		return fmt.Errorf("asset %s: no content type for its extension", name)
	}
	at, fixed := fixedAssets[name]
	if !fixed {
		at = hashedPath(name, content)
	}
	b.named[name], b.assets[at] = at, httpcache.Static(kind, content)
	return nil
}

// namedInStyle is an asset in a style sheet, by the name of its file.
var namedInStyle = regexp.MustCompile(`url\("([a-z0-9.-]+)"\)`)

// addStyle makes the style sheet, once the assets that it names have their paths.
func (b *bundle) addStyle(files fs.FS) error {
	names, err := fs.Glob(files, "styles/*.css")
	if err != nil {
		return fmt.Errorf("listing the styles: %w", err)
	}
	var sheet bytes.Buffer
	for _, name := range names {
		part, err := fs.ReadFile(files, name)
		if err != nil {
			return fmt.Errorf("reading style %s: %w", name, err)
		}
		sheet.Write(part)
	}
	content := namedInStyle.ReplaceAllFunc(sheet.Bytes(), func(url []byte) []byte {
		var at string
		if at, err = b.assetPath(string(namedInStyle.FindSubmatch(url)[1])); err != nil {
			err = fmt.Errorf("the style sheet: %w", err)
		}
		return []byte(`url("` + at + `")`)
	})
	if err != nil {
		return err
	}
	return b.addAsset(styleSheet, content)
}

// assetPath returns the path of an asset by the name of its file.
func (b *bundle) assetPath(name string) (string, error) {
	at, ok := b.named[name]
	if !ok {
		return "", fmt.Errorf("there is no asset %s", name)
	}
	return at, nil
}

// hashedPath puts a hash of the content into a file's path: app.css becomes
// /static/app.1a2b3c4d5e.css.
func hashedPath(name string, content []byte) string {
	sum := sha256.Sum256(content)
	ext := path.Ext(name)
	return "/static/" + strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:5]) + ext
}
