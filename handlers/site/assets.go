package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
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
var fixedAssets = []string{
	"favicon.svg", "apple-touch-icon.png", "manifest.webmanifest", "manifest.en.webmanifest", "icono-192.png", "icono-512.png", "icono-maskable-512.png",
}

// ContentPolicy is what browsers let a page load and do: only what is of this
// site, and no style or script within the page.
const ContentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// loadAssets prepares the files of static/ and the one style sheet that the files of
// styles/ make, in the order of their names, and notes the paths that pages name.
func (b *bundle) loadAssets(files fs.FS) error {
	b.assets, b.named = make(map[string]*httpcache.Body), make(map[string]string)
	err := eachFile(files, "static/*", func(name string, content []byte) error {
		if name == workerFile {
			return nil // it names the others, and pages
		}
		return b.addAsset(name, content)
	})
	var sheet []byte
	if err == nil {
		err = eachFile(files, "styles/*.css", func(_ string, part []byte) error {
			sheet = append(sheet, part...)
			return nil
		})
	}
	if err != nil {
		return err
	}
	for name, at := range b.named {
		sheet = bytes.ReplaceAll(sheet, []byte(`url("`+name+`")`), []byte(`url("`+at+`")`))
	}
	return b.addAsset("app.css", sheet)
}

// eachFile reads the files that fit a pattern in the order of their names.
func eachFile(files fs.FS, pattern string, do func(name string, content []byte) error) error {
	names, err := fs.Glob(files, pattern)
	for _, name := range names {
		content, err := fs.ReadFile(files, name)
		if err == nil {
			err = do(path.Base(name), content)
		}
		if err != nil {
			return fmt.Errorf("asset %s: %w", name, err)
		}
	}
	return err
}

func (b *bundle) addAsset(name string, content []byte) error {
	kind, ok := assetTypes[path.Ext(name)]
	if !ok {
		return errors.New("no content type for its extension")
	}
	at := "/" + name
	if !slices.Contains(fixedAssets, name) {
		at = hashedPath(name, content)
	}
	b.named[name], b.assets[at] = at, httpcache.Static(kind, content)
	return nil
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
