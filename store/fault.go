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
	// ErrNotFound: the store has no such thing yet.
	ErrNotFound = errors.New("not in the store")
	// ErrInUse: another process, or another handle of this one, holds the file.
	ErrInUse = errors.New("the file is in use by another process")
	// ErrNewerSchema: a newer version of the program wrote the file or the value.
	ErrNewerSchema = errors.New("written by a newer version of the program; update it, or restore a backup made by this version")
	// ErrReadOnly: an earlier write failed, so that nothing is written until the file
	// could be copied whole (see [Store.Tend]).
	ErrReadOnly = errors.New("the store is read-only after a failed write")
	// ErrFull: the disk or the limit of the file's size is full. Nothing was
	// written; the same write may be tried again later.
	ErrFull = errors.New("no space left for the store")
	// ErrUnready: the file is to be mended or brought forward, which was not asked for.
	ErrUnready = errors.New("the next start makes the file ready")
	// ErrClosed: the store was closed.
	ErrClosed = errors.New("the store is closed")
)

// LogLevel is the level at which a failure is logged by whoever needed the store for
// something: a warning where the store itself has said, once for all, that it is full
// or can no longer be written, else an error.
func LogLevel(err error) slog.Level {
	if errors.Is(err, ErrFull) || errors.Is(err, ErrReadOnly) {
		return slog.LevelWarn
	}
	return slog.LevelError
}

// DamagedError says that the file, or a value in it, is not what was written, or
// that the file is not one of Vigía at all. The file has been left as it is.
type DamagedError struct {
	Path  string
	Cause error
	fault bool // met as a fault of memory or a panic rather than as a value that does not decode
}

// Error says what is damaged and what to do about it.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s is damaged or not a file of this program (%v). It has been left untouched. "+
		"To recover: stop the service and run vigia restore with the newest of the backups; "+
		"without a backup, move the file away and the next start makes an empty one",
		e.Path, e.Cause)
}

// Unwrap gives what was found.
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

// spared runs the part of a transaction that others wrote. Their panic is their own
// failure and not the file's, save for a fault of memory, which has an address.
func spared(do func() error) (err error) {
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
	if damaged := (*DamagedError)(nil); errors.As(err, &damaged) && damaged.fault {
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

// isFull tells errors that come before anything was changed: bbolt's own limit,
// and a write (not a sync) refused for want of space.
func isFull(err error) bool {
	if errors.Is(err, berrors.ErrMaxSizeReached) {
		return true
	}
	refused := (*fs.PathError)(nil)
	return errors.As(err, &refused) && refused.Op == "write" &&
		(errors.Is(refused.Err, syscall.ENOSPC) || errors.Is(refused.Err, syscall.EDQUOT))
}
