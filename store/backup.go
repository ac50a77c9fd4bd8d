package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"go.etcd.io/bbolt"
)

// Backup writes a copy of the store as it is at one instant, while it is in use:
// those who write go on meanwhile. The copy is made under another name, brought to
// stable storage and checked before it takes the name path, where it replaces an
// older copy. It refuses to replace the live file. ErrFull when there is no room,
// ctx's error when that ends first; after any error there is no new file.
func (s *Store) Backup(ctx context.Context, path string) error {
	if err := s.backup(ctx, path, checkAll); err != nil {
		s.noteDamage(err) // the copy is of pages as they are
		return fmt.Errorf("back up to %s: %w", path, err)
	}
	s.damage.clear()
	return nil
}

// verification reads a file in one transaction and returns what is wrong with it.
type verification func(ctx context.Context, path string, tx *bbolt.Tx) error

func (s *Store) backup(ctx context.Context, path string, verify verification) error {
	if err := s.broken.get(); err != nil {
		return err
	}
	s.beginning.Lock()
	live, err := s.file.Stat()
	s.beginning.Unlock()
	if err != nil {
		return fmt.Errorf("look at the live file: %w", err)
	}
	c := copying{ctx: ctx, to: path, live: live, bytes: live.Size(), verify: verify}
	return c.make(func(w io.Writer) error {
		return s.view("copy", func(tx *bbolt.Tx) error {
			_, err := tx.WriteTo(w)
			return err
		})
	})
}

// CopyBackup copies a finished backup to another place, and the copy counts only once
// it is as sure as one that Backup makes. live is the path of the live file, which is
// never replaced.
func CopyBackup(ctx context.Context, from, to, live string) error {
	if err := copyBackup(ctx, from, to, live); err != nil {
		return fmt.Errorf("copy the backup to %s: %w", to, err)
	}
	return nil
}

func copyBackup(ctx context.Context, from, to, live string) error {
	source, err := os.Open(from) // #nosec G304 -- a backup that was just made
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	c := copying{ctx: ctx, to: to, bytes: info.Size(), verify: checkAll}
	if c.live, err = os.Stat(live); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return c.make(func(w io.Writer) error {
		_, err := io.Copy(w, source)
		return err
	})
}

// copying is a copy being made: under another name, to stable storage, verified,
// and only then with its own.
type copying struct {
	ctx    context.Context
	to     string
	live   os.FileInfo  // never to be replaced; nil when there is none
	bytes  int64        // how large it will be
	verify verification // nil is none
}

func (c *copying) make(write func(io.Writer) error) (err error) {
	if err := c.replaceable(); err != nil {
		return err
	}
	dir := filepath.Dir(c.to)
	if err := roomFor(dir, c.bytes+sparedBytes); err != nil {
		return err
	}
	made, err := os.CreateTemp(dir, filepath.Base(c.to)+unfinishedSuffix) // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(made.Name())
		}
	}()
	to := &stoppable{ctx: c.ctx, file: made}
	if err = write(to); to.failed != nil {
		err = to.failed // bbolt gives some errors as text alone
	}
	if err = errors.Join(err, made.Sync(), made.Close()); err != nil {
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			err = fmt.Errorf("%w: %w", ErrFull, err)
		}
		return err
	}
	if c.verify != nil {
		if err := verifyCopy(c.ctx, made.Name(), c.verify); err != nil {
			return err
		}
	}
	if err := os.Rename(made.Name(), c.to); err != nil {
		return err
	}
	return syncDir(dir)
}

// replaceable refuses what is not a place for a copy.
func (c *copying) replaceable() error {
	there, err := os.Stat(c.to)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !there.Mode().IsRegular():
		return errors.New("not a regular file")
	case c.live != nil && os.SameFile(c.live, there):
		return errors.New("this is the live file itself")
	}
	return nil
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

// verifyCopy opens a copy for reading only and verifies it. When ctx ends it is not
// waited for: bbolt's check of the pages cannot be stopped, and a service that is told
// to end has seconds. It then ends by itself, on a file that has no name any more.
func verifyCopy(ctx context.Context, path string, verify verification) error {
	verified := make(chan error, 1)
	go func() { verified <- verifyWhole(ctx, path, verify) }()
	select {
	case err := <-verified:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func verifyWhole(ctx context.Context, path string, verify verification) error {
	if _, err := inspect(path); err != nil {
		return err
	}
	return guard(path, func() error {
		db, err := bbolt.Open(path, 0o600, &bbolt.Options{
			Timeout: lockTimeout, ReadOnly: true, PreLoadFreelist: true, FreelistType: bbolt.FreelistMapType,
		})
		if err != nil {
			return fmt.Errorf("open the copy: %w", err)
		}
		err = db.View(func(tx *bbolt.Tx) error { return verify(ctx, path, tx) })
		return errors.Join(err, db.Close())
	})
}
