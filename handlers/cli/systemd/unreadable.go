package systemd

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	sdunit "github.com/coreos/go-systemd/v22/unit"

	"vigia/handlers/cli/settings"
	"vigia/store"
)

// UnitFolders are where systemd looks for units, the first before the others.
var UnitFolders = []string{"/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"}

// Unreadable returns an error about what the service's own user cannot read, nil unless
// root calls it and the service's unit is in one of the folders: files of the data that
// are not the service's, and files named by settings that the unit does not hand over.
func Unreadable(s *settings.Settings, folders []string) error {
	handed, found := handedOver(folders)
	if os.Geteuid() != 0 || !found {
		return nil // the caller has the rights of the service's user, or there is no service
	}
	errs := []error{foreignData(s.Data)}
	for _, file := range s.Files {
		if path, err := filepath.Abs(file.Value); err == nil && !handed[path] && (hidden(path) || !readByAll(path)) {
			errs = append(errs, fmt.Errorf("%s: %s %q: the service's own user cannot read it: put it beside vigia.conf under a name that the unit hands over "+
				"(smtp, dkim.pem, provider-key), add LoadCredential=%s:%s by \"systemctl edit vigia\", or let everybody read it if it is no secret",
				file.Origin, file.Name, file.Value, filepath.Base(path), path))
		}
	}
	return errors.Join(errs...)
}

// foreignData finds the files of the data that the owner of their folder does not own.
func foreignData(folder string) error {
	owner, known := ownerOf(folder)
	if !known || owner == 0 {
		return nil // none yet, or systemd gives the whole folder to the service at the start
	}
	var errs []error
	for _, pattern := range []string{"vigia.db", store.KeyFile + "*", "backups", "certs", "certs/*", "certs/*/*", "certs/*/*/*", "certs/*/*/*/*"} {
		paths, _ := filepath.Glob(filepath.Join(folder, pattern)) // the patterns are well formed
		for _, path := range paths {
			if its, known := ownerOf(path); known && its != owner {
				errs = append(errs, fmt.Errorf("%s is not the service's own, which cannot use it: sudo chown --reference=%s %s", path, folder, path))
			}
		}
	}
	return errors.Join(errs...)
}

func ownerOf(path string) (uid uint32, known bool) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return 0, false
	}
	return stat.Uid, true
}

// handedOver reads from the service's unit, the first in the folders, and from its
// drop-ins which files systemd hands over under their own names; found is false without a
// unit.
func handedOver(folders []string) (paths map[string]bool, found bool) {
	paths = map[string]bool{}
	for _, folder := range folders {
		name := filepath.Join(folder, "vigia.service")
		files, _ := filepath.Glob(filepath.Join(name+".d", "*.conf")) // well formed
		if _, err := os.Stat(name); err == nil && !found {
			files, found = append(files, name), true
		}
		for _, file := range files {
			text, _ := os.ReadFile(file) // #nosec G304 -- of a folder of systemd; an unreadable file hands over nothing
			options, _ := sdunit.DeserializeOptions(bytes.NewReader(text))
			for _, o := range options {
				credential, path, _ := strings.Cut(o.Value, ":")
				paths[path] = paths[path] || o.Name == "LoadCredential" && credential == filepath.Base(path)
			}
		}
	}
	return paths, found
}

// readByAll reports whether every user can read a file, by its mode and by those of the
// folders on the way. One that is not there has its own fault.
func readByAll(path string) bool {
	for needs := fs.FileMode(0o004); ; needs = 0o001 {
		info, err := os.Stat(path)
		if err != nil {
			return errors.Is(err, fs.ErrNotExist)
		}
		folder := filepath.Dir(path)
		if info.Mode().Perm()&needs == 0 || folder == path {
			return info.Mode().Perm()&needs != 0
		}
		path = folder
	}
}
