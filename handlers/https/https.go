// Package https manages the certificates with which the service serves its own
// domains by HTTPS.
//
// certmagic does the work: it gets certificates from an ACME authority, renews them
// when a third of their life is left, keeps them in a folder, and retries what fails
// less and less often. This package chooses its settings, answers handshakes for the
// service's own domains alone, from memory, so that strangers cannot use up what an
// authority allows, and reports the state of each certificate. One that has expired
// is served until another one comes.
package https

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/certmagic"
	"github.com/jonboulle/clockwork"
	"github.com/mholt/acmez/v3/acme"
	"go.uber.org/zap"
)

// acmeProtocol is the protocol of a tls-alpn-01 challenge (RFC 8737).
const acmeProtocol = "acme-tls/1"

// accountName is certmagic's name for the folder of an account without an e-mail
// address. Left to look for an account by itself, certmagic takes the one that another
// domain is opening at that moment for one of this address, which an authority refuses.
const accountName = "default"

// soon is how near its end a certificate must be for failed renewals to matter.
const soon = 20 * 24 * time.Hour

// setUserAgent sets what is one for all of certmagic.
var setUserAgent sync.Once

// Options are what New needs. HTTP, Roots, Renew and LookEvery may be left out.
type Options struct {
	Domains   []string       // in lower case, internationalised ones in ASCII; at least one
	Authority string         // URL of the directory of an ACME authority (RFC 8555)
	Folder    string         // where account and certificates are kept
	HTTPS     net.Addr       // where the service answers by HTTPS
	HTTP      net.Addr       // where it answers http-01 challenges; nil is nowhere
	UserAgent string         // by which the authority knows the program
	Roots     *x509.CertPool // of the authority's own certificate; nil is the machine's
	Renew     float64        // the part of its life that is left when a certificate is renewed; 0 is a third
	LookEvery time.Duration  // how often what is due for renewal is looked for; 0 is certmagic's 10 minutes
	Clock     clockwork.Clock
	Log       *slog.Logger
}

// Certificates are those of the service's domains. The methods may be called from
// any goroutine.
type Certificates struct {
	o      Options
	cache  *certmagic.Cache
	magic  *certmagic.Config
	issuer *certmagic.ACMEIssuer

	failed sync.Map // by domain, whether asking failed since a certificate last came
}

// New returns certificates that are not managed yet. It asks nobody.
func New(o Options) *Certificates {
	setUserAgent.Do(func() { certmagic.UserAgent = o.UserAgent })
	c := &Certificates{o: o}
	quiet := zap.NewNop() // event reports what matters
	c.cache = certmagic.NewCache(certmagic.CacheOptions{
		GetConfigForCert:   func(certmagic.Certificate) (*certmagic.Config, error) { return c.magic, nil },
		RenewCheckInterval: o.LookEvery, Logger: quiet,
	})
	c.magic = certmagic.New(c.cache, certmagic.Config{
		Storage: &certmagic.FileStorage{Path: o.Folder}, OnEvent: c.event, RenewalWindowRatio: o.Renew,
		OCSP: certmagic.OCSPConfig{DisableStapling: true}, Logger: quiet, // nobody but the authority is asked
	})
	settings := certmagic.ACMEIssuer{
		CA: o.Authority, Agreed: true, Email: accountName, NewAccountFunc: withoutContact,
		TrustedRoots: o.Roots, DisableHTTPChallenge: o.HTTP == nil, Logger: quiet,
	}
	settings.ListenHost, settings.AltTLSALPNPort = hostPort(o.HTTPS)
	_, settings.AltHTTPPort = hostPort(o.HTTP)
	c.issuer = certmagic.NewACMEIssuer(c.magic, settings)
	c.magic.Issuers = []certmagic.Issuer{c.issuer}
	return c
}

// withoutContact leaves the account's name out of what the authority is sent.
func withoutContact(_ context.Context, _ *certmagic.ACMEIssuer, account acme.Account) (acme.Account, error) {
	account.Contact = nil
	return account, nil
}

// hostPort returns host and port of an address; nil has neither.
func hostPort(at net.Addr) (host string, port int) {
	if tcp, ok := at.(*net.TCPAddr); ok && tcp != nil {
		return tcp.IP.String(), tcp.Port
	}
	return "", 0
}

// Manage loads the certificates that are kept, and gets and renews certificates until
// ctx ends. It does not wait for the authority. A kept certificate that cannot be used
// is deleted, and another one asked for. A domain of which that is impossible has none,
// and its state says so; the service goes on.
func (c *Certificates) Manage(ctx context.Context) {
	context.AfterFunc(ctx, c.cache.Stop)
	for _, name := range c.o.Domains {
		_, err := c.magic.CacheManagedCertificate(ctx, name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			c.o.Log.Warn("the certificate kept cannot be used; it is deleted and another one is asked for", "domain", name, "error", err)
			_ = c.magic.Storage.Delete(ctx, certmagic.StorageKeys.CertsSitePrefix(c.issuer.IssuerKey(), name)) // else the next step fails
		}
	}
	go func() { _ = c.cache.RenewManagedCertificates(ctx) }() // and again by itself, every LookEvery
	for _, name := range c.o.Domains {
		if err := c.magic.ManageAsync(ctx, []string{name}); err != nil {
			c.failed.Store(name, true)
			c.o.Log.Error("the certificate kept can neither be used nor deleted; look at the folder of certificates and start again", "domain", name, "error", err)
		}
	}
}

// event notes and logs what becomes of certificates.
func (c *Certificates) event(ctx context.Context, event string, data map[string]any) error {
	if ctx.Err() != nil {
		return nil // the service ends
	}
	name, _ := data["identifier"].(string)
	switch event {
	case "cached_managed_cert":
		for _, name := range c.o.Domains {
			if leaf := c.newest(name); leaf != nil && slices.Contains(data["sans"].([]string), name) {
				c.o.Log.Info("the certificate is served", "domain", name, "until", leaf.NotAfter.UTC(), "issuer", leaf.Issuer.String())
			}
		}
	case "cert_obtained":
		c.failed.Store(name, false)
		c.o.Log.Info("a new certificate came", "domain", name)
	case "cert_failed":
		err, _ := data["error"].(error)
		c.failed.Store(name, true)
		about := []any{"domain", name, "error", err}
		if leaf := c.newest(name); leaf != nil {
			about = append(about, "serving_until", leaf.NotAfter.UTC())
		}
		c.o.Log.Warn("no certificate from the authority; the name must lead to this machine, with ports 443 and 80 open to everybody", about...)
	}
	return nil
}

// newest returns the certificate of a domain that ends last, nil for none.
func (c *Certificates) newest(name string) (leaf *x509.Certificate) {
	for _, held := range c.cache.AllMatchingCertificates(name) {
		if leaf == nil || held.Leaf.NotAfter.After(leaf.NotAfter) {
			leaf = held.Leaf
		}
	}
	return leaf
}

// serves reports whether a name, as a client writes it, is one of the service's.
func (c *Certificates) serves(name string) bool {
	return slices.Contains(c.o.Domains, strings.ToLower(strings.TrimSuffix(name, ".")))
}

// TLS returns the settings of the public listener: TLS 1.2 and later, HTTP/2, and the
// answers to tls-alpn-01. Without a certificate a client is told that its name is not
// known here.
func (c *Certificates) TLS() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1", acmeProtocol},
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if !c.serves(hello.ServerName) {
				return nil, nil
			}
			found, err := c.magic.GetCertificate(hello)
			if err != nil {
				return nil, nil // none, or a challenge that was not asked for
			}
			return found, nil
		},
	}
}

// Challenges answers an authority's http-01 challenges, and leaves all else to next.
func (c *Certificates) Challenges(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if !c.serves(host) || !c.issuer.HandleHTTPChallenge(w, r) {
			next.ServeHTTP(w, r)
		}
	})
}

// State is the state of a domain's certificate.
type State struct {
	Domain  string
	Expires time.Time // zero before the first one
	Failing bool      // there is none, or it ends soon and is not renewed
}

// States returns the state of every domain, in the order given.
func (c *Certificates) States() []State {
	now := c.o.Clock.Now()
	list := make([]State, len(c.o.Domains))
	for i, name := range c.o.Domains {
		list[i] = State{Domain: name, Failing: true}
		failed, _ := c.failed.Load(name)
		if leaf := c.newest(name); leaf != nil {
			list[i].Expires, list[i].Failing = leaf.NotAfter, isFailing(leaf, failed == true, now)
		}
	}
	return list
}

// isFailing reports whether a certificate ends soon and its renewal, due in the last
// third of its life, fails or should have come long ago.
func isFailing(leaf *x509.Certificate, failed bool, now time.Time) bool {
	left := leaf.NotAfter.Sub(now)
	due := leaf.NotAfter.Sub(leaf.NotBefore) / 3
	return left < soon && (left < due && failed || left < due*2/3)
}

// Worst returns when the certificate that ends first does, zero when a domain has none
// yet, and whether it is missing, or ends soon and is not renewed.
func (c *Certificates) Worst() (expires time.Time, failing bool) {
	worst := slices.MinFunc(c.States(), func(a, b State) int { return a.Expires.Compare(b.Expires) })
	return worst.Expires, worst.Failing
}

// Holds reports whether a domain has a certificate that is valid at an instant.
func (c *Certificates) Holds(name string, now time.Time) bool {
	if !c.serves(name) {
		return false
	}
	leaf := c.newest(name)
	return leaf != nil && !now.Before(leaf.NotBefore) && !now.After(leaf.NotAfter)
}
