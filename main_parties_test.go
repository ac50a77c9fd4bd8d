package main

import (
	"context"
	"encoding/json"
	"errors"
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
	"sync"
	"syscall"
	"testing"

	"github.com/miekg/dns"

	people "vigia/notify/simulate"
)

// The tests of this part watch whom the program turns to: from outside, by the system
// calls of a process of its own, and by the names that it asks for.

// commandVariable has a process of this test be the program, with these arguments.
const commandVariable = "VIGIA_TEST_COMMAND"

// This is the program in a process of its own, and no test.
func TestBeTheProgram(t *testing.T) {
	var args []string
	if err := json.Unmarshal([]byte(os.Getenv(commandVariable)), &args); err != nil {
		t.Skip("a part of TestOnlyTheNamedPartiesAreCalled")
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() { // until whoever started it goes or says so
		os.Stdin.Read(make([]byte, 1))
		stop()
	}()
	if status := run(ctx, args, nil, os.Stdout, os.Stdout); status != 0 {
		t.Errorf("exit status %d", status)
	}
}

// watched is the program, with every address that it turned to.
type watched struct {
	out   *console
	trace string // file of the system calls
	end   func()
}

// watch runs the program under strace.
func watch(t *testing.T, environ []string, args ...string) *watched {
	t.Helper()
	strace := findStrace(t, "whom the program calls was not seen")
	told, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{out: newConsole(), trace: filepath.Join(t.TempDir(), "trace")}
	process := exec.Command(strace, "-f", "--seccomp-bpf", "-qq", "-e", "trace=connect,sendto,sendmsg,sendmmsg", "-e", "signal=none", "-o", w.trace,
		os.Args[0], "-test.run", "^TestBeTheProgram$", "-test.timeout", "5m")
	process.Env = append(append(os.Environ(), environ...), commandVariable+"="+string(told))
	process.Stdout, process.Stderr = w.out, w.out
	in, err := process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	w.end = sync.OnceFunc(func() {
		in.Close()
		if err := process.Wait(); err != nil {
			t.Errorf("the program: %v\n%s", err, w.out)
		}
	})
	t.Cleanup(w.end)
	return w
}

var (
	ofPort    = regexp.MustCompile(`sin6?_port=htons\((\d+)\)`)
	ofAddress = regexp.MustCompile(`inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"`)
)

// called gives every address that the program turned to, each once.
func (w *watched) called(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(w.trace)
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

// Everything that leads elsewhere leads here: redirects, addresses in notices and in
// the catalogue, and the headers of those who visit.
func TestOnlyTheNamedPartiesAreCalled(t *testing.T) {
	elsewhere, stray := party(t, func(http.ResponseWriter, *http.Request) {})
	away := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere+"/x", http.StatusTemporaryRedirect)
	}
	_, provider := weather(t, "127.0.0.1:0")
	authority, authorityAt := party(t, func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "not today", http.StatusServiceUnavailable)
	})
	archive, archiveAt := party(t, away)
	closures, closuresAt := party(t, away)
	volcanoes, volcanoesAt := party(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, strings.Replace(volcanoNotice, "https://example.cl", elsewhere, 1))
	})
	awayPush, awayPushAt := party(t, away)
	browsers, err := people.ListenPush(people.ReceiverOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer browsers.Close()
	mailbox, err := people.ListenMail(people.MailboxOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer mailbox.Close()
	data := t.TempDir()
	client := keptCertificate(t, data, authority+"/dir", "parques.example.cl", 17)
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at.Close() // free a moment ago
	w := watch(t, []string{"NO_PROXY=127.0.0.1"}, "serve", "--contact", "operador@example.cl", "--provider-url", provider, "--archive-url", archive,
		"--volcano-url", volcanoes, "--closures-url", closures, "--data", data, "--catalogue", volcanoAtLosAndes(t), "--domain", "parques.example.cl",
		"--acme-url", authority+"/dir", "--listen", at.Addr().String(), "--smtp-host", mailbox.Host(), "--smtp-port", strconv.Itoa(mailbox.Port()),
		"--smtp-tls", "none", "--smtp-from", "avisos@example.cl", "--push-hosts", browsers.Origin()+","+awayPush)
	w.out.find(t, `(?s)pidiendo cmc_gem_gdps.*(publicadas)`) // the last of the models is in
	visit := func(method, path, body string) string {
		request, err := http.NewRequestWithContext(t.Context(), method, "https://"+at.Addr().String()+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = http.Header{"Content-Type": {"application/json"}, "Referer": {elsewhere}, "X-Forwarded-Host": {stray}, "Forwarded": {"host=" + stray}}
		answer, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		return strconv.Itoa(answer.StatusCode)
	}
	for _, path := range []string{"/", "/parques/los-andes", "/en/parques/los-andes", "/alertas", "/mapa", "/api/v1/parques/los-andes", "/api/v1/health", "//" + stray + "/", "/static/?" + elsewhere} {
		visit("GET", path, "")
	}
	endpoint, key, auth := browsers.NewBrowser()
	const wish = `"parques":["los-andes"],"consentimiento":true}`
	byPush := `{"canal":"webpush","webpush":{"endpoint":%q,"keys":{"p256dh":%q,"auth":%q}},` + wish
	for body, want := range map[string]string{
		`{"canal":"email","email":"ana@example.cl",` + wish:        "202",
		fmt.Sprintf(byPush, endpoint, key, auth):                   "201",
		fmt.Sprintf(byPush, awayPush+"/x", key, auth):              "201",
		fmt.Sprintf(byPush, elsewhere+"/x", key, auth):             "422",
		fmt.Sprintf(byPush, "https://127.0.0.1/x", key, auth):      "422",
		fmt.Sprintf(byPush, "https://ⓛocalhost/x", key, auth):      "422",
		fmt.Sprintf(byPush, "https://push.example.cl/", key, auth): "422",
	} {
		if got := visit("POST", "/api/v1/suscriptores", body); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	links(t, mailbox, "ana@example.cl", "Confirme", `https://\S+`)
	poll(t, "a push", func() bool { return len(browsers.Notes()) > 0 })
	parties := map[string]string{
		strings.TrimPrefix(provider, "http://"): "provider", archiveAt: "archive", volcanoesAt: "volcanoes", closuresAt: "closures", authorityAt: "authority",
		awayPushAt: "a push service that redirects", strings.TrimPrefix(browsers.Origin(), "http://"): "push service",
		net.JoinHostPort(mailbox.Host(), strconv.Itoa(mailbox.Port())): "relay",
	}
	poll(t, "all parties", func() bool { // that of what was is asked on another day
		return len(w.called(t)) >= len(parties)-1
	})
	if status, said := command(t, data, "backup"); status != 0 {
		t.Errorf("backup: %d %s", status, said)
	}
	w.end()
	called := w.called(t)
	if found := strays(called, parties); len(found) > 0 {
		t.Errorf("nobody named %q", found)
	}
	for address, name := range parties {
		if address != archiveAt && !slices.Contains(called, address) {
			t.Errorf("%s was not called: the test would see nothing", name)
		}
		// The control: one who is not named is seen.
		others := maps.Clone(parties)
		delete(others, address)
		if slices.Contains(called, address) && !slices.Equal(strays(called, others), []string{address}) {
			t.Errorf("%s is called and not seen", name)
		}
	}
}

// namesAsked has every name that this process looks up asked of a server of the test,
// which knows none, and gives those that were.
func namesAsked(t *testing.T) func() []string {
	t.Helper()
	var mu sync.Mutex
	asked := map[string]bool{}
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &dns.Server{PacketConn: packets, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, m *dns.Msg) {
		mu.Lock()
		asked[strings.TrimSuffix(m.Question[0].Name, ".")] = true
		mu.Unlock()
		w.WriteMsg(new(dns.Msg).SetRcode(m, dns.RcodeNameError))
	})}
	ended := make(chan error, 1)
	go func() { ended <- server.ActivateAndServe() }()
	usual := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", packets.LocalAddr().String())
	}}
	t.Cleanup(func() {
		net.DefaultResolver = usual
		server.Shutdown()
		if err := <-ended; err != nil && !errors.Is(err, syscall.EINVAL) {
			t.Log(err)
		}
	})
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Sorted(maps.Keys(asked))
	}
}

// Of all the names that settings, catalogue and people bring, only those of parties
// are looked up.
func TestOnlyTheNamesOfPartiesAreAskedFor(t *testing.T) {
	asked := namesAsked(t)
	p := start(t, "serve", "--contact", "a@contacto.example", "--provider-url", "https://clima.example", "--archive-url", "https://archivo.example",
		"--volcano-url", "https://volcanes.example/v", "--closures-url", "https://cierres.example/c", "--data", t.TempDir(), "--catalogue", fewParks(t),
		"--base-url", "https://sitio.example", "--smtp-host", "relevo.example", "--smtp-from", "a@remite.example", "--push-hosts", "push.example", "--rate-limit", "0")
	_, key, auth := func() (string, string, string) {
		browsers, err := people.ListenPush(people.ReceiverOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer browsers.Close()
		return browsers.NewBrowser()
	}()
	for _, body := range []string{
		`{"canal":"email","email":"ana@correo.cl","parques":["los-andes"],"consentimiento":true}`,
		fmt.Sprintf(`{"canal":"webpush","webpush":{"endpoint":"https://push.example/x","keys":{"p256dh":%q,"auth":%q}},"parques":["los-andes"],"consentimiento":true}`, key, auth),
	} {
		if status, said := send(t, "POST", p.url+"/api/v1/suscriptores", "application/json", body); status/100 != 2 {
			t.Fatalf("%d %s", status, said)
		}
	}
	want := []string{"cierres.example", "clima.example", "push.example", "relevo.example", "volcanes.example"}
	poll(t, "all parties", func() bool { return len(asked()) >= len(want) })
	if status := p.end(t); status != 0 {
		t.Errorf("exit status %d", status)
	}
	if got := slices.DeleteFunc(asked(), func(name string) bool { return name == "archivo.example" }); !slices.Equal(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
	if _, err := http.Get("http://desvio.example/"); err == nil || !slices.Contains(asked(), "desvio.example") { // the control
		t.Errorf("a stray name is not noticed: %v", err)
	}
}
