package store

import (
	"errors"
	"testing"
)

// The figures come without a transaction: beside one that is open, while another
// writes, and when nothing can be written any more.
func TestFigures(t *testing.T) {
	s := openStore(t, newPath(t))
	before := s.Figures()
	if !before.Writable || before.OpenReads != 0 || before.Bytes != s.Size() || before.Bytes == 0 {
		t.Errorf("%+v", before)
	}
	err := s.view("hold a transaction", func(*Tx) error {
		if f := s.Figures(); f.OpenReads != 1 {
			t.Errorf("in a read: %+v", f)
		}
		return nil
	})
	must(t, err)
	err = s.update("write", func(*Tx) error {
		if f := s.Figures(); !f.Writable || f.OpenReads != 0 {
			t.Errorf("in a write: %+v", f)
		}
		return nil
	})
	must(t, err)
	s.stopWriting(errors.New("the disk failed"))
	if s.Figures().Writable {
		t.Error("a file that cannot be written counts as one that can")
	}
}
