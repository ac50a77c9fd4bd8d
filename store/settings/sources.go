package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// environmentPrefix begins the name of every environment variable of the
// program; whatever else begins with it is a fault.
const environmentPrefix = "VIGIA_"

// rank is the precedence of a source: the highest wins.
type rank int

const (
	fromDefault rank = iota
	fromFile
	fromEnvironment
	fromFlag
)

// value is what a source says of a setting.
type value struct {
	text   string
	origin string // as in Row
	label  string // how a fault names the setting there
	rank   rank
}

// input gathers what the sources say of the settings of one command, and every
// fault on the way.
type input struct {
	command    *Command
	readFile   func(string) ([]byte, error)
	positional []string
	wantsHelp  bool
	values     map[string]value // by the setting's name: the highest rank so far
	faults     []string
}

func (in *input) fault(format string, args ...any) {
	in.faults = append(in.faults, fmt.Sprintf(format, args...))
}

// give takes a value unless a source of higher rank has given one. Of two of the
// same rank the later holds.
func (in *input) give(name string, v value) {
	if held, ok := in.values[name]; !ok || v.rank >= held.rank {
		in.values[name] = v
	}
}

// readArgs reads flags (-name value, --name value, --name=value) and what stands
// between them. "--" ends the flags.
func (in *input) readArgs(args []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			in.positional = append(in.positional, args[i+1:]...)
			return
		}
		if len(arg) < 2 || arg[0] != '-' {
			in.positional = append(in.positional, arg)
			continue
		}
		name, text, hasText := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
		if name == "h" || name == "help" {
			in.wantsHelp = true
			continue
		}
		if o := findOption(name, (*option).flagName); !hasText && o != nil && o.toggle {
			text, hasText = "yes", true
		}
		if !hasText && i+1 < len(args) && !strings.HasPrefix(args[i+1], "--") {
			text, hasText = args[i+1], true
			if text == "-h" || text == "-help" {
				in.wantsHelp = true
			}
			i++
		}
		in.readFlag(name, text, hasText)
	}
}

func (in *input) readFlag(name, text string, hasText bool) {
	o := findOption(name, (*option).flagName)
	switch {
	case o == nil:
		in.fault("--%s: no such flag%s", shorten(name), suggestion(name, in.flagNames(), "--"))
	case !o.usedBy(in.command.Name):
		in.fault("--%s: not a setting of %s; it belongs to %s", name, in.command.Name, strings.Join(strings.Fields(o.of), ", "))
	case !hasText:
		in.fault("--%s: needs a value: --%s %s", name, name, o.arg)
	default:
		in.give(name, value{text: text, origin: "--" + name, label: "--" + name, rank: fromFlag})
	}
}

// flagNames lists the flags of the command.
func (in *input) flagNames() []string {
	var names []string
	for i := range options {
		if options[i].usedBy(in.command.Name) {
			names = append(names, options[i].name)
		}
	}
	return names
}

// readEnvironment reads the variables of the program. An empty one counts as not
// set, which is how container files leave one out. One that only another command
// takes is passed over, since commands share an environment.
func (in *input) readEnvironment(environ []string) {
	for _, line := range slices.Sorted(slices.Values(environ)) {
		name, text, _ := strings.Cut(line, "=")
		if !strings.HasPrefix(name, environmentPrefix) {
			continue
		}
		o := findOption(name, (*option).variable)
		switch {
		case o == nil:
			in.fault("%s: no such setting in the environment%s", shorten(name), suggestion(name, variableNames(), ""))
		case text != "" && o.usedBy(in.command.Name):
			in.give(o.name, value{text: text, origin: name, label: name, rank: fromEnvironment})
		}
	}
}

func variableNames() []string {
	names := make([]string, len(options))
	for i := range options {
		names[i] = options[i].variable()
	}
	return names
}

// readConfig reads the settings file that the flags or the environment name.
func (in *input) readConfig() {
	config, ok := in.values["config"]
	if !ok || config.text == "" || !printable(config.text) {
		return // resolve reports what is wrong with the name
	}
	data, err := in.readFile(config.text)
	if err != nil {
		in.fault("%s %q: cannot be read: %v", config.label, shorten(config.text), plainCause(err))
		return
	}
	entries, faults := parseFile(data)
	for _, f := range faults {
		in.fault("%s:%d: %s", config.text, f.line, f.text)
	}
	lines := map[string]int{}
	for _, e := range entries {
		place := fmt.Sprintf("%s:%d", config.text, e.line)
		if first, twice := lines[e.key]; twice {
			in.fault("%s: %s is set already in line %d", place, shorten(e.key), first)
			continue
		}
		lines[e.key] = e.line
		in.readEntry(place, e)
	}
}

func (in *input) readEntry(place string, e entry) {
	o := findOption(e.key, (*option).flagName)
	switch {
	case o == nil:
		in.fault("%s: %s: no such setting%s", place, shorten(e.key), suggestion(e.key, fileNames(), ""))
	case e.key == "config":
		in.fault("%s: config: a settings file cannot name another one", place)
	case e.array && !o.list:
		in.fault("%s: %s: takes one value, not a list", place, e.key)
	case o.usedBy(in.command.Name):
		in.give(e.key, value{text: e.value, origin: place, label: place + ": " + e.key, rank: fromFile})
	}
}

func fileNames() []string {
	var names []string
	for i := range options {
		if options[i].name != "config" {
			names = append(names, options[i].name)
		}
	}
	return names
}

// plainCause leaves out of a file error what the message around it says already.
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

// shorten keeps a fault to one line of bearable length.
func shorten(text string) string {
	const limit = 80
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '\uFFFD'
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return text
}
