package systemd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ReadFile reads a file that settings name. In place of a file that the service's own
// user may not read it reads the one that the manager handed over under the same name
// (LoadCredential=NAME:/folder/NAME), so that settings name one path for every user.
func ReadFile(path string) ([]byte, error) {
	data, err := os.ReadFile(path) // #nosec G304 -- a file that the operator names
	credentials := os.Getenv("CREDENTIALS_DIRECTORY")
	if credentials == "" || !errors.Is(err, fs.ErrPermission) {
		return data, err
	}
	// #nosec G304 -- a file of the manager's folder
	handed, absent := os.ReadFile(filepath.Join(credentials, filepath.Base(path)))
	if absent != nil {
		return nil, err
	}
	return handed, nil
}
