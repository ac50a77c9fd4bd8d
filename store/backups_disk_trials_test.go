//go:build trials

package store

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAFullDiskShowsAndIsRecoveredFrom(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=10m"); err != nil {
		t.Fatalf("a small file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(dir, 0)) })
	k := keepingIn(t, filepath.Join(dir, "data"), night)
	ballast := filepath.Join(dir, "ballast")
	must(t, os.WriteFile(ballast, make([]byte, 7<<20), 0o600))
	k.makeDue(t.Context(), night)
	if _, failing := k.Last(); !failing || !strings.Contains(k.log.String(), "make room") {
		t.Errorf("%v:\n%s", failing, k.log)
	}
	if left, _ := filepath.Glob(filepath.Join(k.data, BackupFolder, "*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	must(t, os.Remove(ballast))
	k.makeDue(t.Context(), night.Add(dailyAgain))
	k.wantDays(t, "with room again", "0704T0831")
}
