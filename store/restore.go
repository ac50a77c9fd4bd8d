package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Restored is the report of a restore.
type Restored struct {
	Upto          time.Time // when the last cycle in the backup was, zero when there was none
	Kept          string    // where the file that was there is kept, "" when there was none
	Unread        error     // why the file that was there could not be read to its end, nil when it was, or there was none
	Subscriptions int       // in the file now
	Left          int       // of the backup's subscriptions, those erased since: they are not in the file
	Newer         int       // subscriptions taken over from the file that was there, made or changed since
	Dropped       int       // messages that waited in the backup and are not sent: nobody knows whether they were
	OtherKeys     bool      // the backup goes with other keys than the file that was there
}

// Restore puts a backup in the place of the file at path, which nobody may have
// open (ErrInUse). The backup itself stays where it is: a copy of it is verified and
// given what must not be turned back as far as the file that is there can be read: who
// left and who came, what they wish, what they were told and what waits to be sent. The
// file that is there is kept beside it under a dated name. A crash at any point leaves
// the one or the other, whole.
//
// What is no backup is ErrNotBackup, one of another version ErrNewerSchema or
// ErrOlderSchema; then, and after any other error, the file that was there still is.
func Restore(ctx context.Context, path, from string, o Options) (*Restored, error) {
	r := &restoration{ctx: ctx, from: from, live: path, o: o.complete()}
	err := r.run()
	if r.held != nil {
		_ = r.held.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("restore %s: %w", from, err)
	}
	return &r.report, nil
}

// ErrNotBackup is returned for a file that cannot be restored. It has been left as it is.
var ErrNotBackup = errors.New("is not a backup that can be used")

func (r *restoration) notBackup(cause error) error {
	return fmt.Errorf("%s %w (%w); nothing was changed", r.from, ErrNotBackup, cause)
}

// restoration is a restore under way.
type restoration struct {
	ctx    context.Context
	from   string
	o      Options
	live   string      // the file's place
	there  fs.FileInfo // of the file that is there, nil when there is none
	held   *os.File    // the same, with its lock
	report Restored
}

func (r *restoration) run() error {
	if err := r.findLive(); err != nil {
		return err
	}
	source, size, err := r.openSource()
	if err != nil {
		return err
	}
	defer source.Close()
	if r.there != nil { // held, so that no service begins to write it
		if r.held, err = hold(r.live); err != nil {
			return err
		}
	}
	made, err := writeUnfinished(r.ctx, r.live, size, func(w io.Writer) error {
		_, err := io.Copy(w, source)
		return err
	})
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(made) }() // when it has its own name this does nothing
	if err := r.complete(made); err != nil {
		return r.ofBackup(err)
	}
	if err := OwnAs(made, filepath.Dir(r.live)); err != nil {
		return err
	}
	return r.place(made)
}

// findLive looks at the file that is there. Nothing but a file is replaced.
func (r *restoration) findLive() (err error) {
	if err := os.MkdirAll(filepath.Dir(r.live), 0o700); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}
	r.there, err = os.Lstat(r.live)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !r.there.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file; move it away first", r.live)
	}
	return err
}

// openSource opens the backup, and refuses what is none at first sight. A file that
// a process has open is being written: a copy of it could be half old and half new.
func (r *restoration) openSource() (source *os.File, size int64, err error) {
	info, err := os.Stat(r.from) // before opening it: a pipe would wait for who writes
	if err != nil {
		return nil, 0, err
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, 0, r.notBackup(errors.New("not a regular file"))
	case r.there != nil && os.SameFile(info, r.there):
		return nil, 0, r.notBackup(errors.New("it is the live file itself"))
	}
	if source, err = os.Open(r.from); err != nil {
		return nil, 0, err
	}
	err = syscall.Flock(int(source.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, 0, errors.Join(r.notBackup(errors.New("another process has it open, so it is a live file; make a copy with vigia backup")), source.Close())
	}
	return source, info.Size(), nil // a disk without locks has no live file
}

// ofBackup turns damage of the copy, which goes away, into that of the backup.
func (r *restoration) ofBackup(err error) error {
	if err == nil || r.ctx.Err() != nil || errors.Is(err, ErrNewerSchema) || errors.Is(err, ErrOlderSchema) || errors.Is(err, ErrFull) {
		return err
	}
	if damaged := (*DamagedError)(nil); errors.As(err, &damaged) {
		err = damaged.Cause
	}
	return r.notBackup(err)
}

// complete verifies the copy, gives it what must not be turned back, and takes out of
// it what that erased.
func (r *restoration) complete(name string) (err error) {
	if err := verifyFile(r.ctx, name); err != nil {
		return err
	}
	s, err := Open(name, Options{Clock: r.o.Clock, MaxBytes: r.o.MaxBytes})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.Update("take over what is about people", r.takePeople); err != nil {
		return err
	}
	if _, erased := s.ErasedSince(); erased {
		if err := s.Compact(); err != nil {
			return err
		}
	}
	return s.Check(r.ctx)
}

// place keeps the file that is there under a dated name and puts the copy in its place.
func (r *restoration) place(name string) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if r.there == nil {
		err := placeNew(name, r.live)
		if errors.Is(err, fs.ErrExist) {
			return ErrInUse
		}
		return err
	}
	kept, err := r.keepOld()
	if err != nil {
		return fmt.Errorf("keep the file that is there: %w", err)
	}
	r.report.Kept = kept
	if err := os.Rename(name, r.live); err != nil {
		return errors.Join(err, os.Rename(kept, r.live))
	}
	return syncDir(filepath.Dir(r.live))
}

// keepOld gives the file that is there a second name, so that the path has a file at any
// instant. On a file system without links it is renamed; a start in between finds no file
// and refuses to begin with an empty one, because of the renamed one. DropCopies counts its
// age from now.
func (r *restoration) keepOld() (kept string, err error) {
	now := r.o.Clock.Now().UTC()
	dated := r.live + replacedInfix + "-" + now.Format(copyStamp)
	kept, err = dated, os.Link(r.live, dated)
	for n := 2; errors.Is(err, fs.ErrExist); n++ {
		kept = fmt.Sprintf("%s-%d", dated, n)
		err = os.Link(r.live, kept)
	}
	if err != nil {
		err = os.Rename(r.live, kept)
	}
	if err != nil {
		return "", err
	}
	_ = os.Chmod(kept, 0o600)
	_ = os.Chtimes(kept, time.Time{}, now)
	return kept, syncDir(filepath.Dir(kept))
}
