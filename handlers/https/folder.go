package https

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/crypto/acme/autocert"
)

// accountKey is the name under which autocert keeps the key of the account.
const accountKey = "acme_account+key"

// unfinished is in the names of files that are being written.
const unfinished = ".new-"

// folder keeps small secret files. A file is there whole or not at all, after a
// power cut too.
type folder struct{ path string }

// openFolder makes the folder where it is missing, for the service's user alone.
func openFolder(path string) (folder, error) {
	f := folder{path}
	for _, dir := range []string{filepath.Dir(path), path} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return f, fmt.Errorf("make the folder of certificates: %w", err)
		}
		if err := tighten(dir); err != nil {
			return f, fmt.Errorf("the folder of certificates is open to other users: %w", err)
		}
	}
	left, _ := filepath.Glob(filepath.Join(path, "*"+unfinished+"*"))
	for _, name := range left {
		_ = os.Remove(name) // of a process that was killed while it wrote
	}
	return f, nil
}

// tighten takes a file or folder from everybody but its owner.
func tighten(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(path, info.Mode().Perm()&^0o077)
}

// read gives a file, or autocert.ErrCacheMiss.
func (f folder) read(name string) ([]byte, error) {
	path := filepath.Join(f.path, name)
	data, err := os.ReadFile(path) // #nosec G304 -- names are those of our own domains and of autocert
	if errors.Is(err, fs.ErrNotExist) {
		return nil, autocert.ErrCacheMiss
	}
	if err != nil {
		return nil, err
	}
	return data, tighten(path)
}

// write replaces a file and returns when it is on stable storage.
func (f folder) write(name string, data []byte) error {
	made, err := os.CreateTemp(f.path, name+unfinished) // mode 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer func() { _ = os.Remove(made.Name()) }()
	_, err = made.Write(data)
	if err == nil {
		err = made.Sync()
	}
	if err = errors.Join(err, made.Close()); err == nil {
		err = os.Rename(made.Name(), filepath.Join(f.path, name))
	}
	if err == nil {
		err = f.sync()
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func (f folder) sync() error {
	dir, err := os.Open(f.path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// putAside gives a file that is of no use another name, for whoever wants to look.
func (f folder) putAside(name string) error {
	path := filepath.Join(f.path, name)
	return os.Rename(path, path+".unusable")
}

// cache is the folder as autocert sees it for a domain: the key of the account and
// the certificate. The proofs of a challenge pass by in memory alone.
type cache struct {
	c *Certificates
	d *domain
}

// Get gives what is kept, or autocert.ErrCacheMiss.
func (k cache) Get(_ context.Context, name string) ([]byte, error) {
	if name != accountKey && name != k.d.name {
		return nil, autocert.ErrCacheMiss
	}
	return k.c.folder.read(name)
}

// Put keeps what came from the authority.
func (k cache) Put(_ context.Context, name string, data []byte) error {
	switch name {
	case accountKey:
		return k.c.folder.write(name, data)
	case k.d.name:
		return k.c.take(k.d, data)
	}
	return nil
}

// Delete is asked for proofs alone, which are not kept.
func (k cache) Delete(context.Context, string) error { return nil }
