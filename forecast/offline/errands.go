package offline

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"github.com/jonboulle/clockwork"

	"vigia/forecast"
	"vigia/store"
	"vigia/store/backups"
	"vigia/store/catalogue"
	"vigia/store/control"
	"vigia/store/notices"
)

// The errands that commands have for a running service, and what they are about.
const (
	presentErrand      = "/presente"
	checkErrand        = "/revisar"
	backupErrand       = "/respaldar"
	compactErrand      = "/compactar"
	noticesErrand      = "/avisos"
	observationsErrand = "/observaciones"

	aboutKind    = "tipo"     // of notices
	aboutName    = "nombre"   // of the document, as faults name it
	aboutPassing = "pasajero" // of a copy that is taken elsewhere
)

// Service is a running service, as far as commands ask it for something.
type Service struct {
	File    *store.Store
	Parks   *catalogue.Catalogue
	Engine  *forecast.Engine
	Backups *backups.Keeper
	Data    string // the folder of the data
	Clock   clockwork.Clock

	passing atomic.Int64 // copies made to be taken elsewhere
}

// Upkeep gives the parts that look after the data while the service runs: the daily
// backup, and the control socket. Without that the service runs all the same.
func (v *Service) Upkeep(log *slog.Logger) []func(context.Context) error {
	parts := []func(context.Context) error{v.Backups.Run}
	socket, err := control.Listen(v.Data, v.Errands(), log)
	if err != nil {
		log.Error("commands that ask the running service (backup, import, compact, check) do not work", "error", err)
		return parts
	}
	return append(parts, socket.Run)
}

// Errands gives what the service does when it is asked over the control socket.
func (v *Service) Errands() map[string]control.Errand {
	return map[string]control.Errand{
		presentErrand:      func(context.Context, url.Values, io.Reader) (string, error) { return "", nil },
		checkErrand:        v.check,
		backupErrand:       v.backup,
		compactErrand:      func(context.Context, url.Values, io.Reader) (string, error) { return compact(v.File) },
		noticesErrand:      v.takeNotices,
		observationsErrand: v.takeObservations,
	}
}

func (v *Service) check(ctx context.Context, _ url.Values, _ io.Reader) (string, error) {
	if err := v.File.Check(ctx); err != nil {
		return "", err
	}
	return fmt.Sprintf("file: %d bytes, in use by the service that runs, no faults", v.File.Size()), nil
}

// backup makes a copy and names it. One that is taken elsewhere has a name that the
// next start clears away if nobody does before.
func (v *Service) backup(ctx context.Context, about url.Values, _ io.Reader) (string, error) {
	path := backups.AskedPath(v.Data, v.Clock.Now())
	if about.Has(aboutPassing) {
		path += passingSuffix + strconv.FormatInt(v.passing.Add(1), 10)
	}
	if err := v.Backups.Make(ctx, path); err != nil {
		return "", err
	}
	return filepath.Base(path), nil
}

func (v *Service) takeNotices(_ context.Context, about url.Values, document io.Reader) (string, error) {
	kind, known := notices.KindOf(about.Get(aboutKind))
	if !known {
		return "", fmt.Errorf("no such kind of notices: %q", about.Get(aboutKind))
	}
	data, err := io.ReadAll(io.LimitReader(document, notices.MaxBytes+1))
	if err != nil {
		return "", fmt.Errorf("take the document: %w", err)
	}
	batch, err := notices.Read(kind, notices.Document{Name: about.Get(aboutName), Data: data}, v.Parks, v.Clock.Now())
	if err != nil {
		return "", err
	}
	return told(about.Get(aboutName), batch), v.Engine.TakeNotices(batch)
}

func (v *Service) takeObservations(_ context.Context, about url.Values, document io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(document, forecast.MaxObservations+1))
	if err != nil {
		return "", fmt.Errorf("take the observations: %w", err)
	}
	done, err := v.Engine.TakeObservations(about.Get(aboutName), data)
	return compared(about.Get(aboutName), done), err
}
