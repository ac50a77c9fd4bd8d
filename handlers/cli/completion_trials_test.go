//go:build trials

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vigia/handlers/cli/clitest"
)

// The packages' completion offers commands, and then the flags of the command.
func TestCompletionOfBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(clitest.Path())+":"+os.Getenv("PATH"))
	for line, want := range map[string]string{
		"ca": "catalogue calibrate", "xx": "", "serve --listen :1 --smtp-u": "--smtp-user", "backup --l": "--log-format --log-level", "backup co": "",
	} {
		words := strings.Fields(line)
		script := `source ../../.release/completion.bash; COMP_WORDS=(vigia "$@") COMP_CWORD=$#; _vigia vigia "${@: -1}"; echo "${COMPREPLY[*]}"`
		said, err := exec.Command(bash, slices.Concat([]string{"-ec", script, "bash"}, words)...).CombinedOutput()
		if got := strings.TrimSpace(string(said)); err != nil || got != want {
			t.Errorf("%s: %q (%v), want %q", line, got, err, want)
		}
	}
}
