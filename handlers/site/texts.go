package site

import (
	"encoding/json"
	"fmt"
	"strings"
)

// texts are the words of one language by key. Places to fill are named in
// braces: "{n} de {m} modelos".
type texts map[string]string

func parseTexts(raw []byte) (texts, error) {
	var t texts
	if err := json.Unmarshal(raw, &t); err != nil {
		return nil, fmt.Errorf("reading the texts: %w", err)
	}
	return t, nil
}

// say gives the text of a key with its places filled from name-value pairs. A
// key that does not exist is shown as it is: a page with an odd word is better
// than no page, and a test finds it.
func (t texts) say(key string, pairs ...any) string {
	text, ok := t[key]
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
	if text, ok := t[prefix+name]; ok {
		return text
	}
	return name
}
