package settings

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vigia/forecast/openmeteo"
)

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
	for row := range strings.Lines(Markdown()) {
		if !strings.Contains(manual, row) {
			t.Errorf(".github/OPERATING.md lacks this line of the settings:\n%s", row)
		}
	}
	for _, flag := range regexp.MustCompile("(?m)^\\| `--([a-z-]+)`").FindAllStringSubmatch(manual, -1) {
		if !strings.Contains(Markdown(), "| `--"+flag[1]+"` |") {
			t.Errorf(".github/OPERATING.md lists --%s, which is no setting", flag[1])
		}
	}
	for _, c := range Commands() {
		if !strings.Contains(manual, "vigia "+c.Name) {
			t.Errorf(".github/OPERATING.md does not name the command vigia %s", c.Name)
		}
	}
}
