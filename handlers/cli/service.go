package cli

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

	"vigia/handlers/cli/control"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/notices"
)

// The requests that commands send to the running service, and their parameters.
const (
	presentRequest      = "/presente"
	checkRequest        = "/revisar"
	backupRequest       = "/respaldar"
	compactRequest      = "/compactar"
	unblockRequest      = "/desbloquear"
	noticesRequest      = "/avisos"
	observationsRequest = "/observaciones"

	paramKind    = "tipo"     // of notices
	paramName    = "nombre"   // of the document, as faults name it
	paramPassing = "pasajero" // of a copy that is taken elsewhere
)

// passingSuffix comes before the number that ends the name of a copy that the service
// makes for a command that takes it elsewhere.
const passingSuffix = ".new-copy"

// maxAddress is the longest e-mail address in bytes.
const maxAddress = 254

// Service is the running service as commands reach it. All fields are required.
type Service struct {
	File    *store.Store
	Parks   *catalogue.Catalogue
	Backups *store.Backups
	Data    string // the folder of the data
	Clock   clockwork.Clock
	Log     *slog.Logger

	// SaveNotices keeps official notices in place of all of their kind, and shows them.
	SaveNotices func(notices.Batch) error
	// ImportObservations compares observations with the verification log.
	ImportObservations func(name string, data []byte) (report string, err error)
	// Unblock lets an address be written to again whose owner refused it. blocked
	// reports whether it had been refused.
	Unblock func(address string) (blocked bool, err error)

	copies atomic.Int64 // made to be taken elsewhere
}

// Listen opens the control socket and returns what serves it until its context ends. When
// the socket cannot be opened, the service runs without.
func (v *Service) Listen() Part {
	socket, err := control.Listen(v.Data, map[string]control.Handler{
		presentRequest:      func(context.Context, url.Values, io.Reader) (string, error) { return "", nil },
		checkRequest:        v.check,
		backupRequest:       v.backup,
		compactRequest:      func(context.Context, url.Values, io.Reader) (string, error) { return compact(v.File) },
		unblockRequest:      v.unblock,
		noticesRequest:      v.importNotices,
		observationsRequest: v.importObservations,
	}, v.Log)
	if err != nil {
		v.Log.Error("commands that ask the running service (backup, import, compact, check) do not work", "error", err)
		return func(ctx context.Context) error { <-ctx.Done(); return nil }
	}
	return socket.Run
}

func (v *Service) check(ctx context.Context, _ url.Values, _ io.Reader) (string, error) {
	if err := v.File.Check(ctx); err != nil {
		return "", err
	}
	return fmt.Sprintf("file: %d bytes, in use by the service that runs, no faults", v.File.Size()), nil
}

// backup makes a copy and returns its name. A copy that is taken elsewhere has a name
// that the next start deletes if nobody does before.
func (v *Service) backup(ctx context.Context, params url.Values, _ io.Reader) (string, error) {
	path := store.AskedPath(v.Data, v.Clock.Now())
	if params.Has(paramPassing) {
		path += passingSuffix + strconv.FormatInt(v.copies.Add(1), 10)
	}
	if err := v.Backups.Make(ctx, path); err != nil {
		return "", err
	}
	return filepath.Base(path), nil
}

func (v *Service) unblock(_ context.Context, _ url.Values, document io.Reader) (string, error) {
	address, err := io.ReadAll(io.LimitReader(document, maxAddress))
	if err != nil {
		return "", fmt.Errorf("read the address: %w", err)
	}
	blocked, err := v.Unblock(string(address))
	switch {
	case err != nil:
		return "", err
	case !blocked:
		return "the address was not blocked: it can subscribe on the site", nil
	}
	return "unblocked: the address can subscribe on the site again", nil
}

func (v *Service) importNotices(_ context.Context, params url.Values, document io.Reader) (string, error) {
	kind, known := notices.KindOf(params.Get(paramKind))
	if !known {
		return "", fmt.Errorf("no such kind of notices: %q", params.Get(paramKind))
	}
	name := params.Get(paramName)
	data, err := io.ReadAll(io.LimitReader(document, notices.MaxBytes+1))
	if err != nil {
		return "", fmt.Errorf("read the document: %w", err)
	}
	batch, err := notices.Read(kind, notices.Document{Name: name, Data: data}, v.Parks, v.Clock.Now())
	if err != nil {
		return "", err
	}
	return describeBatch(name, batch), v.SaveNotices(batch)
}

func (v *Service) importObservations(_ context.Context, params url.Values, document io.Reader) (string, error) {
	data, err := io.ReadAll(document) // no longer than the socket takes
	if err != nil {
		return "", fmt.Errorf("read the observations: %w", err)
	}
	return v.ImportObservations(params.Get(paramName), data)
}
