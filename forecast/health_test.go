package forecast

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/storetest"
)

// silent is a provider that never answers: it gives up when asked to, or hangs for
// good where deaf is set.
type silent struct{ deaf chan bool }

func (s silent) LatestRun(ctx context.Context, _ string) (openmeteo.RunInfo, error) {
	if s.deaf != nil {
		<-s.deaf
		return openmeteo.RunInfo{}, errors.New("released")
	}
	<-ctx.Done()
	return openmeteo.RunInfo{}, ctx.Err()
}

func (silent) Forecast(context.Context, string, []catalogue.Location, []openmeteo.Group) (*openmeteo.Answer, error) {
	return nil, errors.New("not asked")
}

func (silent) Ensemble(context.Context, string, []catalogue.Location) (*openmeteo.Answer, error) {
	return nil, errors.New("not asked")
}

func (silent) WindAloft(context.Context, string, []catalogue.Location) (*openmeteo.Answer, error) {
	return nil, errors.New("not asked")
}

// running starts an engine in a bubble, where hours pass in no time, and gives what
// ends it. The scheduler is left out: it waits for a cycle under way on a mutex, and
// meanwhile no time passes in a bubble.
func running(t *testing.T, p Provider) (*Engine, func()) {
	file, err := storetest.Open(filepath.Join(t.TempDir(), "vigia.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(Options{
		Store: file, Provider: p, Usage: func() openmeteo.Usage { return openmeteo.Usage{} },
		Catalogue: small(t), Rules: hazard.DefaultRules(), Models: openmeteo.DefaultModels,
		Clock: clockwork.NewRealClock(), Log: slog.New(slog.DiscardHandler), Publisher: &published{},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan bool)
	go func() {
		defer close(ended)
		e.follow(ctx)
	}()
	return e, func() {
		stop()
		<-ended
		file.Close()
	}
}

// A provider that lets every question run into its limit for hours is no reason to
// restart the service.
func TestAProviderThatIsAwayIsNotStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, end := running(t, silent{})
		defer end()
		for minute := range 6 * 60 {
			<-time.After(time.Minute)
			if err := e.Stuck(); err != nil {
				t.Fatalf("after %d minutes: %v", minute+1, err)
			}
		}
	})
}

func TestACycleThatHangsIsStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hung := make(chan bool)
		e, end := running(t, silent{deaf: hung})
		<-time.After(stepLimit - time.Minute)
		if err := e.Stuck(); err != nil {
			t.Fatalf("too soon: %v", err)
		}
		<-time.After(2 * time.Minute)
		if e.Stuck() == nil {
			t.Error("the cycle hangs and nobody is told")
		}
		close(hung)
		<-time.After(time.Minute)
		if err := e.Stuck(); err != nil {
			t.Errorf("moving again: %v", err)
		}
		end()
	})
}

// An engine whose loop has ended, or never began, does not look alive.
func TestALoopThatEndedIsStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, end := running(t, silent{})
		end()
		<-time.After(stepLimit + time.Second)
		if e.Stuck() == nil {
			t.Error("nothing runs and nobody is told")
		}
	})
}
