//go:build trials

package handlers

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vigia/store"
)

// The tests of this file put the operator's examples for nginx and Caddy, as they
// are in .operate, before a server: only names, ports and paths are changed.

// proxy is a web server in front of a stand.
type proxy struct {
	t       *testing.T
	address string // host:port, TLS
	folder  string // of its logs
}

// origin is a stand that writes down each request, behind a proxy on this machine.
func origin(t *testing.T, e *store.Snapshot, rate int) *stand {
	t.Helper()
	requests := &journal{}
	s := newStand(t, e, func(o *Options) {
		o.Log = slog.New(slog.NewTextHandler(requests, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
		o.RateLimit = rate
	})
	s.log = requests
	return s
}

// needProgram finds a program on the path or where Debian has those of the system.
func needProgram(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		path, err = exec.LookPath("/usr/sbin/" + name) // not on everybody's path
	}
	if err != nil {
		t.Fatalf("no %s: install Debian's package %s to test the example in .operate", name, name)
	}
	return path
}

// adapt reads an example and changes what differs from one machine to another. Each
// of the texts to change has to be there.
func adapt(t *testing.T, name string, changes ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", ".operate", name))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(string(text), changes[i]) {
			t.Fatalf("%s has no %q", name, changes[i])
		}
		text = []byte(strings.ReplaceAll(string(text), changes[i], changes[i+1]))
	}
	return string(text)
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// certificate writes that of package httptest, which is for this machine, and gives the
// paths of it and its key.
func certificate(t *testing.T, folder string) (cert, key string) {
	t.Helper()
	made := newCertificate(t).pair
	secret, err := x509.MarshalPKCS8PrivateKey(made.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, filepath.Join(folder, "cert.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made.Certificate[0]}))),
		write(t, filepath.Join(folder, "key.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
}

// freePort gives an address of this machine that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// run starts a program and waits until it answers on the proxy's address. It ends
// with the test.
func (p *proxy) run(program string, args ...string) *proxy {
	p.t.Helper()
	said := &journal{}
	c := exec.Command(program, args...)
	c.Stdout, c.Stderr = said, said
	c.Env = append(os.Environ(), "HOME="+p.folder, "XDG_DATA_HOME="+p.folder, "XDG_CONFIG_HOME="+p.folder)
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	p.t.Cleanup(func() {
		c.Process.Signal(syscall.SIGTERM)
		<-ended
		write(p.t, filepath.Join(p.folder, "output.log"), said.text.String())
	})
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(20 * time.Second)
	for {
		if c, err := net.Dial("tcp", p.address); err == nil {
			c.Close()
			return p
		}
		select {
		case <-tick.C:
		case err := <-ended:
			ended <- err
			p.t.Fatalf("%s ended: %v\n%s", program, err, &said.text)
		case <-limit:
			p.t.Fatalf("%s does not listen", program)
		}
	}
}

// nginx runs the example before an origin, with further changes.
func nginx(t *testing.T, originURL string, changes ...string) *proxy {
	t.Helper()
	program := needProgram(t, "nginx")
	p := &proxy{t: t, address: freePort(t), folder: t.TempDir()}
	cert, key := certificate(t, p.folder)
	site := adapt(t, "nginx.conf", append([]string{
		"listen 80;", "listen " + freePort(t) + ";", "listen [::]:80;", "",
		"listen 443 ssl", "listen " + p.address + " ssl", "listen [::]:443 ssl http2;", "",
		"/etc/letsencrypt/live/parques.example.cl/fullchain.pem", cert, "/etc/letsencrypt/live/parques.example.cl/privkey.pem", key,
		"server 127.0.0.1:8080;", "server " + strings.TrimPrefix(originURL, "http://") + ";",
		"/dev/shm/nginx-vigia", p.folder + "/cache", "/var/log/nginx/vigia.log", p.folder + "/access.log",
	}, changes...)...)
	user := ""
	if os.Geteuid() == 0 {
		user = "user root;" // the folder of a test is its owner's alone
	}
	temporary := ""
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		temporary += fmt.Sprintf("%s_temp_path %s/%s;\n", kind, p.folder, kind)
	}
	main := write(t, filepath.Join(p.folder, "main.conf"), fmt.Sprintf("%s daemon off; worker_processes 1; pid %s/pid; error_log %s/error.log;\nevents {}\nhttp {\n%s include %s;\n}\n",
		user, p.folder, p.folder, temporary, write(t, filepath.Join(p.folder, "site.conf"), site)))
	return p.run(program, "-p", p.folder, "-e", filepath.Join(p.folder, "error.log"), "-c", main)
}

// caddy runs the example before an origin.
func caddy(t *testing.T, originURL string) *proxy {
	t.Helper()
	program := needProgram(t, "caddy")
	p := &proxy{t: t, address: freePort(t), folder: t.TempDir()}
	cert, key := certificate(t, p.folder)
	config := adapt(t, "Caddyfile",
		"\tlog default {", fmt.Sprintf("\tadmin off\n\tauto_https disable_redirects\n\tlog default {\n\t\toutput file %s/caddy.log", p.folder),
		"\nparques.example.cl {", fmt.Sprintf("\nhttps://%s {\n\ttls %s %s", p.address, cert, key),
		"reverse_proxy 127.0.0.1:8080", "reverse_proxy "+strings.TrimPrefix(originURL, "http://"))
	return p.run(program, "run", "--adapter", "caddyfile", "--config", write(t, filepath.Join(p.folder, "Caddyfile"), config))
}

// client returns a client that comes from an address of this machine.
func (p *proxy) client(from string) *stand {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	transport := &http.Transport{DisableCompression: true, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // its own certificate
	p.t.Cleanup(transport.CloseIdleConnections)
	return &stand{t: p.t, url: "https://" + p.address, client: &http.Client{Transport: transport}}
}

// logs are all that the proxy wrote down.
func (p *proxy) logs() string {
	p.t.Helper()
	var all strings.Builder
	paths, err := filepath.Glob(filepath.Join(p.folder, "*.log"))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			p.t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// raw sends bytes over TLS and gives all that comes back until the proxy closes or
// is silent for a while.
func (p *proxy) raw(request string) string {
	p.t.Helper()
	c, err := tls.Dial("tcp", p.address, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		p.t.Error(err)
		return ""
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Second))
	io.WriteString(c, request)
	got, _ := io.ReadAll(bufio.NewReader(c))
	return string(got)
}

// eachProxy runs a check behind both examples.
func eachProxy(t *testing.T, rate int, check func(t *testing.T, s *stand, p *proxy)) {
	for name, front := range map[string]func(*testing.T, string) *proxy{
		"nginx": func(t *testing.T, url string) *proxy { return nginx(t, url) }, "caddy": caddy,
	} {
		t.Run(name, func(t *testing.T) {
			s := origin(t, newSnapshot(), rate)
			check(t, s, front(t, s.url))
		})
	}
}

func TestBehindAProxy(t *testing.T) {
	eachProxy(t, 0, func(t *testing.T, s *stand, p *proxy) {
		v := p.client("127.0.0.2")
		first := v.get("/api/v1/parques", "Accept-Encoding", "gzip")
		if first.StatusCode != 200 || first.Header.Get("Content-Encoding") != "gzip" || first.Header.Get("Strict-Transport-Security") == "" {
			t.Fatalf("%d, %v", first.StatusCode, first.Header)
		}
		plain := v.get("/api/v1/parques")
		if _, fault := plain.envelope(t); plain.Header.Get("Content-Encoding") != "" || fault != "" {
			t.Errorf("%v, %s", plain.Header, fault)
		}
		for _, tag := range []string{first.Header.Get("Etag"), `"other", ` + plain.Header.Get("Etag")} {
			again := v.get("/api/v1/parques", "If-None-Match", tag)
			if again.StatusCode != 304 || len(again.body) > 0 || again.Header.Get("Cache-Control") != first.Header.Get("Cache-Control") {
				t.Errorf("%s again: %d, %v", tag, again.StatusCode, again.Header)
			}
		}
		for range 2 {
			if a := v.do("POST", "/api/v1/suscriptores", "Content-Type", "application/json"); a.StatusCode < 400 || a.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("POST: %d, %v", a.StatusCode, a.Header)
			}
		}
		if n := strings.Count(s.logged(), "method=POST"); n != 2 {
			t.Errorf("of two POST %d came through", n)
		}
		for _, a := range []answer{first, plain, v.get("/api/v1/health", "Cookie", "a=b")} {
			if a.Header.Get("Set-Cookie") != "" {
				t.Errorf("a cookie: %v", a.Header)
			}
		}
		if v.get("/api/v1/parques/no-existe").StatusCode != 404 {
			t.Error("404 does not come through")
		}
	})
}

// The limit counts the client, whatever it says of itself, and no other one.
func TestClientsBehindAProxyAreCountedApart(t *testing.T) {
	eachProxy(t, 3, func(t *testing.T, _ *stand, p *proxy) {
		greedy, modest := p.client("127.0.0.2"), p.client("127.0.0.3")
		status := 0
		for range 4 {
			status = greedy.get("/api/v1/health").StatusCode
		}
		if status != 429 {
			t.Fatalf("the fourth of three: %d", status)
		}
		for _, header := range []string{"X-Forwarded-For", "Forwarded", "X-Real-IP"} {
			for _, value := range []string{"192.0.2.7", "for=192.0.2.7", "127.0.0.1"} {
				if status := greedy.get("/api/v1/health", header, value).StatusCode; status != 429 {
					t.Errorf("%s: %s gives %d", header, value, status)
				}
			}
		}
		if status := modest.get("/api/v1/health").StatusCode; status != 200 {
			t.Errorf("another client: %d", status)
		}
	})
}

// No request comes in hidden in another one: what front and service could read
// differently is refused, or read as one request by both.
func TestNothingIsSmuggledThroughAProxy(t *testing.T) {
	const hidden = "GET /api/v1/contrabando-%d HTTP/1.1\r\nHost: x\r\n\r\n"
	length := fmt.Sprintf("Content-Length: %d\r\n", len("0\r\n\r\n"+hidden)-1)
	headers := []string{
		length + "Transfer-Encoding: chunked\r\n",
		"Transfer-Encoding: chunked\r\n" + length,
		length + "Transfer-Encoding : chunked\r\n",
		length + "Transfer-Encoding: xchunked\r\n",
		length + "Transfer-Encoding:\tchunked, identity\r\n",
		length + " Transfer-Encoding: chunked\r\n",
		length + "X: a\nTransfer-Encoding: chunked\r\n",
		"Content-Length: 0\r\n" + length,
		"Content-Length: +" + length[len("Content-Length: "):],
	}
	eachProxy(t, 0, func(t *testing.T, s *stand, p *proxy) {
		got := make([]string, len(headers))
		var asking sync.WaitGroup
		for i := range headers {
			asking.Go(func() {
				got[i] = p.raw("POST /api/v1/health HTTP/1.1\r\nHost: x\r\n" + headers[i] + "\r\n0\r\n\r\n" + fmt.Sprintf(hidden, i))
			})
		}
		asking.Wait()
		for i := range headers {
			switch came := strings.Contains(s.logged(), fmt.Sprintf("contrabando-%d", i)); {
			case came && strings.Count(got[i], "HTTP/1.1 ") < 2:
				t.Errorf("%q: a request that the front does not know of came in", headers[i])
			case came && !strings.Contains(headers[i], "Transfer-Encoding"):
				t.Errorf("%q: what is a body was taken for a request", headers[i])
			case got[i] == "":
				t.Errorf("%q: no answer at all", headers[i])
			}
		}
	})
}

// Whoever has a token has the subscription: no log of a front has one, nor where a
// client comes from, and not when the service is away either.
func TestNoTokenInTheLogsOfAProxy(t *testing.T) {
	token := strings.Repeat("tOk3n-_", 6) + "x"
	paths := []string{"/confirmar/" + token, "/baja/" + token, "/gestionar/" + token, "/en/gestionar/" + token, "/%62aja/" + token,
		"/BAJA/" + token, "/baja%2F" + token, "/baja/" + token + "=3D", "/api/v1/suscriptores/" + token, "/otra/" + token}
	eachProxy(t, 0, func(t *testing.T, s *stand, p *proxy) {
		p.client("127.0.0.2").get("/parques/lauca") // so that something is logged
		for _, path := range paths {
			p.client("127.0.0.2").get(path)
			p.client("127.0.0.2").do("POST", path)
		}
		if log := p.logs(); strings.Contains(log, "tOk3n") || strings.Contains(log, "127.0.0.2") {
			t.Errorf("a token or an address in:\n%s", log)
		}
	})
	const nobody = "http://127.0.0.1:9" // a port that nobody is given
	for name, front := range map[string]*proxy{"nginx": nginx(t, nobody), "caddy": caddy(t, nobody)} {
		for _, path := range paths {
			if a := front.client("127.0.0.2").get(path); a.StatusCode != 503 || a.Header.Get("Cache-Control") != "no-store" ||
				!strings.Contains(string(a.body), "no hay estimaciones") || strings.Contains(string(a.body), "tOk3n") {
				t.Errorf("%s before nobody: %d %s", name, a.StatusCode, a.body)
			}
		}
		if log := front.logs(); strings.Contains(log, "tOk3n") || name == "caddy" && strings.Contains(log, "127.0.0.2") {
			t.Errorf("%s before nobody: a token in:\n%s", name, log)
		}
	}
}

var aLevel = regexp.MustCompile(`"estado":"(verde|amarillo|rojo)"`)

// outlived asks a front again and again while the estimates come to their end, and
// gives what was wrong: levels after the end, or a copy that a browser might keep
// past it.
func outlived(t *testing.T, p *proxy, s *stand) (faults []string) {
	t.Helper()
	const life = 3300 * time.Millisecond
	began := time.Now()
	defer follow(s)()
	const slack = 400 * time.Millisecond // of the steps, on a machine that is busy
	end := began.Add(life)
	v := p.client("127.0.0.2")
	tick := time.NewTicker(40 * time.Millisecond)
	defer tick.Stop()
	for asked := began; asked.Before(end.Add(1200 * time.Millisecond)); asked = <-tick.C {
		asked = time.Now()
		a := v.get("/api/v1/parques")
		levels := aLevel.Match(a.body)
		if levels && asked.After(end.Add(slack)) {
			faults = append(faults, fmt.Sprintf("%v after the end there are levels", asked.Sub(end)))
		}
		made, err := http.ParseTime(a.Header.Get("Date"))
		var keep int
		if _, scanErr := fmt.Sscanf(a.Header.Get("Cache-Control"), "public, max-age=%d", &keep); err != nil || scanErr != nil {
			t.Fatalf("%v: %v %v", a.Header, err, scanErr)
		}
		if last := made.Add(time.Duration(keep) * time.Second); levels && last.After(end) {
			faults = append(faults, fmt.Sprintf("a browser may keep it for %v after the end", last.Sub(end)))
		}
	}
	return faults
}

// shortLived is a snapshot whose estimates end 3.3 s after the stand's clock begins.
func shortLived() *store.Snapshot {
	e := newSnapshot()
	e.ValidUntil = now.Add(3300 * time.Millisecond)
	return e
}

// No copy of an estimate outlives it, in the front or in the browser behind it.
func TestACopyDoesNotOutliveTheEstimate(t *testing.T) {
	t.Run("nginx", func(t *testing.T) {
		t.Parallel()
		s := origin(t, shortLived(), 0)
		p := nginx(t, s.url)
		for _, fault := range outlived(t, p, s) {
			t.Error(fault)
		}
		if log := p.logs(); strings.Count(log, "cache=HIT") < 10 {
			t.Errorf("the cache was not used:\n%s", log)
		}
	})
	// The control: the same front told to keep for as long as it likes.
	t.Run("control", func(t *testing.T) {
		t.Parallel()
		s := origin(t, shortLived(), 0)
		p := nginx(t, s.url, "proxy_ignore_headers Vary;", "proxy_ignore_headers Vary Cache-Control; proxy_cache_valid 200 60s;", "proxy_pass_header Date;", "")
		if faults := strings.Join(outlived(t, p, s), "\n"); !strings.Contains(faults, "there are levels") || !strings.Contains(faults, "a browser may") {
			t.Errorf("a front that keeps what is over is not found out: %s", faults)
		}
	})
}

// With the service away nothing old is shown.
func TestNothingOldWhileTheServiceIsAway(t *testing.T) {
	e := newSnapshot()
	e.NextAt = e.ValidUntil.Add(time.Hour)
	s := origin(t, e, 0)
	s.clock.Advance(e.ValidUntil.Sub(now) - 2500*time.Millisecond)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: s.server}
	go server.Serve(l)
	p := nginx(t, "http://"+l.Addr().String())
	v := p.client("127.0.0.2")
	if a := v.get("/api/v1/parques"); a.StatusCode != 200 || !aLevel.Match(a.body) || a.Header.Get("Cache-Control") != "public, max-age=1" {
		t.Fatalf("before: %d %v", a.StatusCode, a.Header)
	}
	server.Close()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(5 * time.Second)
	for {
		a := v.get("/api/v1/parques")
		if a.StatusCode == 503 && !aLevel.Match(a.body) && a.Header.Get("Cache-Control") == "no-store" && strings.Contains(string(a.body), "no hay estimaciones") {
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("5 s after the service went: %d %v %.80s", a.StatusCode, a.Header, a.body)
		}
	}
}

func TestAProxySaysThatABodyIsTooLarge(t *testing.T) {
	eachProxy(t, 0, func(t *testing.T, _ *stand, p *proxy) {
		for _, size := range []int{8<<10 + 1, 100_000, 3_000_000} {
			a := p.client("127.0.0.2").send("POST", "/api/v1/suscriptores", strings.Repeat("a", size), "Content-Type", "application/json")
			if a.StatusCode != 413 {
				t.Errorf("%d bytes: %d %.80s", size, a.StatusCode, a.body)
			}
		}
	})
}
