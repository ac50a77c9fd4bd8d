package site

import (
	"io/fs"
	"slices"
	"sync"

	"vigia/handlers/httpcache"
	"vigia/web"
)

// bundle is what the program carries and what all sites have alike: words, templates,
// files. It does not change.
type bundle struct {
	languages []Locale
	assets    map[string]*httpcache.Body // by path
	named     map[string]string          // path of an asset by the name of its file
}

// embedded reads the files that the program carries, once.
var embedded = sync.OnceValues(func() (*bundle, error) { return readBundle(web.Files) })

func readBundle(files fs.FS) (*bundle, error) {
	b := &bundle{languages: slices.Clone(locales)}
	if err := b.loadAssets(files); err != nil {
		return nil, err
	}
	if err := parseTemplates(files, b.languages, b.assetPath); err != nil {
		return nil, err
	}
	return b, nil
}
