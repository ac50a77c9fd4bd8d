package settings

import (
	"fmt"
	"slices"
	"strings"
)

// Command is one of the things that the program does.
type Command struct {
	Name    string
	Usage   string // what follows the name beside flags, "" for nothing
	Summary string // one line
	About   string // further lines for the command's own help, "" for none
}

var commands = []Command{
	{Name: "demo", Summary: "the whole service at once on made-up weather",
		About: "Nothing is asked of any network and nothing is kept: the data lie in a temporary folder, and every page and answer says that they are simulated."},
	{Name: "serve", Summary: "the real service",
		About: "Fetches weather every hour when a model has a new run, keeps the estimates and serves the site and the API. SIGTERM or SIGINT ends it in order, a second signal at once."},
	{Name: "check", Summary: "validates settings, catalogue and data",
		About: "Tells every setting of serve with its origin, and what would keep serve from starting. It changes nothing."},
	{Name: "catalogue", Usage: "export | check FILE", Summary: "prints the default catalogue or checks yours",
		About: "export writes the built-in catalogue to standard output as JSON: a start for your own. check names each fault of a file with its line and field."},
	{Name: "test-mail", Usage: "ADDRESS", Summary: "sends a test message",
		About: "Sends one message to ADDRESS with the mail settings of serve, and says what the relay answered. It touches no data, so that the service may be running."},
	{Name: "backup", Usage: "[FILE]", Summary: "a verified copy of the data",
		About: "Made while the service runs or while it does not, and opened and checked before it has its name. Without FILE the copy goes to the folder backups in the data folder, where the service deletes it after 30 days. A running service makes one every night by itself and keeps seven. vigia.key is in none of them."},
	{Name: "restore", Usage: "FILE", Summary: "puts a backup in the place of the data",
		About: "The service must not be running. The backup is checked first and stays where it is; the file that was there is kept beside it under a dated name. Who left or subscribed after the backup, what they wish, what they were told and what waits to be sent is taken over from the file that was there, as far as it can be read, so that nobody who left is told again; to turn that back too, move the file away first. vigia.key must be the one that the backup goes with."},
	{Name: "compact", Summary: "rewrites the data without what was freed",
		About: "Made while the service runs or while it does not. What was erased is not in the file any more, which a running service sees to by itself within a day of an erasure; the old file does not stay."},
	{Name: "import", Usage: "KIND FILE", Summary: "takes official notices or observations",
		About: "KIND is volcanes, cierres or observaciones. A file of volcanes or cierres (JSON or CSV) replaces everything known of its kind: the technical alert levels of volcanoes, or the closures of parks and trails. Observaciones (CSV) adds to the verification log what a station near a trail measured or the park wrote down. With a fault anywhere nothing changes, and each is named with its line and field. A running service takes it in and shows it. " +
			"Fields of volcanes: volcan, nivel_tecnico (verde, amarilla, naranja, roja), fuente, fuente_url, publicado_en. " +
			"Fields of cierres: parque, sendero (left out for the whole park), situacion (cerrado, restringido), detalle, desde, hasta, fuente, fuente_url; detalle, desde and hasta may be left out."},
	{Name: "calibrate", Summary: "base rates of the rules over archived weather",
		About: "Asks the provider for the forecasts of past days, within its limits, and tells for each trail and hazard which share of the day hours (6 to 21 h) the rules make amarillo and rojo, against the aims: amarillo up to 25 %, rojo up to 8 %. The service must not be running, since both count the provider's weight in the data folder."},
	{Name: "systemd", Summary: "prints a unit for systemd",
		About: "Prints a hardened unit that runs vigia serve with the settings of --config (/etc/vigia/vigia.conf where none is named) on the data of --data (/var/lib/vigia). It goes to /etc/systemd/system/vigia.service."},
	{Name: "version", Summary: "version, commit and Go"},
	{Name: "help", Usage: "[COMMAND]", Summary: "this help, or that of a command"},
}

// Commands lists the program's commands in the order of the help.
func Commands() []Command { return append([]Command(nil), commands...) }

// findCommand finds a command by what was typed, or says what is wrong with it.
func findCommand(typed string) (*Command, string) {
	name := typed
	switch typed {
	case "":
		return nil, "no command: say one of " + strings.Join(commandNames(), ", ") + `; "vigia help" explains them`
	case "-h", "-help", "--help":
		name = "help"
	case "-version", "--version":
		name = "version"
	}
	for i := range commands {
		if commands[i].Name == name {
			return &commands[i], ""
		}
	}
	if strings.HasPrefix(typed, "-") {
		return nil, "the command comes before its flags: one of " + strings.Join(commandNames(), ", ")
	}
	return nil, fmt.Sprintf("%q: no such command%s", shorten(typed), suggestion(typed, commandNames(), ""))
}

func commandNames() []string {
	names := make([]string, len(commands))
	for i, c := range commands {
		names[i] = c.Name
	}
	return names
}

// takesSettings tells whether any setting is the command's. One without does not
// look at the environment either, so that help always answers.
func (c *Command) takesSettings() bool {
	for i := range options {
		if options[i].usedBy(c.Name) {
			return true
		}
	}
	return false
}

// checkPositional checks what follows the command beside flags.
func (in *input) checkPositional() {
	args := in.positional
	switch in.command.Name {
	case "catalogue":
		in.checkCatalogueArgs(args)
	case "backup":
		in.atMost(1, args)
	case "restore":
		if len(args) == 0 {
			in.fault("restore: say which backup, such as \"restore vigia-data/backups/FILE\"")
		}
		in.atMost(1, args)
	case "test-mail":
		in.checkTestMailArgs(args)
	case "import":
		in.checkImportArgs(args)
	case "help":
		in.atMost(1, args)
		if len(args) > 0 {
			if _, fault := findCommand(args[0]); fault != "" {
				in.fault("%s", fault)
			}
		}
	default:
		in.atMost(0, args)
	}
}

func (in *input) checkCatalogueArgs(args []string) {
	switch {
	case len(args) == 0:
		in.fault("catalogue: say \"catalogue export\" or \"catalogue check FILE\"")
	case args[0] == "export":
		in.atMost(1, args)
	case args[0] == "check" && len(args) == 1:
		in.fault("catalogue check: say which file to check")
	case args[0] == "check":
		in.atMost(2, args)
	default:
		in.fault("catalogue %q: must be export or check%s", shorten(args[0]), suggestion(args[0], []string{"export", "check"}, ""))
	}
}

// importKinds are what can be imported.
var importKinds = []string{"volcanes", "cierres", "observaciones"}

func (in *input) checkImportArgs(args []string) {
	switch {
	case len(args) == 0:
		in.fault("import: say what and from which file, such as \"import volcanes FILE\": one of %s", strings.Join(importKinds, ", "))
	case !slices.Contains(importKinds, args[0]):
		in.fault("import %q: must be one of %s%s", shorten(args[0]), strings.Join(importKinds, ", "), suggestion(args[0], importKinds, ""))
	case len(args) == 1:
		in.fault("import %s: say from which file", args[0])
	default:
		in.atMost(2, args)
	}
}

func (in *input) checkTestMailArgs(args []string) {
	if len(args) == 0 {
		in.fault("test-mail: say to which address")
		return
	}
	if _, err := emailAddress(args[0]); err != nil {
		in.fault("test-mail %q: %v", shorten(args[0]), err)
	}
	in.atMost(1, args)
}

// atMost names every argument beyond the first n.
func (in *input) atMost(n int, args []string) {
	for _, extra := range args[min(n, len(args)):] {
		in.fault("%q: %s takes no such argument; settings are written --name value", shorten(extra), in.command.Name)
	}
}
