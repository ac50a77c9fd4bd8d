// Package mailtest is a mail relay for tests: a real SMTP server on this machine that
// takes mails, or fails on demand ([Mailbox.Fail]), and keeps what it got. Nothing is
// sent on.
package mailtest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"slices"
	"sync"

	"github.com/emersion/go-smtp"
	"github.com/jonboulle/clockwork"
)

// Options are those of a mailbox. The zero value is any free port, no TLS, and no login.
type Options struct {
	Address        string // of this machine; "" is 127.0.0.1 with a free port
	TLS            string // "" none, "starttls", or "tls" from the first byte
	User, Password string // User "" is no login; otherwise AUTH PLAIN is required
	Clock          clockwork.Clock
}

// Mailbox is an SMTP server that keeps what it gets. It is safe for any number of
// goroutines.
type Mailbox struct {
	options  Options
	server   *smtp.Server
	listener net.Listener
	at       *net.TCPAddr
	roots    *x509.CertPool
	served   chan struct{} // closed when the server has stopped

	mu          sync.Mutex
	mails       []Mail // oldest first
	connections int
	faults      []Fault
}

// Listen opens a mailbox, which the caller closes.
func Listen(o Options) (*Mailbox, error) {
	if o.Clock == nil {
		o.Clock = clockwork.NewRealClock()
	}
	if o.Address == "" {
		o.Address = "127.0.0.1:0"
	}
	m := &Mailbox{options: o, served: make(chan struct{})}
	m.server = smtp.NewServer(smtp.BackendFunc(m.session))
	m.server.Domain = "localhost"
	m.server.AllowInsecureAuth = o.TLS != "starttls"
	m.server.ErrorLog = log.New(io.Discard, "", 0)
	listener, err := m.listen()
	if err != nil {
		return nil, fmt.Errorf("opening a mailbox on %s: %w", o.Address, err)
	}
	m.listener, m.at = listener, listener.Addr().(*net.TCPAddr)
	go func() {
		defer close(m.served)
		m.server.Serve(listener) // ends with Close
	}()
	return m, nil
}

// listen opens the port, with the TLS of the options.
func (m *Mailbox) listen() (net.Listener, error) {
	var plain net.Listener
	plain, err := new(net.ListenConfig).Listen(context.Background(), "tcp", m.options.Address)
	if err != nil {
		return nil, err
	}
	return &faultyListener{Listener: m.secure(plain), box: m}, nil
}

// secure returns the port with the TLS of its options, with the certificate of package
// httptest.
func (m *Mailbox) secure(plain net.Listener) net.Listener {
	if m.options.TLS == "" {
		return plain
	}
	web := httptest.NewTLSServer(nil)
	defer web.Close()
	m.roots = x509.NewCertPool()
	m.roots.AddCert(web.Certificate())
	config := &tls.Config{Certificates: web.TLS.Certificates, MinVersion: tls.VersionTLS12}
	if m.options.TLS == "tls" {
		return tls.NewListener(plain, config)
	}
	m.server.TLSConfig = config
	return plain
}

// Host returns the host to connect to.
func (m *Mailbox) Host() string { return m.at.IP.String() }

// Port returns the port to connect to.
func (m *Mailbox) Port() int { return m.at.Port }

// Roots returns the authority of the mailbox's certificate, nil without TLS.
func (m *Mailbox) Roots() *x509.CertPool { return m.roots }

// Mails returns the mails that came, the newest first. Their bytes are shared and must not
// be changed.
func (m *Mailbox) Mails() []Mail {
	m.mu.Lock()
	defer m.mu.Unlock()
	mails := slices.Clone(m.mails)
	slices.Reverse(mails)
	return mails
}

// Received counts the mails that came.
func (m *Mailbox) Received() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.mails)
}

// Connections counts the connections that were ever accepted.
func (m *Mailbox) Connections() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.connections
}

// Close ends all connections. The mails can still be read.
func (m *Mailbox) Close() error {
	m.server.Close()
	// The server does not know the listener before it has begun to serve.
	m.listener.Close()
	<-m.served
	return nil
}

func (m *Mailbox) keep(l Mail) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mails = append(m.mails, l)
}

// faultyListener accepts connections with faults.
type faultyListener struct {
	net.Listener
	box *Mailbox
}

// Accept waits for a connection.
func (l *faultyListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.box.mu.Lock()
	l.box.connections++
	l.box.mu.Unlock()
	return &faultyConn{Conn: conn, box: l.box, closed: make(chan struct{})}, nil
}
