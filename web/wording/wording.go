// Package wording reads the one catalogue of words that people read, web's es.json
// and en.json: pages, API, mails and notifications all ask a [Language] for them, so
// that all say the same.
//
// A text has its key, and places in braces that are filled with values. What is said
// of hazards, alerts and official notices, of hours and of values has methods, since
// it is made of several texts. The words of the official bodies stay theirs, nothing
// is ordered ("considere", not "no suba"), and no level is called safe.
package wording

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"strings"
	"unicode"
	"unicode/utf8"

	"vigia/web"
)

// Spanish is the language of the API and the first of all else. English is for
// readers who do not read Spanish; names of places stay as they are.
var (
	Spanish = read("es")
	English = read("en")
)

// Language is the words of one language. It does not change.
type Language struct {
	words        map[string]string
	marks        *strings.Replacer // from the marks of Go's numbers to those of the language
	days, months []string          // in short, from Sunday and from January on
}

// read reads a language of the files that the program carries. It panics when they
// cannot be read, which only a mistake in the program can cause.
func read(code string) *Language {
	words := make(map[string]string)
	raw, err := web.Files.ReadFile(code + ".json")
	if err == nil {
		err = json.Unmarshal(raw, &words)
	}
	if err != nil {
		panic(fmt.Sprintf("wording: reading %s.json: %v", code, err))
	}
	return newLanguage(words)
}

func newLanguage(words map[string]string) *Language {
	return &Language{
		words: words, marks: strings.NewReplacer(".", words["numero.coma"], "-", "−"),
		days: strings.Fields(words["dias.cortos"]), months: strings.Fields(words["meses.cortos"]),
	}
}

// Keys returns the keys of all texts.
func (l *Language) Keys() iter.Seq[string] { return maps.Keys(l.words) }

// Has reports whether there is a text with a key.
func (l *Language) Has(key string) bool { return l.words[key] != "" }

// Text returns the text of a key with its places filled from name-value pairs, in
// one pass: what looks like a place in a value stays as it is. A key that does not
// exist is returned itself: a page with an odd word is better than no page.
func (l *Language) Text(key string, pairs ...any) string {
	text, ok := l.words[key]
	if !ok {
		return key
	}
	if len(pairs) == 0 {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, rest, _ := strings.Cut(after, "}")
		b.WriteString(filling(name, pairs))
		text = rest
	}
}

// filling returns the value for a place, which stays as it is when it has none.
func filling(place string, pairs []any) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == place {
			return fmt.Sprint(pairs[i+1])
		}
	}
	return "{" + place + "}"
}

// Count returns the text of a key for a number: key.uno for one, key.otros else.
func (l *Language) Count(key string, n int) string {
	if n == 1 {
		return l.Text(key+".uno", "n", n)
	}
	return l.Text(key+".otros", "n", n)
}

// Named returns the text of prefix+name, or the name itself when the language has no
// word for it: for names that come from outside, such as a model's.
func (l *Language) Named(prefix, name string) string {
	if text, ok := l.words[prefix+name]; ok {
		return text
	}
	return name
}

// Capital returns a text with its first letter in upper case.
func Capital(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + s[size:]
}
