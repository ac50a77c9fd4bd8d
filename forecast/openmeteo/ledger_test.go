package openmeteo

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
)

// counted is a call as a provider may count it.
type counted struct {
	at     time.Time
	weight float64
}

// worstSum is the largest sum that a provider finds in any stretch of a length.
func worstSum(calls []counted, length time.Duration) float64 {
	worst, sum, first := 0.0, 0.0, 0
	for _, c := range calls {
		sum += c.weight
		for c.at.Sub(calls[first].at) >= length {
			sum -= calls[first].weight
			first++
		}
		worst = max(worst, sum)
	}
	return worst
}

// worstPeriod is the largest sum of a calendar period.
func worstPeriod(calls []counted, layout string) float64 {
	sums, worst := map[string]float64{}, 0.0
	for _, c := range calls {
		period := c.at.Format(layout)
		sums[period] += c.weight
		worst = max(worst, sums[period])
	}
	return worst
}

// TestNeverExceeds: whatever is asked when, whether the provider counts calls as
// they come or as they end, by sliding or calendar periods, and however often
// the service restarts, no limit is exceeded.
func TestNeverExceeds(t *testing.T) {
	random := newSeed(t)
	for _, limits := range []Limits{
		{Minute: 60, Hour: 500, Day: 1000, Month: 9000}, {Minute: 600, Hour: 5000, Day: 10000, Month: 300000},
		{Minute: 5, Hour: 20, Day: 300}, {Day: 50, Month: 120},
	} {
		came, ended := askAtRandom(t, random, limits)
		for name, calls := range map[string][]counted{"as they come": came, "as they end": ended} {
			for _, c := range []struct {
				what        string
				most, limit float64
			}{
				{"sliding minute", worstSum(calls, time.Minute), limits.Minute},
				{"sliding hour", worstSum(calls, time.Hour), limits.Hour},
				{"minute", worstPeriod(calls, "2006-01-02 15:04"), limits.Minute},
				{"hour", worstPeriod(calls, "2006-01-02 15"), limits.Hour},
				{"day", worstPeriod(calls, "2006-01-02"), limits.Day},
				{"month", worstPeriod(calls, "2006-01"), limits.Month},
			} {
				if c.limit > 0 && c.most > c.limit+slack {
					t.Errorf("%v, counted %s: %v in a %s", limits, name, c.most, c.what)
				}
				if c.limit > 0 && c.most < c.limit/3 {
					t.Logf("%v, counted %s: only %v in a %s", limits, name, c.most, c.what)
				}
			}
		}
		t.Logf("%v: %d calls", limits, len(came))
	}
}

// askAtRandom makes calls for some weeks and gives them as a provider may count
// them.
func askAtRandom(t *testing.T, random *rand.Rand, limits Limits) (came, ended []counted) {
	clock := clockwork.NewFakeClockAt(noon)
	ledger := NewLedger(clock, limits)
	heaviest := 4.0
	if limits.Minute > 0 {
		heaviest = limits.Minute/2 - 1
	}
	var kept []byte
	ledger.OnChange = func(state []byte) error { kept = bytes.Clone(state); return nil }
	for clock.Since(noon) < 35*24*time.Hour {
		r, err := reserve(ledger, 1+random.Float64()*heaviest)
		if err != nil {
			checkRetry(t, err, clock.Now())
			// Half of the time come back just when there is room, at the worst instant.
			if fault, _ := errors.AsType[*Error](err); random.IntN(2) == 0 && fault.RetryAt.After(clock.Now()) {
				clock.Advance(fault.RetryAt.Sub(clock.Now()))
				continue
			}
			clock.Advance(time.Duration(random.Int64N(int64(2 * time.Hour))))
			continue
		}
		weight := r.weight
		came = append(came, counted{clock.Now(), weight})
		clock.Advance(time.Duration(random.Int64N(int64(20 * time.Second))))
		outcome := Outcome(random.IntN(2)) // what an unclear call costs is not known
		if outcome == Refusal {
			weight = failedWeight
			came[len(came)-1].weight = weight
		}
		if random.IntN(20) == 0 { // killed while the call ran
			came[len(came)-1].weight = r.weight
			weight = r.weight
		} else {
			ledger.settle(r, outcome)
		}
		ended = append(ended, counted{came[len(came)-1].at, weight})
		if random.IntN(10) == 0 || r.running {
			ledger = NewLedger(clock, limits)
			if err := ledger.UnmarshalBinary(kept); err != nil {
				t.Fatal(err)
			}
			ledger.OnChange = func(state []byte) error { kept = bytes.Clone(state); return nil }
		} else {
			ended[len(ended)-1].at = clock.Now()
		}
	}
	return came, ended
}

func checkRetry(t *testing.T, err error, now time.Time) {
	t.Helper()
	fault, ok := errors.AsType[*Error](err)
	if !ok || fault.Kind != HeldBack || fault.Scope == NoScope || !fault.RetryAt.After(now) || fault.RetryAt.After(now.Add(31*24*time.Hour)) {
		t.Fatalf("held back at %v with %#v", now, err)
	}
}

// TestRetryAt: at the time named there is room, and a moment before there is not.
func TestRetryAt(t *testing.T) {
	for _, limits := range []Limits{{Minute: 10}, {Hour: 10}, {Day: 10}, {Month: 10}} {
		clock := clockwork.NewFakeClockAt(noon)
		ledger := NewLedger(clock, limits)
		for _, weight := range []float64{3, 3, 4} {
			r, err := reserve(ledger, weight)
			if err != nil {
				t.Fatal(err)
			}
			clock.Advance(5 * time.Second)
			ledger.settle(r, Served)
		}
		_, err := reserve(ledger, 5)
		checkRetry(t, err, clock.Now())
		fault, _ := errors.AsType[*Error](err)
		clock.Advance(fault.RetryAt.Sub(clock.Now()) - time.Millisecond)
		if _, err := reserve(ledger, 5); err == nil {
			t.Errorf("%v: room before %v", limits, fault.RetryAt)
		}
		clock.Advance(time.Millisecond)
		if _, err := reserve(ledger, 5); err != nil {
			t.Errorf("%v: no room at %v: %v", limits, fault.RetryAt, err)
		}
	}
}

func TestOutcomes(t *testing.T) {
	for outcome, want := range map[Outcome]Usage{
		Served: {Minute: 500, Hour: 500, Day: 500, Month: 500}, Refusal: {Minute: 1, Hour: 1, Day: 1, Month: 1},
		Unclear: {Minute: 500, Hour: 500, Day: 1, Month: 1},
	} {
		ledger := NewLedger(clockwork.NewFakeClockAt(noon), FreeLimits)
		r, err := reserve(ledger, 500)
		if err != nil {
			t.Fatal(err)
		}
		if u := ledger.Usage(noon); u.Minute != 500 || u.Day != 500 {
			t.Errorf("while the call runs: %+v", u)
		}
		ledger.settle(r, outcome)
		ledger.settle(r, Refusal) // too late to change anything
		want.Limits = FreeLimits
		if u := ledger.Usage(noon); u != want {
			t.Errorf("outcome %d: %+v, want %+v", outcome, u, want)
		}
	}
}

// TestCallOverMidnight counts on both days: nobody knows on which the provider does.
func TestCallOverMidnight(t *testing.T) {
	clock := clockwork.NewFakeClockAt(noon.Add(12*time.Hour - time.Second))
	ledger := NewLedger(clock, FreeLimits)
	r, err := reserve(ledger, 500)
	if err != nil {
		t.Fatal(err)
	}
	before := clock.Now()
	clock.Advance(2 * time.Second)
	ledger.settle(r, Served)
	if a, b := ledger.Usage(before).Day, ledger.Usage(clock.Now()).Day; a < 500 || b != 500 {
		t.Errorf("%v on the first day, %v on the second", a, b)
	}
}

// TestRunningCallNeverAges: a call that hangs for hours still counts as one of now.
func TestRunningCallNeverAges(t *testing.T) {
	clock := clockwork.NewFakeClockAt(noon)
	ledger := NewLedger(clock, FreeLimits)
	r, err := reserve(ledger, 600)
	if err != nil {
		t.Fatal(err)
	}
	clock.Advance(3 * time.Hour)
	if _, err := reserve(ledger, 1); err == nil {
		t.Error("room while the call runs")
	}
	ledger.settle(r, Served)
	if _, err := reserve(ledger, 1); err == nil {
		t.Error("room just after the call ended")
	}
	clock.Advance(minuteWindow)
	if _, err := reserve(ledger, 1); err != nil {
		t.Errorf("no room a minute after: %v", err)
	}
}

// TestClockJumps: a clock set back frees nothing, and whatever it does, nothing
// is blocked for longer than two days.
func TestClockJumps(t *testing.T) {
	for _, back := range []time.Duration{time.Second, time.Hour, 13 * time.Hour, 26 * time.Hour, 400 * 24 * time.Hour, 20 * 365 * 24 * time.Hour} {
		for _, restart := range []bool{false, true} {
			ledger := NewLedger(clockwork.NewFakeClockAt(noon), Limits{Minute: 10, Hour: 20, Day: 30})
			for range 3 {
				ledger.book(noon, 10)
			}
			ledger.recent = append(ledger.recent, &booking{at: noon, weight: 10})
			ledger.Learn(Day)
			at := func(now time.Time) error {
				if restart {
					state, err := ledger.state()
					if err != nil {
						t.Fatal(err)
					}
					ledger = NewLedger(nil, ledger.limits)
					if err := ledger.UnmarshalBinary(state); err != nil {
						t.Fatal(err)
					}
				}
				ledger.clock = clockwork.NewFakeClockAt(now)
				_, err := reserve(ledger, 5)
				return err
			}
			set := noon.Add(-back)
			if at(set) == nil || at(set.Add(time.Minute)) == nil {
				t.Errorf("set back by %v: freed", back)
			}
			if back <= 26*time.Hour && at(noon) == nil {
				t.Errorf("set back by %v and right again: freed", back)
			}
			if err := at(set.Add(48*time.Hour + 2*afterTurn)); back > 48*time.Hour && err != nil {
				t.Errorf("set back by %v, two days later: %v", back, err)
			}
			if err := at(noon.Add(48 * time.Hour)); err != nil {
				t.Errorf("set back by %v, in the end: %v", back, err)
			}
		}
	}
}

// TestBookedWhileSetBack: what is booked under a clock set back by a day counts
// on the right day too, once the clock is right again.
func TestBookedWhileSetBack(t *testing.T) {
	ledger := NewLedger(nil, Limits{Day: 100})
	for _, c := range []struct {
		now  time.Time
		room bool
	}{{noon, true}, {noon.Add(-24 * time.Hour), true}, {noon, false}, {noon.Add(24 * time.Hour), true}} {
		ledger.clock = clockwork.NewFakeClockAt(c.now)
		r, err := reserve(ledger, 50)
		if (err == nil) != c.room {
			t.Errorf("at %v: %v", c.now, err)
		}
		if err == nil {
			ledger.settle(r, Served)
		}
		state, err := ledger.state()
		if err != nil {
			t.Fatal(err)
		}
		if err := NewLedger(nil, Limits{}).UnmarshalBinary(state); err != nil {
			t.Errorf("at %v: %v", c.now, err)
		}
	}
}

func TestSaveFailureDoesNotStop(t *testing.T) {
	var log bytes.Buffer
	ledger := NewLedger(clockwork.NewFakeClockAt(noon), FreeLimits)
	ledger.Log = slog.New(slog.NewTextHandler(&log, nil))
	ledger.OnChange = func([]byte) error { return errors.New("disk full") }
	for range 2 {
		if _, err := reserve(ledger, 5); err != nil {
			t.Error(err)
		}
	}
	if bytes.Count(log.Bytes(), []byte("disk full")) != 1 {
		t.Errorf("log %q", log.String())
	}
}

// TestBookedBeforeTheCall: what was kept before the call went out has its weight.
func TestBookedBeforeTheCall(t *testing.T) {
	var kept []byte
	ledger := NewLedger(clockwork.NewFakeClockAt(noon), FreeLimits)
	ledger.OnChange = func(state []byte) error { kept = bytes.Clone(state); return nil }
	if _, err := reserve(ledger, 500); err != nil {
		t.Fatal(err)
	}
	after := NewLedger(clockwork.NewFakeClockAt(noon.Add(time.Second)), FreeLimits)
	if err := after.UnmarshalBinary(kept); err != nil {
		t.Fatal(err)
	}
	if _, err := reserve(after, 200); err == nil {
		t.Error("a restart frees the weight of a running call")
	}
}

func TestConcurrentHoldIsShort(t *testing.T) {
	clock := clockwork.NewFakeClockAt(noon)
	ledger := NewLedger(clock, FreeLimits)
	until := ledger.Learn(Concurrent)
	if wait := until.Sub(noon); wait < 2*time.Second || wait > 6*time.Second {
		t.Errorf("wait of %v", wait)
	}
	if _, err := ledger.reserve(1); err == nil || err.Scope != Concurrent || !err.RetryAt.Equal(until) {
		t.Errorf("held back with %+v", err)
	}
	if later := ledger.Learn(Hour); !later.Equal(noon.Add(61 * time.Minute)) {
		t.Errorf("then until %v", later)
	}
	if later := ledger.Learn(Minute); !later.Equal(noon.Add(61 * time.Minute)) {
		t.Errorf("a shorter one cuts the hold to %v", later)
	}
}

func TestWaitGivesUp(t *testing.T) {
	clock := clockwork.NewFakeClockAt(noon)
	ledger := NewLedger(clock, Limits{Hour: 10})
	if r, err := await(context.Background(), ledger, 10); err != nil {
		t.Fatal(err)
	} else {
		ledger.settle(r, Served)
	}
	_, err := await(context.Background(), ledger, 10)
	if fault := failure(t, err, HeldBack); fault.Scope != Hour {
		t.Errorf("got %v", err)
	}
	_, err = await(context.Background(), ledger, 11)
	if fault := failure(t, err, HeldBack); !fault.RetryAt.IsZero() {
		t.Errorf("more than the limit: %v", fault.RetryAt)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = await(ctx, ledger, 1)
	failure(t, err, Interrupted)
}

func TestUnlimited(t *testing.T) {
	ledger := NewLedger(clockwork.NewFakeClockAt(noon), Limits{})
	for range 100 {
		r, err := reserve(ledger, 1e5)
		if err != nil {
			t.Fatal(err)
		}
		ledger.settle(r, Served)
	}
	if u := ledger.Usage(noon); u.Day != 1e7 {
		t.Errorf("usage %+v", u)
	}
}

func TestLedgerStateRefused(t *testing.T) {
	ledger := NewLedger(clockwork.NewFakeClockAt(noon), FreeLimits)
	ledger.book(noon, 7)
	for _, state := range []string{
		"", "{}", "[]", `{"version":2}`, `{"version":1,"recent":[{"at":1,"weight":-1}]}`, `{"version":1,"days":[{"at":2,"weight":1},{"at":1,"weight":1}]}`,
		`{"version":1,"hold_scope":99}`, `{"version":1,"hold_until":10000000000000}`, `{"version":1,"recent":[{"at":9223372036854775807,"weight":1}]}`, `{"version":1,"days":[{"at":1,"weight":1e300}]}`,
	} {
		if err := ledger.UnmarshalBinary([]byte(state)); err == nil {
			t.Errorf("%s accepted", state)
		}
	}
	if u := ledger.Usage(noon); u.Day != 7 {
		t.Errorf("a refused state changed the ledger: %+v", u)
	}
}

func FuzzLedgerState(f *testing.F) {
	f.Add([]byte(`{"version":1,"recent":[{"at":1785412800000,"weight":500}],"days":[{"at":20664,"weight":500}],"hold_until":1785412900000,"hold_scope":1}`))
	f.Add([]byte(`{"version":1,"days":[{"at":99999999,"weight":500},{"at":199999999,"weight":500}]}`))
	f.Fuzz(func(t *testing.T, state []byte) {
		clock := clockwork.NewFakeClockAt(noon)
		ledger := NewLedger(clock, Limits{Minute: 10, Hour: 20, Day: 30})
		if ledger.UnmarshalBinary(state) != nil {
			return
		}
		if r, err := reserve(ledger, 1); err == nil {
			ledger.settle(r, Served)
		} else {
			checkRetry(t, err, noon)
		}
		clock.Advance(48*time.Hour + 2*afterTurn)
		if _, err := reserve(ledger, 1); err != nil {
			t.Fatalf("blocked after two days: %v", err)
		}
	})
}

// reserve and await are as the ledger's own, with the error of a question.
func reserve(l *Ledger, weight float64) (*booking, error) {
	b, err := l.reserve(weight)
	if err != nil {
		return nil, err.of("reserve", "")
	}
	return b, nil
}

func await(ctx context.Context, l *Ledger, weight float64) (*booking, error) {
	b, err := l.wait(ctx, weight)
	if err != nil {
		return nil, err.of("reserve", "")
	}
	return b, nil
}
