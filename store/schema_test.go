package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// setSchema makes a file say that it is of a schema: n, or that of a build from before the
// first release for 0.
func setSchema(t *testing.T, path string, n int) {
	t.Helper()
	s, err := Open(path, testOptions())
	must(t, err)
	must(t, s.update("set the schema", func(tx *Tx) error {
		if n == 0 {
			return tx.bucket(bucketMeta).Put(keySchema, seal(nil, append(unsealed(4), 0, 0, 0, 11)))
		}
		return schemas.put(tx, keySchema, &n)
	}))
	must(t, s.Close())
}

func TestAFileOfAnotherSchemaIsRefusedUntouched(t *testing.T) {
	for n, want := range map[int]error{schema + 1: ErrNewerSchema, schema - 1: ErrOlderSchema, 0: ErrOlderSchema} {
		path := newPath(t)
		setSchema(t, path, n)
		if err := refused(t, path); !errors.Is(err, want) {
			t.Error(err)
		}
	}
}

func TestBackupIsWholeAndLeavesTheStoreAlone(t *testing.T) {
	s := openStore(t, newPath(t))
	must(t, s.SaveLedger([]byte("kept")))
	to := filepath.Join(t.TempDir(), "copy.db")
	for range 2 { // the second replaces the first
		must(t, s.Backup(t.Context(), to))
	}
	must(t, s.SaveLedger([]byte("later")))
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
	must(t, os.Symlink(s.path, link))
	hard := s.path + ".hard"
	must(t, os.Link(s.path, hard))
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
	must(t, err)
	defer func() { _ = s.Close() }()
	must(t, s.SaveLedger([]byte("good")))
	to := filepath.Join(t.TempDir(), "copy.db")
	must(t, s.Backup(t.Context(), to))
	corrupt(t, s, ledgers.name, keyLedger, func(b []byte) { b[len(b)-1] ^= 1 })
	damaged := (*DamagedError)(nil)
	if err := s.Backup(t.Context(), to); !errors.As(err, &damaged) {
		t.Errorf("a damaged copy was kept: %v", err)
	}
	if got, err := openStore(t, to).Ledger(); err != nil || string(got) != "good" {
		t.Errorf("%q, %v", got, err)
	}
}
