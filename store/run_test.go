package store

import (
	"fmt"
	"math/rand/v2"
	"testing"
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
