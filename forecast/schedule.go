package forecast

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/go-co-op/gocron/v2"
	"github.com/jonboulle/clockwork"

	"vigia/store"
)

// stopTimeout is how long jobs may take to end when the service does.
const stopTimeout = 5 * time.Second

// steady is a clock that goes on evenly when the machine's is set. gocron plans by the
// time of day: after a clock that went back by a day it would wait for one.
type steady struct {
	clockwork.Clock
	start time.Time
}

// Now returns the start and what has passed since, by the monotonic clock.
func (c steady) Now() time.Time { return c.start.Add(c.Since(c.start)) }

// Job is work that is done when the service starts and again and again from then on.
type Job struct {
	// Name is the job's in health, in Spanish.
	Name string
	// Every is the time between two runs, of five seconds at least: when the clock is
	// set, gocron walks through every run that it missed. It counts from the last run,
	// since timers stop while a machine sleeps and the clock may be set. What is due at
	// a time of day looks at the clock when it runs.
	Every time.Duration
	// Later leaves out the run when the service starts.
	Later bool
	// Do does the work and returns early when its context ends. It logs its own errors;
	// that it returns one stands in health until the next run.
	Do func(context.Context) error
}

// Schedule runs every periodic job of the service. A job that is still running is left
// out when its time comes again, and one that panics goes on at its next time.
type Schedule struct {
	clock clockwork.Clock
	log   *slog.Logger
	jobs  []Job

	running sync.RWMutex // read by each job that runs; locked for good when the service ends

	mu     sync.Mutex
	states []store.JobStatus // as jobs
}

// NewSchedule returns a schedule without jobs.
func NewSchedule(clock clockwork.Clock, log *slog.Logger) *Schedule {
	return &Schedule{clock: clock, log: log}
}

// Add adds jobs, which Run begins.
func (s *Schedule) Add(jobs ...Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs = append(s.jobs, jobs...)
	for _, job := range jobs {
		s.states = append(s.states, store.JobStatus{Name: job.Name, Every: job.Every})
	}
}

// Run runs the jobs until ctx ends, and waits some seconds for those that are running.
func (s *Schedule) Run(ctx context.Context) error {
	scheduler, err := gocron.NewScheduler(
		gocron.WithLocation(time.UTC), gocron.WithClock(steady{s.clock, s.clock.Now()}), gocron.WithStopTimeout(time.Second),
		gocron.WithGlobalJobOptions(gocron.WithSingletonMode(gocron.LimitModeReschedule)),
	)
	if err != nil {
		return fmt.Errorf("make the scheduler: %w", err)
	}
	for i, job := range s.jobs {
		var when []gocron.JobOption
		if !job.Later {
			when = append(when, gocron.WithStartAt(gocron.WithStartImmediately()))
		}
		if _, err := scheduler.NewJob(gocron.DurationJob(job.Every), gocron.NewTask(func() { s.run(ctx, i) }), when...); err != nil {
			return fmt.Errorf("schedule %s: %w", job.Name, err)
		}
	}
	scheduler.Start()
	<-ctx.Done()
	return errors.Join(s.wait(), scheduler.Shutdown())
}

// wait waits for the jobs that are running. The scheduler's own wait is a busy loop, which
// on a machine with one processor holds up what it waits for.
func (s *Schedule) wait() error {
	ended := make(chan struct{})
	go func() {
		s.running.Lock()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-time.After(stopTimeout):
		return fmt.Errorf("jobs still run %v after they were told to end", stopTimeout)
	}
}

// States returns how the last run of each job went.
func (s *Schedule) States() []store.JobStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.states)
}

// run runs a job and notes how that went.
func (s *Schedule) run(ctx context.Context, i int) {
	if !s.running.TryRLock() {
		return
	}
	defer s.running.RUnlock()
	err := s.guarded(ctx, s.jobs[i])
	if ctx.Err() != nil {
		return // whatever went wrong went wrong because the service ends
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.states[i].LastRun, s.states[i].Failing = s.clock.Now().UTC(), err != nil
}

// guarded keeps a panic in a job from ending the service.
func (s *Schedule) guarded(ctx context.Context, job Job) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			s.log.Error("a job broke off", "job", job.Name, "panic", fmt.Sprint(fault), "stack", string(debug.Stack()))
			err = errors.New("it broke off")
		}
	}()
	return job.Do(ctx)
}
