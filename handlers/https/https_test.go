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

	"github.com/jonboulle/clockwork"
)

const name = "parques.example.cl"

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

// open starts serving. The listeners of an authority that are closed stay so.
func open(t *testing.T, a *authority, folder string, change func(*Options)) *site {
	t.Helper()
	s := &site{log: newJournal(), folder: folder}
	o := Options{
		Domains: []string{name}, Authority: a.directory, Folder: folder, HTTP01: true, UserAgent: "vigia/test",
		Clock: clockwork.NewRealClock(), Log: slog.New(slog.NewTextHandler(s.log, nil)), Client: a.client,
	}
	if change != nil {
		change(&o)
	}
	var err error
	if s.Certificates, err = New(o); err != nil {
		t.Fatal(err)
	}
	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(r.Proto)) })
	secure := &http.Server{Handler: hello, TLSConfig: s.TLS(), ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	plain := &http.Server{Handler: s.Challenges(http.NotFoundHandler())}
	var serving sync.WaitGroup
	serving.Go(func() { secure.ServeTLS(kept{a.secure}, "", "") })
	serving.Go(func() { plain.Serve(kept{a.plain}) })
	ctx, cancel := context.WithCancel(t.Context())
	serving.Go(func() {
		if err := s.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
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
	leaf, err := s.shake(a, &tls.Config{ServerName: name, RootCAs: a.roots})
	if err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	return leaf
}

// plant puts a certificate into the folder of an authority, as an earlier run left it.
func plant(t *testing.T, a *authority, folder string, pair tls.Certificate) {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	data := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	data = append(data, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]})...)
	dir := filepath.Join(folder, folderName(a.directory))
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, name), data, 0o644)); err != nil {
		t.Fatal(err)
	}
}

// A first certificate comes, by either proof, is kept for the service's user alone
// and served after a restart without asking anybody.
func TestFirstCertificateAndRestart(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, 90*24*time.Hour)
	folder := filepath.Join(t.TempDir(), "certs")
	s := open(t, a, folder, func(o *Options) { o.Domains = append(o.Domains, "www.example.cl") })
	s.log.find(t, "a new certificate is served", 2)
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
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[e.IsDir()]; err != nil || infoErr != nil || info.Mode().Perm() != want {
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
	asked := a.asked.Load()
	a.away.Store(true)
	again := open(t, a, folder, nil)
	if kept := again.mustShake(t, a); !kept.Equal(leaf) {
		t.Error("another certificate after the restart")
	}
	again.log.find(t, "the certificate kept is served", 1)
	if a.asked.Load() != asked {
		t.Errorf("%d requests to the authority with a good certificate", a.asked.Load()-asked)
	}
}

// What one authority issued is not taken for another's: who tried with a test
// authority gets real certificates as soon as the setting says so.
func TestAuthoritiesAreKeptApart(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, 90*24*time.Hour)
	folder := t.TempDir()
	before := &authority{directory: "https://acme-staging.example.org/directory"}
	plant(t, before, folder, selfSigned(t, name))
	s := open(t, a, folder, nil)
	s.log.find(t, "a new certificate is served", 1)
	s.mustShake(t, a)
}

func TestProofByHTTPAlone(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, 90*24*time.Hour)
	a.secure.Close() // another program has port 443 as far as the authority sees
	s := open(t, a, t.TempDir(), nil)
	s.log.find(t, "a new certificate is served", 1)
	if !s.Holds(name, time.Now()) {
		t.Error("no certificate")
	}
}

// An operator is told why there is no certificate, in the authority's words.
func TestWhyThereIsNone(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, 90*24*time.Hour)
	a.secure.Close()
	a.plain.Close()
	s := open(t, a, t.TempDir(), nil)
	s.log.find(t, "no certificate from the authority", 1)
	if said := s.log.String(); !strings.Contains(said, "level=WARN") || !strings.Contains(said, "-01 failed") || !strings.Contains(said, "connection refused") ||
		!strings.Contains(said, "domain="+name) || !strings.Contains(said, "next_try=") {
		t.Errorf("%s", said)
	}
	if expires, failing := s.Worst(); !expires.IsZero() || !failing || s.Holds(name, time.Now()) {
		t.Errorf("%v, %v", expires, failing)
	}
}

// Short-lived certificates are replaced before their end. With the authority away
// the last one goes on being served, and it is said why.
func TestRenewalAndTheAuthorityAway(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, 8*time.Second)
	s := open(t, a, t.TempDir(), func(o *Options) { o.RenewBefore = 6 * time.Second })
	s.log.find(t, "a new certificate is served", 1)
	first := s.mustShake(t, a)
	s.log.find(t, "a new certificate is served", 2)
	second := s.mustShake(t, a)
	if first.Equal(second) || !second.NotAfter.After(first.NotAfter) {
		t.Fatal("the renewed certificate is not served")
	}
	a.away.Store(true)
	waitFor(t, "a failure of the renewal", func() bool { return s.domains[0].lastFailure() != "" })
	if states := s.States(); !states[0].Failing && time.Until(states[0].Expires) < 2*time.Second {
		t.Errorf("%+v", states)
	}
	last := s.domains[0].held.Load().Leaf
	waitFor(t, "the end of the certificate", func() bool { return time.Now().After(last.NotAfter) })
	leaf, err := s.shake(a, &tls.Config{ServerName: name, InsecureSkipVerify: true})
	if err != nil || !leaf.Equal(last) {
		t.Errorf("past its end: %v", err)
	}
	if states := s.States(); !states[0].Failing || s.Holds(name, time.Now()) {
		t.Errorf("%+v", states)
	}
	s.warn(s.domains[0], time.Now())
	if said := s.log.String(); !strings.Contains(said, "the certificate is not renewed and goes on being served") || !strings.Contains(said, "days_left=-1") ||
		!strings.Contains(said, "cannot be reached") {
		t.Errorf("%s", said)
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

// With the authority away at the first start there is none, tries are few, and the
// first one after its return brings the certificate.
func TestTheAuthorityAwayAtTheStart(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, 90*24*time.Hour)
	a.away.Store(true)
	clock := clockwork.NewFakeClockAt(time.Now())
	s := open(t, a, t.TempDir(), func(o *Options) { o.Clock = clock })
	s.log.find(t, "no certificate from the authority", 1)
	if said := s.log.String(); !strings.Contains(said, "the authority cannot be reached") {
		t.Errorf("%s", said)
	}
	if _, err := s.shake(a, &tls.Config{ServerName: name, RootCAs: a.roots}); err == nil || !strings.Contains(err.Error(), "unrecognized name") {
		t.Errorf("without a certificate: %v", err)
	}
	asked := a.asked.Load()
	for range 4 {
		clock.BlockUntilContext(t.Context(), 1)
		clock.Advance(time.Minute)
	}
	if n := a.asked.Load() - asked; n != 0 {
		t.Errorf("%d requests within five minutes of a failure", n)
	}
	a.away.Store(false)
	clock.BlockUntilContext(t.Context(), 1)
	clock.Advance(2 * time.Minute)
	s.log.find(t, "a new certificate is served", 1)
	s.mustShake(t, a)
}

// An expired certificate is still served while the authority refuses another one.
func TestExpiredAndRefused(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, 90*24*time.Hour)
	folder := t.TempDir()
	a.directory += "/not-there"
	expired := signedUntil(t, name, time.Now().Add(-time.Hour))
	plant(t, a, folder, expired)
	s := open(t, a, folder, func(o *Options) { o.HTTP01 = false })
	s.log.find(t, "no certificate from the authority", 1)
	if said := s.log.String(); !strings.Contains(said, "days_left=-1") || !strings.Contains(said, "level=WARN") {
		t.Errorf("%s", said)
	}
	leaf, err := s.shake(a, &tls.Config{ServerName: name, InsecureSkipVerify: true})
	if err != nil || !bytes.Equal(leaf.Raw, expired.Certificate[0]) {
		t.Errorf("the expired certificate is not served: %v", err)
	}
	if expires, failing := s.Worst(); !expires.Equal(leaf.NotAfter) || !failing || s.Holds(name, time.Now()) {
		t.Errorf("%v, %v", expires, failing)
	}
}

// Whoever asks for another name is refused, and never makes the service ask the
// authority or look at a file.
func TestStrangeNames(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, 90*24*time.Hour)
	s := open(t, a, filepath.Join(t.TempDir(), "certs"), nil)
	s.log.find(t, "a new certificate is served", 1)
	asked, before := a.asked.Load(), list(t, s.folder)
	for _, stranger := range []string{"", "127.0.0.1", "::1", "evil.example", "x." + name, "example.cl", "..", "../../vigia.key", name + "/..",
		accountKey, name + "+rsa", name + "+token", strings.Repeat("a", 255) + ".cl", "*." + name, "parques_example.cl", "\x00", "párques.example.cl"} {
		for _, protocols := range [][]string{nil, {"acme-tls/1"}, {"acme-tls/1", "h2"}} {
			hello := ours(stranger)
			hello.SupportedProtos = protocols
			if cert, err := s.answer(hello); cert != nil || err != nil {
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
	old := ours(name) // a client of the last century, without elliptic curves
	old.CipherSuites = []uint16{tls.TLS_RSA_WITH_AES_128_CBC_SHA}
	if cert, _ := s.answer(old); cert != s.domains[0].held.Load() {
		t.Error("another certificate for an old client")
	}
	for _, host := range []string{"evil.example", "127.0.0.1", "", name} {
		r, _ := http.NewRequest("GET", "http://"+a.plain.Addr().String()+challengePath+"..%2f..%2fvigia.key", nil)
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
