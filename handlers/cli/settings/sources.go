package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"vigia/store/catalogue"
)

// environmentPrefix begins the name of every environment variable of the program.
const environmentPrefix = "VIGIA_"

// rank is the precedence of a source: the highest wins.
type rank int

const (
	fromDefault rank = iota
	fromFile
	fromEnvironment
	fromFlag
)

// value is the value of a setting in one source.
type value struct {
	text   string
	origin string // as in Row
	label  string // how a fault names the setting there
	rank   rank
}

// input collects the values of the settings of one command, and every fault.
type input struct {
	command  string
	readFile func(string) ([]byte, error)
	grammar  grammar
	parser   *kong.Kong
	parsers  map[string]parser
	settings map[string]*kong.Flag // all of them, by name
	ctx      *kong.Context         // the command line as it was read

	values map[string]value // in force, by the setting's name
	unread bool             // the file could not be read, and might have what is missing

	faults, warnings []string
}

func newInput(readFile func(string) ([]byte, error), canonicalModel func(string) (string, bool)) *input {
	in := &input{readFile: readFile, parsers: parsers(readFile, canonicalModel), settings: map[string]*kong.Flag{},
		values: map[string]value{}}
	in.parser = newParser(&in.grammar, in)
	for _, flag := range in.parser.Model.Flags {
		in.settings[flag.Name] = flag
		in.values[flag.Name] = value{text: flag.Default, origin: "default"}
	}
	assignFlags(in.parser.Model.Node)
	return in
}

// fault adds a fault, on one line.
func (in *input) fault(format string, args ...any) {
	in.faults = append(in.faults, withoutControls(fmt.Sprintf(format, args...)))
}

func (in *input) warn(format string, args ...any) {
	in.warnings = append(in.warnings, fmt.Sprintf(format, args...))
}

// Decode is kong's mapper of every setting and argument. It keeps the text of a setting,
// which resolve checks.
func (in *input) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	name, next := ctx.Value.Name, ctx.Scan.Peek()
	v := value{origin: "--" + name, label: "--" + name, rank: fromFlag}
	v.text, _ = next.Value.(string)
	switch {
	case next.Type == kong.FlagValueToken || next.Type == kong.PositionalArgumentToken:
		ctx.Scan.Pop()
	case ctx.Value.IsBool():
		v.text = "yes"
	case next.IsEOL() || strings.HasPrefix(v.text, "--"):
		return fmt.Errorf("needs a value: --%s %s", name, ctx.Value.Flag.PlaceHolder)
	default:
		ctx.Scan.Pop()
	}
	if ctx.Value.Flag == nil {
		target.SetString(v.text)
		return nil
	}
	in.put(name, v)
	return nil
}

// parse checks a text by the parser of a type and returns its value.
func (in *input) parse(kind, text string) (any, error) {
	if !printable(text) {
		return nil, errors.New("must be text without control characters")
	}
	return in.parsers[kind](text)
}

// put sets the value of a setting, unless it has one from a source that comes first.
func (in *input) put(setting string, v value) {
	if v.rank >= in.values[setting].rank {
		in.values[setting] = v
	}
}

// readEnvironment reads the variables of the program. An empty one counts as not set, as
// container files write it.
func (in *input) readEnvironment(environ []string) {
	byVariable := map[string]string{}
	for name := range in.settings {
		byVariable[variable(name)] = name
	}
	for _, line := range slices.Sorted(slices.Values(environ)) {
		name, text, _ := strings.Cut(line, "=")
		setting, known := byVariable[name]
		switch {
		case !strings.HasPrefix(name, environmentPrefix):
		case !known:
			in.warn("%s: no such setting in the environment, left out%s", shorten(name), suggestion(name, maps.Keys(byVariable)))
		case text != "":
			in.put(setting, value{text: text, origin: name, label: name, rank: fromEnvironment})
		}
	}
}

// readSecrets reads each secret from the file that is named for it, unless the secret
// itself is set at a higher rank.
func (in *input) readSecrets() {
	for _, flag := range in.flags() {
		if !flag.Tag.Has("secret") {
			continue
		}
		v, file := in.values[flag.Name], in.values[flag.Name+"-file"]
		switch {
		case file.text == "" || v.rank > file.rank:
			continue
		case v.rank == file.rank:
			in.fault("%s and %s: only one of the two may be set", v.label, file.label)
			continue
		}
		data, err := in.readFile(file.text)
		if err != nil {
			in.fault("%s %q: cannot be read: %v", file.label, shorten(file.text), plainCause(err))
			continue
		}
		in.warnOfReaders(file.text)
		file.text = strings.TrimRight(string(data), "\r\n")
		if strings.TrimSpace(file.text) == "" {
			in.fault("%s: the file it names is empty", file.label)
		}
		in.put(flag.Name, file)
	}
}

// credentials is where systemd puts the files that it hands over, which no other user can
// read whatever their modes.
const credentials = "/run/credentials/"

// warnOfReaders warns of a file with a secret that other users of the machine can read.
func (in *input) warnOfReaders(path string) {
	if strings.HasPrefix(path, credentials) {
		return
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o044 != 0 {
		in.warn("%s holds a secret and other users can read it (mode %04o): chmod 600 %s", path, info.Mode().Perm(), path)
	}
}

// suggestion returns "; did you mean …?" with the name that is nearest to what was typed,
// or "" when none is near.
func suggestion(typed string, names iter.Seq[string]) string {
	if nearest := catalogue.Nearest(shorten(typed), slices.Sorted(names), 2); nearest != "" {
		return "; did you mean " + nearest + "?"
	}
	return ""
}

// plainCause returns a file error without the path, which the message around it has.
func plainCause(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

func withoutControls(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// shorten cuts a text for a fault after 80 letters.
func shorten(text string) string {
	const limit = 80
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return text
}
