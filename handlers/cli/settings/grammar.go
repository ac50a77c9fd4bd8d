package settings

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// grammar is the command line as kong reads it. The tag about is the rest of the help of a
// command after its summary.
type grammar struct {
	Settings

	Demo      struct{} `cmd:"" help:"the whole service at once on made-up weather" about:"Nothing is asked of any network and nothing is kept: the data lie in a temporary folder, and every page and answer says that they are simulated."`
	Serve     struct{} `cmd:"" help:"the real service" about:"Fetches weather every hour when a model has a new run, keeps the estimates and serves the site and the API. SIGTERM or SIGINT ends it in order, a second signal at once. SIGHUP is ignored: changed settings want a restart."`
	Check     struct{} `cmd:"" help:"validates settings, catalogue and data" about:"Tells every setting of serve with its origin, and what would keep serve from starting. As root it also finds what the user of the unit could not read. It changes nothing."`
	Catalogue struct {
		Export struct{} `cmd:"" help:"prints the default catalogue" about:"As JSON, to standard output: a start for your own."`
		Check  struct {
			File string `arg:"" type:"file" help:"catalogue of yours"`
		} `cmd:"" help:"checks a catalogue of yours" about:"Names each fault of the file with its line and field."`
		Heights struct{} `cmd:"" help:"compares the heights with the terrain's" about:"Asks the provider for the height of the terrain at every point of the catalogue, 100 points a call and within its limits, and lists the points whose height in the catalogue differs by more than 150 m. The status is 1 when there are any. The service must not be running, since both count the provider's weight in the data folder."`
	} `cmd:"" help:"prints the default catalogue, checks yours, compares its heights"`
	TestMail struct {
		Address string `arg:"" type:"email" help:"who gets it"`
	} `cmd:"" help:"sends a test message" about:"Sends one message to the address with the mail settings of serve, and says what the relay answered. It touches no data, so that the service may be running."`
	Backup struct {
		File string `arg:"" optional:"" type:"file" help:"where the copy goes"`
	} `cmd:"" help:"a verified copy of the data" about:"Made while the service runs or while it does not, and opened and checked before it has its name. Without a file the copy goes to the folder backups in the data folder, where the service deletes it after 30 days. A running service makes one every night by itself and keeps seven. vigia.key is in none of them."`
	Restore struct {
		File string `arg:"" type:"file" help:"which backup, such as vigia-data/backups/FILE"`
	} `cmd:"" help:"puts a backup in the place of the data" about:"The service must not be running. The backup is checked first and stays where it is; the file that was there is kept beside it under a dated name. Who left or subscribed after the backup, what they wish, what they were told and what waits to be sent is taken over from the file that was there, as far as it can be read, so that nobody who left is told again; to turn that back too, move the file away first. vigia.key must be the one that the backup goes with."`
	Compact struct{} `cmd:"" help:"rewrites the data without what was freed" about:"Made while the service runs or while it does not. What was erased is not in the file any more, which a running service sees to by itself within a day of an erasure; the old file does not stay."`
	Unblock struct {
		Address string `arg:"" type:"email" help:"whose it is"`
	} `cmd:"" help:"lets an address subscribe that said no" about:"Asked of the service while it runs. Who said «No fui yo» in a confirmation mail gets no other for 30 days; this ends it at once, for who pressed it by mistake. It subscribes nobody: the person asks on the site and confirms by their own mailbox."`
	Import struct {
		Kind string `arg:"" type:"kind" help:"volcanes, cierres or observaciones"`
		File string `arg:"" type:"file" help:"JSON or CSV"`
	} `cmd:"" help:"takes official notices or observations" about:"A file of volcanes or cierres (JSON or CSV) replaces everything known of its kind: the technical alert levels of volcanoes, or the closures of parks and trails. Observaciones (CSV) adds to the verification log what a station near a trail measured or the park wrote down. With a fault anywhere nothing changes, and each is named with its line and field. A running service takes it in and shows it. Fields of volcanes: volcan, nivel_tecnico (verde, amarilla, naranja, roja), fuente, fuente_url, publicado_en. Fields of cierres: parque, sendero (left out for the whole park), situacion (cerrado, restringido), detalle, desde, hasta, fuente, fuente_url; detalle, desde and hasta may be left out."`
	Calibrate struct{} `cmd:"" help:"base rates of the rules over archived weather" about:"Asks the provider for the forecasts of past days, within its limits, and tells which share of the day hours (6 to 21 h) and of the days the rules make amarillo and rojo, for each trail, hazard, zone, exposure and month, and names the trails beyond the aims: of the hours up to 25 % amarillo and 8 % rojo, of the days up to 50 % not green and 10 % rojo. Beside them it tells what the wind aloft would give from 55 and 80 km/h. The service must not be running, since both count the provider's weight in the data folder."`
	Systemd   struct{} `cmd:"" help:"prints a unit for systemd" about:"Prints a hardened unit that runs vigia serve with the settings of --config (/etc/vigia/vigia.conf where none is named) on the data of --data (/var/lib/vigia). It goes to /etc/systemd/system/vigia.service."`
	Version   struct{} `cmd:"" help:"version, commit and Go"`
	Help      struct {
		Command string `arg:"" optional:"" type:"text" help:"the command to explain"`
	} `cmd:"" help:"this help, or that of a command"`
}

// newParser returns kong's parser of g with decode as the mapper of every value.
func newParser(g *grammar, decode kong.Mapper, options ...kong.Option) *kong.Kong {
	options = append(options, kong.Name("vigia"), kong.NoDefaultHelp(), kong.WithHyphenPrefixedParameters(true))
	for name := range parsers(nil, nil) {
		options = append(options, kong.NamedMapper(name, decode))
	}
	return kong.Must(g, options...)
}

// assignFlags moves each setting from the root to the commands that take it. Of a command
// with others below it, these have names such as catalogue-heights.
func assignFlags(root *kong.Node) {
	for _, command := range root.Leaves(false) {
		for _, flag := range root.Flags {
			if names(flag, "of", strings.ReplaceAll(command.Path(), " ", "-")) {
				command.Flags = append(command.Flags, flag)
			}
		}
	}
	root.Flags = nil
}

// names reports whether a tag of a setting names a command.
func names(flag *kong.Flag, tag, command string) bool {
	return slices.Contains(strings.Fields(flag.Tag.Get(tag)), command)
}

// variable returns the name of a setting in the environment.
func variable(setting string) string {
	return environmentPrefix + strings.ToUpper(strings.ReplaceAll(setting, "-", "_"))
}

// isCommand reports whether there is such a command; if not, that is a fault.
func (in *input) isCommand(typed string) bool {
	if slices.ContainsFunc(in.parser.Model.Children, func(c *kong.Node) bool { return c.Name == typed }) {
		return true
	}
	ctx, _ := kong.Trace(in.parser, []string{"--", typed})
	in.fault("%v; say vigia COMMAND [--name value ...], \"vigia help\" explains the commands", ctx.Error)
	return false
}

// wantsHelp reports whether help is asked for among arguments.
func wantsHelp(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.ContainsFunc(args, func(arg string) bool { return arg == "-h" || arg == "--help" })
}

// subject returns what help is asked for: the command, with the one below it that is typed.
func (in *input) subject(args []string) string {
	for _, leaf := range in.parser.Model.Leaves(false) {
		if len(args) > 0 && leaf.Path() == in.command+" "+args[0] {
			return leaf.Path()
		}
	}
	return in.command
}

// readArgs reads the flags and arguments of the command by kong. One that kong cannot read
// is a fault and left out, and kong reads again, so that every fault of the line is named.
func (in *input) readArgs(args []string) {
	for {
		in.ctx, _ = kong.Trace(in.parser, append([]string{in.command}, args...))
		if in.ctx.Error == nil {
			break
		}
		path := in.ctx.Path
		rest := path[len(path)-1].Remainder()
		read := args[:len(args)-len(rest)]
		in.faultAt(rest[0])
		args = append(slices.Clone(read), afterFault(rest)...)
	}
	if err := in.ctx.Validate(); err != nil {
		in.fault("%s: %v", in.command, err)
	}
	for _, path := range in.ctx.Path[2:] { // the program and the command go before
		switch {
		case path.Command != nil:
			in.grammar.Args = append(in.grammar.Args, path.Command.Name)
		case path.Positional != nil:
			text := in.ctx.Value(path).String()
			if _, err := in.parse(path.Positional.Tag.Type, text); err != nil {
				in.fault("%s %q: %v", in.command, shorten(text), err)
			}
			in.grammar.Args = append(in.grammar.Args, text)
		}
	}
}

// faultAt adds the fault of the argument at which kong stopped.
func (in *input) faultAt(arg string) {
	name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
	if flag := in.settings[name]; flag != nil && !in.takes(name) {
		in.fault("--%s: not a setting of %s; it belongs to %s", name, in.command, strings.Join(strings.Fields(flag.Tag.Get("of")), ", "))
		return
	}
	in.fault("%s: %v", in.command, in.ctx.Error)
}

// afterFault returns what follows an argument at fault, and its value if it is a flag.
func afterFault(args []string) []string {
	flag := strings.HasPrefix(args[0], "-") && !strings.Contains(args[0], "=")
	if flag && len(args) > 1 && !strings.HasPrefix(args[1], "--") {
		return args[2:]
	}
	return args[1:]
}

// takes reports whether the command takes a setting.
func (in *input) takes(setting string) bool { return slices.Contains(in.flags(), in.settings[setting]) }

// flags lists the settings that the command takes.
func (in *input) flags() []*kong.Flag {
	if selected := in.ctx.Selected(); selected != nil {
		return selected.Flags
	}
	return nil
}
