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
	"time"

	"github.com/jonboulle/clockwork"
	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

const (
	lockTimeout = time.Second
	pageSize    = 4096    // the same on every machine, whatever its kernel's pages
	allocSize   = 1 << 20 // the file grows by this much

	unfinishedSuffix = ".new-*" // of files that are still being made
)

// Open opens the file, and makes it when there is none, with its folder (0700).
// It takes the file for this process alone: ErrInUse when another has it. A file
// that is foreign, cut short or damaged is a DamagedError, one of a newer version
// ErrNewerSchema; both are left byte for byte as they are. An older file is
// brought forward, after a copy of it was made beside it.
func Open(path string, o Options) (*Store, error) { return open(path, o, migrations) }

func open(path string, o Options, all []migration) (*Store, error) {
	if o.Clock == nil {
		o.Clock = clockwork.NewRealClock()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	found, err := prepare(path, o, all)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	s := &Store{path: path, clock: o.Clock, log: o.Log, maxBytes: o.MaxBytes}
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
	err = s.bringForward(all, found, o.LookOnly, o.copied)
	if err == nil {
		err = s.countKept()
	}
	if err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return s, nil
}

// prepare sees to it that there is a file worth opening. What a first start that
// failed left behind is moved aside; anything else that is wrong is an error.
func prepare(path string, o Options, all []migration) (condition, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return 0, fmt.Errorf("make the folder: %w", err)
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return usable, create(path, o, all)
	}
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, &DamagedError{Path: path, Cause: errors.New("not a regular file")}
	}
	found, err := inspect(path)
	if err != nil {
		return 0, err
	}
	if found == unborn && o.LookOnly {
		return 0, fmt.Errorf("%w: a first start left it incomplete; it is moved aside and a new one is made", ErrUnready)
	}
	if found == unborn {
		return usable, replaceUnborn(path, o, all)
	}
	if info.Mode().Perm()&0o077 != 0 && !o.LookOnly {
		if err := os.Chmod(path, info.Mode().Perm()&^0o077); err != nil {
			o.Log.Warn("the store's file is open to other users and cannot be closed to them", "error", err)
		}
	}
	return found, nil
}

func replaceUnborn(path string, o Options, all []migration) error {
	aside := path + ".incomplete-" + strconv.FormatInt(o.Clock.Now().Unix(), 10)
	if err := os.Rename(path, aside); err != nil {
		return fmt.Errorf("move the leftover of a first start aside: %w", err)
	}
	o.Log.Warn("a first start had left an incomplete file; it was moved aside and a new one is made", "file", aside)
	return create(path, o, all)
}

// create makes a complete file under another name, brings it to stable storage
// and only then gives it its name, so that a full disk or a power cut never
// leaves half a file. When another process was first, its file stays.
func create(path string, o Options, all []migration) error {
	dir := filepath.Dir(path)
	made, err := os.CreateTemp(dir, filepath.Base(path)+unfinishedSuffix) // mode 0600
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	defer func() { _ = os.Remove(made.Name()) }()
	if err := made.Close(); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	if err := guard(path, func() error { return fill(made.Name(), o, all) }); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	if err := OwnAs(made.Name(), dir); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	// Unlike a rename, a link never replaces a file. Some file systems of memory
	// cards have no links.
	err = os.Link(made.Name(), path)
	if err != nil && !exists(path) {
		err = os.Rename(made.Name(), path)
	}
	if err != nil && !exists(path) {
		return fmt.Errorf("create: %w", err)
	}
	return syncDir(dir)
}

// fill writes an empty store of the newest schema.
func fill(path string, o Options, all []migration) error {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: lockTimeout, FreelistType: bbolt.FreelistMapType, PageSize: pageSize,
	})
	if err != nil {
		return err
	}
	for schema := range all {
		err := db.Update(func(tx *bbolt.Tx) error { return migrateOne(tx, all, schema, o.Clock.Now()) })
		if err != nil {
			return errors.Join(err, db.Close())
		}
	}
	return errors.Join(db.Sync(), db.Close())
}

// unfinished lists what first starts and compactions that were killed left behind.
func unfinished(path string) []string {
	names, _ := filepath.Glob(path + unfinishedSuffix)
	if target, err := filepath.EvalSymlinks(path); err == nil && target != path {
		more, _ := filepath.Glob(target + unfinishedSuffix)
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

// bringForward checks an open file and applies the migrations that it lacks, or
// tells of them where the file is only looked at.
func (s *Store) bringForward(all []migration, found condition, lookOnly, copied bool) error {
	schema := 0
	err := s.view("read the schema", func(tx *bbolt.Tx) (err error) {
		if schema, err = schemaOf(tx); err != nil {
			return damagedValue(s.path, "schema", err)
		}
		if schema > len(all) {
			return fmt.Errorf("schema %d, and this program knows %d: %w", schema, len(all), ErrNewerSchema)
		}
		return touchAll(context.Background(), tx)
	})
	if err != nil {
		return err
	}
	if found == oneMeta && !lookOnly {
		s.log.Warn("one of the two first pages of the store was lost; the last write may be missing")
		if err := s.update("renew the lost page", func(*bbolt.Tx) error { return nil }); err != nil {
			return err
		}
	}
	err = s.view("check the pages", func(tx *bbolt.Tx) error { return checkPages(context.Background(), s.path, tx) })
	if err != nil {
		return err
	}
	if schema == len(all) {
		return nil
	}
	if lookOnly {
		return fmt.Errorf("%w: it has schema %d and is brought forward to %d, after a copy", ErrUnready, schema, len(all))
	}
	return s.migrate(all, schema, copied)
}

// migrate applies the migrations from a schema on, after making a copy. Without one
// nothing is changed.
func (s *Store) migrate(all []migration, schema int, copied bool) error {
	before, began := "", schema
	if !copied {
		before = fmt.Sprintf("%s%s%d-%d", s.path, schemaInfix, schema, s.clock.Now().Unix())
		// The values are of an older form, so only the copy's pages can be verified.
		if err := s.backup(context.Background(), before, checkPages); err != nil {
			return fmt.Errorf("the file has schema %d and is not brought forward to %d without a copy of it, which cannot be made: %w", schema, len(all), err)
		}
	}
	for ; schema < len(all); schema++ {
		err := s.update(fmt.Sprintf("migrate from schema %d", schema), func(tx *bbolt.Tx) error {
			return migrateOne(tx, all, schema, s.clock.Now())
		})
		if err != nil {
			if schema == began && before != "" {
				_ = os.Remove(before) // of what has not changed: starts that fail must not fill the disk
			}
			return err
		}
	}
	s.log.Info("the store was brought forward", "schema", schema, "copy", before)
	return nil
}
