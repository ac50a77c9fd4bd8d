package cli

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"vigia/handlers/cli/clitest"
)

// ofSchema makes a file say that it is of a schema: a number as JSON, sealed with its key,
// or as a build from before the first release kept it.
func ofSchema(path string, key, number string) error {
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		sum := crc32.Checksum([]byte(key+number), crc32.MakeTable(crc32.Castagnoli))
		return tx.Bucket([]byte("meta")).Put([]byte("schema"), append(binary.BigEndian.AppendUint32([]byte{1}, sum), number...))
	})
	return errors.Join(err, db.Close())
}

// Whatever is in the place of the file, each command says in one line what is wrong
// and what to do, and changes nothing; serving goes on without it, save that what another
// version wrote is no fault of the disk. restore alone replaces a damaged file, which it
// keeps; any other it refuses too.
func TestFilesThatCannotBeUsed(t *testing.T) {
	made := t.TempDir()
	if status, said := clitest.RunOn(t, made, "import", "cierres", clitest.WriteFile(t, "none.json", "[]"), "--catalogue", clitest.FewParks(t)); status != 0 {
		t.Fatal(said)
	}
	whole, err := os.ReadFile(filepath.Join(made, "vigia.db"))
	if err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(t.TempDir(), "backup.db")
	write := func(path string, text []byte) error { return os.WriteFile(path, text, 0o600) }
	if err := write(backup, whole); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		make     func(path string) error
		says     []string
		restored bool // by restore
	}{
		"truncated":   {func(p string) error { return write(p, whole[:20_480]) }, []string{"damaged", "left untouched", "vigia restore"}, true},
		"cut in half": {func(p string) error { return write(p, whole[:5000]) }, []string{"damaged", "left untouched", "vigia restore"}, true},
		"foreign":     {func(p string) error { return write(p, bytes.Repeat([]byte("hola "), 20_000)) }, []string{"not a file of this program", "vigia restore"}, true},
		"of another program": {func(p string) error {
			db, err := bbolt.Open(p, 0o600, nil)
			if err != nil {
				return err
			}
			err = db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("other")); return err })
			return errors.Join(err, db.Close())
		}, []string{"not a file of this program", "vigia restore"}, true},
		"newer":    {func(p string) error { return errors.Join(write(p, whole), ofSchema(p, "schema", "3")) }, []string{"newer version", "update it, or restore"}, true},
		"older":    {func(p string) error { return errors.Join(write(p, whole), ofSchema(p, "", "\x00\x00\x00\x0b")) }, []string{"before the first release", "begin anew"}, true},
		"a folder": {func(p string) error { return os.Mkdir(p, 0o700) }, []string{"not a regular file", "move"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			if err := c.make(filepath.Join(data, "vigia.db")); err != nil {
				t.Fatal(err)
			}
			before := clitest.FolderContents(t, data)
			parks := clitest.FewParks(t)
			commands := [][]string{
				{"check", "--contact", "a@example.cl"}, {"backup"}, {"backup", filepath.Join(t.TempDir(), "copy.db")}, {"compact"},
				{"import", "cierres", clitest.WriteFile(t, "none.json", "[]"), "--catalogue", parks}, {"restore", backup},
			}
			if name == "newer" || name == "older" {
				commands = slices.Insert(commands, 0, []string{"serve", "--contact", "a@example.cl", "--listen", "127.0.0.1:0", "--catalogue", parks})
			}
			for _, args := range commands {
				status, said := clitest.RunOn(t, data, args...)
				if args[0] == "restore" && c.restored {
					expectRestored(t, data, before, status, said)
					continue
				}
				lines := strings.Split(strings.TrimSpace(said), "\n")
				if args[0] == "check" { // which says first what is in order
					lines = lines[len(lines)-1:]
				}
				if status != 1 {
					t.Errorf("vigia %s: status %d", args[0], status)
				}
				clitest.ExpectOneLine(t, "vigia "+args[0], strings.Join(lines, "\n"), c.says...)
				if after := clitest.FolderContents(t, data); fmt.Sprint(after) != fmt.Sprint(before) {
					t.Errorf("vigia %s changed what was there", args[0])
				}
			}
		})
	}
}

// expectRestored wants the backup in the place of the file, and the file beside it.
func expectRestored(t *testing.T, data string, before map[string]string, status int, said string) {
	t.Helper()
	kept, _ := filepath.Glob(filepath.Join(data, "vigia.db.replaced-*"))
	if status != 0 || len(kept) != 1 || !strings.Contains(said, kept[0]) {
		t.Fatalf("vigia restore: status %d, kept %v: %s", status, kept, said)
	}
	if strings.Contains(said, "To recover") {
		t.Errorf("what was done already is told to be done:\n%s", said)
	}
	if was, err := os.ReadFile(kept[0]); err != nil || string(was) != before[filepath.Join(data, "vigia.db")] {
		t.Errorf("the file that was kept is not the one that was there: %v", err)
	}
	if status, said := clitest.RunOn(t, data, "check", "--contact", "a@example.cl"); status != 0 {
		t.Errorf("after it: %s", said)
	}
}

// A second service finds the file taken, in a line, and the first goes on.
func TestASecondProcess(t *testing.T) {
	_, url := clitest.Weather(t)
	data := t.TempDir()
	args := []string{"serve", "--contact", "a@example.cl", "--provider-url", url, "--archive-url", url, "--catalogue", clitest.FewParks(t), "--rate-limit", "0"}
	p := clitest.Start(t, append(args, "--data", data)...)
	status, said := clitest.RunOn(t, data, append(args, "--listen", "127.0.0.1:0")...)
	if status != 1 {
		t.Errorf("status %d", status)
	}
	clitest.ExpectOneLine(t, "a second service", said, "in use by another process", "stop the service that has it")
	clitest.Text(t, p.URL+"/api/v1/parques")
	if status := p.Stop(t); status != 0 {
		t.Errorf("the end of the first: %d", status)
	}
}
