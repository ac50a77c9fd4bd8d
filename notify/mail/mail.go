// Package mail writes messages as mails and hands them to a relay, one for one person.
//
// A [message.Message] becomes a document, the sentences in the reader's language
// in their order ([vigia/web/wording] has the words); templates render it as plain
// text and as HTML that say the same; these become a [Mail] with its headers, which
// go-mail encodes, signs with DKIM when a key is given, and sends over a connection
// that the [Sender] keeps for the next. The relay's answer becomes a [message.Result]. Nothing is kept
// here: the caller tries again what was not delivered, and a repetition carries the same
// Message-ID.
package mail

import (
	"cmp"
	"crypto/x509"
	"fmt"
	"log/slog"
	netmail "net/mail"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"
	gomail "github.com/wneessen/go-mail"
)

// Options are the relay and the way to it, as the settings have checked them.
type Options struct {
	Host string
	Port int // 587 with "starttls", 465 with "tls" are usual
	// User and Password are for the relay; User "" is no login.
	User, Password string
	From           string // plain address
	// TLS is "starttls" (required, never given up), "tls" (from the first byte), or
	// "none", which is for a relay on this machine alone. "" is "starttls".
	TLS string
	// DKIMKey is a private key in PEM, RSA of 2048 bits or more or Ed25519; "" is no
	// signature. Its public half is in DNS at DKIMSelector._domainkey and the domain of
	// From.
	DKIMKey, DKIMSelector string
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
	from    netmail.Address
	domain  string // of From: that of HELO, Message-IDs and List-Id
	dkim    *gomail.DKIMSigner
	roots   *x509.CertPool // nil: those of the system

	places chan struct{}    // one for each connection in use
	idle   chan *connection // wait for a message
	closed atomic.Bool
}

// New returns a sender. It connects to nothing yet. A sender's address that is not plain
// and a key that cannot sign are errors.
func New(o Options) (*Sender, error) {
	o.TLS = cmp.Or(o.TLS, "starttls")
	o.Connections = cmp.Or(o.Connections, defaultConnections)
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	if o.Clock == nil {
		o.Clock = clockwork.NewRealClock()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if !isPlain(o.From) {
		return nil, fmt.Errorf("sender %q: only plain ASCII addresses name@domain can be used", o.From)
	}
	s := &Sender{
		options: o, from: netmail.Address{Name: serviceName, Address: o.From},
		places: make(chan struct{}, o.Connections), idle: make(chan *connection, o.Connections),
	}
	_, s.domain, _ = strings.Cut(o.From, "@")
	if o.DKIMKey != "" {
		signer, err := newSigner(&o, s.domain)
		if err != nil {
			return nil, fmt.Errorf("DKIM: %w", err)
		}
		s.dkim = signer
	}
	return s, nil
}

// isPlain reports whether an address is made of a dot-atom and a domain in ASCII:
// all else that the grammar allows has been used to smuggle commands.
func isPlain(address string) bool {
	local, domain, found := strings.Cut(address, "@")
	for i := range len(address) {
		if c := address[i]; c <= ' ' || c > '~' {
			return false
		}
	}
	return found && local != "" && domain != "" && !strings.ContainsAny(local, `"(),:;<>@[\]`) && !strings.ContainsAny(domain, `"(),:;<>@[\]`)
}
