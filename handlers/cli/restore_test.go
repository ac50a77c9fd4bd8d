package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"vigia/store"
)

// What root restores belongs to the service, and so does the key that root put there.
func TestRestoreLeavesTheKeyToTheService(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files to others")
	}
	const serviceUser = 65534
	data, made, backup := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "backup.db")
	if err := os.Chown(data, serviceUser, serviceUser); err != nil {
		t.Fatal(err)
	}
	file, err := newEnv(t, io.Discard, "compact", "--data", made).OpenFile()
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		run  Command
		args []string
	}{{Backup, []string{"backup", backup, "--data", made}}, {Restore, []string{"restore", backup, "--data", data}}} {
		if err := os.WriteFile(filepath.Join(data, store.KeyFile), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := c.run(context.Background(), newEnv(t, io.Discard, c.args[0], c.args[1:]...)); err != nil {
			t.Fatalf("%q: %v", c.args, err)
		}
	}
	for _, name := range []string{"vigia.db", store.KeyFile} {
		info, err := os.Stat(filepath.Join(data, name))
		if err != nil {
			t.Fatal(err)
		}
		if owner := info.Sys().(*syscall.Stat_t).Uid; owner != serviceUser {
			t.Errorf("%s belongs to %d", name, owner)
		}
	}
}
