package settings

import (
	"errors"
	"strings"
)

// resolve checks the value that holds for each setting of the command and stores it.
func (in *input) resolve(s *Settings) {
	for i := range options {
		o := &options[i]
		if !o.usedBy(in.command.Name) || o.secretFile != "" {
			continue
		}
		v, given := in.values[o.name]
		if o.secret {
			v, given = in.secretValue(o, v, given)
		}
		if !given {
			v = value{text: o.normal, origin: "default"}
		}
		in.store(s, o, v)
	}
}

// secretValue takes a secret from where it is written or from the file that is
// named for it, whichever has the higher rank.
func (in *input) secretValue(o *option, v value, given bool) (value, bool) {
	twin, hasTwin := in.values[o.name+"-file"]
	if !hasTwin || twin.text == "" || given && v.rank > twin.rank {
		return v, given
	}
	if given && v.rank == twin.rank {
		in.fault("%s and %s: only one of the two may be set", v.label, twin.label)
		return v, given
	}
	data, err := in.readFile(twin.text)
	if err != nil {
		in.fault("%s %q: cannot be read: %v", twin.label, shorten(twin.text), plainCause(err))
		return value{}, false
	}
	twin.text = strings.TrimSpace(string(data))
	if twin.text == "" {
		in.fault("%s: the file it names is empty", twin.label)
	}
	return twin, true
}

// store checks a value and fills its field. Having no value is allowed where
// there is no default.
func (in *input) store(s *Settings, o *option, v value) {
	shown := v.text
	if o.secret && shown != "" {
		shown = "(hidden)"
	}
	err := error(nil)
	switch {
	case v.text == "" && o.neededBy(in.command.Name):
		in.fault("--%s (none): required by %s: %s; say --%s %s, %s=%s or %s = %s in the settings file",
			o.name, in.command.Name, o.about, o.name, o.arg, o.variable(), o.arg, o.name, o.arg)
	case v.text == "" && o.normal == "":
		shown = "(none)"
	case !printable(v.text):
		err = errors.New("must be text without control characters")
	default:
		err = o.set(s, v.text)
	}
	if err != nil && o.secret {
		in.fault("%s %s: %v", v.label, shown, err)
	} else if err != nil {
		in.fault("%s %q: %v", v.label, shorten(shown), err)
	}
	s.rows = append(s.rows, Row{Name: o.name, Value: shown, Origin: v.origin})
}
