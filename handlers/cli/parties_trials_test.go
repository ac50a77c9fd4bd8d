//go:build trials

package cli

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vigia/handlers/cli/clitest"
	"vigia/notify/mail/mailtest"
	"vigia/notify/push/pushtest"
)

var (
	ofPort    = regexp.MustCompile(`sin6?_port=htons\((\d+)\)`)
	ofAddress = regexp.MustCompile(`inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"`)
)

// called returns every address in a trace of system calls that the program turned to,
// each once.
func called(t *testing.T, trace string) []string {
	t.Helper()
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		switch port, address := ofPort.FindStringSubmatch(line), ofAddress.FindStringSubmatch(line); {
		case port != nil && address != nil:
			found[net.JoinHostPort(address[1]+address[2], port[1])] = true
		case strings.Contains(line, "sa_family=AF_") && !strings.Contains(line, "sa_family=AF_NETLINK"):
			found[strings.TrimSpace(line)] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// strays are the addresses that are none of some parties.
func strays(called []string, parties map[string]string) []string {
	return slices.DeleteFunc(slices.Clone(called), func(address string) bool { return parties[address] != "" })
}

// party is a server of the test, which notes that it was asked.
func party(t *testing.T, answer http.HandlerFunc) (url, address string) {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return s.URL, s.Listener.Addr().String()
}

// visited returns the status of an answer.
func visited(t *testing.T, client *http.Client, method, url string, headers http.Header, body string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = headers
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	return strconv.Itoa(answer.StatusCode)
}

// Everything that names another server is here: redirects, addresses in notices and in the
// catalogue, headers of requests, and names in settings and subscriptions. All parties are
// named by their address, so that a name that is looked up is found as a call to the
// server of names.
func TestOnlyTheNamedPartiesAreCalled(t *testing.T) {
	elsewhere, stray := party(t, func(http.ResponseWriter, *http.Request) {})
	away := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere+"/x", http.StatusTemporaryRedirect)
	}
	_, provider := clitest.Weather(t)
	authority, authorityAt := party(t, func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "not today", http.StatusServiceUnavailable)
	})
	archive, archiveAt := party(t, away)
	closures, closuresAt := party(t, away)
	volcanoes, volcanoesAt := party(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, strings.Replace(volcanoNotice, "https://example.cl", elsewhere, 1))
	})
	awayPush, awayPushAt := party(t, away)
	browsers, err := pushtest.Listen(pushtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer browsers.Close()
	mailbox, err := mailtest.Listen(mailtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer mailbox.Close()
	data := t.TempDir()
	client := clitest.KeptCertificate(t, data, authority+"/dir", "parques.example.cl", 17)
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at.Close() // free a moment ago
	trace := filepath.Join(t.TempDir(), "trace")
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("NO_PROXY", "127.0.0.1")
	w := clitest.StartUnder(t, []string{strace, "-D", "-f", "--seccomp-bpf", "-qq", "-e", "trace=connect,sendto,sendmsg,sendmmsg", "-e", "signal=none", "-o", trace}, "serve", "--contact", "operador@example.cl", "--provider-url", provider, "--archive-url", archive,
		"--volcano-url", volcanoes, "--closures-url", closures, "--data", data, "--catalogue", volcanoAtLosAndes(t), "--domain", "parques.example.cl",
		"--acme-url", authority+"/dir", "--listen", at.Addr().String(), "--smtp-host", mailbox.Host(), "--smtp-port", strconv.Itoa(mailbox.Port()),
		"--smtp-tls", "none", "--smtp-from", "avisos@example.cl", "--push-hosts", browsers.Origin()+","+awayPush)
	w.Find(t, `(?s)pidiendo cmc_gem_gdps.*(publicadas)`) // the last of the models is in
	headers := http.Header{"Content-Type": {"application/json"}, "Referer": {elsewhere}, "X-Forwarded-Host": {stray}, "Forwarded": {"host=" + stray}}
	visit := func(method, path, body string) string {
		return visited(t, client, method, "https://"+at.Addr().String()+path, headers, body)
	}
	for _, path := range []string{"/", "/parques/los-andes", "/en/parques/los-andes", "/alertas", "/mapa", "/api/v1/parques/los-andes", "/api/v1/health", "//" + stray + "/", "/static/?" + elsewhere} {
		visit("GET", path, "")
	}
	endpoint, key, auth := browsers.NewBrowser()
	const wish = `"parques":["los-andes"],"consentimiento":true}`
	byPush := `{"canal":"webpush","webpush":{"endpoint":%q,"keys":{"p256dh":%q,"auth":%q}},` + wish
	for body, want := range map[string]string{
		`{"canal":"email","email":"ana@example.cl",` + wish:        "202",
		fmt.Sprintf(byPush, endpoint, key, auth):                   "202",
		fmt.Sprintf(byPush, awayPush+"/x", key, auth):              "202",
		fmt.Sprintf(byPush, elsewhere+"/x", key, auth):             "422",
		fmt.Sprintf(byPush, "https://127.0.0.1/x", key, auth):      "422",
		fmt.Sprintf(byPush, "https://ⓛocalhost/x", key, auth):      "422",
		fmt.Sprintf(byPush, "https://push.example.cl/", key, auth): "422",
	} {
		if got := visit("POST", "/api/v1/suscriptores", body); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	clitest.Poll(t, "a mail to confirm", func() bool { return len(mailbox.Mails()) > 0 })
	clitest.Poll(t, "a push", func() bool { return len(browsers.Pushes()) > 0 })
	parties := map[string]string{
		strings.TrimPrefix(provider, "http://"): "provider", archiveAt: "archive", volcanoesAt: "volcanoes", closuresAt: "closures", authorityAt: "authority",
		awayPushAt: "a push service that redirects", strings.TrimPrefix(browsers.Origin(), "http://"): "push service",
		net.JoinHostPort(mailbox.Host(), strconv.Itoa(mailbox.Port())): "relay",
	}
	clitest.Poll(t, "all parties", func() bool { // that of what was is asked on another day
		return len(called(t, trace)) >= len(parties)-1
	})
	if status, said := clitest.RunOn(t, data, "backup"); status != 0 {
		t.Errorf("backup: %d %s", status, said)
	}
	if status := w.Stop(t); status != 0 {
		t.Errorf("exit status %d:\n%s", status, w)
	}
	all := called(t, trace)
	if found := strays(all, parties); len(found) > 0 {
		t.Errorf("nobody named %q", found)
	}
	for address, name := range parties {
		if address != archiveAt && !slices.Contains(all, address) {
			t.Errorf("%s was not called: the test would see nothing", name)
		}
		// The control: one who is not named is seen.
		others := maps.Clone(parties)
		delete(others, address)
		if slices.Contains(all, address) && !slices.Equal(strays(all, others), []string{address}) {
			t.Errorf("%s is called and not seen", name)
		}
	}
}
