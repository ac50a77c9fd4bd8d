package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"syscall"

	"go.etcd.io/bbolt"
)

// Check reads the whole file and verifies how its pages hang together, every value and
// what must hold between them. Writers wait meanwhile. What is wrong comes as a
// DamagedError, or ctx's error when it ends first.
func (s *Store) Check(ctx context.Context) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.db == nil {
		return s.damage.get()
	}
	err := s.view("check", func(t *Tx) error {
		if _, err := look(ctx, s.path, s.file); err != nil {
			return err
		}
		return t.checkValues(ctx)
	})
	if err == nil {
		s.damage.clear()
	}
	return err
}

// verifyFile is Check for a file that no process has open: a copy that was just made, or
// that is to be restored.
func verifyFile(ctx context.Context, path string) error {
	return readFile(ctx, path, func(t *Tx) error { return t.checkValues(ctx) })
}

// readFile runs do in a read transaction on a file that no process has open, if its pages
// hang together.
func readFile(ctx context.Context, path string, do func(*Tx) error) error {
	file, err := hold(path)
	if err != nil {
		return err
	}
	return errors.Join(readHeld(ctx, path, file, do), file.Close())
}

// readHeld is readFile for a file of which the caller holds the lock, and keeps it.
func readHeld(ctx context.Context, path string, held *os.File, do func(*Tx) error) error {
	found, err := look(ctx, path, held)
	if err == nil && found == uninitialized {
		err = &DamagedError{Path: path, Cause: errors.New("it was never brought into use")}
	}
	if err != nil {
		return err
	}
	second, err := syscall.Dup(int(held.Fd())) // of the same lock
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	db, err := openBolt(path, os.NewFile(uintptr(second), path), bbolt.Options{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	return guard(path, func() error {
		defer db.Close()
		return db.View(func(tx *bbolt.Tx) error {
			return do(&Tx{store: &Store{path: path, log: slog.New(slog.DiscardHandler)}, tx: tx})
		})
	})
}

// checkValues verifies the schema and decodes every value.
func (t *Tx) checkValues(ctx context.Context) error {
	if err := t.checkSchema(); err != nil {
		return err
	}
	for _, b := range t.layout() {
		err := t.bucket(b.name).ForEach(func(k, v []byte) error {
			if err := b.check(k, v); err != nil {
				return t.damagedRecord(b.name, k, err)
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// checkedBucket is a bucket of the file, with what verifies a record of it.
type checkedBucket struct {
	name  []byte
	check func(k, v []byte) error
}

// layout lists all buckets of a file.
func (t *Tx) layout() []checkedBucket {
	return []checkedBucket{
		{bucketMeta, checkMeta},
		{bucketRuns, func(k, _ []byte) error { return checkRun(t.bucket(bucketRuns).Bucket(k)) }},
		{bucketEstimates, checkEstimates},
		{bucketIssued, checkIssued},
		{bucketPairs, checkPairs},
		{bucketVerification, checkVerification},
		{ledgers.name, ledgers.verify},
		{confirmed.name, confirmed.verify},
		{alerts.name, alerts.verify},
		{batches.name, batches.verify},
		{subscriptions.name, subscriptions.verify},
		{erased.name, erased.verify},
		{requests.name, func(k, v []byte) error { return t.checkGiven(requests.name, k, requests.verify(k, v)) }},
		{pendings.name, pendings.verify},
		{mailed.name, mailed.verify},
		{suppressed.name, suppressed.verify},
		{proofs.name, proofs.verify},
		{items.name, func(k, v []byte) error { return t.checkGiven(items.name, k, items.verify(k, v)) }},
		{outcomes.name, outcomes.verify},
		{threads.name, threads.verify},
		{marks.name, marks.verify},
	}
}

func checkMeta(k, v []byte) error {
	switch string(k) {
	case string(keyOutage):
		return outages.verify(k, v)
	case string(keySchema):
		return schemas.verify(k, v)
	case string(keyLast), string(keyErased):
		return times.verify(k, v)
	case string(keyKeys):
		return keyMarks.verify(k, v)
	}
	return fmt.Errorf("%w: nothing has this name", errValue)
}

func checkVerification(k, v []byte) error {
	if string(k) == string(keySources) {
		return sourceLists.verify(k, v)
	}
	return summaries.verify(k, v)
}

// checkGiven verifies that the seq at the end of a key was given by its bucket: else
// another record would take its place.
func (t *Tx) checkGiven(bucket, k []byte, err error) error {
	if err != nil {
		return err
	}
	seq, last := numberOf(k), t.bucket(bucket).Sequence()
	if seq == 0 || seq > last {
		return fmt.Errorf("%w: number %d, and %d was the last", errValue, seq, last)
	}
	return nil
}
