package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"
)

func addBucket(name string) migration {
	return func(tx *bbolt.Tx, _ time.Time) error {
		_, err := tx.CreateBucket([]byte(name))
		return err
	}
}

func TestAFileOfANewerSchemaIsRefusedUntouched(t *testing.T) {
	path := newPath(t)
	s, err := open(path, testOptions(), append(migrations[:len(migrations):len(migrations)], addBucket("later")))
	if err != nil {
		t.Fatal(err)
	}
	checkAndClose(t, s)
	if err := refused(t, path); !errors.Is(err, ErrNewerSchema) {
		t.Error(err)
	}
}

func TestAnOlderFileIsBroughtForwardAndCopiedBefore(t *testing.T) {
	path, _ := lastingStore(t)
	longer := append(migrations[:len(migrations):len(migrations)], addBucket("second"), addBucket("third"))
	look := testOptions()
	look.LookOnly = true
	if _, err := open(path, look, longer); !errors.Is(err, ErrUnready) {
		t.Errorf("looked at: %v", err)
	}
	if copies, _ := filepath.Glob(path + ".schema*"); len(copies) != 0 {
		t.Errorf("looking left %v", copies)
	}
	s, err := open(path, testOptions(), longer)
	if err != nil {
		t.Fatal(err)
	}
	defer checkAndClose(t, s)
	err = s.view("look", func(tx *bbolt.Tx) error {
		if n, err := schemaOf(tx); err != nil || n != len(longer) {
			t.Errorf("schema %d, %v", n, err)
		}
		if tx.Bucket([]byte("second")) == nil || tx.Bucket([]byte("third")) == nil {
			t.Error("a migration is missing")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if history, err := s.History(makeCatalogue(1), testHour.Add(40*time.Hour), 168); err != nil || len(history.Hours) != 30 {
		t.Errorf("%d hours, %v", len(history.Hours), err)
	}
	copies, _ := filepath.Glob(path + ".schema*")
	if len(copies) != 1 {
		t.Fatalf("copies: %v", copies)
	}
	openStore(t, copies[0])
}

func TestAMigrationThatFailsChangesNothing(t *testing.T) {
	path, _ := lastingStore(t)
	longer := append(migrations[:len(migrations):len(migrations)],
		addBucket("second"),
		func(tx *bbolt.Tx, _ time.Time) error {
			return errors.Join(tx.DeleteBucket(bucketEstimates), errors.New("no further"))
		})
	if _, err := open(path, testOptions(), longer); err == nil {
		t.Fatal("opened")
	}
	// Starts that fail again and again do not fill the disk with copies of the same.
	for range 3 {
		if _, err := open(path, testOptions(), longer); err == nil {
			t.Fatal("opened")
		}
	}
	if copies, _ := filepath.Glob(path + ".schema*"); len(copies) != 1 {
		t.Errorf("copies %v, want that from before the migration that went well", copies)
	}
	s, err := open(path, testOptions(), longer[:len(longer)-1])
	if err != nil {
		t.Fatal(err)
	}
	checkAndClose(t, s)
}

func TestBackupIsWholeAndLeavesTheStoreAlone(t *testing.T) {
	s := openStore(t, newPath(t))
	if err := s.SaveLedger([]byte("kept")); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "copy.db")
	for range 2 { // the second replaces the first
		if err := s.Backup(t.Context(), to); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.SaveLedger([]byte("later")); err != nil {
		t.Fatal(err)
	}
	if got, err := openStore(t, to).Ledger(); err != nil || string(got) != "kept" {
		t.Errorf("%q, %v", got, err)
	}
	if info, _ := os.Stat(to); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestBackupRefusesTheLiveFile(t *testing.T) {
	s := openStore(t, newPath(t))
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(s.path, link); err != nil {
		t.Fatal(err)
	}
	hard := s.path + ".hard"
	if err := os.Link(s.path, hard); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(s.path)
	for _, path := range []string{s.path, link, hard, filepath.Dir(s.path), filepath.Join(s.path, "below"), "/nowhere/copy.db"} {
		if err := s.Backup(t.Context(), path); err == nil {
			t.Errorf("copied to %s", path)
		}
	}
	if after, _ := os.ReadFile(s.path); !bytes.Equal(before, after) {
		t.Error("the live file was changed")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(s.path), "*.new-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestBackupOfADamagedStoreKeepsTheOldCopy(t *testing.T) {
	s, err := Open(newPath(t), testOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := s.SaveLedger([]byte("good")); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "copy.db")
	if err := s.Backup(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	corrupt(t, s, bucketUsage, keyLedger, func(b []byte) { b[len(b)-1] ^= 1 })
	damaged := (*DamagedError)(nil)
	if err := s.Backup(t.Context(), to); !errors.As(err, &damaged) {
		t.Errorf("a damaged copy was kept: %v", err)
	}
	if got, err := openStore(t, to).Ledger(); err != nil || string(got) != "good" {
		t.Errorf("%q, %v", got, err)
	}
}
