package mail

import (
	"html"
	"strings"
)

// How a mail looks. Mail programs keep inline styles and little else. Text and
// ground are left to the program, so that its dark mode is right; what has a
// colour of its own has both, and says in shape and word what it says in colour.
const (
	pageStyle   = "margin:0 auto;max-width:37em;padding:16px;font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5;overflow-wrap:anywhere;word-break:break-word"
	bannerStyle = "margin:0 0 20px;padding:10px 14px;background:#ffe58a;color:#221a00;border:2px dashed #221a00;font-weight:bold"
	titleStyle  = "margin:0 0 12px;font-size:22px;line-height:1.25"
	headStyle   = "margin:10px 0 0;font-size:20px;line-height:1.25"
	whenStyle   = "margin:2px 0 10px;font-weight:bold"
	textStyle   = "margin:0 0 10px"
	buttonStyle = "display:inline-block;margin:6px 0 16px;padding:12px 22px;background:#12313d;color:#ffffff;border:2px solid #86d0de;border-radius:6px;text-decoration:none;font-weight:bold"
	footStyle   = "margin:28px 0 0;padding:14px 0 0;border-top:1px solid #8a949a;font-size:14px"
	linkStyle   = "display:inline-block;padding:6px 18px 6px 0"
)

// markStyles are the edge of a card and the badge with its level.
var markStyles = [...]struct{ card, badge string }{
	caution: {"border-left:6px solid #b98900", "background:#f0b400;color:#221a00"},
	danger:  {"border-left:12px double #c8323a", "background:#a3131b;color:#ffffff"},
	over:    {"border-left:6px dashed #7d878d", "background:#e9e6df;color:#2b3237"},
}

// html gives the document as a page.
func (d *document) html() string {
	var p pageWriter
	p.WriteString(`<!DOCTYPE html>
<html lang="` + d.language + `">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>`)
	p.escaped(d.subject)
	p.WriteString("</title>\n<style>:root{color-scheme:light dark;supported-color-schemes:light dark}</style>\n</head>\n<body style=\"margin:0;padding:0\">\n")
	p.WriteString(`<div lang="` + d.language + `" style="` + pageStyle + "\">\n")
	if d.banner != "" {
		p.element("p", bannerStyle, d.banner)
	}
	p.element("h1", titleStyle, d.title)
	p.lines(d.intro)
	for i := range d.cards {
		p.card(&d.cards[i])
	}
	if d.action.url != "" {
		p.WriteString("<p style=\"" + textStyle + "\">")
		p.link(buttonStyle, d.action)
		p.WriteString("</p>\n")
	}
	p.lines(d.after)
	p.WriteString("<footer style=\"" + footStyle + "\">\n")
	p.lines(d.foot)
	p.WriteString("<p style=\"" + textStyle + "\">")
	for _, l := range d.links {
		p.link(linkStyle, l)
		p.WriteByte('\n')
	}
	p.WriteString("</p>\n</footer>\n</div>\n</body>\n</html>\n")
	return p.String()
}

type pageWriter struct{ strings.Builder }

// escaped writes text: the one way by which text gets into the page.
func (p *pageWriter) escaped(text string) { p.WriteString(html.EscapeString(oneLine(text))) }

func (p *pageWriter) element(name, style, text string) {
	p.WriteString("<" + name + ` style="` + style + `">`)
	p.escaped(text)
	p.WriteString("</" + name + ">\n")
}

func (p *pageWriter) lines(lines []line) {
	for _, l := range lines {
		p.WriteString(`<p style="` + textStyle + `">`)
		if l.label != "" {
			p.WriteString("<strong>")
			p.escaped(l.label + ":")
			p.WriteString("</strong> ")
		}
		p.escaped(l.text)
		p.WriteString("</p>\n")
	}
}

func (p *pageWriter) link(style string, l link) {
	p.WriteString(`<a href="`)
	p.escaped(l.url)
	p.WriteString(`" style="` + style + `">`)
	p.escaped(l.text)
	p.WriteString("</a>")
}

func (p *pageWriter) card(c *card) {
	styles := markStyles[c.mark]
	p.WriteString(`<section style="margin:22px 0;padding:2px 0 2px 14px;` + styles.card + "\">\n")
	p.WriteString(`<p style="margin:0"><strong style="display:inline-block;padding:2px 10px;border-radius:4px;` + styles.badge + `">`)
	p.escaped(markShapes[c.mark] + " " + c.level)
	p.WriteString("</strong> ")
	p.escaped(c.place)
	p.WriteString("</p>\n")
	p.element("h2", headStyle, c.title)
	p.element("p", whenStyle, c.when)
	p.lines(c.lines)
	p.WriteString(`<p style="` + textStyle + `">`)
	p.link("font-weight:bold", c.page)
	p.WriteString("</p>\n</section>\n")
}
