// Package offline has the commands that work on the data of a service: check,
// catalogue, import, calibrate, backup, restore and compact, with what serving has in
// common with them, and those that touch no data: systemd, version and help.
//
// Only one process at a time has the file. A command takes the settings, asks the
// service that runs to do what it is for ([Service.Errands]) or, when none does, opens
// what it needs and does it itself, and says on the terminal what was done. Calibrate
// and restore want the service stopped.
package offline

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/openmeteo"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/settings"
)

// Terminal is where a command speaks.
type Terminal struct {
	Out, Errs io.Writer
	Log       *slog.Logger
	Clock     clockwork.Clock
	Environ   []string // in the form of os.Environ
	UserAgent string   // by which servers that are asked know the program
}

// Catalogue reads the parks and trails of the settings.
func Catalogue(s *settings.Settings) (*catalogue.Catalogue, error) {
	if s.Catalogue == "" {
		return catalogue.Default(), nil
	}
	return catalogue.Load(s.Catalogue)
}

// liveFile is where the data of a service lie.
func liveFile(s *settings.Settings) string { return filepath.Join(s.Data, "vigia.db") }

func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, os.ErrNotExist)
}

// Open opens the file for this process alone.
func Open(s *settings.Settings, clock clockwork.Clock, log *slog.Logger) (*store.Store, error) {
	return openWith(s, store.Options{Clock: clock, Log: log})
}

func openWith(s *settings.Settings, o store.Options) (*store.Store, error) {
	file, err := store.Open(liveFile(s), o)
	if errors.Is(err, store.ErrInUse) {
		return nil, fmt.Errorf("%w: stop the service that has it, or name another folder with --data", err)
	}
	return file, err
}

// Limits gives the provider's limits: a contract has none that we know of.
func Limits(s *settings.Settings) openmeteo.Limits {
	if s.ProviderKey != "" {
		return openmeteo.Limits{}
	}
	return openmeteo.FreeLimits
}

// Ledger takes up the count of the provider's weight that the file holds.
func Ledger(clock clockwork.Clock, limits openmeteo.Limits, file *store.Store, log *slog.Logger) *openmeteo.Ledger {
	ledger := openmeteo.NewLedger(clock, limits)
	ledger.Log, ledger.OnChange = log, file.SaveLedger
	state, err := file.Ledger()
	if err == nil {
		err = ledger.UnmarshalBinary(state)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		log.Warn("the count of the provider's weight begins anew", "error", err)
	}
	return ledger
}
