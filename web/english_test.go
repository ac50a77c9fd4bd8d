package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// entry is one text of a language, in its place in the file.
type entry struct{ key, text string }

// entriesOf reads the texts of a language in their order, and fails on a key that
// stands twice or a value that is no text.
func entriesOf(raw []byte) (entries []entry, err error) {
	if !json.Valid(raw) {
		return nil, fmt.Errorf("no valid JSON")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("begins with %v, not an object (%v)", open, err)
	}
	seen := make(map[string]bool)
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("reading the key after %d texts: %w", len(entries), err)
		}
		value, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("reading the text of %q: %w", key, err)
		}
		text, ok := value.(string)
		if name := key.(string); ok && !seen[name] {
			seen[name] = true
			entries = append(entries, entry{name, text})
			continue
		}
		return nil, fmt.Errorf("%q stands twice or is no text", key)
	}
	return entries, nil
}

// place is something that a text has to fill.
var place = regexp.MustCompile(`\{[^{}]*\}`)

func placesOf(text string) []string {
	places := place.FindAllString(text, -1)
	slices.Sort(places)
	return places
}

// compare lists what a translation lacks or has beside its original.
func compare(original, translation []entry) (faults []string) {
	for i := range max(len(original), len(translation)) {
		if i >= len(original) || i >= len(translation) || original[i].key != translation[i].key {
			return append(faults, fmt.Sprintf("the keys differ from the one in place %d: %q, %q",
				i, original[min(i, len(original)-1)].key, translation[min(i, len(translation)-1)].key))
		}
		from, to := original[i], translation[i]
		if strings.TrimSpace(from.text) == "" || strings.TrimSpace(to.text) == "" {
			faults = append(faults, from.key+" is empty")
		}
		if want, got := placesOf(from.text), placesOf(to.text); !slices.Equal(want, got) {
			faults = append(faults, fmt.Sprintf("%s fills %v, not %v", from.key, got, want))
		}
		// Days and months are taken from these by their number.
		if strings.HasSuffix(from.key, ".cortos") && len(strings.Fields(from.text)) != len(strings.Fields(to.text)) {
			faults = append(faults, from.key+" has another number of words")
		}
	}
	return faults
}

// foreignWords are, in English, words of the official bodies, orders, and
// promises that a model cannot make.
var foreignWords = regexp.MustCompile(`(?i)\b(un)?safe|\bsecure\b|\bwarn|\balarm|\badvisor|\bevacuat|\bclos(e|es|ed|ing|ure|ures)\b|` +
	`\breopen|\bprohibit|\bforbid|\bban(s|ned)?\b|\bmandatory|\bcompulsory|\bobligatory|\bguarantee|\bcertain(ly|ty)?\b|\bexact|\bprecise|` +
	`(yellow|amber|red|orange|green|early|preventive|weather|official) (alert|notification|message)|red button|risk[- ]free|hazard[- ]free|` +
	`\b(do not|don['’]t|never|must not) (go|climb|walk|hike|leave|enter|cross|travel|set out)\b|\bstay (away|home|at home)\b|` +
	`\bwithout (any )?(danger|risk)|\bno risk\b|% (chance|probability|likely)|\bavisos?\b|\balertas?\b`)

// disowned is what the pages say that they are not, and what they repeat of an
// official body with its name.
var disowned = regexp.MustCompile(`(?i)\bnot (an )?official (notice|warning)s?\b|\bclosed according to \{fuente\}`)

// foreignWord gives what stands in a text and is not ours to say, "" for nothing.
func foreignWord(text string) string {
	return foreignWords.FindString(disowned.ReplaceAllString(text, ""))
}

// language reads the texts of a file of this folder.
func language(t *testing.T, file string) []entry {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := entriesOf(raw)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if len(entries) == 0 {
		t.Fatalf("%s has no texts", file)
	}
	return entries
}

func TestEnglishHasTheTextsOfSpanish(t *testing.T) {
	for _, fault := range compare(language(t, "es.json"), language(t, "en.json")) {
		t.Error(fault)
	}
}

func TestEnglishFaultsAreFound(t *testing.T) {
	original := []entry{{"a", "{n} de {m}"}, {"b", "dos"}, {"d.cortos", "dom lun"}}
	for name, translation := range map[string][]entry{
		"one less":      {{"a", "{n} of {m}"}, {"b", "two"}},
		"one more":      {{"a", "{n} of {m}"}, {"b", "two"}, {"d.cortos", "Sun Mon"}, {"c", "three"}},
		"another order": {{"b", "two"}, {"a", "{n} of {m}"}, {"d.cortos", "Sun Mon"}},
		"another key":   {{"a", "{n} of {m}"}, {"c", "two"}, {"d.cortos", "Sun Mon"}},
		"another place": {{"a", "{n} of {k}"}, {"b", "two"}, {"d.cortos", "Sun Mon"}},
		"a place twice": {{"a", "{n} of {m}, {n}"}, {"b", "two"}, {"d.cortos", "Sun Mon"}},
		"empty":         {{"a", "{n} of {m}"}, {"b", " "}, {"d.cortos", "Sun Mon"}},
		"a day less":    {{"a", "{n} of {m}"}, {"b", "two"}, {"d.cortos", "Sun"}},
	} {
		if len(compare(original, translation)) != 1 {
			t.Errorf("%s: found %q", name, compare(original, translation))
		}
	}
	if faults := compare(original, []entry{{"a", "of {m}, {n}"}, {"b", "two"}, {"d.cortos", "Sun Mon"}}); faults != nil {
		t.Errorf("a good translation has faults: %q", faults)
	}
	for _, bad := range []string{`{"a":"x","a":"y"}`, `{"a":1}`, `{"a":{"b":"c"}}`, `["a"]`, `{"a":"x",}`, `{} {}`, ``} {
		if _, err := entriesOf([]byte(bad)); err == nil {
			t.Errorf("%s passes", bad)
		}
	}
}

func TestEnglishHasNoWordsOfOthers(t *testing.T) {
	for _, e := range language(t, "en.json") {
		if found := foreignWord(e.text); found != "" {
			t.Errorf("%s says %q", e.key, found)
		}
	}
	for _, bad := range []string{
		"It is safe", "walk safely", "unsafe", "Weather warning", "we warn you", "An official warning", "false alarms", "advisory", "Evacuate",
		"the trail is closed", "closed according to the models", "closures", "guaranteed", "Red alert", "Early alert", "an official message", "prohibited", "forbidden", "mandatory", "exactly",
		"Do not climb", "Stay away", "without danger", "70% chance", "Avisos", "not an official notice, but safe",
	} {
		if foreignWord(bad) == "" {
			t.Errorf("the list does not find %q", bad)
		}
	}
	for _, good := range []string{"It is not an official warning.", "Not official notices.", "amber for wind", "Danger: wind", "model alert"} {
		if found := foreignWord(good); found != "" {
			t.Errorf("the list finds %q in %q", found, good)
		}
	}
}
