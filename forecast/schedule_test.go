package forecast

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/store"
)

// follow runs cycles as the schedule does.
func (e *Engine) follow(ctx context.Context) {
	for ctx.Err() == nil {
		_ = e.cycleWhenDue(ctx) // logged
		select {
		case <-time.After(checkEvery):
		case <-ctx.Done():
		}
	}
}

// Each job runs at the start and at its times, one that fails, breaks off or takes long
// stops no other, none runs twice at once, and the states say how the last run went.
func TestScheduleRunsEveryJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &bytes.Buffer{}
		s := NewSchedule(clockwork.NewRealClock(), slog.New(slog.NewTextHandler(log, nil)))
		var runs [4]atomic.Int32
		var atOnce atomic.Int32
		s.Add(
			Job{Name: "bien", Every: 5 * time.Second, Do: func(context.Context) error { runs[0].Add(1); return nil }},
			Job{Name: "mal", Every: time.Minute, Later: true, Do: func(context.Context) error { runs[1].Add(1); return errors.New("no") }},
			Job{Name: "roto", Every: time.Minute, Do: func(context.Context) error { runs[2].Add(1); panic("boom") }},
			Job{Name: "largo", Every: 5 * time.Second, Do: func(ctx context.Context) error {
				if runs[3].Add(1); atOnce.Add(1) > 1 {
					t.Error("it runs twice at once")
				}
				defer atOnce.Add(-1)
				select {
				case <-time.After(time.Hour):
				case <-ctx.Done():
				}
				return nil
			}},
		)
		for _, state := range s.States() {
			if !state.LastRun.IsZero() {
				t.Errorf("before the start: %+v", state)
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- s.Run(ctx) }()
		begun := time.Now()
		<-time.After(10*time.Minute + time.Second)
		for i, want := range []int32{121, 10, 11, 1} {
			if got := runs[i].Load(); got < want || got > want+want/10+1 { // gocron runs one twice now and then
				t.Errorf("job %d ran %d times, want %d", i, got, want)
			}
		}
		states := s.States()
		want := []store.JobStatus{
			{Name: "bien", Every: 5 * time.Second, LastRun: begun.Add(10 * time.Minute).UTC()},
			{Name: "mal", Every: time.Minute, LastRun: begun.Add(10 * time.Minute).UTC(), Failing: true},
			{Name: "roto", Every: time.Minute, LastRun: begun.Add(10 * time.Minute).UTC(), Failing: true},
			{Name: "largo", Every: 5 * time.Second},
		}
		for i, w := range want {
			if got := states[i]; got.Name != w.Name || got.Every != w.Every || got.Failing != w.Failing || !got.LastRun.Equal(w.LastRun) {
				t.Errorf("%+v, want %+v", got, w)
			}
		}
		if n := strings.Count(log.String(), "broke off"); n != int(runs[2].Load()) {
			t.Errorf("logged %d times", n)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
