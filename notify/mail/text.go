package mail

import (
	"strings"
)

// Level marks as shapes that every font has: those of the site's pages.
var markShapes = [...]string{caution: "▲", danger: "✕", over: "○"}

// ruler parts the sections of a plain text.
const ruler = "\n----------------------------------------\n"

// text gives the document as plain text, a paragraph a line.
func (d *document) text() string {
	var t textWriter
	if d.banner != "" {
		t.paragraph("*** " + d.banner + " ***")
	}
	t.paragraph(d.title)
	t.lines(d.intro)
	for i := range d.cards {
		t.WriteString(ruler)
		t.card(&d.cards[i])
	}
	if d.action.url != "" {
		t.link(d.action)
	}
	t.lines(d.after)
	t.WriteString(ruler)
	t.lines(d.foot)
	for _, l := range d.links {
		t.link(l)
	}
	return strings.TrimPrefix(t.String(), "\n")
}

type textWriter struct{ strings.Builder }

func (t *textWriter) paragraph(text string) {
	t.WriteByte('\n')
	t.WriteString(oneLine(text))
	t.WriteByte('\n')
}

func (t *textWriter) lines(lines []line) {
	for _, l := range lines {
		t.paragraph(labelled(l))
	}
}

func labelled(l line) string {
	if l.label == "" {
		return l.text
	}
	return l.label + ": " + l.text
}

func (t *textWriter) link(l link) { t.paragraph(l.text + ": " + l.url) }

func (t *textWriter) card(c *card) {
	t.paragraph(markShapes[c.mark] + " " + strings.ToUpper(c.level) + " · " + c.place)
	t.WriteString(oneLine(c.title) + "\n" + oneLine(c.when) + "\n")
	t.lines(c.lines)
	t.link(c.page)
}
