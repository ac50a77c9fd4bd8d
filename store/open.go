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

	"github.com/jonboulle/clockwork"
	"go.etcd.io/bbolt"
)

const (
	pageSize  = 4096    // the same on every machine, whatever its kernel's pages
	allocSize = 1 << 20 // the file grows by this much

	unfinishedInfix = ".new-" // of files that are still being made
)

// Open opens the file, and makes it when there is none, with its folder (0700).
// It takes the file for this process alone: ErrInUse when another has it. A file
// that is foreign, cut short or damaged is a DamagedError, as is one that is missing
// or empty where there has been one before; one of another version is ErrNewerSchema
// or ErrOlderSchema. They are left byte for byte as they are.
func Open(path string, o Options) (*Store, error) {
	o = o.complete()
	held, found, err := prepare(path, o)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if !o.LookOnly {
		if err := held.Chmod(0o600); err != nil {
			o.Log.Warn("the store's file may be open to other users and cannot be closed to them", "error", err)
		}
	}
	s := &Store{path: path, clock: o.Clock, log: o.Log, built: buildTime(), maxBytes: o.MaxBytes, noSync: o.NoSync}
	if err := s.attach(held); err != nil {
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

// prepare returns the file, held, and its condition. It makes one on a first start, and
// moves aside what one that failed left behind; anything else that is wrong is an error.
func prepare(path string, o Options) (held *os.File, found condition, err error) {
	held, found, err = holdWhole(path)
	missing := errors.Is(err, fs.ErrNotExist)
	if !missing && (err != nil || found != uninitialized) {
		return held, found, err
	}
	if !missing {
		_ = held.Close()
	}
	if err := firstFile(path, !missing, o); err != nil {
		return nil, 0, err
	}
	return holdWhole(path)
}

// holdWhole is hold of a file whose pages hang together, and of one that was never brought
// into use.
func holdWhole(path string) (held *os.File, found condition, err error) {
	if held, err = hold(path); err != nil {
		return nil, 0, err
	}
	if found, err = look(context.Background(), path, held); err != nil {
		return nil, 0, errors.Join(err, held.Close())
	}
	return held, found, nil
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
	return makeFile(beside, func(made *os.File) error {
		db, err := openBolt(made.Name(), made, bbolt.Options{NoSync: true}) // until all is there
		if err != nil {
			return err
		}
		err = guard(beside, func() error {
			if err = write(db); err == nil && sync {
				err = db.Sync()
			}
			return errors.Join(err, db.Close())
		})
		if err != nil {
			return err
		}
		return OwnAs(made.Name(), own)
	})
}

// makeFile makes a file beside one whose place it is to take, and has it filled and
// closed. After an error there is none.
func makeFile(beside string, fill func(*os.File) error) (name string, err error) {
	made, err := os.CreateTemp(filepath.Dir(beside), filepath.Base(beside)+unfinishedInfix+"*") // mode 0600
	if err != nil {
		return "", err
	}
	if err := fill(made); err != nil {
		return "", errors.Join(err, os.Remove(made.Name()))
	}
	return made.Name(), nil
}

// WriteFile puts a file of a content at a path, in the place of any other, whole or not at
// all. It is on stable storage when WriteFile returns.
func WriteFile(path string, content []byte) error {
	made, err := makeFile(path, func(made *os.File) error {
		_, err := made.Write(content)
		return errors.Join(err, made.Sync(), made.Close())
	})
	if err != nil {
		return err
	}
	return place(made, path)
}

// place gives a file its name, in the place of any other. After an error it is gone.
func place(made, path string) error {
	if err := os.Rename(made, path); err != nil {
		return errors.Join(err, os.Remove(made))
	}
	return syncDir(filepath.Dir(path))
}

// placeNew gives a file its name and never replaces another: fs.ErrExist when there is one.
func placeNew(name, path string) error {
	if err := os.Link(name, path); err != nil {
		if _, err := os.Stat(path); err == nil {
			return fs.ErrExist
		}
		if err := os.Rename(name, path); err != nil { // some file systems of memory cards have no links
			return err
		}
	}
	return syncDir(filepath.Dir(path))
}

// unfinished lists what first starts and compactions that were killed left behind.
func unfinished(path string) []string {
	names, _ := named(filepath.Dir(path), filepath.Base(path)+unfinishedInfix, "")
	return names
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

// attach opens the file, which is held, with bbolt.
func (s *Store) attach(held *os.File) (err error) {
	if s.held, err = held.Stat(); err != nil {
		return errors.Join(err, held.Close())
	}
	if s.db, err = openBolt(s.path, held, s.boltOptions()); err != nil {
		return err
	}
	s.file = held
	s.noteSize()
	return nil
}

func (s *Store) boltOptions() bbolt.Options {
	return bbolt.Options{InitialMmapSize: initialMap(), MaxSize: int(min(s.maxBytes, math.MaxInt)), NoSync: s.noSync}
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
