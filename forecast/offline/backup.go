package offline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"vigia/store/settings"
)

// Backup copies the file of a service that is not running.
func Backup(_ context.Context, s *settings.Settings, t Terminal) error {
	if live := liveFile(s); missing(live) {
		return fmt.Errorf("%s does not exist, so there is nothing to copy; name the folder of the data with --data", live)
	}
	file, err := Open(s, t.Clock, t.Log)
	if err != nil {
		return err
	}
	defer file.Close()
	path := filepath.Join(s.Data, "backups", "vigia-"+t.Clock.Now().UTC().Format("20060102T150405Z")+".db")
	if len(s.Args) > 0 {
		path = s.Args[0]
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the folder of the backup: %w", err)
	}
	if err := file.Backup(path); err != nil {
		return err
	}
	fmt.Fprintln(t.Out, path)
	return nil
}
