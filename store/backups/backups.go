// Package backups keeps the daily copies of the store's file: one a night, seven of
// them, none older than thirty days.
//
// [Keeper.Look] looks at the clock → when the newest daily copy is from
// before the last quiet hour it has the store make one, which counts only once it was
// opened and checked → the eighth is deleted. What was made is read off the names in
// the folder, so that a restart neither skips a day nor repeats one. Copies that
// somebody asks for ([Keeper.Make]) lie beside them under another name and do not
// count as a day's.
package backups

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/store"
)

const (
	// quietHour is when the daily copy is made, in UTC: between midnight and five in
	// the morning in every zone of Chile, summer and winter, and at no full hour, when
	// the cycle is made.
	quietHour = 7*time.Hour + 30*time.Minute
	kept      = 7
	again     = time.Hour // after a failure
	stamp     = "20060102T150405Z"
)

// Options are what New needs. All are required.
type Options struct {
	Store  *store.Store
	Folder string // of the data; the copies lie in a folder of it
	Clock  clockwork.Clock
	Log    *slog.Logger
}

// Keeper makes the copies. Its methods may be called from any goroutine.
type Keeper struct {
	o      Options
	folder string
	making chan struct{} // holds a token while no copy is made

	mu     sync.Mutex
	last   time.Time // when the newest copy was made, zero for none
	failed error     // why the last daily copy could not be made; nil when it was
	tried  time.Time // when that was
}

// New looks at what copies there are, and deletes what a process that was killed left
// of others.
func New(o Options) *Keeper {
	k := &Keeper{o: o, folder: filepath.Join(o.Folder, store.BackupFolder), making: make(chan struct{}, 1)}
	k.making <- struct{}{}
	for _, prefix := range []string{store.DailyBackup, store.AskedBackup} {
		left, _ := filepath.Glob(filepath.Join(k.folder, prefix+"*"+store.BackupSuffix+".new-*"))
		for _, name := range left {
			_ = os.Remove(name)
		}
	}
	if newest, found := Newest(o.Folder); found {
		k.last = newest.At
	}
	return k
}

// Copy is a backup in the folder of the backups.
type Copy struct {
	Path  string
	At    time.Time // when it was begun, by its name
	Daily bool
}

// List lists the copies in the folder of some data, the oldest first.
func List(data string) ([]Copy, error) {
	folder := filepath.Join(data, store.BackupFolder)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for backups: %w", err)
	}
	var found []Copy
	for _, e := range entries {
		name, daily := strings.CutPrefix(e.Name(), store.DailyBackup)
		name, asked := strings.CutPrefix(name, store.AskedBackup)
		at, err := time.Parse(stamp+store.BackupSuffix, name)
		if daily != asked && err == nil && e.Type().IsRegular() {
			found = append(found, Copy{Path: filepath.Join(folder, e.Name()), At: at, Daily: daily})
		}
	}
	slices.SortStableFunc(found, func(a, b Copy) int { return a.At.Compare(b.At) })
	return found, nil
}

// Newest returns the newest copy in the folder of some data.
func Newest(data string) (newest Copy, found bool) {
	copies, err := List(data)
	if err != nil || len(copies) == 0 {
		return Copy{}, false
	}
	return copies[len(copies)-1], true
}

// AskedPath returns the path of a copy that somebody asks for without saying where.
func AskedPath(data string, now time.Time) string {
	return filepath.Join(data, store.BackupFolder, store.AskedBackup+now.UTC().Format(stamp)+store.BackupSuffix)
}

// Last returns when the newest copy was made, zero for never, and whether the daily one
// cannot be made.
func (k *Keeper) Last() (at time.Time, failing bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.last, k.failed != nil
}

// Look makes the daily copy when it is due. It is called every minute or so. The error
// says why the one that is due could not be made.
func (k *Keeper) Look(ctx context.Context) error { return k.look(ctx, k.o.Clock.Now().UTC()) }

// look makes the daily copy when it is due. By a wrong clock nobody knows what is due,
// nor what is old.
func (k *Keeper) look(ctx context.Context, now time.Time) error {
	k.mu.Lock()
	failed, wait := k.failed, k.failed != nil && now.Sub(k.tried).Abs() < again
	k.mu.Unlock()
	if wait || k.o.Store.DoubtsClock(now) {
		return failed
	}
	copies, err := List(k.o.Folder)
	if err == nil {
		if !due(copies, now) {
			return nil
		}
		err = k.daily(ctx, now)
	}
	if ctx.Err() == nil {
		k.note(now, err)
	}
	return err
}

// due reports whether there is no daily copy since the last quiet hour. One from a time
// yet to come was made by a wrong clock.
func due(copies []Copy, now time.Time) bool {
	slot := now.Truncate(24 * time.Hour).Add(quietHour)
	if slot.After(now) {
		slot = slot.Add(-24 * time.Hour)
	}
	return !slices.ContainsFunc(copies, func(c Copy) bool {
		return c.Daily && !c.At.Before(slot) && !c.At.After(now)
	})
}

// daily makes a copy and deletes those beyond the seventh.
func (k *Keeper) daily(ctx context.Context, now time.Time) error {
	path := filepath.Join(k.folder, store.DailyBackup+now.Format(stamp)+store.BackupSuffix)
	if err := k.Make(ctx, path); err != nil {
		return err
	}
	copies, err := List(k.o.Folder)
	copies = slices.DeleteFunc(copies, func(c Copy) bool { return !c.Daily || c.Path == path })
	for i := 0; i <= len(copies)-kept; i++ {
		err = errors.Join(err, os.Remove(copies[i].Path))
	}
	if err != nil {
		return fmt.Errorf("delete the oldest backups: %w", err)
	}
	return nil
}

// note logs a change from working to failing and back.
func (k *Keeper) note(now time.Time, err error) {
	k.mu.Lock()
	was := k.failed != nil
	k.failed, k.tried = err, now
	k.mu.Unlock()
	switch {
	case err != nil && !was:
		k.o.Log.Error("the daily backup failed and is tried again every hour; see to room and access in the folder, or make a copy elsewhere with vigia backup FILE",
			"folder", k.folder, "error", err)
	case err == nil && was:
		k.o.Log.Info("the daily backup works again")
	case err == nil:
		k.o.Log.Info("the daily backup was made and checked")
	}
}

// Make makes a verified copy under a path, one at a time. See [store.Store.Backup].
func (k *Keeper) Make(ctx context.Context, path string) error {
	select {
	case <-k.making:
		defer func() { k.making <- struct{}{} }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := os.MkdirAll(k.folder, 0o700); err != nil {
		return fmt.Errorf("make the folder of the backups: %w", err)
	}
	begun := k.o.Clock.Now().UTC()
	if err := k.o.Store.Backup(ctx, path); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = begun
	return nil
}
