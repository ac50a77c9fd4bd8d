package handlers

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vigia/store"
)

// domain is a name of the certificate of package httptest.
const domain = "example.com"

// oneCertificate is a certificate that no authority issued.
type oneCertificate struct {
	pair  tls.Certificate
	roots *x509.CertPool
	gone  atomic.Bool // as if there were none
	ends  time.Time
	fails bool
}

func newCertificate(t *testing.T) *oneCertificate {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	c := &oneCertificate{pair: server.TLS.Certificates[0], roots: x509.NewCertPool()}
	c.roots.AddCert(server.Certificate())
	return c
}

func (c *oneCertificate) TLS() *tls.Config {
	return &tls.Config{NextProtos: []string{"h2", "http/1.1", "acme-tls/1"}, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		return &c.pair, nil
	}}
}

func (c *oneCertificate) Challenges(rest http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/.well-known/acme-challenge/x" {
			io.WriteString(w, "proof")
			return
		}
		rest.ServeHTTP(w, r)
	})
}

func (c *oneCertificate) Holds(name string, _ time.Time) bool {
	return name == domain && !c.gone.Load()
}
func (c *oneCertificate) Worst() (time.Time, bool) { return c.ends, c.fails }

// domainStand is a server with HTTPS of its own: url is that of the plain port.
type domainStand struct {
	*stand
	certificate *oneCertificate
	secure      string // address
	https       *http.Client
}

func newDomainStand(t *testing.T, e *store.Snapshot, change func(*Options, *oneCertificate)) *domainStand {
	t.Helper()
	c := newCertificate(t)
	s := newStand(t, e, func(o *Options) {
		o.BaseURL = "https://" + domain
		if change != nil {
			change(o, c)
		}
		o.Certificates = c
	})
	listeners, err := Listen("127.0.0.1:0", "127.0.0.1:0", "", s.server.Log)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.server.Serve(ctx, listeners, nil) }()
	d := &domainStand{stand: s, certificate: c, secure: listeners.Public.Addr().String()}
	s.url = "http://" + listeners.Redirect.Addr().String()
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: c.roots, ServerName: domain}, ForceAttemptHTTP2: true, DisableCompression: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", d.secure)
		},
	}
	d.https = &http.Client{Transport: transport}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		s.client.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return d
}

// by makes a request by HTTPS.
func (d *domainStand) by(method, path string) answer {
	d.t.Helper()
	r, err := http.NewRequest(method, "https://"+domain+path, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	return d.ask(d.https, r)
}

func TestServesByHTTPS(t *testing.T) {
	t.Parallel()
	d := newDomainStand(t, newSnapshot(), nil)
	for _, path := range []string{"/api/v1/parques", "/api/v1/nada", "/nada"} {
		a := d.by("GET", path)
		if a.ProtoMajor != 2 || a.TLS.Version != tls.VersionTLS13 || a.Header.Get("Strict-Transport-Security") != "max-age=31536000" {
			t.Errorf("%s: %s %x %q", path, a.Proto, a.TLS.Version, a.Header)
		}
	}
	if plain := d.get("/.well-known/acme-challenge/x"); string(plain.body) != "proof" {
		t.Errorf("a challenge: %d %s", plain.StatusCode, plain.body)
	}
	// A connection that was made for a proof answers nothing else.
	c, err := tls.Dial("tcp", d.secure, &tls.Config{RootCAs: d.certificate.roots, ServerName: domain, NextProtos: []string{"acme-tls/1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "GET /api/v1/parques HTTP/1.1\r\nHost: x\r\n\r\n")
	if got, _ := io.ReadAll(c); len(got) != 0 {
		t.Errorf("%.80q", got)
	}
}

// The redirect leads to the site whatever the request says, with the rest of its
// address as it was.
func TestRedirect(t *testing.T) {
	t.Parallel()
	d := newDomainStand(t, newSnapshot(), nil)
	const base = "https://" + domain
	for target, want := range map[string]string{
		"/":                             base + "/",
		"/parques/lauca?a=b&c=%20d":     base + "/parques/lauca?a=b&c=%20d",
		"//evil.example/x":              base + "//evil.example/x",
		"/%2f%2fevil.example":           base + "/%2f%2fevil.example",
		"/%0d%0aSet-Cookie:x":           base + "/%0d%0aSet-Cookie:x",
		"/\\evil.example":               base + "/%5Cevil.example",
		"http://evil.example/p?q=1":     base + "/p?q=1",
		"x:.evil.example":               base + "/",
		"x:@evil.example/y":             base + "/",
		"/gestionar/" + rawToken + "?x": base + "/gestionar/" + rawToken + "?x",
	} {
		for _, host := range []string{domain, "evil.example", "192.0.2.1:8080"} {
			got := d.raw("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
			response, err := http.ReadResponse(bufio.NewReader(strings.NewReader(got)), nil)
			if err != nil {
				t.Fatalf("%s: %v in %.200q", target, err, got)
			}
			if location := response.Header.Get("Location"); response.StatusCode != 301 || location != want {
				t.Errorf("%s for %s: %d, %q, want %q", target, host, response.StatusCode, location, want)
			}
			if response.Header.Get("Strict-Transport-Security") != "" {
				t.Errorf("%s: HSTS without TLS", target)
			}
		}
	}
	for _, method := range []string{"POST", "DELETE", "PUT"} {
		if a := d.do(method, "/api/v1/suscriptores"); a.StatusCode != 403 || a.Header.Get("Location") != "" || !strings.Contains(string(a.body), base) {
			t.Errorf("%s: %d %s", method, a.StatusCode, a.body)
		}
	}
}

const rawToken = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// Without a certificate that holds what everybody may read can be read at the plain
// port, and nothing that is one person's passes it.
func TestPlainWithoutACertificate(t *testing.T) {
	t.Parallel()
	d := newDomainStand(t, newSnapshot(), nil)
	d.certificate.gone.Store(true)
	for path, status := range map[string]int{
		"/api/v1/parques": 200, "/api/v1/health": 200, "/api/v1/nada": 404, "/api/v1/vapid": 503,
		"/api/v1/suscriptores/" + rawToken: 503, "/gestionar/" + rawToken: 503, "/en/gestionar/" + rawToken: 503, "/baja/x": 503, "/confirmar/x": 503,
		"/Gestionar/" + rawToken: 503, "/api/v1/suscriptores": 503,
	} {
		a := d.get(path)
		if a.StatusCode != status || a.Header.Get("Strict-Transport-Security") != "" {
			t.Errorf("%s: %d, want %d %q", path, a.StatusCode, status, a.Header)
		}
	}
	for _, path := range []string{"/api/v1/suscriptores", "/suscribirse", "/baja/" + rawToken} {
		if a := d.do("POST", path); a.StatusCode != 403 {
			t.Errorf("POST %s: %d", path, a.StatusCode)
		}
	}
	d.certificate.gone.Store(false)
	if a := d.get("/api/v1/parques"); a.StatusCode != 301 {
		t.Errorf("with a certificate again: %d", a.StatusCode)
	}
}

// By HTTP/2 a body of unknown length is read no further than a form may be.
func TestAnEndlessBodyByHTTP2(t *testing.T) {
	t.Parallel()
	d := newDomainStand(t, newSnapshot(), nil)
	endless := &endlessReader{}
	r, _ := http.NewRequest("POST", "https://"+domain+"/api/v1/suscriptores", endless)
	r.Header.Set("Content-Type", "application/json")
	if response, err := d.https.Do(r); err == nil {
		response.Body.Close()
		if response.StatusCode < 400 {
			t.Errorf("an endless body: %d", response.StatusCode)
		}
	}
	if n := endless.given.Load(); n > 1<<20 {
		t.Errorf("%d bytes of an endless body were taken", n)
	}
}

// endlessReader gives a JSON text that does not end.
type endlessReader struct{ given atomic.Int64 }

func (e *endlessReader) Read(p []byte) (int, error) {
	n := copy(p, bytes.Repeat([]byte("["), len(p)))
	e.given.Add(int64(n))
	return n, nil
}

func TestHealthTellsOfTheCertificate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		left  time.Duration // 0 is none
		fails bool
		state string
		days  any
		whole string
	}{
		{71*24*time.Hour + time.Hour, false, "ok", 71.0, "ok"},
		{19 * 24 * time.Hour, true, "sin_renovar", 19.0, "degradado"},
		{-time.Hour, true, "vencido", 0.0, "degradado"},
		{0, true, "sin_certificado", nil, "degradado"},
	} {
		d := newDomainStand(t, fine(), func(_ *Options, o *oneCertificate) {
			if o.fails = c.fails; c.left != 0 {
				o.ends = now.Add(c.left)
			}
		})
		a := d.by("GET", "/api/v1/health")
		data, _ := a.envelope(t)
		health := data.(map[string]any)
		certificate := health["certificado"].(map[string]any)
		if certificate["estado"] != c.state || certificate["dias"] != c.days || (certificate["vence_en"] == nil) != (c.left == 0) || health["estado"] != c.whole {
			t.Errorf("%v: %v, %v", c.left, certificate, health["estado"])
		}
		openDocument(t).checkAnswer(t, c.state, operation{"/health", "get"}, a)
	}
	data, _ := newStand(t, fine(), nil).get("/api/v1/health").envelope(t)
	if state := data.(map[string]any)["certificado"].(map[string]any)["estado"]; state != "no_configurado" {
		t.Errorf("behind a proxy: %v", state)
	}
}

// What keeps a port from being opened is said with what to do, and leaves no other
// one open.
func TestListenersThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	log := slog.New(slog.DiscardHandler)
	if _, err := Listen("127.0.0.1:0", "", taken.Addr().String(), log); err == nil ||
		!strings.Contains(err.Error(), "another program has it") || !strings.Contains(err.Error(), "--metrics-listen") {
		t.Errorf("a port that is taken: %v", err)
	}
	if _, err := Listen("192.0.2.1:1", "", "", log); err == nil || !strings.Contains(err.Error(), "192.0.2.1:1") || !strings.Contains(err.Error(), "--listen") {
		t.Errorf("a foreign address: %v", err)
	}
	denied := cannotListen(":443", "--listen", &net.OpError{Op: "listen", Err: os.NewSyscallError("bind", syscall.EACCES)})
	for _, part := range []string{":443", "permission denied", "setcap cap_net_bind_service=+ep ", "AmbientCapabilities=CAP_NET_BIND_SERVICE", "CapabilityBoundingSet=CAP_NET_BIND_SERVICE", "vigia systemd"} {
		if !strings.Contains(denied.Error(), part) {
			t.Errorf("%v lacks %q", denied, part)
		}
	}
}

func TestMetricsBeyondThisMachineAreWarnedOf(t *testing.T) {
	t.Parallel()
	for at, warned := range map[string]bool{"127.0.0.1:0": false, "[::1]:0": false, "0.0.0.0:0": true} {
		var said bytes.Buffer
		listeners, err := Listen("127.0.0.1:0", "", at, slog.New(slog.NewTextHandler(&said, nil)))
		if err != nil && at == "[::1]:0" {
			continue // a machine without IPv6
		}
		if err != nil {
			t.Fatal(err)
		}
		listeners.Close()
		if strings.Contains(said.String(), "level=WARN") != warned {
			t.Errorf("%s: %s", at, &said)
		}
	}
}
