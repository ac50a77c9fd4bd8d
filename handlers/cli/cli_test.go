package cli

import (
	"io"
	"log/slog"
	"os"
	"testing"

	"github.com/jonboulle/clockwork"

	"vigia/handlers/cli/clitest"
	"vigia/handlers/cli/settings"
)

func TestMain(m *testing.M) { os.Exit(clitest.Main(m)) }

// parse returns the settings of a command line.
func parse(t *testing.T, command string, args ...string) *settings.Settings {
	t.Helper()
	s, err := settings.Parse(command, args, nil, os.ReadFile, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// newEnv returns what a command works with that is called by a line.
func newEnv(t *testing.T, out io.Writer, command string, args ...string) *Env {
	t.Helper()
	return &Env{Settings: parse(t, command, args...), Out: out, Errs: io.Discard, Log: slog.New(slog.DiscardHandler), Clock: clockwork.NewRealClock()}
}
