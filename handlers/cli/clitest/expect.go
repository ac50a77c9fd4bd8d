package clitest

import (
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/hazard"
	"vigia/forecast/simulate"
	"vigia/forecast/simulatetest"
	"vigia/notify/mail/mailtest"
	"vigia/store/catalogue"
)

// FolderContents returns the bytes of each file in a folder, by its path, and the kind
// of everything else.
func FolderContents(t testing.TB, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	files := os.DirFS(folder)
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !entry.Type().IsRegular() {
			all[filepath.Join(folder, path)] = fmt.Sprint(entry.Type())
			return err
		}
		text, err := fs.ReadFile(files, path)
		all[filepath.Join(folder, path)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// ExpectOneLine wants what a command printed to be one line, with some words in it.
func ExpectOneLine(t testing.TB, what, printed string, words ...string) {
	t.Helper()
	printed = strings.TrimSpace(printed)
	for _, w := range words {
		if !strings.Contains(printed, w) {
			t.Errorf("%s: no %q in %q", what, w, printed)
		}
	}
	if printed == "" || strings.Contains(printed, "\n") || strings.Contains(printed, "goroutine") {
		t.Errorf("%s does not print one line:\n%s", what, printed)
	}
}

// Weather opens a simulated provider that serve can be pointed at, and returns its address.
func Weather(t testing.TB) (*simulatetest.Server, string) {
	t.Helper()
	s := simulatetest.New(simulate.Options{Seed: 3, Clock: clockwork.NewRealClock()})
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL
}

// Storm is weather that every model agrees is dangerous.
func Storm(_ string, _ catalogue.Location, _ time.Time, v *simulate.Values) {
	v[hazard.WindGust], v[hazard.WindSpeed] = 130, 90
}

// Links waits for a mail to an address with some words in its subject, and returns what
// in its text fits a pattern, at least one.
func Links(t testing.TB, mailbox *mailtest.Mailbox, to, subject, pattern string) (found []string) {
	t.Helper()
	Poll(t, "a mail: "+subject, func() bool {
		for _, mail := range mailbox.Mails() {
			if mail.To == to && strings.Contains(mail.Subject, subject) {
				found = regexp.MustCompile(pattern).FindAllString(mail.Text, -1)
				return true
			}
		}
		return false
	})
	if len(found) == 0 {
		t.Fatalf("no %s in the mail %q", pattern, subject)
	}
	return found
}
