//go:build trials

package control

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAnotherUserIsTurnedAway(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Fatal("only root can ask as another user")
	}
	folder, err := os.MkdirTemp("", "control-") // which others may enter
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(folder)) })
	must(t, os.Chmod(folder, 0o755))
	log, _ := serve(t, folder)
	binary := filepath.Join(folder, "asker")
	content, err := os.ReadFile(os.Args[0])
	must(t, err)
	must(t, os.WriteFile(binary, content, 0o755))
	asked := func(uid uint32) string {
		command := exec.Command(binary)
		command.Env = append(os.Environ(), "CONTROL_TEST_ASK="+folder)
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		out, err := command.Output()
		must(t, err)
		return string(out)
	}
	if said := asked(0); said != "\"1x\" <nil>\n" {
		t.Errorf("root: %s", said)
	}
	if said := asked(65534); !strings.Contains(said, "run it as the user of the service, or as root") {
		t.Errorf("another user: %s", said)
	}
	must(t, os.Chmod(filepath.Join(folder, socketName), 0o666)) // what a disk without permissions is like
	if said := asked(65534); !strings.Contains(said, "did not answer") || !strings.Contains(log.String(), "uid=65534") {
		t.Errorf("another user where the socket is open: %s\n%s", said, log)
	}
}
