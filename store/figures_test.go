package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"
)

// The figures come without a transaction: beside one that is open, while another
// writes, and when nothing can be written any more.
func TestFigures(t *testing.T) {
	path := newPath(t)
	s := openStore(t, path)
	before := s.Figures()
	if !before.Writable || before.OpenReads != 0 || before.Bytes != s.Size() || before.Bytes == 0 || !before.LastBackup.IsZero() {
		t.Errorf("%+v", before)
	}
	err := s.view("hold a transaction", func(*bbolt.Tx) error {
		if f := s.Figures(); f.OpenReads != 1 {
			t.Errorf("in a read: %+v", f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = s.update("write", func(*bbolt.Tx) error {
		if f := s.Figures(); !f.Writable || f.OpenReads != 0 {
			t.Errorf("in a write: %+v", f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(filepath.Dir(path), "backups")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, age := range map[string]time.Duration{"vigia-1.db": 3 * time.Hour, "vigia-2.db": 2 * time.Hour, "mine.db": time.Hour, "vigia-3.db.new-7": time.Hour} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(folder, name), time.Time{}, testHour.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Figures().LastBackup; !got.Equal(testHour.Add(-2 * time.Hour)) {
		t.Errorf("the newest copy is of %v", got)
	}
	s.stopWriting(errors.New("the disk failed"))
	if s.Figures().Writable {
		t.Error("a file that cannot be written counts as one that can")
	}
}
