package settings

import (
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// resolve fills the fields with the values in force, and names their faults.
func (in *input) resolve() {
	for _, flag := range in.flags() {
		v := in.values[flag.Name]
		shown, secret := v.text, flag.Tag.Has("secret")
		if secret && shown != "" {
			shown = "(hidden)"
		}
		if v.text == "" && !flag.HasDefault {
			shown = "(none)"
			if names(flag, "needs", in.command) {
				in.require(flag)
			}
		} else if parsed, err := in.parse(flag.Tag.Type, v.text); err == nil {
			flag.Target.Set(reflect.ValueOf(parsed))
		} else if secret {
			in.fault("%s %s: %v", v.label, shown, err)
		} else {
			in.fault("%s %q: %v", v.label, shorten(shown), err)
		}
		in.list(flag, Row{Name: flag.Name, Value: shown, Origin: v.origin})
	}
}

// list adds a setting to the rows, and a file that the service reads to the files. A
// secret in a file has the row of the secret alone.
func (in *input) list(flag *kong.Flag, row Row) {
	s := &in.grammar.Settings
	if of, isFile := strings.CutSuffix(flag.Name, "-file"); !isFile || !in.settings[of].Tag.Has("secret") {
		s.Rows = append(s.Rows, row)
	}
	if in.values[flag.Name].text != "" && flag.PlaceHolder == "FILE" && names(flag, "of", "serve") && flag.Name != "config" {
		s.Files = append(s.Files, row)
	}
}

// require names a setting that the command requires as missing.
func (in *input) require(flag *kong.Flag) {
	if in.unread {
		return
	}
	name, arg := flag.Name, flag.PlaceHolder
	in.fault("--%s (none): required by %s: %s; say --%s %s, %s=%s or %s = '%s' in the settings file",
		name, in.command, flag.Help, name, arg, variable(name), arg, name, arg)
}

// missing reports whether a setting has no value but its default. A wrong value is not
// missing: it has its own fault.
func (in *input) missing(name string) bool {
	v := in.values[name]
	return v.text == "" || v.rank == fromDefault
}
