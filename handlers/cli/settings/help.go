package settings

import (
	"bytes"
	"strings"

	"github.com/alecthomas/kong"
)

const about = "Vigía: early information on weather hazards for Chile's protected parks."

const sources = "Each setting may be given as a flag, in the environment as VIGIA_ and the flag in capitals with _ for - " +
	"(--base-url is VIGIA_BASE_URL), or in the file that --config names (base-url = '...'). " +
	"The flag comes before the environment, the environment before the file, the file before the default."

// Help returns the help of a command, or for "" (and any name that is no command)
// the help in full: the commands and every setting.
func Help(command string) string {
	var out bytes.Buffer
	full := true
	k := newParser(&grammar{}, (*input)(nil), kong.Writers(&out, &out), kong.Description(about+"\n\n"+sources),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, WrapUpperBound: 80}),
		kong.ValueFormatter(func(v *kong.Value) string { return explain(v, full) }))
	ctx, _ := kong.Trace(k, strings.Split(command, " "))
	if full = ctx.Error != nil; full {
		ctx, _ = kong.Trace(k, nil)
	} else {
		assignFlags(k.Model.Node)
	}
	for _, node := range append(k.Model.Leaves(false), k.Model.Children...) {
		node.Detail = node.Tag.Get("about")
		if len(node.Flags) > 0 {
			node.Detail += "\n\n" + sources
		}
	}
	if err := ctx.PrintUsage(false); err != nil {
		return err.Error() + "\n"
	}
	return out.String()
}

// explain describes a setting, in the full help with the commands that take it.
func explain(v *kong.Value, full bool) string {
	if v.Flag == nil {
		return v.Help
	}
	text := v.Help + ". Default none."
	needs, of := strings.Fields(v.Tag.Get("needs")), strings.Fields(v.Tag.Get("of"))
	if v.HasDefault {
		text = v.Help + ". Default " + v.Default + "."
	} else if len(needs) > 0 {
		text = v.Help + ". Required by " + strings.Join(needs, ", ") + "."
	}
	if full {
		text += " For " + strings.Join(of, ", ") + "."
	}
	return text
}
