package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"vigia/handlers/cli/control"
	"vigia/store"
)

// Backup copies the file and prints the path of the copy. The running service makes the
// copy or, without one, the command itself.
func Backup(ctx context.Context, env *Env) error {
	path, err := askForBackup(ctx, env)
	if errors.Is(err, control.ErrNotRunning) {
		path, err = backupAlone(ctx, env)
	}
	if err == nil {
		fmt.Fprintln(env.Out, path)
	}
	return err
}

// askForBackup has the running service make the copy in its own folder, which it may
// write. A copy for another place is taken there by the command, with the rights of its
// user.
func askForBackup(ctx context.Context, env *Env) (string, error) {
	params := url.Values{}
	if len(env.Args) > 0 {
		params.Set(paramPassing, "")
	}
	name, err := control.Ask(ctx, env.Data, backupRequest, params, nil)
	if err != nil {
		return "", err
	}
	made := filepath.Join(env.Data, store.BackupFolder, filepath.Base(name))
	if len(env.Args) == 0 {
		return made, nil
	}
	defer os.Remove(made)
	return env.Args[0], env.copyBackup(ctx, made, env.Args[0])
}

// copyBackup copies a backup that was just made to another place, as surely as it was
// made, and never over the live file.
func (env *Env) copyBackup(ctx context.Context, made, to string) error {
	live, err := os.Stat(env.LivePath())
	if err != nil {
		return fmt.Errorf("look at the live file: %w", err)
	}
	if there, err := os.Stat(to); err == nil && os.SameFile(live, there) {
		return fmt.Errorf("%s is the live file itself", to)
	}
	file, err := store.Open(made, store.Options{Clock: env.Clock, Log: env.Log, LookOnly: true})
	if err != nil {
		return err
	}
	return errors.Join(file.Backup(ctx, to), file.Close())
}

func backupAlone(ctx context.Context, env *Env) (string, error) {
	if err := env.wantFile("copy"); err != nil {
		return "", err
	}
	return env.useFile(false, func(file *store.Store) (string, error) {
		if len(env.Args) > 0 {
			return env.Args[0], file.Backup(ctx, env.Args[0])
		}
		path := store.AskedPath(env.Data, env.Clock.Now())
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", fmt.Errorf("make the folder of the backup: %w", err)
		}
		if err := errors.Join(store.OwnAs(filepath.Dir(path), env.Data), file.Backup(ctx, path)); err != nil {
			return "", err
		}
		return path, store.OwnAs(path, env.Data)
	})
}

// wantFile returns an error where there is no file to do something with.
func (env *Env) wantFile(to string) error {
	if live := env.LivePath(); missing(live) {
		return fmt.Errorf("%s does not exist, so there is nothing to %s; name the folder of the data with --data", live, to)
	}
	return nil
}

// Compact rewrites the file without what was freed in it.
func Compact(ctx context.Context, env *Env) error {
	alone := env.alone()
	alone.UseFile = func(look bool, do func(*store.Store) (string, error)) (string, error) {
		if err := env.wantFile("compact"); err != nil {
			return "", err
		}
		return env.useFile(look, do)
	}
	return env.ask(ctx, alone, compactRequest, nil, nil)
}

// Unblock has the running service, which has the keys, forget that somebody refused
// mails to an address («No fui yo»).
func Unblock(ctx context.Context, env *Env) error {
	return env.ask(ctx, env.alone(), unblockRequest, nil, []byte(env.Args[0]))
}
