package settings

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxFileBytes bounds a settings file: every setting written out fits many times.
const maxFileBytes = 1 << 20

// entry is one setting of a file.
type entry struct {
	key   string
	value string // the elements of a list are joined by commas
	array bool
	line  int // from 1
}

// lineFault is what is wrong with a line of a file. It never repeats the line,
// which may hold a secret.
type lineFault struct {
	line int
	text string
}

// parseFile reads a settings file: a line of name = value each, # to the end of
// a line is a comment. A value is plain (up to the end of the line or a # after a
// space), or as TOML writes it: "with escapes", 'literally', a number, true or false,
// or an array of strings, which may span lines. Every line at fault is reported, and the others
// are read.
func parseFile(data []byte) ([]entry, []lineFault) {
	if len(data) > maxFileBytes {
		return nil, []lineFault{{1, fmt.Sprintf("the file is larger than %d bytes: not a settings file", maxFileBytes)}}
	}
	if !utf8.Valid(data) {
		return nil, []lineFault{{1, "the file is not text in UTF-8"}}
	}
	lines := strings.Split(strings.TrimPrefix(string(data), "\uFEFF"), "\n")
	var entries []entry
	var faults []lineFault
	for n := 0; n < len(lines); n++ {
		first := n + 1
		line := strings.TrimSpace(lines[n])
		if line == "" || line[0] == '#' {
			continue
		}
		key, rest, ok := strings.Cut(line, "=")
		key, rest = bareKey(strings.TrimSpace(key)), strings.TrimSpace(rest)
		if fault := lineShape(line, key, ok); fault != "" {
			faults = append(faults, lineFault{first, fault})
			continue
		}
		e := entry{key: key, line: first, array: strings.HasPrefix(rest, "[")}
		var err error
		if e.array {
			e.value, n, err = parseArray(rest, lines, n)
		} else {
			e.value, err = parseScalar(rest)
		}
		if err != nil {
			faults = append(faults, lineFault{first, fmt.Sprintf("%s: %v", shorten(key), err)})
			continue
		}
		entries = append(entries, e)
	}
	return entries, faults
}

// lineShape says what is wrong with a line as a whole, or "".
func lineShape(line, key string, hasValue bool) string {
	switch {
	case line[0] == '[':
		return "sections are not used: write name = value lines alone"
	case !hasValue || key == "":
		return "must be name = value, or a comment that begins with #"
	default:
		return ""
	}
}

// bareKey takes the quotes off a key, which TOML allows around any.
func bareKey(key string) string {
	if n := len(key); n > 2 && (key[0] == '"' || key[0] == '\'') && key[n-1] == key[0] {
		return key[1 : n-1]
	}
	return key
}

// parseScalar reads a single value up to the end of its line.
func parseScalar(text string) (string, error) {
	switch {
	case strings.HasPrefix(text, `"""`), strings.HasPrefix(text, "'''"):
		return "", errors.New("texts in three quotes are not used: write the value on one line")
	case strings.HasPrefix(text, "{"):
		return "", errors.New("tables are not used: write name = value lines alone")
	}
	if text == "" || text[0] != '"' && text[0] != '\'' {
		return plainText(text), nil
	}
	value, rest, err := parseQuoted(text)
	if err != nil {
		return "", err
	}
	return value, onlyComment(rest)
}

// plainText cuts the comment off an unquoted value.
func plainText(text string) string {
	for i := range len(text) {
		if text[i] == '#' && (i == 0 || text[i-1] == ' ' || text[i-1] == '\t') {
			return strings.TrimSpace(text[:i])
		}
	}
	return text
}

// parseQuoted reads a quoted string and gives what follows it.
func parseQuoted(text string) (value, rest string, err error) {
	if text[0] == '\'' {
		value, rest, ok := strings.Cut(text[1:], "'")
		if !ok {
			return "", "", errUnclosed
		}
		return value, rest, nil
	}
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", "", errUnclosed
	}
	value, err = strconv.Unquote(quoted)
	return value, text[len(quoted):], err
}

var errUnclosed = fmt.Errorf("the quoted value does not end on its line, or holds an unknown escape")

func onlyComment(rest string) error {
	if rest = strings.TrimSpace(rest); rest != "" && rest[0] != '#' {
		return fmt.Errorf("there is text after the value")
	}
	return nil
}

// parseArray reads an array of quoted strings that begins on line n. It gives the
// elements joined by commas, and the line on which it ends.
func parseArray(text string, lines []string, n int) (string, int, error) {
	var elements []string
	text = text[1:]
	wantComma := false
	for {
		text = strings.TrimSpace(text)
		switch {
		case text == "" || text[0] == '#':
			if n++; n >= len(lines) {
				return "", n, fmt.Errorf("the list that begins here does not end with ]")
			}
			text = lines[n]
		case text[0] == ']':
			return strings.Join(elements, ","), n, onlyComment(text[1:])
		case text[0] == ',' && wantComma:
			text, wantComma = text[1:], false
		case (text[0] == '"' || text[0] == '\'') && !wantComma:
			element, rest, err := parseQuoted(text)
			if err != nil {
				return "", n, err
			}
			elements = append(elements, element)
			text, wantComma = rest, true
		default:
			return "", n, fmt.Errorf(`a list must be ["one", "two"]`)
		}
	}
}
