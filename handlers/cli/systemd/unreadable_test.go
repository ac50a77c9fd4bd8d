package systemd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vigia/handlers/cli/settings"
	"vigia/store"
)

// serviceUser stands for the user of a service.
const serviceUser = 65534

// ownData makes the folder of the data of a service with another user, and a folder of
// units with its unit, for settings in a folder.
func ownData(t *testing.T, folder string) (data, units string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files to others")
	}
	units, data = t.TempDir(), t.TempDir()
	config := filepath.Join(folder, "vigia.conf")
	write(t, config, "", 0o600)
	text, err := unitOf(t, "--binary", "/usr/bin/vigia", "--config", config)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(units, "vigia.service"), text, 0o644)
	if err := os.Chown(data, serviceUser, serviceUser); err != nil {
		t.Fatal(err)
	}
	return data, units
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// Root is told what the service could not read, though root can.
func TestCheckFindsWhatTheServiceCannotRead(t *testing.T) {
	folder := t.TempDir()
	data, units := ownData(t, folder)
	for _, name := range []string{"smtp", "other", "drop-in"} {
		write(t, filepath.Join(folder, name), "secret\n", 0o600)
	}
	expect := func(want string, args ...string) {
		t.Helper()
		s, err := settings.Parse("check", append([]string{"--contact", "a@example.cl", "--data", data}, args...), nil, os.ReadFile, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = Unreadable(s, []string{t.TempDir(), units})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
		if err := Unreadable(s, []string{t.TempDir()}); err != nil {
			t.Errorf("%q, without a unit: %v", args, err)
		}
	}
	key := func(name string) []string { return []string{"--provider-key-file", filepath.Join(folder, name)} }
	expect("")
	expect("", key("smtp")...)
	expect("", "--catalogue", "/etc/passwd") // everybody's
	expect("cannot read it", key("other")...)
	expect("cannot read it", "--catalogue", filepath.Join(folder, "other"))
	if err := os.Mkdir(filepath.Join(units, "vigia.service.d"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(units, "vigia.service.d", "own.conf"), "[Service]\nLoadCredential=drop-in:"+filepath.Join(folder, "drop-in")+"\n", 0o644)
	expect("", key("drop-in")...)

	write(t, filepath.Join(data, store.KeyFile), "{}", 0o600)
	expect("sudo chown --reference=" + data)
	if err := os.Chown(filepath.Join(data, store.KeyFile), serviceUser, serviceUser); err != nil {
		t.Fatal(err)
	}
	expect("")
}
