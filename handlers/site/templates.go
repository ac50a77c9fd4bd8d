package site

import (
	"fmt"
	"html/template"
	"io/fs"
)

// parseTemplates parses the templates once, and copies them for each language after
// the first. In a template, t is a text, cuenta one for a number, ruta the path of a
// page in the language and archivo that of an asset. A page's template has the page's
// name; it frames its content with those of pagina.html.
func parseTemplates(files fs.FS, languages []Locale, asset func(name string) (string, error)) error {
	first, err := template.New("").Option("missingkey=error").Funcs(languages[0].functions()).
		Funcs(template.FuncMap{"archivo": asset}).ParseFS(files, "templates/*.html")
	if err != nil {
		return fmt.Errorf("parsing the templates: %w", err)
	}
	languages[0].templates = first
	for i := range languages[1:] {
		l := &languages[i+1]
		other, err := first.Clone()
		if err != nil {
			return fmt.Errorf("copying the templates for %s: %w", l.Code, err)
		}
		l.templates = other.Funcs(l.functions())
	}
	return nil
}
