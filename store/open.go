package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"
	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

const (
	lockTimeout = time.Second
	pageSize    = 4096    // the same on every machine, whatever its kernel's pages
	allocSize   = 1 << 20 // the file grows by this much

	unfinishedInfix = ".new-" // of files that are still being made
)

// Open opens the file, and makes it when there is none, with its folder (0700).
// It takes the file for this process alone: ErrInUse when another has it. A file
// that is foreign, cut short or damaged is a DamagedError, as is one that is missing
// or empty where there has been one before; one of another version is ErrNewerSchema
// or ErrOlderSchema. They are left byte for byte as they are.
func Open(path string, o Options) (*Store, error) {
	o = o.complete()
	found, err := prepare(path, o)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	s := &Store{path: path, clock: o.Clock, log: o.Log, built: buildTime(), maxBytes: o.MaxBytes, noSync: o.NoSync}
	if err := s.attach(); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	// Only now, with the file there and held: what another first start was making
	// may go, since it will find this file.
	if !o.LookOnly {
		for _, name := range unfinished(path) {
			_ = os.Remove(name)
		}
	}
	err = s.makeReady(found, o.LookOnly)
	if err == nil {
		err = s.recount()
	}
	if err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return s, nil
}

func (o Options) complete() Options {
	if o.Clock == nil {
		o.Clock = clockwork.NewRealClock()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Without returns a store that stands for a file that cannot be opened: reading and
// writing fail with ErrNoFile, and Check with the cause. Nothing is made or changed on
// the disk.
func Without(path string, cause error, o Options) *Store {
	o = o.complete()
	s := &Store{path: path, clock: o.Clock, log: o.Log}
	s.broken.set(ErrNoFile)
	s.damage.set(cause)
	return s
}

// prepare sees to it that there is a file worth opening. What a first start that
// failed left behind is moved aside; anything else that is wrong is an error.
func prepare(path string, o Options) (condition, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return usable, firstFile(path, false, o)
	}
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, &DamagedError{Path: path, Cause: errors.New("not a regular file")}
	}
	found, err := inspect(context.Background(), path)
	if err != nil {
		return 0, err
	}
	if found == uninitialized {
		return usable, firstFile(path, true, o)
	}
	if info.Mode().Perm()&0o077 != 0 && !o.LookOnly {
		if err := os.Chmod(path, info.Mode().Perm()&^0o077); err != nil {
			o.Log.Warn("the store's file is open to other users and cannot be closed to them", "error", err)
		}
	}
	return found, nil
}

// firstFile makes the file of a first start. What one before left incomplete is moved
// aside.
func firstFile(path string, leftover bool, o Options) error {
	if err := neverUsed(path); err != nil {
		return err
	}
	if o.LookOnly {
		return fmt.Errorf("%w: there is none yet, or what a first start left incomplete", ErrUnready)
	}
	if leftover {
		aside := path + ".incomplete-" + strconv.FormatInt(o.Clock.Now().Unix(), 10)
		if err := os.Rename(path, aside); err != nil {
			return fmt.Errorf("move the leftover of a first start aside: %w", err)
		}
		o.Log.Warn("a first start had left an incomplete file; it was moved aside and a new one is made", "file", aside)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}
	return create(path, o)
}

// neverUsed refuses, as a DamagedError, a file that is missing or empty beside what
// only a service that had one leaves: its keys, or copies of the file. To begin with
// an empty one would forget everybody who subscribed.
func neverUsed(path string) error {
	folder, base := filepath.Dir(path), filepath.Base(path)
	for _, left := range []struct{ folder, prefix, suffix string }{
		{folder, KeyFile, ""}, {folder, base + replacedInfix, ""},
		{filepath.Join(folder, BackupFolder), "", backupSuffix},
	} {
		paths, err := named(left.folder, left.prefix, left.suffix)
		if err != nil {
			return err
		}
		for _, found := range paths {
			if !strings.Contains(filepath.Base(found), unfinishedInfix) {
				return &DamagedError{Path: path, Cause: fmt.Errorf("it is missing or empty, and there was one: %s is here", found)}
			}
		}
	}
	return nil
}

// create makes a complete file under another name and only then gives it its name, so that
// a full disk or a power cut never leaves half a file. When another process was first, its
// file stays.
func create(path string, o Options) error {
	dir := filepath.Dir(path)
	made, err := makeBolt(path, dir, !o.NoSync, func(db *bbolt.DB) error {
		return db.Update(func(tx *bbolt.Tx) error { return (&Tx{tx: tx}).initialize() })
	})
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	defer func() { _ = os.Remove(made) }()
	err = placeNew(made, path)
	if errors.Is(err, fs.ErrExist) {
		err = syncDir(dir)
	}
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	return nil
}

// makeBolt makes a bbolt file beside one whose place it is to take, with the owner of own,
// has it written and, unless it is of a test, brings it to stable storage.
func makeBolt(beside, own string, sync bool, write func(*bbolt.DB) error) (name string, err error) {
	made, err := os.CreateTemp(filepath.Dir(beside), filepath.Base(beside)+unfinishedInfix+"*") // mode 0600
	if err != nil {
		return "", err
	}
	err = errors.Join(made.Close(), guard(beside, func() error {
		db, err := bbolt.Open(made.Name(), 0o600, &bbolt.Options{
			Timeout: lockTimeout, FreelistType: bbolt.FreelistMapType, PageSize: pageSize,
			NoSync: true, // until all is there
		})
		if err != nil {
			return err
		}
		db.AllocSize = allocSize
		if err = write(db); err == nil && sync {
			err = db.Sync()
		}
		return errors.Join(err, db.Close())
	}))
	if err == nil {
		err = OwnAs(made.Name(), own)
	}
	if err != nil {
		_ = os.Remove(made.Name())
		return "", err
	}
	return made.Name(), nil
}

// placeNew gives a file its name and never replaces another: fs.ErrExist when there is one.
func placeNew(name, path string) error {
	err := os.Link(name, path)
	if err != nil && exists(path) {
		return fs.ErrExist
	}
	if err != nil { // some file systems of memory cards have no links
		err = os.Rename(name, path)
	}
	if err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// unfinished lists what first starts and compactions that were killed left behind.
func unfinished(path string) []string {
	names, _ := named(filepath.Dir(path), filepath.Base(path)+unfinishedInfix, "")
	if target, err := filepath.EvalSymlinks(path); err == nil && target != path {
		more, _ := named(filepath.Dir(target), filepath.Base(target)+unfinishedInfix, "")
		names = append(names, more...)
	}
	return names
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func syncDir(dir string) error {
	d, err := os.Open(dir) // #nosec G304 -- the folder of a file of ours
	if err != nil {
		return fmt.Errorf("sync the folder: %w", err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("sync the folder: %w", err)
	}
	return nil
}

// attach opens the file with bbolt and holds it.
func (s *Store) attach() error {
	db, file, err := openBolt(s.path, s.maxBytes)
	if err != nil {
		return err
	}
	s.db, s.file = db, file
	s.db.NoSync = s.noSync
	s.noteSize()
	// Whoever compacted the file while we waited for its lock has put another one in
	// its place: what we hold has no name any more.
	held, heldErr := file.Stat()
	named, namedErr := os.Stat(s.path)
	if err := errors.Join(heldErr, namedErr); err != nil {
		return errors.Join(err, db.Close())
	}
	if !os.SameFile(held, named) {
		return errors.Join(ErrInUse, db.Close())
	}
	s.held = held
	return nil
}

// openBolt opens a file with bbolt, which panics or faults on some damaged files
// and then keeps its lock: the handle is ours, so that it can be closed.
func openBolt(path string, maxBytes int64) (db *bbolt.DB, file *os.File, err error) {
	err = guard(path, func() (err error) {
		db, err = bbolt.Open(path, 0o600, &bbolt.Options{
			Timeout:         lockTimeout,
			FreelistType:    bbolt.FreelistMapType,
			PageSize:        pageSize,
			InitialMmapSize: initialMap(),
			MaxSize:         int(min(maxBytes, math.MaxInt)),
			OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
				opened, err := os.OpenFile(name, flag&^os.O_CREATE, mode) // #nosec G304 -- what bbolt is told to open, above
				file = opened
				return opened, err
			},
		})
		return err
	})
	switch {
	case err == nil:
		db.AllocSize = allocSize
		return db, file, nil
	case errors.Is(err, berrors.ErrTimeout):
		return nil, nil, ErrInUse
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch):
		err = &DamagedError{Path: path, Cause: err}
	}
	if file != nil {
		_ = file.Close()
	}
	return nil, nil, err
}

// initialMap is how much address space is taken at once. A commit that must map
// anew waits for all readers; within this size none does. Address space is
// scarce where pointers have 32 bits.
func initialMap() int {
	if strconv.IntSize == 32 {
		return 16 << 20
	}
	return 64 << 20
}

// makeReady checks the schema of an open file, and writes anew the one of its two first
// pages that is lost, unless the file is only looked at.
func (s *Store) makeReady(found condition, lookOnly bool) error {
	if err := s.view("read the schema", (*Tx).checkSchema); err != nil || found != oneMeta || lookOnly {
		return err
	}
	err := &DamagedError{Path: s.path, Cause: errors.New("one of its two first pages is lost, and the last write may be missing")}
	s.log.Error("the store goes on from the other one of its first pages", "error", err)
	s.noteDamage(err)
	return s.update("renew the lost page", func(*Tx) error { return nil })
}
