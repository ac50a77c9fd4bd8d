package mail

import (
	"embed"
	htmltemplate "html/template"
	"io"
	"strings"
	texttemplate "text/template"
)

//go:embed templates
var templateFiles embed.FS

// shapes are the marks of levels that every font has: those of the site's pages.
var shapes = map[mark]string{caution: "▲", danger: "✕", over: "○"}

// functions are those of both templates.
var functions = map[string]any{"upper": strings.ToUpper, "shape": func(m mark) string { return shapes[m] }}

var (
	pageTemplate = htmltemplate.Must(htmltemplate.New("mail.html").Funcs(functions).ParseFS(templateFiles, "templates/mail.html"))
	textTemplate = texttemplate.Must(texttemplate.New("mail.txt").Funcs(functions).ParseFS(templateFiles, "templates/mail.txt"))
)

// html returns the document as a page.
func (d *document) html() (string, error) { return render(pageTemplate, d) }

// text returns the document as plain text, a paragraph a line.
func (d *document) text() (string, error) { return render(textTemplate, d) }

func render(t interface{ Execute(io.Writer, any) error }, d *document) (string, error) {
	var b strings.Builder
	err := t.Execute(&b, d)
	return b.String(), err
}
