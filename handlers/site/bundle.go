package site

import (
	"fmt"
	"html/template"
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
	for i := range b.languages {
		l := &b.languages[i]
		var err error
		if l.templates, err = template.New("").Option("missingkey=error").Funcs(b.functions(l)).ParseFS(files, "templates/*.html"); err != nil {
			return nil, fmt.Errorf("parsing the templates: %w", err)
		}
	}
	return b, nil
}

// functions are what a template can ask: t is a text, ruta the path of a page in the
// language and archivo that of an asset. A page's template has the page's name; it frames
// its content with those of pagina.html.
func (b *bundle) functions(l *Locale) template.FuncMap {
	return template.FuncMap{"t": l.words.Text, "ruta": l.Path, "archivo": b.assetPath}
}
