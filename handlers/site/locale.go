package site

import (
	"html/template"

	"vigia/store/subscription"
	"vigia/web/wording"
)

// Locale is a language of the site: its words, and where its pages are.
type Locale struct {
	Code string // "es", as in subscription.Language and in the files of words
	Tag  string // BCP 47, for the pages' lang
	Root string // what its paths begin with, "" for the first language

	Manifest, Card string // names of the assets that have words in them

	words     *wording.Language
	templates *template.Template
}

// locales are the languages of the site, the first one at its root.
var locales = []Locale{
	{Code: "es", Tag: "es-CL", Root: "", Manifest: "manifest.webmanifest", Card: "tarjeta-es.png", words: wording.Spanish},
	{Code: "en", Tag: "en", Root: "/en", Manifest: "manifest.en.webmanifest", Card: "tarjeta-en.png", words: wording.English},
}

// Path returns the path of a page in the language, from that in the first one.
func (l *Locale) Path(first string) string { return l.Root + first }

// Subscriber returns the language in which a subscriber of its pages is written to.
func (l *Locale) Subscriber() subscription.Language {
	if l.Code == subscription.English.String() {
		return subscription.English
	}
	return subscription.Spanish
}
