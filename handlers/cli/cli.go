// Package cli has the commands of the program.
//
// [Run] reads the command line and the settings around it (package settings), makes the
// [Env] of the command and runs it. A command that works on the data asks the running
// service over its control socket ([Service]), because only one process at a time can
// open the file; when no service runs, the command opens the file itself. calibrate,
// catalogue heights and restore need the service stopped.
//
// What commands need of forecast and notify is passed in by main, which also has demo,
// serve and calibrate.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/coreos/go-systemd/v22/journal"
	"github.com/jonboulle/clockwork"

	"vigia/handlers/cli/settings"
	"vigia/handlers/cli/systemd"
	"vigia/handlers/mapfile"
	"vigia/store/catalogue"
)

// Env is what a command works with.
type Env struct {
	*settings.Settings
	Out, Errs io.Writer
	Log       *slog.Logger
	Clock     clockwork.Clock
	UserAgent string // sent to the servers that the program calls
}

// Command carries out a command. A [*settings.UsageError] means that the call was wrong.
type Command func(context.Context, *Env) error

// Program is what Run runs.
type Program struct {
	Commands       map[string]Command // by name, one for each of the grammar of settings
	CanonicalModel func(name string) (canonical string, known bool)
}

// Run runs the command that args begin with, help without one. It returns the exit
// status: 2 for a wrong call, 1 for a failure at run time.
func Run(ctx context.Context, p Program, args, environ []string, out, errs io.Writer) int {
	name, rest := "help", args
	if len(args) > 0 {
		name, rest = args[0], args[1:]
	}
	inJournal, _ := journal.StderrIsJournalStream() // a malformed JOURNAL_STREAM is not the journal's
	s, err := settings.Parse(name, rest, environ, systemd.ReadFile, p.CanonicalModel)
	if err != nil {
		printError(errs, inJournal, err.Error())
		return 2
	}
	env := &Env{
		Settings: s, Out: out, Errs: errs, Log: newLog(s, errs, inJournal), Clock: clockwork.NewRealClock(), UserAgent: "vigia/" + ReadBuild().Version,
	}
	for _, line := range s.Warnings {
		env.Log.Warn(line)
	}
	if err := p.Commands[s.Command](ctx, env); err != nil {
		printError(errs, inJournal, fmt.Sprintf("vigia %s: %v", s.Command, err))
		if usage := (*settings.UsageError)(nil); errors.As(err, &usage) {
			return 2
		}
		return 1
	}
	return 0
}

// LoadCatalogue returns the catalogue that the settings name, or the built-in one.
func (env *Env) LoadCatalogue() (*catalogue.Catalogue, error) {
	if env.Catalogue == "" {
		return catalogue.Default(), nil
	}
	return catalogue.Load(env.Catalogue)
}

// OpenMap opens the map that the settings name, nil where they name none.
func (env *Env) OpenMap() (*mapfile.File, error) {
	if env.Map == "" {
		return nil, nil
	}
	return mapfile.Open(env.Map)
}

// Catalogue prints the built-in catalogue, or checks one of the operator's.
func Catalogue(_ context.Context, env *Env) error {
	if env.Args[0] == "export" {
		_, err := env.Out.Write(catalogue.DefaultFile())
		return err
	}
	parks, err := catalogue.Load(env.Args[1])
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "%s: %d parks, %d trails, no faults\n", env.Args[1], len(parks.Parks), len(parks.Trails))
	return nil
}

// Systemd prints a unit for systemd.
func Systemd(_ context.Context, env *Env) error { return systemd.WriteUnit(env.Out, env.Settings) }

// Version prints from what the program was built.
func Version(_ context.Context, env *Env) error {
	_, err := fmt.Fprintln(env.Out, ReadBuild())
	return err
}

// Help prints the help in full, or that of a command.
func Help(_ context.Context, env *Env) error {
	about := ""
	if len(env.Args) > 0 {
		about = env.Args[0]
	}
	_, err := fmt.Fprint(env.Out, settings.Help(about))
	return err
}
