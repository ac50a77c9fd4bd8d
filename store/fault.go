package store

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime/debug"
	"syscall"

	berrors "go.etcd.io/bbolt/errors"
)

// The errors on which a caller decides.
var (
	// ErrNotFound is returned when the store has no such thing yet.
	ErrNotFound = errors.New("not in the store")
	// ErrInUse is returned when another process, or another handle of this one, holds the file.
	ErrInUse = errors.New("the file is in use by another process")
	// ErrNewerSchema is returned when a newer version of the program wrote the file.
	ErrNewerSchema = errors.New("written by a newer version of the program; update it, or restore a backup made by this version")
	// ErrOlderSchema is returned when a build from before the first release wrote the file.
	ErrOlderSchema = errors.New("written by a build from before the first release, which no version reads; restore a backup made by this version, " +
		"or, to begin anew, which forgets everybody who subscribed, move the folder with the file, " + KeyFile + " and the backups away")
	// ErrReadOnly is returned when nothing is written, because an earlier write failed and the file could
	// not be copied whole since, or because the file is not at its path (see [Store.Recover]).
	ErrReadOnly = errors.New("the store is read-only")
	// ErrDisplaced is the ErrReadOnly of a file that is not at its path.
	ErrDisplaced = fmt.Errorf("%w: its file was taken away from its path", ErrReadOnly)
	// ErrNoFile is returned when the file could not be opened, or can no longer be read. Why was logged.
	ErrNoFile = errors.New("the store's file cannot be used")
	// ErrFull is returned when the disk or the limit of the file's size is full. Nothing was
	// written; the same write may be tried again later.
	ErrFull = errors.New("no space left for the store")
	// ErrUnready is returned when the file is to be made, which was not asked for.
	ErrUnready = errors.New("the next start makes the file ready")
	// ErrClosed is returned when the store was closed.
	ErrClosed = errors.New("the store is closed")
)

// LogLevel returns the level at which a caller of the store logs a failure: a warning where the store itself has said, once for all, that it is full
// or can no longer be written, else an error.
func LogLevel(err error) slog.Level {
	if errors.Is(err, ErrFull) || errors.Is(err, ErrReadOnly) || errors.Is(err, ErrNoFile) {
		return slog.LevelWarn
	}
	return slog.LevelError
}

// DamagedError is returned when the file, or a value in it, is not what was written, or
// the file is not one of Vigía at all. The file has been left as it is.
type DamagedError struct {
	Path  string
	Cause error
	fault bool // met as a fault of memory or a panic rather than as a value that does not decode
}

// Error returns what is damaged and what to do about it.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s is lost, damaged or not a file of this program (%v). It has been left untouched. "+
		"To recover: stop the service, run vigia restore with the newest of the backups, and start it again. "+
		"To begin anew instead, which forgets everybody who subscribed, move the folder with the file, %s and the backups away",
		e.Path, e.Cause, KeyFile)
}

// Unwrap returns what was found.
func (e *DamagedError) Unwrap() error { return e.Cause }

// errValue is the cause of a value that does not decode.
var errValue = errors.New("value does not decode")

// guard runs do and turns a fault of memory (a page that the disk can no longer
// give, a reference that leads out of the file) and any panic of bbolt into a
// DamagedError. Faults become panics only in the goroutine that asks for it, so
// every goroutine that touches the file passes through here.
func guard(path string, do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = &DamagedError{Path: path, Cause: fmt.Errorf("%v", r), fault: true}
		}
	}()
	return do()
}

// isolated runs the part of a transaction that others wrote. Their panic is their own
// failure and not the file's, save for a fault of memory, which has an address.
func isolated(do func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			panic(r)
		default:
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return do()
}

func (s *Store) guarded(do func() error) error {
	err := guard(s.path, do)
	if damaged := (*DamagedError)(nil); errors.As(err, &damaged) && damaged.fault && !errors.Is(err, ErrNoFile) { // that was logged
		s.log.Error("fault while using the store", "error", damaged.Cause)
	}
	return err
}

// damagedValue turns a failure to decode into a DamagedError that names the value.
func damagedValue(path, what string, err error) error {
	if errors.Is(err, errValue) {
		return &DamagedError{Path: path, Cause: fmt.Errorf("%s: %w", what, err)}
	}
	return fmt.Errorf("%s: %w", what, err)
}

// isFull reports whether an error came before anything was changed: bbolt's own limit,
// and a write (not a sync) refused for want of space.
func isFull(err error) bool {
	if errors.Is(err, berrors.ErrMaxSizeReached) {
		return true
	}
	refused := (*fs.PathError)(nil)
	return errors.As(err, &refused) && refused.Op == "write" &&
		(errors.Is(refused.Err, syscall.ENOSPC) || errors.Is(refused.Err, syscall.EDQUOT))
}
