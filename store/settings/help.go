package settings

import (
	"fmt"
	"strings"
)

// helpWidth is the longest line of the help: it fits any terminal.
const helpWidth = 80

// Help gives the help of a command, or for "" (and any name that is no command)
// the help in full: the commands and every setting.
func Help(command string) string {
	for i := range commands {
		if commands[i].Name == command {
			return commandHelp(&commands[i])
		}
	}
	var b strings.Builder
	b.WriteString("Vigía: early information on weather hazards for Chile's protected parks.\n\n")
	b.WriteString("Usage: vigia COMMAND [--name value ...]\n\nCommands:\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "  %-30s %s\n", strings.TrimSpace(c.Name+" "+c.Usage), c.Summary)
	}
	b.WriteString("\nSettings:\n")
	for i := range options {
		writeOption(&b, &options[i], true)
	}
	b.WriteString("\n")
	writeSources(&b)
	return b.String()
}

func commandHelp(c *Command) string {
	var b strings.Builder
	usage := strings.TrimSpace("vigia " + c.Name + " " + c.Usage)
	if c.takesSettings() {
		usage += " [--name value ...]"
	}
	fmt.Fprintf(&b, "Usage: %s\n\n", usage)
	writeWrapped(&b, "", strings.ToUpper(c.Summary[:1])+c.Summary[1:]+".")
	if c.About != "" {
		writeWrapped(&b, "", c.About)
	}
	if !c.takesSettings() {
		return b.String()
	}
	b.WriteString("\nSettings:\n")
	for i := range options {
		if options[i].usedBy(c.Name) {
			writeOption(&b, &options[i], false)
		}
	}
	b.WriteString("\n")
	writeSources(&b)
	return b.String()
}

// writeOption writes a paragraph on a setting, which in the help in full says
// whose it is.
func writeOption(b *strings.Builder, o *option, full bool) {
	fmt.Fprintf(b, "  --%s %s\n", o.name, o.arg)
	about := o.about + ". " + o.normalInWords() + "."
	if full {
		about += " For " + strings.Join(strings.Fields(o.of), ", ") + "."
	}
	writeWrapped(b, "        ", about)
}

// normalInWords says what holds when nothing is set.
func (o *option) normalInWords() string {
	switch {
	case o.normal != "":
		return "Default " + o.normal
	case o.needs != "":
		return "Required by " + strings.Join(strings.Fields(o.needs), ", ")
	default:
		return "Default none"
	}
}

func writeSources(b *strings.Builder) {
	writeWrapped(b, "", "Each setting may be given as a flag, in the environment as "+environmentPrefix+
		" and the flag in capitals with _ for - (--base-url is VIGIA_BASE_URL), or in the file that --config names (base-url = ...). "+
		"The flag comes before the environment, the environment before the file, the file before the default.")
}

// writeWrapped writes a text broken into lines no longer than helpWidth, as far
// as its words allow.
func writeWrapped(b *strings.Builder, indent, text string) {
	length := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case length == 0:
			b.WriteString(indent)
			length = len(indent)
		case length+1+len(word) > helpWidth:
			b.WriteString("\n" + indent)
			length = len(indent)
		default:
			b.WriteString(" ")
			length++
		}
		b.WriteString(word)
		length += len(word)
	}
	b.WriteString("\n")
}

// Markdown gives the settings as the table that the README shows.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| flag | default | commands | |\n|---|---|---|---|\n")
	for i := range options {
		o := &options[i]
		normal := "none"
		if o.normal != "" {
			normal = "`" + o.normal + "`"
		} else if o.needs != "" {
			normal = "required by " + strings.Join(strings.Fields(o.needs), ", ")
		}
		fmt.Fprintf(&b, "| `--%s` | %s | %s | %s |\n", o.name, normal, strings.Join(strings.Fields(o.of), ", "), o.about)
	}
	return b.String()
}
