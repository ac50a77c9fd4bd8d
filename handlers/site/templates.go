package site

import (
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// sharedTemplates are part of every page; the others are a page each.
var (
	sharedTemplates = []string{"pagina", "formas", "cinta", "alerta", "senal", "deseos", "avisarme", "preferencias", "obligaciones"}
	pageTemplates   = []string{
		"portada",
		"parque",
		"sendero",
		"hoja",
		"alertas",
		"alerta_sola",
		"metodo",
		"api",
		"accesibilidad",
		"precision",
		"acerca",
		"privacidad",
		"suscribirse",
		"confirmar",
		"baja",
		"gestionar",
		"resultado",
		"demo_correo",
		"demo_push",
		"sin_conexion",
		"no_encontrada",
	}
)

// parsePages parses each page together with the shared templates. A file that
// belongs to neither is an error: it would be dead text that looks alive. In a
// template, t says a text, cuenta one for a number, ruta gives the path of a page
// in the language and archivo that of an asset.
func parsePages(files fs.FS, words texts, asset func(name string) (string, error)) (map[string]*template.Template, error) {
	if err := findOrphans(files); err != nil {
		return nil, err
	}
	shared := template.New("").Option("missingkey=error").Funcs(template.FuncMap{
		"t": words.say, "cuenta": words.count, "ruta": words.path, "archivo": asset,
	})
	shared, err := shared.ParseFS(files, templateFiles(sharedTemplates)...)
	if err != nil {
		return nil, fmt.Errorf("parsing the shared templates: %w", err)
	}
	pages := make(map[string]*template.Template, len(pageTemplates))
	for _, name := range pageTemplates {
		page, err := shared.Clone()
		if err == nil {
			page, err = page.ParseFS(files, templateFiles([]string{name})...)
		}
		if err != nil {
			return nil, fmt.Errorf("parsing template %s: %w", name, err)
		}
		pages[name] = page
	}
	return pages, nil
}

func findOrphans(files fs.FS) error {
	found, err := fs.Glob(files, "templates/*")
	if err != nil {
		return fmt.Errorf("listing the templates: %w", err)
	}
	for _, file := range found {
		name := strings.TrimSuffix(path.Base(file), ".html")
		if !slices.Contains(sharedTemplates, name) && !slices.Contains(pageTemplates, name) {
			return fmt.Errorf("template %s belongs to no page", file)
		}
	}
	return nil
}

func templateFiles(names []string) []string {
	files := make([]string, len(names))
	for i, name := range names {
		files[i] = "templates/" + name + ".html"
	}
	return files
}
