package cli

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vigia/forecast/simulatetest"
	"vigia/handlers/cli/clitest"
	"vigia/notify/push/pushtest"
)

// joinLosAndes subscribes a browser to the park of [clitest.FewParks].
func joinLosAndes(t *testing.T, url string, browsers *pushtest.Service) (path string) {
	t.Helper()
	return clitest.Join(t, url, browsers, `"parques":["los-andes"]`)
}

// Backup, compact and check are done beside the service, restore is not; and whoever
// left after a backup stays away when it is restored.
func TestCommandsBesideTheService(t *testing.T) {
	provider, url := clitest.Weather(t)
	provider.Fail(simulatetest.Fault{Kind: simulatetest.Outage, On: simulatetest.AllCalls})
	browsers, err := pushtest.Listen(pushtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer browsers.Close()
	data, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "copia.db")
	args := []string{"serve", "--contact", "a@example.cl", "--provider-url", url, "--data", data, "--catalogue", clitest.FewParks(t),
		"--base-url", "https://vigia.example.cl", "--push-hosts", browsers.Origin()}
	p := clitest.Start(t, args...)
	stays, leaves := joinLosAndes(t, p.URL, browsers), joinLosAndes(t, p.URL, browsers)
	status, said := clitest.RunOn(t, data, "backup")
	made := strings.TrimSpace(said)
	if status != 0 || filepath.Dir(made) != filepath.Join(data, "backups") {
		t.Fatalf("backup: %d %s", status, said)
	}
	for _, c := range []struct {
		status int
		says   string
		args   []string
	}{
		{0, elsewhere, []string{"backup", elsewhere}},
		{1, "live file itself", []string{"backup", filepath.Join(data, "vigia.db")}},
		{1, "no such file", []string{"backup", filepath.Join(data, "none", "copy.db")}},
		{0, "compacted: ", []string{"compact"}},
		{0, "was not blocked", []string{"unblock", "ana@example.cl"}},
		{0, "in use by the service that runs, no faults", []string{"check", "--contact", "a@example.cl"}},
		{1, "stop it first", []string{"restore", made}},
		{1, "in use by another process", []string{"calibrate", "--history-url", url}},
	} {
		if status, said := clitest.RunOn(t, data, c.args...); status != c.status || !strings.Contains(said, c.says) {
			t.Errorf("vigia %q: %d, %s", c.args, status, said)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(data, "backups", "vigia-*")); len(left) != 1 {
		t.Errorf("in the folder of backups: %v", left)
	}
	if status, body := clitest.Send(t, "GET", p.URL+"/api/v1/health", "", ""); status != 503 {
		t.Errorf("health: %d %s", status, body)
	}
	clitest.Send(t, "DELETE", p.URL+leaves, "", "")
	comes := joinLosAndes(t, p.URL, browsers)
	if status := p.Stop(t); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	for _, from := range []string{made, elsewhere} {
		if status, said := clitest.RunOn(t, data, "restore", from); status != 0 || !strings.Contains(said, "left after the backup: 1. Made or changed after it: 1.") {
			t.Fatalf("restore: %d %s", status, said)
		}
		provider.Recover()
		p = clitest.Start(t, args...)
		for token, want := range map[string]int{stays: 200, comes: 200, leaves: 404} {
			if status, body := clitest.Send(t, "GET", p.URL+token, "", ""); status != want {
				t.Errorf("after restoring %s: %d, want %d: %s", from, status, want, body)
			}
		}
		if status := p.Stop(t); status != 0 {
			t.Fatalf("exit status %d", status)
		}
	}
	if status, said := clitest.RunOn(t, data, "unblock", "ana@example.cl"); status != 1 || !strings.Contains(said, "start it first") {
		t.Errorf("unblock without a service: %d, %s", status, said)
	}
	for _, c := range [][]string{{"backup"}, {"backup", elsewhere}, {"compact"}, {"check", "--contact", "a@example.cl"}} {
		if status, said := clitest.RunOn(t, data, c...); status != 0 {
			t.Errorf("vigia %q without a service: %d, %s", c, status, said)
		}
	}
}

// The service manager hears that the service is ready once it can be reached, and
// nothing at all from one that cannot begin.
func TestTheServiceManagerHears(t *testing.T) {
	_, url := clitest.Weather(t)
	socket := filepath.Join(t.TempDir(), "notify")
	ear, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer ear.Close()
	t.Setenv("NOTIFY_SOCKET", socket)
	t.Setenv("WATCHDOG_USEC", "600000000")
	hear := func(patience time.Duration) string {
		buffer := make([]byte, 4<<10)
		ear.SetReadDeadline(time.Now().Add(patience))
		n, _ := ear.Read(buffer)
		return string(buffer[:n])
	}
	args := []string{"serve", "--contact", "a@example.cl", "--provider-url", url, "--archive-url", url, "--data", t.TempDir(), "--catalogue", clitest.FewParks(t)}

	held, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if status, _ := clitest.Run(t, append(args, "--listen", held.Addr().String())...); status != 1 {
		t.Errorf("an address that is taken: status %d", status)
	}
	if said := hear(time.Millisecond); said != "" {
		t.Errorf("a service that cannot listen says %q", said)
	}

	p := clitest.Start(t, args...)
	var heard []string
	for len(heard) == 0 || !strings.Contains(heard[len(heard)-1], "valid until") {
		said := hear(30 * time.Second)
		if said == "" {
			t.Fatalf("nothing more is heard after %q", heard)
		}
		if strings.HasPrefix(said, "READY=1\n") {
			clitest.Text(t, p.URL+"/")
		}
		heard = append(heard, said)
	}
	if status := p.Stop(t); status != 0 {
		t.Errorf("exit status %d", status)
	}
	for said := hear(time.Second); said != ""; said = hear(time.Millisecond) {
		heard = append(heard, said)
	}
	all := strings.Join(heard, "\n")
	for _, must := range []string{"STATUS=no estimates (sin_corridas)", "READY=1", "WATCHDOG=1", "STOPPING=1"} {
		if strings.Count(all, must) < 1 || must == "READY=1" && strings.Count(all, must) != 1 {
			t.Errorf("%s is not heard as it should be:\n%s", must, all)
		}
	}
	if !strings.HasPrefix(heard[0], "STATUS=no estimates") || !strings.HasPrefix(heard[len(heard)-1], "STOPPING=1") {
		t.Errorf("heard in this order:\n%s", all)
	}
}

// A hangup, which a log rotation or a closed terminal sends, ends nothing: systemd
// takes an end by SIGHUP for a success, so that Restart=on-failure leaves it at that.
// SIGTERM, the control, does end it.
func TestHangupDoesNotEndTheService(t *testing.T) {
	_, url := clitest.Weather(t)
	p := clitest.Start(t, "serve", "--contact", "a@example.cl", "--provider-url", url, "--archive-url", url, "--data", t.TempDir(), "--catalogue", clitest.FewParks(t))
	for range 3 {
		if err := p.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatalf("hang up: %v", err)
		}
		clitest.Text(t, p.URL+"/")
	}
	if status := p.Stop(t); status != 0 {
		t.Errorf("SIGTERM: exit status %d:\n%s", status, p)
	}
}

// All that shows the version shows the same one.
func TestOneVersionEverywhere(t *testing.T) {
	const want = "v0.1.0-alpha" // the label of the service's status
	_, said := clitest.Run(t, "version")
	var agent atomic.Value
	agent.Store("")
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agent.Store(r.UserAgent())
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(provider.Close)
	p := clitest.Start(t, "serve", "--contact", "a@example.cl", "--provider-url", provider.URL, "--archive-url", provider.URL, "--data", t.TempDir(), "--catalogue", clitest.FewParks(t))
	clitest.Poll(t, "a call to the provider", func() bool { return agent.Load() != "" })
	var document struct{ Info struct{ Version string } }
	if err := json.Unmarshal([]byte(clitest.Text(t, p.URL+"/api/v1/openapi.json")), &document); err != nil {
		t.Fatal(err)
	}
	var health struct{ Version string }
	clitest.Get(t, p.URL+"/api/v1/health/detalle", 200, &health)
	for what, version := range map[string]string{
		"vigia version": strings.TrimPrefix(strings.Split(said, ",")[0], "vigia "), "User-Agent": strings.TrimPrefix(strings.Fields(agent.Load().(string))[0], "vigia/"),
		"openapi.json": document.Info.Version, "health": health.Version,
	} {
		if version != want {
			t.Errorf("%s: %q, want %q", what, version, want)
		}
	}
}
