// Package web holds what the website is made of: page templates, style, script,
// pictures and the one catalogue of words. They are embedded in the binary; the
// package that renders the pages reads them once, and [vigia/web/wording] the words.
//
// A language is one file of texts (es.json: key → text, with {named} places to
// fill), for pages, API, mails and notifications. Templates hold no words of their
// own, so a translation is a new file.
package web

import "embed"

// PolicyVersion is the version of the privacy page, which every consent names. It
// changes whenever what that page promises does.
const PolicyVersion = "2026-11-23.1"

// Files has templates/*.html, static/*, styles/*.css, es.json and en.json.
//
//go:embed templates static styles es.json en.json
var Files embed.FS
