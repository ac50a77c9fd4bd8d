package store

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestOldCopiesAreDropped(t *testing.T) {
	path := newPath(t)
	s, err := Open(path, testOptions())
	must(t, err)
	defer checkAndClose(t, s)
	folder := filepath.Dir(path)
	if err := s.DropCopies(testHour); err != nil {
		t.Errorf("without the folder of backups: %v", err)
	}
	limit := testHour.Add(-30 * 24 * time.Hour)
	base := filepath.Base(path)
	for name, age := range map[string]time.Duration{
		"backups/vigia-20261020T000000Z.db": -time.Hour, "backups/vigia-20261121T000000Z.db": time.Hour, "backups/mine.db": -time.Hour,
		"backups/daily-20261020T073000Z.db": -time.Hour, "backups/daily-20261121T073000Z.db": time.Hour,
		base + ".replaced-20261020T000000Z": -time.Hour, base + ".replaced-20261121T000000Z": time.Hour,
		"other.db": -time.Hour, "backups/vigia-folder.db/x": -time.Hour,
	} {
		name = filepath.Join(folder, name)
		must(t, os.MkdirAll(filepath.Dir(name), 0o700))
		must(t, os.WriteFile(name, []byte("x"), 0o600))
		must(t, os.Chtimes(name, time.Time{}, limit.Add(age)))
	}
	must(t, s.DropCopies(limit))
	var left []string
	for _, pattern := range []string{"*", "backups/*"} {
		found, _ := filepath.Glob(filepath.Join(folder, pattern))
		for _, name := range found {
			name, _ = filepath.Rel(folder, name)
			left = append(left, name)
		}
	}
	slices.Sort(left)
	want := []string{"backups", "backups/mine.db", "backups/vigia-20261121T000000Z.db", "backups/vigia-folder.db", "other.db", base,
		"backups/daily-20261121T073000Z.db", base + ".replaced-20261121T000000Z"}
	slices.Sort(want)
	if !slices.Equal(left, want) {
		t.Errorf("left %q, want %q", left, want)
	}
}

// Keys that lie elsewhere, with a link to them, are those of a service that had a file.
func TestAFileThatIsMissingBesideALinkToTheKeys(t *testing.T) {
	path := newPath(t)
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.Symlink(filepath.Join(t.TempDir(), KeyFile), filepath.Join(filepath.Dir(path), KeyFile)))
	_, err := Open(path, testOptions())
	wantDamaged(t, err)
}
