//go:build trials

package store

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What root makes in the folder of a service belongs to the service.
func TestWhatRootMakesIsTheServices(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Fatal("only root can give files away")
	}
	path, backup := backedUp(t)
	owner := func(name string) int {
		info, err := os.Stat(name)
		must(t, err)
		return int(info.Sys().(*syscall.Stat_t).Uid)
	}
	folder := filepath.Dir(path)
	must(t, errors.Join(os.Chown(folder, 4321, 4321), os.Chown(path, 4321, 4321)))
	done := restore(t, path, backup)
	s := openStore(t, path)
	if owner(path) != 4321 || owner(done.Kept) != 4321 {
		t.Errorf("restored: %d, kept: %d", owner(path), owner(done.Kept))
	}
	must(t, s.Compact())
	fresh := filepath.Join(folder, "fresh.db")
	openStore(t, fresh)
	if owner(path) != 4321 || owner(fresh) != 4321 {
		t.Errorf("compacted: %d, fresh: %d", owner(path), owner(fresh))
	}
}
