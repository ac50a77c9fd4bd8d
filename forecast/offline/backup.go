package offline

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"vigia/store"
	"vigia/store/backups"
	"vigia/store/control"
	"vigia/store/settings"
)

// passingSuffix comes before the number that ends the name of a copy that a service
// makes for somebody who takes it elsewhere.
const passingSuffix = ".new-copy"

// Backup copies the file: the service that runs does it or, without one, the command
// itself.
func Backup(ctx context.Context, s *settings.Settings, t Terminal) error {
	path, err := askForBackup(ctx, s)
	if errors.Is(err, control.ErrNobody) {
		path, err = backupAlone(ctx, s, t)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(t.Out, path)
	return nil
}

// askForBackup has a running service make the copy in its own folder, which it may
// write. A copy for another place is taken there by the command, with what its user
// may do.
func askForBackup(ctx context.Context, s *settings.Settings) (string, error) {
	about := url.Values{}
	if len(s.Args) > 0 {
		about.Set(aboutPassing, "")
	}
	name, err := control.Ask(ctx, s.Data, backupErrand, about, nil)
	if err != nil {
		return "", err
	}
	made := filepath.Join(s.Data, store.BackupFolder, filepath.Base(name))
	if len(s.Args) == 0 {
		return made, nil
	}
	defer os.Remove(made)
	return s.Args[0], store.CopyBackup(ctx, made, s.Args[0], liveFile(s))
}

func backupAlone(ctx context.Context, s *settings.Settings, t Terminal) (string, error) {
	if live := liveFile(s); missing(live) {
		return "", fmt.Errorf("%s does not exist, so there is nothing to copy; name the folder of the data with --data", live)
	}
	file, err := Open(s, t.Clock, t.Log)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if len(s.Args) > 0 {
		return s.Args[0], file.Backup(ctx, s.Args[0])
	}
	path := backups.AskedPath(s.Data, t.Clock.Now())
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("make the folder of the backup: %w", err)
	}
	if err := errors.Join(store.OwnAs(filepath.Dir(path), s.Data), file.Backup(ctx, path)); err != nil {
		return "", err
	}
	return path, store.OwnAs(path, s.Data)
}
