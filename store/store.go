// Package store keeps what Vigía must not lose in one bbolt file: the newest run
// of each weather model, the estimates of the last week as they were issued, the
// verification log, the alerts, the ledger of what was asked of the provider, and the
// subscriptions with the outbox of messages to them.
//
// Data passes through it in both directions as plain values. Writing: a value is
// checked, encoded with a version and a checksum, and written in one transaction that is
// on stable storage when the method returns. Small records are JSON ([table]); what is
// written for every trail every hour is one compact value an hour. Reading: one short
// read transaction, the value decoded and copied out before it ends, so that no caller
// ever holds memory of the file. No request is served from here: the hourly cycle reads
// and writes, and publishes an immutable [Snapshot]. Transactions on subscriptions and
// messages ([Tx]) are made of small steps by their callers; whom to tell of a change of
// an alert is decided within the transaction that keeps the change ([Cycle]).
//
// A copy is made every night and verified ([Backups]); [Restore] puts one in the place of
// the file, and turns back nothing that happened to people since.
//
// The file may fail in every way that a disk can. Damage is reported ([DamagedError])
// and left as it is. After a failed write the store is read-only ([ErrReadOnly]), because
// what the disk then holds is unknown, until all of it could be checked and copied
// ([Store.Recover]); so it is while the file is not at its path. A service whose file
// cannot be opened goes on with a store that refuses everything ([Without]).
package store

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"
	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// Options are what Open needs besides the path.
type Options struct {
	Clock    clockwork.Clock // the service's clock; nil means the machine's
	Log      *slog.Logger    // nil means no log
	MaxBytes int64           // for tests: the disk is full from so many bytes on; 0 means the real one
	LookOnly bool            // change nothing: ErrUnready for a file that is to be made
	NoSync   bool            // for tests: nothing is brought to stable storage
}

// Store is the open file. Its methods may be called from any goroutine.
type Store struct {
	path     string
	db       *bbolt.DB   // nil when the file could not be opened
	file     *os.File    // bbolt's own handle, kept to look at the size and to let go of the lock
	held     os.FileInfo // of file, by which the file at the path is known; changed by who is writing
	clock    clockwork.Clock
	log      *slog.Logger
	built    time.Time // when the program was, zero when unknown
	maxBytes int64
	noSync   bool

	writing      sync.Mutex    // one writer, check or compaction at a time
	beginning    sync.Mutex    // one transaction begins at a time; held to change db and file
	unreleased   atomic.Int32  // transactions that a fault left with bbolt's locks held
	readOnly     reason        // why nothing is written, until the store has recovered
	displaced    reason        // why the file that is open is not the one at the path, nil when it is
	broken       reason        // why nothing can be read any more
	damage       reason        // the first DamagedError since all was last read without one
	full         reason        // why the last write had no room, nil when it had
	needed       atomic.Int64  // bytes that the file had when it was last known to be whole
	recoveredAt  time.Time     // the last try; used by Recover alone
	recoveryWait time.Duration // until the next try

	memory   memory
	reported sync.Map // damaged records that were logged
}

// Close lets go of the file. It waits for transactions under way. A second
// Close does nothing.
func (s *Store) Close() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.beginning.Lock()
	defer s.beginning.Unlock()
	if s.db == nil {
		return nil
	}
	if s.unreleased.Load() > 0 {
		// bbolt would wait for ever for the locks of the transaction that died.
		// Closing the handle frees the file for the next process.
		return s.file.Close()
	}
	return s.guarded(func() error {
		if err := s.db.Close(); err != nil {
			return fmt.Errorf("close %s: %w", s.path, err)
		}
		return nil
	})
}

// Size returns the file's size in bytes, 0 when it cannot be known.
func (s *Store) Size() int64 {
	info, err := os.Stat(s.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// Stats are bbolt's own figures. OpenTxN should be 0 between calls.
func (s *Store) Stats() bbolt.Stats {
	s.beginning.Lock()
	defer s.beginning.Unlock()
	if s.db == nil {
		return bbolt.Stats{}
	}
	return s.db.Stats()
}

// reason is an error that lasts until what it is about is over; nil when it is not.
type reason struct{ p atomic.Pointer[error] }

func (r *reason) get() error {
	if p := r.p.Load(); p != nil {
		return *p
	}
	return nil
}

// set keeps an error in place of any other, and reports whether there was none.
func (r *reason) set(err error) bool { return r.p.Swap(&err) == nil }

// setFirst keeps an error unless there is one, and reports whether it did.
func (r *reason) setFirst(err error) bool { return r.p.CompareAndSwap(nil, &err) }

// clear drops the error, and reports whether there was one.
func (r *reason) clear() bool { return r.p.Swap(nil) != nil }

// Err returns why the store can no longer be written, nil while it can.
func (s *Store) Err() error { return cmp.Or(s.refusal(), s.displaced.get()) }

// refusal returns why nothing is written, wherever the file is; nil while it is.
func (s *Store) refusal() error {
	if why := cmp.Or(s.broken.get(), s.readOnly.get()); why != nil {
		return fmt.Errorf("%w: %w", ErrReadOnly, why)
	}
	return nil
}

// WriteError returns why the last write was refused, nil when it went through or there
// was none yet: [Store.Err], or an ErrFull, which the next write may be spared.
func (s *Store) WriteError() error { return cmp.Or(s.Err(), s.full.get()) }

// Fault returns what is wrong with the file: [Store.WriteError], or the first that was
// found damaged in it since all of it was last read without a fault ([Store.Check],
// [Store.Backup]); nil when all is well.
func (s *Store) Fault() error { return cmp.Or(s.WriteError(), s.damage.get()) }

// noteDamage keeps the first DamagedError for Fault.
func (s *Store) noteDamage(err error) {
	if damaged := (*DamagedError)(nil); errors.As(err, &damaged) {
		s.damage.setFirst(err)
	}
}

// Probe reads from the file, which takes no time unless something holds up every reader
// for good. Its result does not matter: a file that cannot be read is reported by what
// needs it, and is no reason to end the service.
func (s *Store) Probe() { _ = s.view("probe", (*Tx).checkSchema) }

// view runs do in a read transaction. Nothing that do gets from the transaction
// may outlive it.
func (s *Store) view(what string, do func(*Tx) error) error {
	err := s.guarded(func() error {
		tx, err := s.begin(false)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		return do(&Tx{store: s, tx: tx})
	})
	if err != nil {
		s.noteDamage(err)
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// update runs do in a write transaction and commits it. When it returns nil the
// transaction is on stable storage. When do fails nothing is written.
func (s *Store) update(what string, do func(*Tx) error) error {
	if err := s.refusal(); err != nil { // nobody waits for a disk that failed
		return fmt.Errorf("%s: %w", what, err)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.refusal(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	err := s.guarded(func() error { return s.write(do) })
	if err == nil {
		return nil
	}
	if damaged := (*DamagedError)(nil); errors.As(err, &damaged) && damaged.fault {
		s.stopWriting(err)
	}
	s.noteDamage(err)
	return fmt.Errorf("%s: %w", what, err)
}

func (s *Store) write(do func(*Tx) error) error {
	tx, err := s.begin(true)
	if err != nil {
		return err
	}
	t := &Tx{store: s, tx: tx}
	defer func() {
		t.takeBack()
		// Rolling back reads the file. If that faults too, the lock stays held
		// and the count tells Close.
		s.unreleased.Add(1)
		_ = tx.Rollback()
		s.unreleased.Add(-1)
	}()
	if err := do(t); err != nil {
		return err
	}
	if err := s.inPlace(); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return s.failedCommit(err)
	}
	t.undo = nil
	s.noteSize()
	if s.full.clear() {
		s.log.Info("there is room for the store again, and it is written")
	}
	return nil
}

// noteSize remembers the file's size. The file never shrinks while it is open:
// a compaction puts another in its place.
func (s *Store) noteSize() {
	if info, err := s.file.Stat(); err == nil {
		s.needed.Store(info.Size())
	}
}

// failedCommit sorts the errors of a commit. A disk or a limit that is full
// fails before anything refers to what was written, so that a later commit may
// be tried. After any other error, fsync's above all, it is unknown what the
// disk holds: pages that failed are dropped from the cache, and a later fsync
// says that all is well.
func (s *Store) failedCommit(err error) error {
	if isFull(err) {
		err = fmt.Errorf("%w: %w", ErrFull, err)
		if s.full.set(err) {
			s.log.Error("the disk is full, and the store is not written until there is room; make some, reading and what is kept are not touched", "error", err)
		}
		return err
	}
	s.stopWriting(err)
	return fmt.Errorf("%w: %w", ErrReadOnly, err)
}

func (s *Store) stopWriting(cause error) {
	if s.readOnly.setFirst(cause) {
		s.log.Error("a write has failed: nothing is written until the store can be checked and copied whole, which is tried now and then", "error", cause)
	}
}

// begin begins a transaction, unless the file is known to be broken or has been
// cut short since: reading past the end of a mapped file kills the process.
func (s *Store) begin(writable bool) (*bbolt.Tx, error) {
	s.beginning.Lock()
	defer s.beginning.Unlock()
	if err := s.broken.get(); err != nil {
		return nil, err
	}
	needed := s.needed.Load() // before the size is looked at: a commit may make the file longer at any time
	if info, err := s.file.Stat(); err == nil && info.Size() < needed {
		return nil, s.markUnreadable(fmt.Errorf("the file was cut to %d bytes while in use", info.Size()))
	}
	s.unreleased.Add(1)
	whole := false
	defer func() {
		if !whole {
			s.markUnreadable(errors.New("the first pages cannot be read"))
		}
	}()
	tx, err := s.db.Begin(writable)
	whole = true
	s.unreleased.Add(-1)
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return nil, ErrClosed
	}
	return tx, err
}

// markUnreadable notes that the file cannot be read any more, and returns the error for it.
func (s *Store) markUnreadable(cause error) error {
	err := fmt.Errorf("%w: %w", ErrNoFile, &DamagedError{Path: s.path, Cause: cause, fault: true})
	if s.broken.setFirst(err) {
		s.log.Error("the store cannot be read any more", "error", err)
	}
	return err
}
