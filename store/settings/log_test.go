package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// stream is a file that stands for the stream to the journal, with the environment
// that says so.
func stream(t *testing.T) (*os.File, []string) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "stream"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	stat := info.Sys().(*syscall.Stat_t)
	return file, []string{"HOME=/", fmt.Sprintf("JOURNAL_STREAM=%d:%d", stat.Dev, stat.Ino)}
}

func TestInJournal(t *testing.T) {
	file, environ := stream(t)
	other, _ := stream(t)
	for _, c := range []struct {
		of      *os.File
		environ []string
		want    bool
	}{
		{file, environ, true},
		{other, environ, false}, // the operator sends it elsewhere
		{file, nil, false},
		{file, []string{"JOURNAL_STREAM="}, false},
		{file, []string{"JOURNAL_STREAM=1"}, false},
	} {
		if got := InJournal(c.of, c.environ); got != c.want {
			t.Errorf("%s with %q: %v", c.of.Name(), c.environ, got)
		}
	}
	if InJournal(&strings.Builder{}, environ) {
		t.Error("memory is taken for the journal")
	}
}

// The journal has a time and a program of its own for each line, and sorts by the
// priority before it.
func TestLogForTheJournal(t *testing.T) {
	file, environ := stream(t)
	s := mustParse(t, "demo", []string{"--log-level", "debug"}, nil, nil)
	log := s.NewLog(file, InJournal(file, environ))
	log.Debug("one")
	log.Info("two", "text", "a\nlevel=ERROR")
	log.Warn("three")
	log.With("time", "kept").Error("four")
	Complain(file, true, "vigia serve: a\nb")
	got, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	const want = "<7>level=DEBUG msg=one\n<6>level=INFO msg=two text=\"a\\nlevel=ERROR\"\n<4>level=WARN msg=three\n" +
		"<3>level=ERROR msg=four time=kept\n<3>vigia serve: a\n<3>b\n"
	if string(got) != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestLogElsewhere(t *testing.T) {
	for _, c := range []struct {
		args      []string
		inJournal bool
		begins    string
	}{
		{nil, false, `{"time":`},
		{[]string{"--log-format", "json"}, true, `{"time":`},
		{[]string{"--log-format", "text"}, true, "time="},
	} {
		var b strings.Builder
		mustParse(t, "demo", c.args, nil, nil).NewLog(&b, c.inJournal).Info("said")
		if !strings.HasPrefix(b.String(), c.begins) {
			t.Errorf("%q: %s", c.args, &b)
		}
	}
}
