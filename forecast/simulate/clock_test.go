package simulate

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/jonboulle/clockwork"
)

var _ clockwork.Clock = (*Clock)(nil)

func TestClockRunsFast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		clock := NewClock(60)
		start := clock.Now()
		timer, ticker := clock.NewTimer(time.Hour), clock.NewTicker(30*time.Minute)
		defer ticker.Stop()
		fired := make(chan time.Time, 1)
		clock.AfterFunc(2*time.Hour, func() { fired <- clock.Now() })
		for range 2 {
			<-ticker.Chan()
		}
		<-timer.Chan()
		if real := time.Since(began); real != time.Minute || clock.Since(start) != time.Hour {
			t.Errorf("an hour took %v, and the clock says %v", real, clock.Since(start))
		}
		if at := <-fired; at.Sub(start) != 2*time.Hour {
			t.Errorf("the function ran after %v", at.Sub(start))
		}
		timer.Reset(time.Hour)
		<-timer.Chan()
		clock.Sleep(time.Hour)
		<-clock.After(time.Hour)
		if passed := clock.Now().Sub(start); passed != 5*time.Hour || clock.Until(start) != -passed {
			t.Errorf("%v passed", passed)
		}
		ticker.Reset(6 * time.Hour)
		<-ticker.Chan()
		if passed := clock.Since(start); passed != 11*time.Hour {
			t.Errorf("after the slower tick: %v", passed)
		}
	})
}
