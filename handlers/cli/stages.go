package cli

import (
	"context"
	"errors"
)

// Part is a part of the service that runs until its context ends.
type Part = func(context.Context) error

// RunStages runs all parts until ctx ends or one of them does: without one there is no
// service. Then it ends the stages one after the other: the context of a stage ends when
// every part of the stages before it has returned. It returns the errors of all.
func RunStages(ctx context.Context, stages ...[]Part) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	var errs []error
	var waits []func()
	for _, parts := range stages {
		staged, endStage := context.WithCancel(context.WithoutCancel(ctx))
		defer endStage()
		ended := make(chan error, len(parts))
		for _, run := range parts {
			go func() {
				defer end()
				ended <- run(staged)
			}()
		}
		waits = append(waits, func() {
			endStage()
			for range parts {
				errs = append(errs, <-ended)
			}
		})
	}
	<-ctx.Done()
	for _, wait := range waits {
		wait()
	}
	return errors.Join(errs...)
}
