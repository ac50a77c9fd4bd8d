package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// DropCopies deletes the copies of the file that were made before an instant and
// lie where this program puts them: those of vigia backup without a name in the
// folder backups, and those from before a change of schema beside the file. They
// hold what has been erased since. Copies that were put elsewhere are left.
func (s *Store) DropCopies(before time.Time) error {
	folder := filepath.Dir(s.path)
	return errors.Join(
		dropCopies(filepath.Join(folder, "backups"), "vigia-", ".db", before),
		dropCopies(folder, filepath.Base(s.path)+".schema", "", before),
	)
}

func dropCopies(folder, prefix, suffix string, before time.Time) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for old copies: %w", err)
	}
	var errs []error
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !info.ModTime().Before(before) ||
			!strings.HasPrefix(e.Name(), prefix) || !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		if err := os.Remove(filepath.Join(folder, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("delete an old copy: %w", err))
		}
	}
	return errors.Join(errs...)
}
