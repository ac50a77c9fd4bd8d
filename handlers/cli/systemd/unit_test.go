package systemd

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vigia/handlers/cli/settings"
)

// unitOf runs vigia systemd.
func unitOf(t *testing.T, args ...string) (string, error) {
	t.Helper()
	s, err := settings.Parse("systemd", args, nil, os.ReadFile, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = WriteUnit(&out, s)
	return out.String(), err
}

func TestUnit(t *testing.T) {
	config := filepath.Join(t.TempDir(), "v.conf")
	if err := os.WriteFile(config, []byte("domain = parques.example.cl\ndata = /var/lib/park/live\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// Any port may be listened on, whatever the settings say at the time.
	always := []string{"\nCapabilityBoundingSet=CAP_NET_BIND_SERVICE\n", "\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n", "\nRestart=always\n"}
	for _, c := range []struct{ args, has []string }{
		{[]string{"--binary", "/usr/bin/vigia"},
			[]string{"ExecStart=/usr/bin/vigia serve --config ${CREDENTIALS_DIRECTORY}/vigia.conf --data /var/lib/vigia\n",
				"LoadCredential=vigia.conf:/etc/vigia/vigia.conf\n", "LoadCredential=smtp:/etc/vigia/smtp\n", "LoadCredential=dkim.pem:/etc/vigia/dkim.pem\n",
				"LoadCredential=provider-key:/etc/vigia/provider-key\n", "StateDirectory=vigia\n"}},
		{[]string{"--binary", "/opt/v", "--config", config},
			[]string{"ExecStart=/opt/v serve", " --data /var/lib/park/live\n", "LoadCredential=vigia.conf:" + config + "\n", "StateDirectory=park/live\n",
				"LoadCredential=smtp:" + filepath.Dir(config) + "/smtp\n"}},
	} {
		text, err := unitOf(t, c.args...)
		if err != nil {
			t.Errorf("%q: %v", c.args, err)
		}
		for _, has := range append(c.has, always...) {
			if !strings.Contains(text, has) {
				t.Errorf("%q: no %q in\n%s", c.args, has, text)
			}
		}
	}
}

// What a unit could not run, or would read as something else, is refused: all of it
// at once.
func TestUnitRefuses(t *testing.T) {
	for _, c := range []struct{ args, says []string }{
		{nil, []string{"--binary", "outside homes and temporary folders"}}, // a test runs from such a folder
		{[]string{"--binary", "/usr/bin/../../home/ana/vigia"}, []string{"--binary", "homes"}},
		{[]string{"--binary", "vigia"}, []string{"--binary", "from the root"}},
		{[]string{"--binary", "/opt/v%n"}, []string{"--binary"}},
		{[]string{"--binary", "/opt/a b"}, []string{"--binary"}},
		{[]string{"--binary", "/bin/v", "--data", "/srv/vigia"}, []string{"--data", "/var/lib/"}},
		{[]string{"--binary", "/bin/v", "--data", "/var/lib"}, []string{"--data"}},
		{[]string{"--binary", "/bin/v", "--data", "/var/lib/../../etc"}, []string{"--data"}},
		{[]string{"--binary", "/bin/v", "--data", "/var/lib/private/vigia"}, []string{"--data"}},
		{[]string{"--binary", "x", "--data", "./vigia-data"}, []string{"--binary", "--data"}},
	} {
		text, err := unitOf(t, c.args...)
		var usage *settings.UsageError
		if !errors.As(err, &usage) || text != "" {
			t.Errorf("%q: %v, %q", c.args, err, text)
			continue
		}
		for _, says := range c.says {
			if !strings.Contains(err.Error(), says) {
				t.Errorf("%q: no %q in %v", c.args, says, err)
			}
		}
	}
}
