package https

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/miekg/dns"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	for name, value := range map[string]string{
		"PEBBLE_VA_NOSLEEP":      "1",
		"PEBBLE_AUTHZREUSE":      "0",  // each certificate is proved for anew
		"PEBBLE_WFE_NONCEREJECT": "10", // percent of requests that must be made again
	} {
		os.Setenv(name, value)
	}
	// Pebble's validation never ends: it has no way to be told.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/letsencrypt/pebble/v2/va.VAImpl.processTasks"),
		goleak.IgnoreAnyFunction("github.com/letsencrypt/pebble/v2/va.(*VAImpl).processTasks"),
		// certmagic's bound of requests to an authority is the process's, and what keeps a
		// lock fresh looks every five seconds whether it is still held.
		goleak.IgnoreAnyFunction("github.com/caddyserver/certmagic.(*RingBufferRateLimiter).loop"),
		goleak.IgnoreAnyFunction("github.com/caddyserver/certmagic.keepLockfileFresh"))
}

// authority is a real ACME server, Pebble, on loopback ports: it proves that a name
// is ours as the public ones do, and issues for as long as it is told.
type authority struct {
	directory string
	trusted   *x509.CertPool // of its own certificate
	roots     *x509.CertPool // of what it issues
	asked     atomic.Int64   // requests that came to it
	orders    atomic.Int64   // of them, for a certificate
	accounts  atomic.Int64   // accounts that it made
	away      atomic.Bool    // it closes every connection
	secure    net.Listener   // where it validates by tls-alpn-01
	plain     net.Listener   // and by http-01
}

// newAuthority starts one that issues certificates valid for some seconds.
func newAuthority(t *testing.T, validity time.Duration) *authority {
	t.Helper()
	a := &authority{secure: loopback(t), plain: loopback(t)}
	quiet := log.New(io.Discard, "", 0)
	store := db.NewMemoryStore()
	issuer := ca.New(quiet, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {ValidityPeriod: uint64(validity / time.Second)}})
	prover := va.New(quiet, port(a.plain), port(a.secure), true, nameServer(t), store)
	front := wfe.New(quiet, store, prover, issuer, []string{"pebble.example"}, true, false, 1, 1)
	pebble := front.Handler()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.asked.Add(1)
		if a.away.Load() {
			panic(http.ErrAbortHandler)
		}
		if strings.HasPrefix(r.URL.Path, "/sign-me-up") {
			w = &creations{w, &a.accounts}
		}
		if strings.HasPrefix(r.URL.Path, "/order-plz") {
			a.orders.Add(1)
		}
		pebble.ServeHTTP(w, r)
	}))
	server.Config.ErrorLog = quiet
	server.TLS = &tls.Config{Certificates: []tls.Certificate{selfSigned(t, "127.0.0.1")}}
	server.StartTLS()
	t.Cleanup(server.Close)
	a.directory = server.URL + wfe.DirectoryPath
	trusted := x509.NewCertPool()
	trusted.AddCert(server.Certificate())
	a.trusted = trusted
	a.roots = x509.NewCertPool()
	root, err := x509.ParseCertificate(issuer.GetRootCert(0).DER)
	if err != nil {
		t.Fatal(err)
	}
	a.roots.AddCert(root)
	return a
}

// creations counts the answers that something was made: one request in twenty is refused
// for its nonce, as real authorities do, and put again.
type creations struct {
	http.ResponseWriter
	made *atomic.Int64
}

func (c *creations) WriteHeader(status int) {
	if status == http.StatusCreated {
		c.made.Add(1)
	}
	c.ResponseWriter.WriteHeader(status)
}

func loopback(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func port(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

// nameServer is a DNS server in which every name leads to this machine.
func nameServer(t *testing.T) string {
	t.Helper()
	l := loopback(t)
	server := &dns.Server{Listener: l, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, asked *dns.Msg) {
		answer := new(dns.Msg).SetReply(asked)
		if q := asked.Question[0]; q.Qtype == dns.TypeA {
			answer.Answer = []dns.RR{&dns.A{Hdr: dns.RR_Header{Name: q.Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 1}, A: net.IPv4(127, 0, 0, 1)}}
		}
		w.WriteMsg(answer)
	})}
	ended := make(chan error, 1)
	go func() { ended <- server.ActivateAndServe() }()
	t.Cleanup(func() {
		l.Close()
		<-ended
	})
	return l.Addr().String()
}

// selfSigned makes a certificate for an address of this machine or for a name.
func selfSigned(t *testing.T, name string) tls.Certificate {
	t.Helper()
	return signedUntil(t, name, time.Now().Add(time.Hour))
}

func signedUntil(t *testing.T, name string, end time.Time) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: end.Add(-90 * 24 * time.Hour), NotAfter: end,
		BasicConstraintsValid: true, IsCA: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	if ip := net.ParseIP(name); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
