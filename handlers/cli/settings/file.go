package settings

import (
	"bytes"
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
	config := in.source("config")
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
	entries, lines := in.parseFile(config.text, data)
	secrets := false
	for _, key := range slices.SortedFunc(maps.Keys(entries), func(a, b string) int { return lines[a] - lines[b] }) {
		in.readEntry(fmt.Sprintf("%s:%d", config.text, lines[key]), key, entries[key])
		secrets = secrets || in.settings[key] != nil && in.settings[key].Tag.Has("secret") && entries[key] != ""
	}
	if secrets {
		in.warnOfReaders(config.text)
	}
}

// plainValue matches a line whose value has no quotes, which a file may have beside TOML.
var plainValue = regexp.MustCompile(`(?m)^([ \t]*[\w-]+[ \t]*=[ \t]*)([^\s"'\[{#][^"'#\r\n]*?)?([ \t\r]*)$`)

// parseFile reads a file in TOML and returns its entries and the line of each key. A line
// at fault is named without its text, which may hold a secret, and left out, so that the
// others are read.
func (in *input) parseFile(path string, data []byte) (entries map[string]any, lines map[string]int) {
	data = plainValue.ReplaceAllFunc(bytes.TrimPrefix(data, []byte("\uFEFF")), func(line []byte) []byte {
		if toml.Unmarshal(line, &map[string]any{}) == nil {
			return line // a number, a date, true or false
		}
		return plainValue.ReplaceAll(line, []byte("$1'$2'$3"))
	})
	rows := bytes.Split(data, []byte("\n"))
	for fault := (*toml.DecodeError)(nil); errors.As(toml.Unmarshal(data, &entries), &fault); entries = nil {
		line, _ := fault.Position()
		why := "must be name = 'value'; a text with a # or a quote in it stands in quotes"
		if strings.Contains(fault.Error(), "already") {
			why = fault.Error() // a key that stands there twice
		}
		in.fault("%s:%d: %s", path, line, why)
		if len(rows[line-1]) == 0 || len(in.faults) > maxFileFaults {
			in.unread = true // something that begins above does not end, or all is wrong
			return nil, nil
		}
		rows[line-1] = nil
		data = bytes.Join(rows, []byte("\n"))
	}
	// An empty struct has no field for any key: each is named with its position.
	places := &toml.StrictMissingError{}
	errors.As(toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&struct{}{}), &places)
	lines = map[string]int{}
	for i := range slices.Backward(places.Errors) {
		lines[places.Errors[i].Key()[0]], _ = places.Errors[i].Position()
	}
	return entries, lines
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
	if _, set := in.outside[key]; !set { // by the environment, which comes first
		in.outside[key] = value{text: text, origin: place, label: place + ": " + key, rank: fromFile}
	}
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
