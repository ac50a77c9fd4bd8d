package store

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

const (
	lockTimeout = time.Second
	lockStep    = 50 * time.Millisecond
)

// hold opens a file and takes the lock that bbolt uses, so that nobody else writes it.
// ErrInUse when another process holds it, or has put another file in its place while this
// one waited. Closing the file lets go of the lock.
func hold(path string) (*os.File, error) {
	info, err := os.Lstat(path) // before it is opened: a pipe would wait, and what replaces a link is no link
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &DamagedError{Path: path, Cause: errors.New("not a regular file; a link may lead to its folder")}
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0) // #nosec G304 -- the file of the data, or a copy that the operator names
	if err != nil {
		return nil, err
	}
	if err = lock(file); err == nil {
		err = stillNamed(file, path)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

func lock(file *os.File) error {
	for waited := time.Duration(0); ; waited += lockStep {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return fmt.Errorf("lock: %w", err)
		}
		if waited >= lockTimeout {
			return ErrInUse
		}
		time.Sleep(lockStep)
	}
}

// stillNamed returns ErrInUse unless a path leads to the file.
func stillNamed(file *os.File, path string) error {
	held, heldErr := file.Stat()
	named, namedErr := os.Stat(path)
	if err := errors.Join(heldErr, namedErr); err != nil {
		return err
	}
	if !os.SameFile(held, named) {
		return ErrInUse
	}
	return nil
}

// openBolt opens a file that is held with bbolt, which closes it in the end. On some
// damaged files bbolt panics or faults, and leaves it open.
func openBolt(path string, held *os.File, o bbolt.Options) (db *bbolt.DB, err error) {
	o.OpenFile = func(string, int, os.FileMode) (*os.File, error) { return held, nil }
	o.FreelistType, o.PageSize, o.Timeout = bbolt.FreelistMapType, pageSize, lockTimeout
	err = guard(path, func() (err error) {
		db, err = bbolt.Open(path, 0o600, &o)
		return err
	})
	switch {
	case errors.Is(err, berrors.ErrTimeout): // to read alone bbolt shares the lock, which another may take meanwhile
		err = ErrInUse
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch):
		err = &DamagedError{Path: path, Cause: err}
	}
	if err != nil {
		_ = held.Close()
		return nil, err
	}
	db.AllocSize = allocSize
	return db, nil
}
