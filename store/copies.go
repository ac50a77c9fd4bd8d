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

// What lies beside the file: the keys, and the copies of it that this program makes by
// itself or is asked for without a name.
const (
	// KeyFile is the file of the service's keys, beside the store's.
	KeyFile = "vigia.key"
	// BackupFolder is the folder of the backups, in that of the data.
	BackupFolder = "backups"
	// DailyBackup begins the name of a backup that was made because a day was over.
	DailyBackup = "daily-"
	// AskedBackup begins the name of one that somebody asked for.
	AskedBackup = "vigia-"
	// BackupSuffix ends the names of both.
	BackupSuffix = ".db"

	replacedInfix = ".replaced" // the file that a restore took the place of, and when
)

// DropCopies deletes the copies of the file that were made before an instant and
// lie where this program puts them: the backups in their folder, and beside the file
// those that a restore replaced. They hold what has been erased since. Copies that
// were put elsewhere are left.
func (s *Store) DropCopies(before time.Time) error {
	folder, base := filepath.Dir(s.path), filepath.Base(s.path)
	backups := filepath.Join(folder, BackupFolder)
	return errors.Join(
		dropCopies(backups, DailyBackup, BackupSuffix, before),
		dropCopies(backups, AskedBackup, BackupSuffix, before),
		dropCopies(folder, base+replacedInfix, "", before),
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
