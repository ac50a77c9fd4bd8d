package store

import (
	"testing"
	"time"
)

// keptTime returns the time of the last cycle kept, zero when there was none.
func keptTime(s *Store) (last time.Time, err error) {
	err = s.View("read the last time", func(tx *Tx) error {
		last, err = tx.LastTime()
		return err
	})
	return last, err
}

// The clock is believed near the last cycle and not before the program was built.
func TestClockBelieved(t *testing.T) {
	s := openStore(t, newPath(t))
	s.built = testHour.AddDate(0, 0, -30)
	expect := func(now time.Time, want bool) {
		t.Helper()
		see(t, s, func(tx *Tx) error {
			if got, err := tx.ClockBelieved(now); err != nil || got != want {
				t.Errorf("%v: %v, %v", now, got, err)
			}
			return nil
		})
		if s.DoubtsClock(now) == want {
			t.Errorf("%v: doubted: %v", now, want)
		}
	}
	for days, want := range map[int]bool{-31: false, -29: true, 0: true, 400: true} { // before the first cycle
		expect(testHour.AddDate(0, 0, days), want)
	}
	c := crashCycle(1)
	must(t, s.Commit(c))
	for days, want := range map[int]bool{-31: false, -8: false, -7: true, 0: true, 7: true, 8: false} {
		expect(c.IssuedAt.AddDate(0, 0, days), want)
	}
}
