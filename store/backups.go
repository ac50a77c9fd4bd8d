package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// What lies beside the file: the keys, and the copies of it that this program makes by
// itself or is asked for without a name.
const (
	// KeyFile is the file of the service's keys, beside the store's.
	KeyFile = "vigia.key"
	// BackupFolder is the folder of the backups, in that of the data.
	BackupFolder = "backups"

	dailyBackup   = "daily-" // begins the name of a backup that was made because a day was over
	askedBackup   = "vigia-" // begins the name of one that somebody asked for
	backupSuffix  = ".db"
	replacedInfix = ".replaced" // of the file that a restore took the place of
	copyStamp     = "20060102T150405Z"
)

const (
	// dailyAt is when the daily copy is made, in UTC: between midnight and five in
	// the morning in every zone of Chile, summer and winter, and at no full hour, when
	// the cycle is made.
	dailyAt    = 7*time.Hour + 30*time.Minute
	dailyKept  = 7
	dailyAgain = time.Hour // after a failure
)

// Backups makes the daily copies of the file: one a night, of which seven are kept. What
// was made is read off the names in the folder, so that a restart neither skips a day nor
// repeats one. Copies that somebody asks for ([Backups.Make]) lie beside them and do not
// count as a day's. Its methods may be called from any goroutine.
type Backups struct {
	store  *Store
	folder string

	mu     sync.Mutex
	last   time.Time // when the newest copy was made, zero for none
	failed error     // why the last daily copy could not be made; nil when it was
	tried  time.Time // when that was
}

// NewBackups looks at what copies of a store's file there are, and deletes what a process
// that was killed left of others.
func NewBackups(s *Store) *Backups {
	data := filepath.Dir(s.path)
	b := &Backups{store: s, folder: filepath.Join(data, BackupFolder)}
	files, _ := named(b.folder, "", "")
	for _, path := range files {
		name := filepath.Base(path)
		if strings.Contains(name, backupSuffix+unfinishedInfix) && (strings.HasPrefix(name, dailyBackup) || strings.HasPrefix(name, askedBackup)) {
			_ = os.Remove(path)
		}
	}
	if copies, err := Copies(data); err == nil && len(copies) > 0 {
		b.last = copies[len(copies)-1].At
	}
	return b
}

// Copy is a backup in the folder of the backups.
type Copy struct {
	Path  string
	At    time.Time // when it was begun, by its name
	Daily bool
}

// Copies lists the backups in the folder of some data, the oldest first.
func Copies(data string) ([]Copy, error) {
	paths, err := named(filepath.Join(data, BackupFolder), "", backupSuffix)
	if err != nil {
		return nil, err
	}
	var found []Copy
	for _, path := range paths {
		name, daily := strings.CutPrefix(filepath.Base(path), dailyBackup)
		name, asked := strings.CutPrefix(name, askedBackup)
		at, err := time.Parse(copyStamp+backupSuffix, name)
		if daily != asked && err == nil {
			found = append(found, Copy{Path: path, At: at, Daily: daily})
		}
	}
	slices.SortStableFunc(found, func(a, b Copy) int { return a.At.Compare(b.At) })
	return found, nil
}

// AskedPath returns the path of a copy that somebody asks for without saying where.
func AskedPath(data string, now time.Time) string {
	return filepath.Join(data, BackupFolder, askedBackup+now.UTC().Format(copyStamp)+backupSuffix)
}

// Last returns when the newest copy was made, zero for never, and whether the daily one
// cannot be made.
func (b *Backups) Last() (at time.Time, failing bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.last, b.failed != nil
}

// MakeDue makes the daily copy when it is due. It is called every minute or so. While the
// clock cannot be right no copy is made or deleted. The error says why the one that is due
// could not be made.
func (b *Backups) MakeDue(ctx context.Context) error {
	return b.makeDue(ctx, b.store.clock.Now().UTC())
}

func (b *Backups) makeDue(ctx context.Context, now time.Time) error {
	b.mu.Lock()
	failed, wait := b.failed, b.failed != nil && now.Sub(b.tried).Abs() < dailyAgain
	b.mu.Unlock()
	if wait || b.store.DoubtsClock(now) {
		return failed
	}
	copies, err := Copies(filepath.Dir(b.folder))
	if err == nil {
		if !due(copies, now) {
			return nil
		}
		err = b.daily(ctx, now, copies)
	}
	if ctx.Err() == nil {
		b.note(now, err)
	}
	return err
}

// due reports whether there is no daily copy since the last time that one was due. One from a time
// yet to come was made by a wrong clock.
func due(copies []Copy, now time.Time) bool {
	slot := now.Truncate(24 * time.Hour).Add(dailyAt)
	if slot.After(now) {
		slot = slot.Add(-24 * time.Hour)
	}
	return !slices.ContainsFunc(copies, func(c Copy) bool {
		return c.Daily && !c.At.Before(slot) && !c.At.After(now)
	})
}

// daily makes a copy and deletes those beyond the seventh.
func (b *Backups) daily(ctx context.Context, now time.Time, before []Copy) error {
	path := filepath.Join(b.folder, dailyBackup+now.Format(copyStamp)+backupSuffix)
	if err := b.Make(ctx, path); err != nil {
		return err
	}
	before = slices.DeleteFunc(before, func(c Copy) bool { return !c.Daily || c.Path == path })
	for i := 0; i <= len(before)-dailyKept; i++ {
		if err := os.Remove(before[i].Path); err != nil {
			return fmt.Errorf("delete the oldest backups: %w", err)
		}
	}
	return nil
}

// note logs a change from working to failing and back.
func (b *Backups) note(now time.Time, err error) {
	b.mu.Lock()
	was := b.failed != nil
	b.failed, b.tried = err, now
	b.mu.Unlock()
	switch log := b.store.log; {
	case err != nil && !was:
		log.Error("the daily backup failed and is tried again every hour; see to room and access in the folder, or make a copy elsewhere with vigia backup FILE",
			"folder", b.folder, "error", err)
	case err == nil && was:
		log.Info("the daily backup works again")
	case err == nil:
		log.Info("the daily backup was made and checked")
	}
}

// Make makes a verified copy under a path. See [Store.Backup].
func (b *Backups) Make(ctx context.Context, path string) error {
	if err := os.MkdirAll(b.folder, 0o700); err != nil {
		return fmt.Errorf("make the folder of the backups: %w", err)
	}
	begun := b.store.clock.Now().UTC()
	if err := b.store.Backup(ctx, path); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = begun
	return nil
}

// DropCopies deletes the copies of the file that were made before an instant and
// lie where this program puts them: the backups in their folder, and beside the file
// those that a restore replaced. They hold what has been erased since. Copies that
// were put elsewhere are left.
func (s *Store) DropCopies(before time.Time) error {
	folder, base := filepath.Split(s.path)
	backups := filepath.Join(folder, BackupFolder)
	replaced, errR := named(folder, base+replacedInfix, "")
	daily, errD := named(backups, dailyBackup, backupSuffix)
	asked, errA := named(backups, askedBackup, backupSuffix)
	errs := []error{errR, errD, errA}
	for _, path := range slices.Concat(replaced, daily, asked) {
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || !info.ModTime().Before(before) {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("delete an old copy: %w", err))
		}
	}
	return errors.Join(errs...)
}

// named lists what is no folder in a folder, which need not exist, and whose name begins
// and ends so.
func named(folder, prefix, suffix string) (paths []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for files in %s: %w", folder, err)
	}
	for _, e := range entries {
		if !e.IsDir() && strings.HasPrefix(e.Name(), prefix) && strings.HasSuffix(e.Name(), suffix) {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	return paths, nil
}
