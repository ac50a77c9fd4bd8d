package site

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"vigia/store/subscription"
)

// tongue is a language of the site: where its pages are and what its file is.
type tongue struct {
	Code string // "es", as in subscription.Language and in the files of texts
	Tag  string // BCP 47, for the pages' lang
	Root string // what its paths begin with, "" for the first language

	Manifest, Card string // names of the assets that have words in them
}

// tongues are the languages of the site, the first one at its root.
var tongues = []tongue{
	{"es", "es-CL", "", "manifest.webmanifest", "tarjeta-es.png"},
	{"en", "en", "/en", "manifest.en.webmanifest", "tarjeta-en.png"},
}

// subscriber gives the language in which a subscriber of its pages is told.
func (t tongue) subscriber() subscription.Language {
	if t.Code == subscription.English.String() {
		return subscription.English
	}
	return subscription.Spanish
}

// texts are the words of one language by key, and where its pages are. Places to
// fill are named in braces: "{n} de {m} modelos".
type texts struct {
	tongue
	words map[string]string
	comma *strings.Replacer // from the marks of Go's numbers to those of the language
}

// readTexts reads the file of a language.
func readTexts(files fs.FS, of tongue) (texts, error) {
	raw, err := fs.ReadFile(files, of.Code+".json")
	if err != nil {
		return texts{}, fmt.Errorf("reading the texts: %w", err)
	}
	return parseTexts(of, raw)
}

func parseTexts(of tongue, raw []byte) (texts, error) {
	t := texts{tongue: of}
	if err := json.Unmarshal(raw, &t.words); err != nil {
		return texts{}, fmt.Errorf("reading the texts in %q: %w", of.Code, err)
	}
	t.comma = strings.NewReplacer(".", t.say("numero.coma"), "-", "−")
	return t, nil
}

// path gives the path of a page in the language from that in the first one.
func (t texts) path(of string) string {
	return t.Root + of
}

// say gives the text of a key with its places filled from name-value pairs. A
// key that does not exist is shown as it is: a page with an odd word is better
// than no page, and a test finds it.
func (t texts) say(key string, pairs ...any) string {
	text, ok := t.words[key]
	if !ok {
		return key
	}
	if len(pairs) == 0 {
		return text
	}
	fill := make([]string, 0, len(pairs))
	for i := 0; i+1 < len(pairs); i += 2 {
		fill = append(fill, "{"+fmt.Sprint(pairs[i])+"}", fmt.Sprint(pairs[i+1]))
	}
	return strings.NewReplacer(fill...).Replace(text)
}

// count gives the text of a key for a number: key.uno for one, key.otros else.
func (t texts) count(key string, n int) string {
	if n == 1 {
		return t.say(key+".uno", "n", n)
	}
	return t.say(key+".otros", "n", n)
}

// named gives the text of prefix+name, or the name itself when the language has
// no word for it: for names that come from outside, such as a model's.
func (t texts) named(prefix, name string) string {
	if text, ok := t.words[prefix+name]; ok {
		return text
	}
	return name
}
