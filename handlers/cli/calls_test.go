package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"vigia/handlers/cli/clitest"
	"vigia/notify/mail/mailtest"
)

func TestWrongCallsSayWhatIsWrong(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "roto.json")
	if err := os.WriteFile(broken, []byte(`{"parques":[{"slug":"Mal"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	if err := os.WriteFile(filepath.Join(empty, "vigia.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"serve"}, 2, "--contact"},
		{[]string{"serve", "--contact", "a@example.cl", "--listem", ":1"}, 2, "--listen"},
		{[]string{"bake"}, 2, "bake"},
		{nil, 0, "demo"},
		{[]string{"catalogue", "check", broken}, 1, "parques[0].slug"},
		{[]string{"demo", "--catalogue", broken}, 1, "parques[0].slug"},
		{[]string{"serve", "--contact", "a@example.cl", "--data", t.TempDir(), "--listen", "192.0.2.1:80"}, 1, "192.0.2.1"},
		{[]string{"backup", "--data", filepath.Join(empty, "no-such")}, 1, "nothing to copy"},
		{[]string{"compact", "--data", filepath.Join(empty, "no-such")}, 1, "nothing to compact"},
		{[]string{"restore"}, 2, "<file>"},
		{[]string{"restore", "/no/such/file", "--data", t.TempDir()}, 1, "/no/such/file"},
		{[]string{"restore", broken, "--data", t.TempDir()}, 1, "not a backup that can be used"},
		{[]string{"check", "--contact", "a@example.cl", "--data", empty}, 0, "the next start"},
		{[]string{"version"}, 0, "vigia " + version + ", commit "},
		{[]string{"systemd"}, 2, "--binary"}, // a test runs from a temporary folder
		{[]string{"systemd", "--binary", "/usr/bin/vigia"}, 0, "Type=notify"},
	} {
		if status, said := clitest.Run(t, c.args...); status != c.status || !strings.Contains(said, c.says) {
			t.Errorf("vigia %q: status %d, says %q", c.args, status, said)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(empty, "*")); len(left) != 1 {
		t.Errorf("commands that change nothing left %v", left)
	}
}

// The test message goes out with the same settings, and touches no data.
func TestTestMail(t *testing.T) {
	mailbox, err := mailtest.Listen(mailtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer mailbox.Close()
	call := func(port string) (int, string) {
		return clitest.Run(t, "test-mail", "ana@example.cl", "--smtp-host", mailbox.Host(), "--smtp-port", port, "--smtp-tls", "none", "--smtp-from", "avisos@example.cl")
	}
	if status, said := call(strconv.Itoa(mailbox.Port())); status != 0 || !strings.Contains(said, "took the message for ana@example.cl") {
		t.Errorf("status %d: %s", status, said)
	}
	if letters := mailbox.Mails(); len(letters) != 1 || letters[0].To != "ana@example.cl" {
		t.Errorf("%d letters", len(letters))
	}
	if status, said := call("1"); status != 1 || !strings.Contains(said, "did not take the message") {
		t.Errorf("no relay: status %d: %s", status, said)
	}
}
