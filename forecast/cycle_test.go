package forecast

import "testing"

// A cycle is told of when it has ended, however it ended.
func TestLastCycle(t *testing.T) {
	w := newWorld(t)
	if ended, took, count := w.engine.LastCycle(); !ended.IsZero() || took != 0 || count != 0 {
		t.Errorf("before the first: %v, %v, %d", ended, took, count)
	}
	w.engine.Show()
	if _, _, count := w.engine.LastCycle(); count != 0 {
		t.Error("showing what is held counts as a cycle")
	}
	for n := uint64(1); n <= 2; n++ {
		w.cycle(t)
		if ended, took, count := w.engine.LastCycle(); !ended.Equal(w.clock.Now()) || took < 0 || count != n {
			t.Errorf("after %d: %v, %v, %d", n, ended, took, count)
		}
	}
}
