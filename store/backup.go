package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// Backup writes a copy of the store as it is at one instant, while it is in use.
// The copy is made under another name, brought to stable storage and checked
// before it takes the name path, where it replaces an older copy. It refuses to
// replace the live file.
func (s *Store) Backup(path string) error {
	if err := s.backup(path, checkAll); err != nil {
		return fmt.Errorf("back up to %s: %w", path, err)
	}
	return nil
}

// verification reads a file in one transaction and tells what is wrong with it.
type verification func(ctx context.Context, path string, tx *bbolt.Tx) error

func (s *Store) backup(path string, verify verification) (err error) {
	if err := s.replaceable(path); err != nil {
		return err
	}
	dir := filepath.Dir(path)
	copied, err := os.CreateTemp(dir, filepath.Base(path)+unfinishedSuffix) // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(copied.Name())
		}
	}()
	err = s.view("copy", func(tx *bbolt.Tx) error {
		_, err := tx.WriteTo(copied)
		return err
	})
	if err = errors.Join(err, copied.Sync(), copied.Close()); err != nil {
		return err
	}
	if err := verifyCopy(copied.Name(), verify); err != nil {
		return err
	}
	if err := os.Rename(copied.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

// replaceable refuses what is not a place for a copy.
func (s *Store) replaceable(path string) error {
	there, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !there.Mode().IsRegular() {
		return errors.New("not a regular file")
	}
	s.beginning.Lock()
	live, err := s.file.Stat()
	s.beginning.Unlock()
	if err != nil {
		return fmt.Errorf("look at the live file: %w", err)
	}
	if os.SameFile(live, there) {
		return errors.New("this is the live file itself")
	}
	return nil
}

// verifyCopy opens a copy for reading only and verifies it.
func verifyCopy(path string, verify verification) error {
	return guard(path, func() error {
		db, err := bbolt.Open(path, 0o600, &bbolt.Options{
			Timeout: lockTimeout, ReadOnly: true, PreLoadFreelist: true, FreelistType: bbolt.FreelistMapType,
		})
		if err != nil {
			return fmt.Errorf("open the copy: %w", err)
		}
		err = db.View(func(tx *bbolt.Tx) error {
			return verify(context.Background(), path, tx)
		})
		return errors.Join(err, db.Close())
	})
}
