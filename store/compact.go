package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
)

// compactBatch is how many bytes are copied in one transaction.
const compactBatch = 1 << 20

// ErasedSince returns when the first erasure was whose content the file may still
// hold in free pages, and whether there was one since the file was compacted last.
// The zero time stands for an unknown one.
func (s *Store) ErasedSince() (since time.Time, erased bool) {
	err := s.view("read the first erasure", func(t *Tx) (err error) {
		erased = t.bucket(bucketMeta).Get(keyErased) != nil
		since, err = times.value(t, keyErased)
		return err
	})
	if err != nil {
		s.log.Log(context.Background(), LogLevel(err), "the time of the first erasure cannot be read", "error", err)
		return time.Time{}, erased
	}
	return since, erased
}

// Compact puts in the file's place a copy of what it holds, without the free pages
// in which bbolt leaves what was erased. Writers wait meanwhile; readers go on. A
// crash at any point leaves the old file or the new one, whole; after an error the
// old file is still in use, save that it is ErrReadOnly when the new one has the
// name but perhaps not on stable storage.
func (s *Store) Compact() error {
	if err := s.rewrite(false); err != nil {
		if isFull(err) && !errors.Is(err, ErrFull) {
			err = fmt.Errorf("%w: %w", ErrFull, err)
		}
		return fmt.Errorf("compact %s: %w", s.path, err)
	}
	return nil
}

// rewrite puts in the file's place a copy of what it holds, while writers wait. A store
// that is not written is refused, unless it is recovering: then it is written again.
func (s *Store) rewrite(recovering bool) error {
	old, err := s.replaceFile(recovering)
	if old != nil {
		_ = s.guarded(old.Close) // once those who still read it are done; nothing depends on it any more
	}
	return err
}

func (s *Store) replaceFile(recovering bool) (old *bbolt.DB, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.refusal(); err != nil && !recovering {
		return nil, err
	}
	// Of a page that is damaged the copy would look whole without what is missing.
	if err := errors.Join(s.inPlace(), s.checkCopyable()); err != nil {
		return nil, err
	}
	if old, err = s.exchange(); err == nil && recovering {
		err = s.resume()
	}
	return old, err
}

// exchange makes the copy and goes over to it, while nobody else writes. It returns the
// handle of the old file once that is no longer in use.
func (s *Store) exchange() (before *bbolt.DB, err error) {
	// What is free in the file is not written anew, and what is left over of its disk
	// is given back at the end, so nothing is spared beside it.
	stats := s.Stats()
	if err := roomFor(filepath.Dir(s.path), s.Size()-int64(stats.FreePageN+stats.PendingPageN)*pageSize); err != nil {
		return nil, err
	}
	if err := s.view("copy", func(*Tx) error { return nil }); err != nil { // refuses a file that cannot be read
		return nil, err
	}
	made, err := makeBolt(s.path, s.path, true, func(to *bbolt.DB) error {
		if err := bbolt.Compact(to, s.db, compactBatch); err != nil {
			return err
		}
		return to.Update(func(tx *bbolt.Tx) error { return tx.Bucket(bucketMeta).Delete(keyErased) })
	})
	if err != nil {
		return nil, err
	}
	defer func() {
		if before == nil {
			_ = os.Remove(made)
		}
	}()
	// Not the values: one that was damaged before does not keep the file from forgetting.
	if err := readFile(context.Background(), made, (*Tx).checkSchema); err != nil {
		return nil, err
	}
	return s.takeOver(made)
}

// takeOver opens the copy, which locks it, gives it the file's name and goes over
// to it: no other process can come in between.
func (s *Store) takeOver(name string) (before *bbolt.DB, err error) {
	file, err := hold(name)
	if err != nil {
		return nil, err
	}
	db, err := openBolt(name, file, s.boltOptions())
	if err != nil {
		return nil, err
	}
	held, err := file.Stat()
	if err == nil {
		err = s.inPlace() // what somebody else put there is not replaced
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	s.beginning.Lock()
	defer s.beginning.Unlock()
	if err := os.Rename(name, s.path); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	before, s.db, s.file, s.held = s.db, db, file, held
	s.noteSize()
	if err := syncDir(filepath.Dir(s.path)); err != nil {
		// After a power cut the name might lead to the old file again: what would be
		// written from now on would not be on stable storage.
		s.stopWriting(err)
		return before, fmt.Errorf("%w: %w", ErrReadOnly, err)
	}
	return before, nil
}
