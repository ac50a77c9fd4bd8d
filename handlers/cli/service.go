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

// Service carries out what commands request: the running service, over the control socket,
// or where none runs the command's own process ([Env.alone]).
type Service struct {
	// UseFile calls do with the store and returns its answer; without changing anything
	// when look is set.
	UseFile   func(look bool, do func(*store.Store) (string, error)) (string, error)
	Catalogue func() (*catalogue.Catalogue, error)
	Clock     clockwork.Clock

	// MakeBackup makes a verified copy under a path.
	MakeBackup func(ctx context.Context, path string) error
	// SaveNotices keeps official notices in place of all of their kind, and shows them.
	SaveNotices func(notices.Batch) error
	// ImportObservations compares observations with the verification log.
	ImportObservations ImportObservations
	// Unblock lets an address be written to again whose owner refused it. blocked
	// reports whether it had been refused.
	Unblock func(address string) (blocked bool, err error)

	data   string       // the folder of the running service's data; "" in a command's own process
	copies atomic.Int64 // made to be taken elsewhere
}

func (v *Service) handlers() map[string]control.Handler {
	return map[string]control.Handler{
		presentRequest:      func(context.Context, url.Values, io.Reader) (string, error) { return "", nil },
		checkRequest:        v.check,
		backupRequest:       v.backup,
		compactRequest:      v.compact,
		unblockRequest:      v.unblock,
		noticesRequest:      v.importNotices,
		observationsRequest: v.importObservations,
	}
}

// Listen opens the control socket in the folder of the data and returns what serves it
// until its context ends. When the socket cannot be opened, the service runs without.
func (v *Service) Listen(data string, log *slog.Logger) Part {
	v.data = data
	socket, err := control.Listen(data, v.handlers(), log)
	if err != nil {
		log.Error("commands that ask the running service (backup, import, compact, check) do not work", "error", err)
		return func(ctx context.Context) error { <-ctx.Done(); return nil }
	}
	return socket.Run
}

func (v *Service) check(ctx context.Context, _ url.Values, _ io.Reader) (string, error) {
	return v.UseFile(true, func(file *store.Store) (string, error) {
		by := ""
		if v.data != "" {
			by = "in use by the service that runs, "
		}
		return fmt.Sprintf("file: %d bytes, %sno faults", file.Size(), by), file.Check(ctx)
	})
}

// backup makes a copy and returns its name. A copy that is taken elsewhere has a name
// that the next start deletes if nobody does before.
func (v *Service) backup(ctx context.Context, params url.Values, _ io.Reader) (string, error) {
	path := store.AskedPath(v.data, v.Clock.Now())
	if params.Has(paramPassing) {
		path += passingSuffix + strconv.FormatInt(v.copies.Add(1), 10)
	}
	if err := v.MakeBackup(ctx, path); err != nil {
		return "", err
	}
	return filepath.Base(path), nil
}

func (v *Service) compact(context.Context, url.Values, io.Reader) (string, error) {
	return v.UseFile(false, func(file *store.Store) (string, error) {
		before := file.Size()
		if err := file.Compact(); err != nil {
			return "", err
		}
		return fmt.Sprintf("compacted: %d bytes before, %d now; nothing of what was erased is left in the file", before, file.Size()), nil
	})
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
	parks, err := v.Catalogue()
	if err != nil {
		return "", err
	}
	batch, err := notices.Read(kind, notices.Document{Name: name, Data: data}, parks, v.Clock.Now())
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s: %d notices of %s, in place of all that were known", name, batch.Len(), batch.Kind), v.SaveNotices(batch)
}

func (v *Service) importObservations(_ context.Context, params url.Values, document io.Reader) (string, error) {
	data, err := io.ReadAll(document) // no longer than the socket takes
	if err != nil {
		return "", fmt.Errorf("read the observations: %w", err)
	}
	parks, err := v.Catalogue()
	if err != nil {
		return "", err
	}
	return v.UseFile(false, func(file *store.Store) (string, error) {
		return v.ImportObservations(file, parks, params.Get(paramName), data)
	})
}
