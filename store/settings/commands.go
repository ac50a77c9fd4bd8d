package settings

import (
	"fmt"
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
	{Name: "backup", Usage: "[FILE]", Summary: "a verified copy of the data",
		About: "Works while the service runs and while it does not. Without FILE the copy goes to the folder backups in the data folder."},
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

// atMost names every argument beyond the first n.
func (in *input) atMost(n int, args []string) {
	for _, extra := range args[min(n, len(args)):] {
		in.fault("%q: %s takes no such argument; settings are written --name value", shorten(extra), in.command.Name)
	}
}
