package alert

import (
	"strings"
	"testing"
	"time"
)

// What one model says while the others are away takes nothing back.
func TestOneModelAloneWithdrawsNothing(t *testing.T) {
	alerts := update(nil, now, "vvvvaaaavv")
	for run := range 4 {
		alerts = update(alerts, now, "vvvooooovv")
		if a := one(t, alerts); a.Cancelled || a.Version != 1 {
			t.Fatalf("after %d runs of one model: %+v", run+1, a)
		}
	}
	for range 2 { // the control
		alerts = update(alerts, now, "vvvvvvvvvv")
	}
	if a := one(t, alerts); !a.Cancelled {
		t.Errorf("after two runs of four: %+v", a)
	}
}

// ahead is what is estimated some hours from now of a storm from the hour first to the
// hour last: 73 hours.
func ahead(hours, first, last int) string {
	return strings.Repeat("v", 100)[:max(0, first-hours)] + strings.Repeat("r", min(last+1, hours+73)-max(first, hours)) + strings.Repeat("v", max(0, hours+72-last))
}

// A storm that lasts beyond what is estimated ends where the estimates do, which is no
// news each hour. That an end comes in sight is, and so is one that moves.
func TestReachingTheHorizonIsNoChange(t *testing.T) {
	var alerts []Alert
	for hour := range 100 {
		at := now.Add(time.Duration(hour) * time.Hour)
		alerts = update(alerts, at, ahead(hour, 5, 400))
		a := one(t, alerts)
		if horizon := at.Truncate(time.Hour).Add(73 * time.Hour); a.Version != 1 || !a.End.Equal(horizon) || a.PhaseAt(at.Add(70*time.Hour)) != InForce {
			t.Fatalf("hour %d: version %d until %v, want 1 until %v", hour, a.Version, a.End, horizon)
		}
	}
	at := now.Add(100 * time.Hour)
	alerts = update(alerts, at, ahead(100, 5, 150))
	if a := one(t, alerts); a.Version != 2 || last(a) != Moved {
		t.Errorf("an end in sight: version %d, %v", a.Version, last(a))
	}
	alerts = update(alerts, at, ahead(100, 5, 160))
	if a := one(t, alerts); a.Version != 3 || last(a) != Extended {
		t.Errorf("a later end: version %d, %v", a.Version, last(a))
	}
	alerts = update(alerts, at, ahead(100, 5, 400))
	if a := one(t, alerts); a.Version != 4 || last(a) != Extended {
		t.Errorf("out of sight: version %d, %v", a.Version, last(a))
	}
}
