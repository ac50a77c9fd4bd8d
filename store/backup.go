package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// Backup writes a copy of the store as it is at one instant, while it is in use:
// those who write go on meanwhile. The copy is made under another name, brought to
// stable storage and checked before it takes the name path, where it replaces an
// older copy. It refuses to replace the live file. ErrFull when there is no room,
// ctx's error when that ends first; after any error there is no new file.
func (s *Store) Backup(ctx context.Context, path string) error {
	err := s.broken.get()
	if err == nil {
		err = s.writeCopy(ctx, path)
	}
	if err != nil {
		s.noteDamage(err) // the copy is of pages as they are
		return fmt.Errorf("back up to %s: %w", path, err)
	}
	s.damage.clear()
	return nil
}

// writeCopy makes a copy: under another name, to stable storage, verified, and only then
// with its own.
func (s *Store) writeCopy(ctx context.Context, to string) error {
	s.beginning.Lock()
	live := s.held
	s.beginning.Unlock()
	if err := replaceable(to, live); err != nil {
		return err
	}
	made, err := writeUnfinished(ctx, to, s.Size(), func(w io.Writer) error {
		return s.view("copy", func(t *Tx) error {
			_, err := t.tx.WriteTo(w)
			return err
		})
	})
	if err != nil {
		return err
	}
	if err := verifyFile(ctx, made); err != nil {
		return errors.Join(err, os.Remove(made))
	}
	return place(made, to)
}

// replaceable refuses what is not a place for a copy.
func replaceable(to string, live os.FileInfo) error {
	there, err := os.Stat(to)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !there.Mode().IsRegular():
		return errors.New("not a regular file")
	case os.SameFile(live, there):
		return errors.New("this is the live file itself")
	}
	return nil
}

// writeUnfinished writes a file of so many bytes beside one that is to be made of it, and
// brings it to stable storage. ErrFull when there is no room; after an error there is no
// file.
func writeUnfinished(ctx context.Context, to string, bytes int64, write func(io.Writer) error) (name string, err error) {
	if err := roomFor(filepath.Dir(to), bytes+sparedBytes); err != nil {
		return "", err
	}
	return makeFile(to, func(made *os.File) error {
		w := &stoppable{ctx: ctx, file: made}
		err := write(w)
		if w.failed != nil {
			err = w.failed // bbolt gives some errors as text alone
		}
		err = errors.Join(err, made.Sync(), made.Close())
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			err = fmt.Errorf("%w: %w", ErrFull, err)
		}
		return err
	})
}

// stoppable writes to a file until a context ends: a transaction that is being
// copied keeps the pages of the past from being used again.
type stoppable struct {
	ctx    context.Context
	file   *os.File
	failed error // why nothing more was written
}

// Write writes unless the context has ended.
func (w *stoppable) Write(p []byte) (n int, err error) {
	if err = w.ctx.Err(); err == nil {
		n, err = w.file.Write(p)
	}
	w.failed = err
	return n, err
}
