//go:build trials

package systemd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mostExposed is how much systemd may find the service exposed to, of 10. What is
// left: it speaks with the network, and with any address there.
const mostExposed = "15" // tenths

// TestUnitForSystemd has systemd itself read the unit.
func TestUnitForSystemd(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Fatalf("%v: install Debian's package systemd", err)
	}
	text, err := unitOf(t, "--binary", "/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "vigia.service")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command(analyze, "verify", "--man=no", path).CombinedOutput()
	if err != nil || strings.Contains(string(said), "vigia") {
		t.Errorf("verify: %v\n%s", err, said)
	}
	said, err = exec.Command(analyze, "security", "--offline=true", "--no-pager", "--threshold="+mostExposed, path).CombinedOutput()
	if err != nil {
		t.Errorf("security: %v\n%s", err, said)
	}
	t.Logf("%s", regexp.MustCompile(`Overall exposure level.*`).Find(said))
}
