package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"vigia/handlers/cli/control"
	"vigia/store"
	"vigia/store/notices"
)

// LivePath returns the path of the service's file.
func (env *Env) LivePath() string { return filepath.Join(env.Data, "vigia.db") }

func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, os.ErrNotExist)
}

// OpenFile opens the file for this process alone.
func (env *Env) OpenFile() (*store.Store, error) { return env.open(false) }

// open opens the file, with lookOnly without changing anything.
func (env *Env) open(lookOnly bool) (*store.Store, error) {
	file, err := store.Open(env.LivePath(), store.Options{Clock: env.Clock, Log: env.Log, LookOnly: lookOnly})
	if errors.Is(err, store.ErrInUse) {
		return nil, inUse(err)
	}
	return file, err
}

func inUse(err error) error {
	return fmt.Errorf("%w: stop the service that has it, or name another folder with --data", err)
}

// OpenToServe opens the file for a service. Where the file is damaged it returns a store
// without one: estimates need no file. It is an error that another process has the file,
// that another version of the program wrote it, or that a first start cannot make it.
func (env *Env) OpenToServe() (*store.Store, error) {
	file, err := env.OpenFile()
	damaged := (*store.DamagedError)(nil)
	switch {
	case err == nil, errors.Is(err, store.ErrInUse), errors.Is(err, store.ErrNewerSchema), errors.Is(err, store.ErrOlderSchema):
		return file, err
	case missing(env.LivePath()) && !errors.As(err, &damaged):
		return nil, err
	}
	env.Log.Error("the service runs without its file: estimates are shown, and nobody can subscribe, leave or be told until the file is mended and the service started again", "error", err)
	return store.Without(env.LivePath(), err, store.Options{Clock: env.Clock, Log: env.Log}), nil
}

// useFile opens the file, calls do and returns its answer.
func (env *Env) useFile(look bool, do func(*store.Store) (string, error)) (string, error) {
	file, err := env.open(look)
	if err != nil {
		return "", err
	}
	defer file.Close()
	return do(file)
}

// alone returns what carries out requests in this process.
func (env *Env) alone() *Service {
	return &Service{
		UseFile: env.useFile, Catalogue: env.LoadCatalogue, Clock: env.Clock,
		SaveNotices: func(batch notices.Batch) error {
			_, err := env.useFile(false, func(file *store.Store) (string, error) { return "", file.SaveNotices(batch) })
			return err
		},
		Unblock: func(string) (bool, error) {
			return false, fmt.Errorf("no service runs on the data in %s; start it first, or name the folder of the data with --data", env.Data)
		},
	}
}

// ask prints what the running service answers to a request, or what comes of it in this
// process when no service runs.
func (env *Env) ask(ctx context.Context, alone *Service, request string, params url.Values, document []byte) error {
	answer, err := control.Ask(ctx, env.Data, request, params, bytes.NewReader(document))
	if errors.Is(err, control.ErrNotRunning) {
		answer, err = alone.handlers()[request](ctx, params, bytes.NewReader(document))
	}
	if err == nil {
		fmt.Fprintln(env.Out, answer)
	}
	return err
}
