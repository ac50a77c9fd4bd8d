package simulate

import (
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/jonboulle/clockwork"
)

// Bounds of a mailbox, so that whatever is sent to it stays small.
const (
	defaultKeep     = 100
	maxLetter       = 256 << 10 // bytes
	maxConnections  = 64
	mailIdleTimeout = 5 * time.Minute
)

// MailboxOptions say how a mailbox listens. The zero value is that of the demo:
// any free port, no TLS, nobody has to log in.
type MailboxOptions struct {
	Address        string // of this machine; "" is 127.0.0.1 with a free port
	Keep           int    // letters, the newest; 0 is 100
	TLS            string // "" none, "starttls", or "tls" from the first byte
	User, Password string // User "" is no login; otherwise AUTH PLAIN is required
	Clock          clockwork.Clock
}

// Mailbox is an SMTP server that keeps what it gets. It is safe for any number of
// goroutines.
type Mailbox struct {
	options  MailboxOptions
	server   *smtp.Server
	listener net.Listener
	at       *net.TCPAddr
	roots    *x509.CertPool
	served   chan struct{} // closed when the server has stopped

	mu          sync.Mutex
	letters     []Letter // oldest first
	received    int
	connections int
	faults      []MailFault
}

// ListenMail opens a mailbox. Whoever opens it closes it.
func ListenMail(o MailboxOptions) (*Mailbox, error) {
	if o.Keep <= 0 {
		o.Keep = defaultKeep
	}
	if o.Clock == nil {
		o.Clock = clockwork.NewRealClock()
	}
	if o.Address == "" {
		o.Address = "127.0.0.1:0"
	}
	m := &Mailbox{options: o, served: make(chan struct{})}
	m.server = smtp.NewServer(smtp.BackendFunc(m.session))
	m.server.Domain = "localhost"
	m.server.MaxMessageBytes = maxLetter
	m.server.MaxRecipients = 10
	m.server.ReadTimeout, m.server.WriteTimeout = mailIdleTimeout, mailIdleTimeout
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

// listen opens the port, with TLS as the options say.
func (m *Mailbox) listen() (net.Listener, error) {
	var plain net.Listener
	plain, err := new(net.ListenConfig).Listen(context.Background(), "tcp", m.options.Address)
	if err != nil {
		return nil, err
	}
	if !plain.Addr().(*net.TCPAddr).IP.IsLoopback() {
		plain.Close()
		return nil, fmt.Errorf("%s is not an address of this machine alone", m.options.Address)
	}
	listener, err := m.secure(plain)
	if err != nil {
		plain.Close()
		return nil, err
	}
	return &mailListener{Listener: listener, box: m, places: make(chan struct{}, maxConnections), closed: make(chan struct{})}, nil
}

// Host gives the host to connect to.
func (m *Mailbox) Host() string { return m.at.IP.String() }

// Port gives the port to connect to.
func (m *Mailbox) Port() int { return m.at.Port }

// Roots gives the authority that vouches for the mailbox's certificate, nil
// without TLS.
func (m *Mailbox) Roots() *x509.CertPool { return m.roots }

// Letters gives the letters that are kept, the newest first. Their bytes are
// shared: nobody may change them.
func (m *Mailbox) Letters() []Letter {
	m.mu.Lock()
	defer m.mu.Unlock()
	letters := slices.Clone(m.letters)
	slices.Reverse(letters)
	return letters
}

// Received counts the letters that ever came, those no longer kept included.
func (m *Mailbox) Received() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.received
}

// Connections counts the connections that were ever accepted.
func (m *Mailbox) Connections() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.connections
}

// Close ends all connections. The letters can still be read.
func (m *Mailbox) Close() error {
	m.server.Close()
	// The server does not know the listener before it has begun to serve.
	m.listener.Close()
	<-m.served
	return nil
}

func (m *Mailbox) keep(l Letter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.received++
	if len(m.letters) == m.options.Keep {
		m.letters = slices.Delete(m.letters, 0, 1)
	}
	m.letters = append(m.letters, l)
}

// mailListener hands out connections that faults can befall, a bounded number at
// a time.
type mailListener struct {
	net.Listener
	box    *Mailbox
	places chan struct{}
	closed chan struct{}
	once   sync.Once
}

// Accept waits for a connection, and before that for a place to have it.
func (l *mailListener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	l.box.mu.Lock()
	l.box.connections++
	l.box.mu.Unlock()
	return &mailConn{Conn: conn, box: l.box, closed: make(chan struct{}), leave: func() { <-l.places }}, nil
}

// Close stops listening.
func (l *mailListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}
