package offline

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"vigia/store/settings"
)

// unitOf runs vigia systemd.
func unitOf(t *testing.T, args ...string) (string, error) {
	t.Helper()
	s, err := settings.Parse("systemd", args, nil, os.ReadFile, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = Unit(t.Context(), s, Terminal{Out: &out})
	return out.String(), err
}

func TestUnit(t *testing.T) {
	config := filepath.Join(t.TempDir(), "v.conf")
	if err := os.WriteFile(config, []byte("listen = :80\ndata = /var/lib/park/live\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args        []string
		has, hasNot []string
	}{
		{[]string{"--binary", "/usr/bin/vigia"},
			[]string{"ExecStart=/usr/bin/vigia serve --config ${CREDENTIALS_DIRECTORY}/vigia.conf --data /var/lib/vigia\n",
				"LoadCredential=vigia.conf:/etc/vigia/vigia.conf\n", "StateDirectory=vigia\n", "\nCapabilityBoundingSet=\n"},
			[]string{"CAP_NET_BIND_SERVICE"}},
		{[]string{"--binary", "/opt/v", "--config", config},
			[]string{"ExecStart=/opt/v serve", " --data /var/lib/park/live\n", "LoadCredential=vigia.conf:" + config + "\n", "StateDirectory=park/live\n",
				"\nCapabilityBoundingSet=CAP_NET_BIND_SERVICE\n", "\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n"}, nil},
		{[]string{"--binary", "/usr/bin/vigia", "--config", config, "--listen", "127.0.0.1:8080"}, nil, []string{"CAP_NET_BIND_SERVICE"}},
	} {
		text, err := unitOf(t, c.args...)
		if err != nil {
			t.Errorf("%q: %v", c.args, err)
		}
		for _, has := range c.has {
			if !strings.Contains(text, has) {
				t.Errorf("%q: no %q in\n%s", c.args, has, text)
			}
		}
		for _, not := range c.hasNot {
			if strings.Contains(text, not) {
				t.Errorf("%q: %q", c.args, not)
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

// mostExposed is how much systemd may find the service exposed to, of 10. What is
// left: it speaks with the network, and with any address there.
const mostExposed = "15" // tenths

// TestUnitForSystemd has systemd itself read the units.
func TestUnitForSystemd(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("no systemd-analyze: .ci/run installs it (Debian's package systemd)")
		}
		t.Skip("no systemd-analyze: install Debian's package systemd to check the unit")
	}
	for _, listen := range []string{":8080", ":443"} {
		text, err := unitOf(t, "--binary", "/bin/true", "--listen", listen)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "vigia.service")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		said, err := exec.Command(analyze, "verify", "--man=no", path).CombinedOutput()
		if err != nil || strings.Contains(string(said), "vigia") {
			t.Errorf("%s: verify: %v\n%s", listen, err, said)
		}
		said, err = exec.Command(analyze, "security", "--offline=true", "--no-pager", "--threshold="+mostExposed, path).CombinedOutput()
		if err != nil {
			t.Errorf("%s: security: %v\n%s", listen, err, said)
		}
		t.Logf("%s: %s", listen, regexp.MustCompile(`Overall exposure level.*`).Find(said))
	}
}

func TestBuildInOneLine(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: "v0.1.0"}, Settings: []debug.BuildSetting{
		{Key: "GOARCH", Value: "arm"}, {Key: "GOARM", Value: "6"}, {Key: "vcs.revision", Value: "d3d046c0"}, {Key: "vcs.modified", Value: "false"},
	}}
	if got := describe(info).String(); got != "vigia v0.1.0, commit d3d046c0, go1.26.8, arm 6" {
		t.Error(got)
	}
	info.Settings[3].Value = "true"
	if got := describe(info).String(); !strings.Contains(got, "commit d3d046c0 with changes") {
		t.Error(got)
	}
	if got := describe(&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}); got.Version != "devel" || !strings.Contains(got.String(), "commit not known") {
		t.Error(got)
	}
}
