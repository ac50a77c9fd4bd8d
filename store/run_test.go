package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"go.etcd.io/bbolt"
)

// A run that comes in writes itself and not those of the other models: they come a
// dozen times a day, and are most of what an idle day writes.
func TestARunIsWrittenWithoutTheOthers(t *testing.T) {
	s := openStore(t, newPath(t))
	r := rand.New(rand.NewPCG(3, 3))
	pages := func() int64 {
		stats := s.Stats()
		return stats.TxStats.GetPageAlloc()
	}
	save := func(model int) (bytes int64) {
		before := pages()
		if err := s.SaveRun(randomRun(r, fmt.Sprint("model", model), 60, 100)); err != nil {
			t.Fatal(err)
		}
		return pages() - before
	}
	alone := save(0)
	for model := 1; model < 4; model++ {
		save(model)
	}
	if again := save(2); again > alone*3/2 {
		t.Errorf("the run of one of four models: %d bytes of pages, and %d when it was the only one", again, alone)
	}
}

func TestRunsOfAnOlderFileAreKept(t *testing.T) {
	path := newPath(t)
	s, err := open(path, testOptions(), migrations[:4])
	if err != nil {
		t.Fatal(err)
	}
	want := randomRun(rand.New(rand.NewPCG(4, 4)), "gfs", 5, 30)
	value := seal(appendRun(unsealed(0), want))
	err = s.update("put a run as it was put", func(tx *bbolt.Tx) error { return tx.Bucket(bucketRuns).Put([]byte("gfs"), value) })
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, path)
	got, err := s.Run("gfs", want.Places)
	if err != nil {
		t.Fatal(err)
	}
	if err := sameColumns(want.Columns, got.Columns); err != nil {
		t.Error(err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// A run that is damaged does not keep an older file from being brought forward.
func TestADamagedRunOfAnOlderFile(t *testing.T) {
	path := newPath(t)
	s, err := open(path, testOptions(), migrations[:6])
	if err != nil {
		t.Fatal(err)
	}
	run := randomRun(rand.New(rand.NewPCG(4, 4)), "gfs", 5, 30)
	value := seal(appendRun(unsealed(0), run))
	value[len(value)-1] ^= 1
	err = s.update("put a damaged run", func(tx *bbolt.Tx) error { return putRun(tx.Bucket(bucketRuns), "gfs", value) })
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(path, testOptions()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	damaged := (*DamagedError)(nil)
	if _, err := s.Run("gfs", run.Places); !errors.As(err, &damaged) {
		t.Errorf("read: %v", err)
	}
	if err := s.SaveRun(run); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run("gfs", run.Places); err != nil {
		t.Error(err)
	}
}
