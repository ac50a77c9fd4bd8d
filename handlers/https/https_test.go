package https

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/certmagic"
	"github.com/jonboulle/clockwork"
)

// nameOf returns the domain of a test: certmagic's retries are the process's, by name.
func nameOf(t *testing.T) string {
	return strings.NewReplacer("/", "-", "'", "", "_", "-").Replace(strings.ToLower(t.Name())) + ".example.cl"
}

// journal keeps what is logged, and tells of each line.
type journal struct {
	mu    sync.Mutex
	text  bytes.Buffer
	wrote chan struct{}
}

func newJournal() *journal { return &journal{wrote: make(chan struct{}, 1)} }

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	select {
	case j.wrote <- struct{}{}:
	default:
	}
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// find waits until a text is logged for the n-th time.
func (j *journal) find(t *testing.T, text string, n int) {
	t.Helper()
	limit := time.After(30 * time.Second)
	for strings.Count(j.String(), text) < n {
		select {
		case <-j.wrote:
		case <-limit:
			t.Fatalf("%q was not logged %d times:\n%s", text, n, j)
		}
	}
}

// site is a service that serves a domain with certificates, as an authority sees it.
type site struct {
	*Certificates
	log    *journal
	folder string
	stop   func()
}

// open starts serving at the ports where an authority validates.
func open(t *testing.T, a *authority, folder string, change func(*Options)) *site {
	t.Helper()
	s := &site{log: newJournal(), folder: folder}
	o := Options{
		Domains: []string{nameOf(t)}, Authority: a.directory, Folder: folder, HTTPS: a.secure.Addr(), HTTP: a.plain.Addr(), UserAgent: "vigia/test",
		Clock: clockwork.NewRealClock(), Log: slog.New(slog.NewTextHandler(s.log, nil)), Roots: a.trusted, LookEvery: 200 * time.Millisecond,
	}
	if change != nil {
		change(&o)
	}
	s.Certificates = New(o)
	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(r.Proto)) })
	secure := &http.Server{Handler: hello, TLSConfig: s.TLS(), ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	plain := &http.Server{Handler: s.Challenges(http.NotFoundHandler())}
	var serving sync.WaitGroup
	serving.Go(func() { secure.ServeTLS(kept{a.secure}, "", "") })
	serving.Go(func() { plain.Serve(kept{a.plain}) })
	ctx, cancel := context.WithCancel(t.Context())
	s.Manage(ctx)
	s.stop = sync.OnceFunc(func() {
		cancel()
		secure.Close()
		plain.Close()
		serving.Wait()
	})
	t.Cleanup(s.stop)
	return s
}

// kept is a listener that outlives the server that listens on it: Close lets go of
// the one Accept that waits.
type kept struct{ net.Listener }

func (k kept) Accept() (net.Conn, error) {
	c, err := k.Listener.Accept()
	return c, err
}

func (k kept) Close() error { return k.Listener.(*net.TCPListener).SetDeadline(time.Unix(1, 0)) }

// reopen lets a listener that was let go of accept again.
func reopen(t *testing.T, listeners ...net.Listener) {
	t.Helper()
	for _, l := range listeners {
		if err := l.(*net.TCPListener).SetDeadline(time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
}

// deafen has a listener close every connection: another program has the port as far as
// an authority sees.
func deafen(t *testing.T, l *net.Listener) {
	deaf := *l
	*l = loopback(t) // the service's own, where nobody comes
	go func() {
		for {
			c, err := deaf.Accept()
			if err != nil {
				return // the test is over
			}
			c.Close()
		}
	}()
}

// shake makes a connection and gives the certificate that is served.
func (s *site) shake(a *authority, config *tls.Config) (*x509.Certificate, error) {
	c, err := tls.Dial("tcp", a.secure.Addr().String(), config)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.ConnectionState().PeerCertificates[0], nil
}

func (s *site) mustShake(t *testing.T, a *authority) *x509.Certificate {
	t.Helper()
	leaf, err := s.shake(a, &tls.Config{ServerName: s.o.Domains[0], RootCAs: a.roots})
	if err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	return leaf
}

// plant keeps a certificate of an authority, as an earlier run left it.
func plant(t *testing.T, directory, folder string, pair tls.Certificate) {
	t.Helper()
	name := nameOf(t)
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	issuer := (&certmagic.ACMEIssuer{CA: directory}).IssuerKey()
	for file, data := range map[string][]byte{
		certmagic.StorageKeys.SitePrivateKey(issuer, name): pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}),
		certmagic.StorageKeys.SiteCert(issuer, name):       pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}),
		certmagic.StorageKeys.SiteMeta(issuer, name):       []byte(`{"sans":["` + name + `"]}`),
	} {
		path := filepath.Join(folder, file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// A first certificate comes, is kept for the service's user alone and served after a
// restart without asking anybody.
func TestFirstCertificateAndRestart(t *testing.T) {
	t.Parallel()
	name := nameOf(t)
	a := newAuthority(t, 90*24*time.Hour)
	folder := filepath.Join(t.TempDir(), "certs")
	s := open(t, a, folder, func(o *Options) { o.Domains = append(o.Domains, "www.example.cl") })
	s.log.find(t, "the certificate is served", 2)
	leaf := s.mustShake(t, a)
	other, err := s.shake(a, &tls.Config{ServerName: "WWW.example.cl", RootCAs: a.roots, NextProtos: []string{"h2", "http/1.1"}})
	if err != nil || !slices.Equal(other.DNSNames, []string{"www.example.cl"}) {
		t.Errorf("the second domain: %v, %v", other, err)
	}
	if _, err := s.shake(a, &tls.Config{ServerName: name, RootCAs: a.roots, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
	err = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		info, infoErr := e.Info()
		if err != nil || infoErr != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: mode %v, %v", path, info.Mode(), err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if states := s.States(); len(states) != 2 || states[0].Failing || !states[0].Expires.Equal(leaf.NotAfter) || !s.Holds(name, time.Now()) {
		t.Errorf("%+v", states)
	}
	if s.Holds("other.example.cl", time.Now()) || !s.Holds("www.example.cl", time.Now()) {
		t.Error("whose certificates are held is mixed up")
	}
	s.stop()
	reopen(t, a.secure, a.plain)
	if n := a.accounts.Load(); n != 1 {
		t.Errorf("%d accounts were made", n)
	}
	asked := a.orders.Load()
	a.away.Store(true)
	again := open(t, a, folder, nil)
	if kept := again.mustShake(t, a); !kept.Equal(leaf) {
		t.Error("another certificate after the restart")
	}
	if a.orders.Load() != asked {
		t.Error("another one is ordered with a good certificate")
	}
}

// What one authority issued is not taken for another's, and what cannot be read is
// replaced.
func TestOtherAndUnusableCertificates(t *testing.T) {
	t.Parallel()
	for what, prepare := range map[string]func(t *testing.T, directory, folder string){
		"another authority's": func(t *testing.T, _, folder string) {
			plant(t, "https://acme-staging.example.org/directory", folder, selfSigned(t, nameOf(t)))
		},
		"damaged": func(t *testing.T, directory, folder string) {
			plant(t, directory, folder, tls.Certificate{Certificate: [][]byte{{1, 2, 3}}, PrivateKey: selfSigned(t, nameOf(t)).PrivateKey})
		},
	} {
		t.Run(strings.Fields(what)[0], func(t *testing.T) {
			t.Parallel()
			a := newAuthority(t, 90*24*time.Hour)
			folder := t.TempDir()
			prepare(t, a.directory, folder)
			s := open(t, a, folder, nil)
			s.log.find(t, "a new certificate came", 1)
			s.log.find(t, "the certificate is served", 1)
			s.mustShake(t, a)
		})
	}
}

func TestProofByHTTPAlone(t *testing.T) {
	t.Parallel()
	name := nameOf(t)
	a := newAuthority(t, 90*24*time.Hour)
	deafen(t, &a.secure)
	s := open(t, a, t.TempDir(), nil)
	s.log.find(t, "the certificate is served", 1)
	if !s.Holds(name, time.Now()) {
		t.Error("no certificate")
	}
}

// An operator reads why there is no certificate, in the authority's words, and a client
// is told that its name is not known.
func TestWhyThereIsNone(t *testing.T) {
	t.Parallel()
	name := nameOf(t)
	a := newAuthority(t, 90*24*time.Hour)
	deafen(t, &a.secure)
	deafen(t, &a.plain)
	s := open(t, a, t.TempDir(), nil)
	s.log.find(t, "no certificate from the authority", 1)
	if logged := s.log.String(); !strings.Contains(logged, "level=WARN") || !strings.Contains(logged, "urn:ietf:params:acme:error:") || !strings.Contains(logged, "domain="+name) {
		t.Errorf("%s", logged)
	}
	if expires, failing := s.Worst(); !expires.IsZero() || !failing || s.Holds(name, time.Now()) {
		t.Errorf("%v, %v", expires, failing)
	}
	if _, err := s.shake(a, &tls.Config{ServerName: name, RootCAs: a.roots}); err == nil || !strings.Contains(err.Error(), "unrecognized name") {
		t.Errorf("without a certificate: %v", err)
	}
}

// Short-lived certificates are replaced before their end. With the authority away the
// last one is served past its end, and the state says so.
func TestRenewalAndTheAuthorityAway(t *testing.T) {
	t.Parallel()
	name := nameOf(t)
	a := newAuthority(t, 12*time.Second)
	s := open(t, a, t.TempDir(), func(o *Options) { o.Renew = 0.7 })
	s.log.find(t, "the certificate is served", 1)
	first := s.mustShake(t, a)
	s.log.find(t, "a new certificate came", 2)
	waitFor(t, "the renewed certificate", func() bool { return !s.mustShake(t, a).Equal(first) })
	a.away.Store(true)
	s.log.find(t, "no certificate from the authority", 1)
	last := s.newest(name)
	waitFor(t, "the end of the certificate", func() bool { return time.Now().After(last.NotAfter) })
	leaf, err := s.shake(a, &tls.Config{ServerName: name, InsecureSkipVerify: true})
	if err != nil || !leaf.Equal(last) {
		t.Errorf("past its end: %v", err)
	}
	if states := s.States(); !states[0].Failing || s.Holds(name, time.Now()) {
		t.Errorf("%+v", states)
	}
}

// waitFor asks until a condition holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(30 * time.Second)
	for !holds() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("%s: not within 30 s", what)
		}
	}
}

// An expired certificate is still served while the authority refuses another one.
func TestExpiredAndRefused(t *testing.T) {
	t.Parallel()
	name := nameOf(t)
	a := newAuthority(t, 90*24*time.Hour)
	folder := t.TempDir()
	a.directory += "/not-there"
	expired := signedUntil(t, name, time.Now().Add(-time.Hour))
	plant(t, a.directory, folder, expired)
	s := open(t, a, folder, func(o *Options) { o.HTTP = nil })
	s.log.find(t, "no certificate from the authority", 1)
	if logged := s.log.String(); !strings.Contains(logged, "serving_until=") || !strings.Contains(logged, "level=WARN") {
		t.Errorf("%s", logged)
	}
	leaf, err := s.shake(a, &tls.Config{ServerName: name, InsecureSkipVerify: true})
	if err != nil || !bytes.Equal(leaf.Raw, expired.Certificate[0]) {
		t.Errorf("the expired certificate is not served: %v", err)
	}
	if expires, failing := s.Worst(); !expires.Equal(leaf.NotAfter) || !failing || s.Holds(name, time.Now()) {
		t.Errorf("%v, %v", expires, failing)
	}
}

// A failed renewal is a failure with fewer than 20 days left, and none that began in
// the last ninth of its time too.
func TestFailing(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, c := range []struct {
		life, left     time.Duration
		failed, wanted bool
	}{
		{90 * day, 31 * day, true, false}, {90 * day, 21 * day, true, false}, {90 * day, 19 * day, true, true}, {90 * day, 21 * day, false, false},
		{90 * day, 19 * day, false, true}, {90 * day, -day, false, true}, {6 * day, 3 * day, true, false}, {6 * day, 3 * day / 2, true, true}, {6 * day, 3 * day / 2, false, false},
	} {
		now := time.Now()
		leaf := &x509.Certificate{NotBefore: now.Add(c.left - c.life), NotAfter: now.Add(c.left)}
		if got := isFailing(leaf, c.failed, now); got != c.wanted {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// Whoever asks for another name is refused, and never makes the service ask the
// authority or write a file.
func TestStrangeNames(t *testing.T) {
	t.Parallel()
	name := nameOf(t)
	a := newAuthority(t, 90*24*time.Hour)
	s := open(t, a, filepath.Join(t.TempDir(), "certs"), nil)
	s.log.find(t, "the certificate is served", 1)
	waitFor(t, "the end of the order", func() bool { // locks are released
		left, _ := filepath.Glob(filepath.Join(s.folder, "locks", "*"))
		return len(left) == 0
	})
	asked, before := a.asked.Load(), list(t, s.folder)
	for _, stranger := range []string{"", "127.0.0.1", "::1", "evil.example", "x." + name, "example.cl", "..", "../../vigia.key", name + "/..",
		strings.Repeat("a", 255) + ".cl", "*." + name, "parques_example.cl", "\x00", "párques.example.cl"} {
		for _, protocols := range [][]string{nil, {"acme-tls/1"}, {"acme-tls/1", "h2"}} {
			hello := &tls.ClientHelloInfo{ServerName: stranger, SupportedProtos: protocols}
			if cert, err := s.TLS().GetCertificate(hello); cert != nil || err != nil {
				t.Errorf("%q by %q: %v, %v", stranger, protocols, cert, err)
			}
		}
	}
	for _, sni := range []string{"evil.example", ""} {
		if _, err := s.shake(a, &tls.Config{ServerName: sni, InsecureSkipVerify: true}); err == nil || !strings.Contains(err.Error(), "unrecognized name") {
			t.Errorf("%q: %v", sni, err)
		}
	}
	if _, err := s.shake(a, &tls.Config{ServerName: name, InsecureSkipVerify: true, NextProtos: []string{"acme-tls/1"}}); err == nil {
		t.Error("a proof is given though none was asked for")
	}
	for _, host := range []string{"evil.example", "127.0.0.1", "", name} {
		r, _ := http.NewRequest("GET", "http://"+a.plain.Addr().String()+"/.well-known/acme-challenge/..%2f..%2fvigia.key", nil)
		r.Host = host
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != 404 {
			t.Errorf("a proof for %q that was not asked for: %d", host, response.StatusCode)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	if n := a.asked.Load() - asked; n != 0 || !slices.Equal(list(t, s.folder), before) {
		t.Errorf("%d requests to the authority; files %q, before %q", n, list(t, s.folder), before)
	}
}

func list(t *testing.T, folder string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		names = append(names, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
