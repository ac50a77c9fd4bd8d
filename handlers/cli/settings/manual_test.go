package settings

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/alecthomas/kong"

	"vigia/forecast/openmeteo"
)

// model returns the commands and settings, to be described.
var model = sync.OnceValue(func() *kong.Application { return newParser(&grammar{}, (*input)(nil)).Model })

// commands lists the program's commands in the order of the help.
func commands() []*kong.Node { return model().Children }

// markdown returns the settings as the table of OPERATING.md.
func markdown() string {
	var b strings.Builder
	b.WriteString("| flag | default | commands | |\n|---|---|---|---|\n")
	for _, flag := range model().Flags {
		normal := "none"
		if needs := strings.Fields(flag.Tag.Get("needs")); flag.HasDefault {
			normal = "`" + flag.Default + "`"
		} else if len(needs) > 0 {
			normal = "required by " + strings.Join(needs, ", ")
		}
		fmt.Fprintf(&b, "| `--%s` | %s | %s | %s |\n", flag.Name, normal, strings.Join(strings.Fields(flag.Tag.Get("of")), ", "), flag.Help)
	}
	return b.String()
}

// The default of --models is that of the provider's client, which settings do not import.
func TestModelsOfSettingsAndProvider(t *testing.T) {
	s, err := Parse("demo", nil, nil, os.ReadFile, openmeteo.CanonicalModel)
	if err != nil || !slices.Equal(s.Models, openmeteo.DefaultModels) {
		t.Errorf("the default of --models is %v (%v), the provider's client knows %v", s, err, openmeteo.DefaultModels)
	}
}

func TestManualListsTheSettings(t *testing.T) {
	text, err := os.ReadFile("../../../.github/OPERATING.md")
	if err != nil {
		t.Fatal(err)
	}
	manual := string(text)
	for row := range strings.Lines(markdown()) {
		if !strings.Contains(manual, row) {
			t.Errorf(".github/OPERATING.md lacks this line of the settings:\n%s", row)
		}
	}
	for _, flag := range regexp.MustCompile("(?m)^\\| `--([a-z-]+)`").FindAllStringSubmatch(manual, -1) {
		if !strings.Contains(markdown(), "| `--"+flag[1]+"` |") {
			t.Errorf(".github/OPERATING.md lists --%s, which is no setting", flag[1])
		}
	}
	for _, c := range commands() {
		if !strings.Contains(manual, "vigia "+c.Name) {
			t.Errorf(".github/OPERATING.md does not name the command vigia %s", c.Name)
		}
	}
}
