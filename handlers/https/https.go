// Package https gets the certificates with which the service serves its own
// domains by HTTPS, keeps them, and has them renewed.
//
// A certificate passes through it in one direction. The authority issues it to
// autocert, which asks for the first one when [Certificates.Run] says so and for the
// next ones when a third of a life is left → it is written to the folder and held in
// memory → every handshake is answered from memory. A handshake never leads to a
// request to the authority, whatever name it asks for: strangers must not use up
// what the authority allows in a week. At the start what the folder has is held at
// once, expired or not; when the authority is away or refuses, what is held goes on
// being served, and the log says what the authority said.
package https

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"
	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// Options are what New needs. Client and RenewBefore may be left out.
type Options struct {
	Domains   []string // in lower case, internationalised ones in ASCII; at least one
	Authority string   // URL of the directory of an ACME authority (RFC 8555)
	Folder    string   // where what is kept lies, in a folder for each authority
	HTTP01    bool     // Challenges answers at port 80, so that http-01 may be tried after tls-alpn-01
	UserAgent string   // by which the authority knows the program
	Clock     clockwork.Clock
	Log       *slog.Logger
	Client    *http.Client // asks the authority; nil is one that trusts what the machine trusts
	// RenewBefore is how long before its end a certificate is renewed; 0 is a third
	// of its life, 30 days at the most.
	RenewBefore time.Duration
}

// Certificates are those of the service's domains. The methods may be called from
// any goroutine.
type Certificates struct {
	o       Options
	folder  folder
	domains []*domain
	byName  map[string]*domain
	life    context.Context // of the requests to the authority: until Run ends
	end     context.CancelFunc
}

// domain is a name with what is held for it.
type domain struct {
	name  string
	held  atomic.Pointer[tls.Certificate] // the newest one, expired or not; nil before the first
	agent atomic.Pointer[agent]

	mu      sync.Mutex // guards what follows
	failure string     // what went wrong since a certificate last came, "" for nothing
	unsaved []byte     // what is held and could not be written
	warnAt  time.Time  // not before is it said again that renewals fail

	tries   int       // Run's: how many of its tries failed in a row
	nextTry time.Time // Run's
}

// agent is what speaks with the authority for a domain. One that failed to get the
// first certificate is done with: it would answer the same for a minute.
type agent struct {
	manager    *autocert.Manager
	challenges http.Handler // answers http-01
}

// New takes up the certificates that are kept. It asks nobody.
func New(o Options) (*Certificates, error) {
	if len(o.Domains) == 0 {
		return nil, errors.New("certificates: no domain")
	}
	kept, err := openFolder(filepath.Join(o.Folder, folderName(o.Authority)))
	if err != nil {
		return nil, fmt.Errorf("certificates: %w", err)
	}
	if o.Client == nil {
		o.Client = newClient()
	}
	c := &Certificates{o: o, folder: kept, byName: map[string]*domain{}}
	c.life, c.end = context.WithCancel(context.Background())
	c.checkAccountKey()
	for _, name := range o.Domains {
		d := &domain{name: name}
		c.byName[name] = d
		c.domains = append(c.domains, d)
		c.takeUp(d)
		c.employ(d)
	}
	return c, nil
}

// folderName makes the name of a folder of an authority's address, so that what a
// test authority issued is never taken for the real one's.
func folderName(authority string) string {
	_, place, _ := strings.Cut(authority, "://")
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, strings.Trim(place, "/."))
}

// newClient asks an authority, in the way in which the weather provider is asked.
func newClient() *http.Client {
	return &http.Client{
		Timeout: time.Minute,
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
			TLSHandshakeTimeout:   10 * time.Second,
			ResponseHeaderTimeout: 30 * time.Second,
			IdleConnTimeout:       30 * time.Second,
			ForceAttemptHTTP2:     true,
		},
	}
}

// takeUp holds what the folder has for a domain. What cannot be read is put aside,
// since autocert would stumble over it for ever.
func (c *Certificates) takeUp(d *domain) {
	data, err := c.folder.read(d.name)
	if errors.Is(err, autocert.ErrCacheMiss) {
		return
	}
	if err == nil {
		var held *tls.Certificate
		if held, err = parse(d.name, data); err == nil {
			d.held.Store(held)
			c.o.Log.Info("the certificate kept is served", "domain", d.name, "until", held.Leaf.NotAfter.UTC())
			return
		}
	}
	c.o.Log.Warn("the certificate kept cannot be used; it is put aside and another one is asked for",
		"domain", d.name, "error", errors.Join(err, c.folder.putAside(d.name)))
}

// parse reads a key and its chain as autocert writes them, and checks that they
// belong together and to a domain. When they end is not looked at.
func parse(name string, data []byte) (*tls.Certificate, error) {
	pair, err := tls.X509KeyPair(data, data)
	if err != nil {
		return nil, err
	}
	if pair.Leaf == nil {
		if pair.Leaf, err = x509.ParseCertificate(pair.Certificate[0]); err != nil {
			return nil, err
		}
	}
	return &pair, pair.Leaf.VerifyHostname(name)
}

// employ gives a domain a new agent.
func (c *Certificates) employ(d *domain) {
	client := *c.o.Client
	client.Transport = &witness{via: transportOf(client.Transport), life: c.life, note: d.fail}
	m := &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: cache{c, d}, RenewBefore: c.o.RenewBefore,
		Client: &acme.Client{DirectoryURL: c.o.Authority, HTTPClient: &client, UserAgent: c.o.UserAgent},
		HostPolicy: func(_ context.Context, host string) error {
			if c.find(host) != d {
				return fmt.Errorf("%q is not served here", host)
			}
			return nil
		},
	}
	a := &agent{manager: m}
	if c.o.HTTP01 {
		a.challenges = m.HTTPHandler(nil)
	}
	d.agent.Store(a)
}

func transportOf(t http.RoundTripper) http.RoundTripper {
	if t == nil {
		return http.DefaultTransport
	}
	return t
}

// find gives the domain of a name as clients write it, with a port or a dot at the
// end perhaps; nil for any other name and for addresses.
func (c *Certificates) find(host string) *domain {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return c.byName[strings.ToLower(strings.TrimSuffix(host, "."))]
}

// TLS gives the settings of the public listener: TLS 1.2 and later, HTTP/2, and the
// answers to tls-alpn-01.
func (c *Certificates) TLS() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"h2", "http/1.1", acme.ALPNProto},
		GetCertificate: c.answer,
	}
}

// answer gives the certificate for a handshake, from memory alone. Without one the
// client is told that the name is not known here.
func (c *Certificates) answer(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	d := c.find(hello.ServerName)
	if d == nil {
		return nil, nil
	}
	if slices.Equal(hello.SupportedProtos, []string{acme.ALPNProto}) {
		token, err := d.agent.Load().manager.GetCertificate(hello)
		if err != nil {
			return nil, nil // nothing is being proved now
		}
		return token, nil
	}
	return d.held.Load(), nil
}

// challengePath is where an authority asks for proofs by http-01.
const challengePath = "/.well-known/acme-challenge/"

// Challenges answers an authority's questions by http-01, and leaves all else to
// rest.
func (c *Certificates) Challenges(rest http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, challengePath) {
			rest.ServeHTTP(w, r)
			return
		}
		d := c.find(r.Host)
		if d == nil || d.agent.Load().challenges == nil {
			http.NotFound(w, r)
			return
		}
		d.agent.Load().challenges.ServeHTTP(w, r)
	})
}

// State is how it stands with the certificate of a domain.
type State struct {
	Domain  string
	Expires time.Time // zero before the first one
	Failing bool      // there is none, or it ends soon and no other one comes
}

// States tells of every domain, in the order given.
func (c *Certificates) States() []State {
	now := c.o.Clock.Now()
	list := make([]State, len(c.domains))
	for i, d := range c.domains {
		list[i] = State{Domain: d.name, Failing: true}
		if held := d.held.Load(); held != nil {
			list[i].Expires, list[i].Failing = held.Leaf.NotAfter, d.failing(now)
		}
	}
	return list
}

// Worst tells of the certificate that ends first: when, zero when a domain has none
// yet, and whether it is missing, or ends soon and is not renewed.
func (c *Certificates) Worst() (expires time.Time, failing bool) {
	worst := slices.MinFunc(c.States(), func(a, b State) int { return a.Expires.Compare(b.Expires) })
	return worst.Expires, worst.Failing
}

// Holds tells whether a domain has a certificate that is valid at an instant.
func (c *Certificates) Holds(name string, now time.Time) bool {
	d := c.find(name)
	if d == nil || d.held.Load() == nil {
		return false
	}
	leaf := d.held.Load().Leaf
	return !now.Before(leaf.NotBefore) && !now.After(leaf.NotAfter)
}
