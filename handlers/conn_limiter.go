package handlers

import (
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/jonboulle/clockwork"
)

// How many connections may be open at once.
const (
	maxConnections     = 2048
	metricsConnections = 64
	reservedFiles      = 256 // open files left for the data, the provider, mail, push and the metrics
	clientShare        = 4   // one client may have a quarter of all connections
	closingShare       = 4   // beyond them, a quarter as many are just being closed
)

// longIdle is the time between two requests after which a page and all that it loads
// has come, so that a connection may be closed at little loss.
const longIdle = 5 * time.Second

// publicConnections returns how many connections the public may have: fewer where the
// system lets this process open few files.
func publicConnections() int {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return maxConnections
	}
	return connectionsWithin(files.Cur)
}

// connectionsWithin returns the connections for a limit of open files.
func connectionsWithin(files uint64) int {
	files = min(files, 1<<20)
	if files < 2*reservedFiles {
		return int(files / 3)
	}
	return int(min(maxConnections, (files-reservedFiles)*closingShare/(closingShare+1)))
}

// connLimiter bounds how many connections are open, in all and for each client. It
// never refuses one: at a limit a new connection replaces the one whose loss costs
// least (see [connLimiter.leastLoss]). A limiter that lets nobody more in, as
// netutil.LimitListener, leaves every place to those who never finish.
type connLimiter struct {
	limit, share int
	trusted      []netip.Prefix // proxies: each of their connections counts as a client's only one
	clock        clockwork.Clock
	log          *slog.Logger

	mu      sync.Mutex
	conns   map[net.Conn]*openConn
	clients map[netip.Prefix]*connClient // without proxies
	changes uint64                       // counts changes of state, to order connections by their last one
	full    bool                         // and the log has it

	closing  chan struct{} // bounds the connections that are being closed
	closings sync.WaitGroup
}

// openConn is an open connection.
type openConn struct {
	net.Conn
	client  *connClient
	changed uint64    // number of its last change of state
	idle    bool      // between two requests
	since   time.Time // when it became idle
}

// connClient is a client with open connections.
type connClient struct {
	key   netip.Prefix // see networkOf
	open  int
	proxy bool
}

func newConnLimiter(limit int, trusted []netip.Prefix, clock clockwork.Clock, log *slog.Logger) *connLimiter {
	limit = max(1, limit)
	return &connLimiter{
		limit: limit, share: max(1, limit/clientShare), trusted: trusted, clock: clock, log: log,
		conns: map[net.Conn]*openConn{}, clients: map[netip.Prefix]*connClient{},
		closing: make(chan struct{}, max(1, limit/closingShare)),
	}
}

// limitedListener applies a connLimiter to what it accepts. The server that accepts
// from it must have [connLimiter.stateChanged] as its ConnState.
type limitedListener struct {
	net.Listener
	limiter *connLimiter
}

func (l limitedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.limiter.add(c)
	}
	return c, err
}

// add counts a new connection, and closes another one at a limit.
func (l *connLimiter) add(c net.Conn) {
	l.mu.Lock()
	client := l.clientOf(c)
	var out *openConn
	switch {
	case client.open >= l.share:
		out = l.leastLoss(client)
	case len(l.conns) >= l.limit:
		out = l.leastLoss(nil)
	}
	becameFull := out != nil && len(l.conns) >= l.limit && !l.full
	l.full = l.full || becameFull
	if out != nil {
		l.remove(out)
	}
	client.open++
	if !client.proxy {
		l.clients[client.key] = client
	}
	l.changes++
	l.conns[c] = &openConn{Conn: c, client: client, changed: l.changes}
	l.mu.Unlock()
	if becameFull {
		l.log.Warn("the limit of open connections is reached: each new one replaces one that is idle or slow", "limit", l.limit)
	}
	if out != nil {
		l.close(out)
	}
}

// clientOf returns the client of a new connection.
func (l *connLimiter) clientOf(c net.Conn) *connClient {
	var from netip.Addr
	if at, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		from = at.AddrPort().Addr().Unmap().WithZone("")
	}
	if isTrusted(from, l.trusted) {
		return &connClient{proxy: true}
	}
	key := networkOf(from)
	if client := l.clients[key]; client != nil {
		return client
	}
	return &connClient{key: key}
}

// leastLoss returns the connection to close, of one client or, with nil, of all: the
// one that has been idle for longest, if for [longIdle] or more; else, of the client
// with the most connections, the one whose state has not changed for longest.
func (l *connLimiter) leastLoss(of *connClient) (out *openConn) {
	idleBefore := l.clock.Now().Add(-longIdle)
	for _, c := range l.conns {
		if (of == nil || c.client == of) && (out == nil || c.costsLessThan(out, idleBefore)) {
			out = c
		}
	}
	return out
}

// costsLessThan reports whether closing c costs less than closing another connection.
func (c *openConn) costsLessThan(other *openConn, idleBefore time.Time) bool {
	rests, otherRests := c.idle && !c.since.After(idleBefore), other.idle && !other.since.After(idleBefore)
	switch {
	case rests != otherRests:
		return rests
	case !rests && c.client.open != other.client.open:
		return c.client.open > other.client.open
	}
	return c.changed < other.changed
}

// close closes a connection in a goroutine: Close waits until the goroutine that
// serves the connection lets go of it, and the next one to come must not wait for that.
func (l *connLimiter) close(c *openConn) {
	l.closing <- struct{}{}
	l.closings.Go(func() {
		if tcp, ok := c.Conn.(*net.TCPConn); ok && !c.idle {
			_ = tcp.SetLinger(0) // the unread rest of an answer is not kept for its client
		}
		_ = c.Close()
		<-l.closing
	})
}

// wait waits until all closings have ended. No connection may be added any more.
func (l *connLimiter) wait() { l.closings.Wait() }

// stateChanged notes the state of a connection; it is the server's ConnState.
func (l *connLimiter) stateChanged(conn net.Conn, state http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.conns[acceptedConn(conn)]
	if c == nil {
		return // another one has replaced it
	}
	switch state {
	case http.StateActive, http.StateIdle:
		l.changes++
		c.changed, c.idle, c.since = l.changes, state == http.StateIdle, l.clock.Now()
	case http.StateClosed, http.StateHijacked:
		l.remove(c)
		l.full = l.full && len(l.conns) > l.limit/2
	}
}

func (l *connLimiter) remove(c *openConn) {
	delete(l.conns, c.Conn)
	if c.client.open--; c.client.open == 0 && !c.client.proxy {
		delete(l.clients, c.client.key)
	}
}

// acceptedConn returns the connection that was accepted, of one as the server has it.
func acceptedConn(c net.Conn) net.Conn {
	switch c := c.(type) {
	case *tls.Conn:
		return c.NetConn()
	case *oneWriteConn:
		return c.TCPConn
	}
	return c
}
