// Package mail turns bulletins into mails and hands them to a relay, one message
// for one person.
//
// A [bulletin.Bulletin] becomes a document, the sentences in the reader's language
// in their order ([vigia/web/wording] has the words); the document becomes a plain
// text and an HTML that say the same; these become a message with its headers, by
// go-mail, which signs it with DKIM when a key is given. The [Sender] passes it to
// the relay over a connection of its pool and says with a [bulletin.Result] what
// came of it. Nothing is kept here: what is not delivered is for the caller to try
// again, and a repetition carries the same Message-ID.
package mail

import (
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	stdmail "net/mail"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"
	gomail "github.com/wneessen/go-mail"
)

// Options are the relay and the way to it.
type Options struct {
	Host string
	Port int // 1 to 65535: 587 with "starttls", 465 with "tls" are usual
	// User and Password are for the relay; User "" is no login.
	User, Password string
	From           string // address, "Name <address>" allowed; the name is Vigía's when it has none
	// TLS is "starttls" (required, never given up), "tls" (from the first byte), or
	// "none", which is for a relay on this machine alone. "" is "starttls".
	TLS string
	// DKIMKey is a private key in PEM, RSA of 2048 bits or more or Ed25519; "" is no
	// signature. Its public half is in DNS at DKIMSelector._domainkey.DKIMDomain.
	DKIMKey, DKIMSelector string
	DKIMDomain            string        // "" is the domain of From
	Connections           int           // at most; 0 is 8
	Timeout               time.Duration // of a message, connecting included; 0 is 60 s
	Clock                 clockwork.Clock
	Log                   *slog.Logger
}

const (
	defaultConnections = 8
	defaultTimeout     = 60 * time.Second
	serviceName        = "Vigía"
)

// Sender sends mails. It is safe for any number of goroutines.
type Sender struct {
	options Options
	from    stdmail.Address
	domain  string // of From: that of HELO, Message-IDs and List-Id
	dkim    *gomail.DKIMSigner
	roots   *x509.CertPool // nil: those of the system
	pool    *pool
}

// New checks the options and makes a sender. It connects to nothing yet.
func New(o Options) (*Sender, error) {
	o = withDefaults(o)
	if err := checkRelay(&o); err != nil {
		return nil, err
	}
	s := &Sender{options: o, pool: newPool(o.Connections, o.Clock)}
	if err := s.setFrom(o.From); err != nil {
		return nil, err
	}
	if o.DKIMKey != "" {
		signer, err := newSigner(&o, s.domain)
		if err != nil {
			return nil, fmt.Errorf("DKIM: %w", err)
		}
		s.dkim = signer
	}
	return s, nil
}

func withDefaults(o Options) Options {
	if o.TLS == "" {
		o.TLS = "starttls"
	}
	if o.Connections <= 0 {
		o.Connections = defaultConnections
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Clock == nil {
		o.Clock = clockwork.NewRealClock()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

func checkRelay(o *Options) error {
	switch {
	case o.Host == "" || hasControl(o.Host):
		return fmt.Errorf("relay %q: not a host", o.Host)
	case o.Port < 1 || o.Port > 65535:
		return fmt.Errorf("port %d of the relay: allowed is 1 to 65535", o.Port)
	case o.TLS != "starttls" && o.TLS != "tls" && o.TLS != "none":
		return fmt.Errorf("TLS mode %q: allowed is starttls, tls, none", o.TLS)
	case o.TLS == "none" && !isLoopback(o.Host):
		return fmt.Errorf("no TLS to %s: only a relay on this machine may go without", o.Host)
	case o.User == "" && o.Password != "":
		return errors.New("a password for the relay without a user")
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// setFrom takes the sender's address, of which everything that names us is made.
func (s *Sender) setFrom(from string) error {
	address, err := stdmail.ParseAddress(from)
	if err != nil {
		return fmt.Errorf("sender %q: %w", from, err)
	}
	_, domain, _ := strings.Cut(address.Address, "@")
	if !isPlain(address.Address) || !isHostName(domain) {
		return fmt.Errorf("sender %q: only plain ASCII addresses name@domain can be used", from)
	}
	if address.Name = oneLine(address.Name); address.Name == "" {
		address.Name = serviceName
	}
	s.from, s.domain = *address, domain
	return nil
}

// isPlain tells whether an address is made of a dot-atom and a domain in ASCII:
// whatever else the grammar allows has been used to smuggle commands.
func isPlain(address string) bool {
	local, domain, found := strings.Cut(address, "@")
	for i := range len(address) {
		if c := address[i]; c <= ' ' || c > '~' {
			return false
		}
	}
	return found && local != "" && domain != "" && !strings.ContainsAny(local, `"(),:;<>@[\]`) && !strings.ContainsAny(domain, `"(),:;<>@[\]`)
}
