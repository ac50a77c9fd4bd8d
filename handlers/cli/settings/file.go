package settings

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/pelletier/go-toml/v2"
)

// A file beyond these limits is no settings file.
const (
	maxFileBytes  = 1 << 16
	maxFileFaults = 50
)

// readConfig reads the settings file that the flags or the environment name.
func (in *input) readConfig() {
	config := in.values["config"]
	if config.text == "" || !printable(config.text) {
		return // resolve reports what is wrong with the name
	}
	data, err := in.readFile(config.text)
	if len(data) > maxFileBytes {
		err = fmt.Errorf("it is larger than %d bytes: not a settings file", maxFileBytes)
	}
	if err != nil {
		in.unread = true
		in.fault("%s %q: cannot be read: %v", config.label, shorten(config.text), plainCause(err))
		return
	}
	if in.readEntries(config.text, string(data)) {
		in.warnOfReaders(config.text)
	}
}

// readEntries reads a file in TOML, each entry by itself, so that a fault leaves the
// others. A line at fault is named without its text, which may hold a secret. It reports
// whether the file has a secret.
func (in *input) readEntries(path, text string) (secret bool) {
	lines := strings.SplitAfter(strings.TrimPrefix(text, "\uFEFF"), "\n")
	seen := map[string]bool{}
	for i := 0; i < len(lines) && len(in.faults) < maxFileFaults; {
		place := fmt.Sprintf("%s:%d", path, i+1)
		entries, n := parseEntry(lines[i:])
		if n == 0 {
			in.fault("%s: must be name = 'value'; a text with a # or a quote in it stands in quotes", place)
			n = 1
		}
		for key, entry := range entries {
			if seen[key] {
				in.fault("%s: %s is already defined", place, shorten(key))
				continue
			}
			seen[key] = true
			in.readEntry(place, key, entry)
			secret = secret || in.settings[key] != nil && in.settings[key].Tag.Has("secret") && entry != ""
		}
		i += n
	}
	return secret
}

var (
	// plainValue matches a line whose value has no quotes, which a file may have beside TOML.
	plainValue = regexp.MustCompile(`^\s*([\w-]+)\s*=\s*([^\s"'\[{#][^"'#]*)?$`)
	// newEntry matches a line that does not belong to the value above.
	newEntry = regexp.MustCompile(`^\s*[\w."-]+\s*=`)
)

// parseEntry returns the entry with which the lines begin, none for a comment, and how many
// lines it has, 0 where it is wrong.
func parseEntry(lines []string) (entry map[string]any, n int) {
	if toml.Unmarshal([]byte(lines[0]), &entry) == nil {
		return entry, 1
	}
	if plain := plainValue.FindStringSubmatch(lines[0]); plain != nil {
		return map[string]any{plain[1]: strings.TrimSpace(plain[2])}, 1
	}
	for n = 1; n < len(lines) && !newEntry.MatchString(lines[n]); {
		n++
	}
	entry = nil
	if toml.Unmarshal([]byte(strings.Join(lines[:n], "")), &entry) == nil {
		return entry, n
	}
	return nil, 0
}

func (in *input) readEntry(place, key string, entry any) {
	flag := in.settings[key]
	_, isTable := entry.(map[string]any)
	switch {
	case isTable:
		in.fault("%s: %s: sections and tables are not used: write name = 'value' lines alone", place, shorten(key))
		return
	case flag == nil:
		in.fault("%s: %s: no such setting%s", place, shorten(key), suggestion(key, maps.Keys(in.settings)))
		return
	case key == "config":
		in.fault("%s: config: a settings file cannot name another one", place)
		return
	}
	text, err := entryText(entry, flag)
	if err != nil {
		in.fault("%s: %s: %v", place, key, err)
		return
	}
	in.put(key, value{text: text, origin: place, label: place + ": " + key, rank: fromFile})
}

// lists are the types of settings that a file may give as a list of texts.
var lists = []string{"domains", "models", "networks", "push-hosts"}

// entryText returns a value of the file as the flag has it: the elements of a list are
// joined by commas.
func entryText(entry any, flag *kong.Flag) (string, error) {
	isList := slices.Contains(lists, flag.Tag.Type)
	switch entry := entry.(type) {
	case string:
		return entry, nil
	case []any:
		var texts []string
		for _, element := range entry {
			text, isText := element.(string)
			if !isText || !isList {
				return "", errors.New("must be one text, or a list of texts where several are allowed")
			}
			texts = append(texts, text)
		}
		return strings.Join(texts, ","), nil
	}
	if isList || flag.Target.Kind() == reflect.String {
		return "", errors.New("must be in quotes, with any comment after them")
	}
	return fmt.Sprint(entry), nil
}
