// Package web holds what the website is made of: page templates, style, script,
// pictures and the texts of each language. They are embedded in the binary and
// read once, at start, by the package that renders the pages.
//
// A language is one file of texts (es.json: key → text, with {named} places to
// fill). Templates hold no words of their own, so a translation is a new file.
package web

import "embed"

// PolicyVersion is the version of the privacy page, which every consent names. It
// changes whenever what that page promises does.
const PolicyVersion = "2026-11-21.3"

// Files has templates/*.html, static/*, styles/*.css, es.json and en.json.
//
//go:embed templates static styles es.json en.json
var Files embed.FS
