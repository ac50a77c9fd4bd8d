package forecast

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/go-co-op/gocron/v2"

	"vigia/store"
)

// watchEvery is how often the clock is compared with what is due, for the retries
// within an hour and because a scheduler's timers go wrong when the machine
// sleeps or its clock is set.
const watchEvery = 5 * time.Second

// keepAgain is how long after a cycle that could not be kept, or when anything else
// could not since, another one tries: what has no space for a while must not leave
// people untold for an hour, nor be reported for one when there is space again.
const keepAgain = 5 * time.Minute

// Run runs a cycle now and at every full hour
// (UTC: no hour is lost when a local clock changes) until the context ends. A
// cycle that is running then is given up: its transaction is whole or not there.
func (e *Engine) Run(ctx context.Context) error {
	scheduler, err := gocron.NewScheduler(
		gocron.WithLocation(time.UTC), gocron.WithClock(e.o.Clock), gocron.WithStopTimeout(5*time.Second),
		gocron.WithGlobalJobOptions(gocron.WithSingletonMode(gocron.LimitModeReschedule)),
	)
	if err != nil {
		return fmt.Errorf("make the scheduler: %w", err)
	}
	if _, err := scheduler.NewJob(gocron.CronJob("0 * * * *", false), gocron.NewTask(func() { e.guarded(ctx) })); err != nil {
		return fmt.Errorf("schedule the hourly cycle: %w", err)
	}
	var following sync.WaitGroup
	following.Go(func() { e.followNotices(ctx) })
	following.Go(func() { e.o.Store.Tend(ctx) })
	defer following.Wait()
	scheduler.Start()
	e.guarded(ctx)
	e.watch(ctx)
	return scheduler.Shutdown()
}

// watch runs the cycles that the scheduler cannot know of.
func (e *Engine) watch(ctx context.Context) {
	ticker := e.o.Clock.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.Chan():
			if e.due() {
				e.guarded(ctx)
			}
		}
	}
}

// due tells whether a cycle is wanted now: the hour has no edition, or what failed, a
// model or the keeping, may be tried again.
func (e *Engine) due() bool {
	if !e.mu.TryLock() {
		return false // a cycle is running
	}
	defer e.mu.Unlock()
	e.move()
	now := e.now()
	if now.Truncate(time.Hour) != e.issued && !e.issued.IsZero() {
		return true
	}
	mended := errors.Is(e.failing, store.ErrReadOnly) // and the store is written again
	if e.refused() && e.o.Store.Err() == nil && (mended || now.Sub(e.issuedAt).Abs() >= keepAgain) {
		return true
	}
	for _, m := range e.models {
		if m.failures > 0 && !m.waits(now) {
			return true
		}
	}
	return false
}

// refused tells that the last cycle could not be kept, or anything else since.
func (e *Engine) refused() bool { return e.failing != nil || e.o.Store.WriteError() != nil }

// guarded runs a cycle. When it breaks off, what was published last stays until it
// expires.
func (e *Engine) guarded(ctx context.Context) { e.guard("cycle", func() { e.Cycle(ctx) }) }

// guard keeps a panic in a part of the work from ending the service.
func (e *Engine) guard(what string, do func()) {
	defer func() {
		if fault := recover(); fault != nil {
			e.o.Log.Error(what+" broke off", "panic", fmt.Sprint(fault), "stack", string(debug.Stack()))
		}
	}()
	do()
}
