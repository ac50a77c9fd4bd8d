package handlers

import (
	"container/list"
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
	mostConnections  = 2048
	apartConnections = 64  // of a listener apart, as that of the metrics
	keptFiles        = 256 // open files left for the data, the provider, mail, push and a listener apart
	clientShare      = 4   // one client may have a quarter of all connections
	closingShare     = 4   // beyond them, a quarter as many are just being closed
	crowdStep        = 128 // of connections, after which it is told how many there are
)

// longRest is the time between two requests after which a page and all that it loads
// has come, so that a connection may be closed at little loss.
const longRest = 5 * time.Second

// publicConnections is how many connections the public may have: fewer where the
// system lets this process open few files.
func publicConnections() int {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return mostConnections
	}
	return connectionsWithin(files.Cur)
}

// connectionsWithin gives the connections for a limit of open files.
func connectionsWithin(files uint64) int {
	files = min(files, 1<<20)
	if files < 2*keptFiles {
		return int(files / 3)
	}
	return int(min(mostConnections, (files-keptFiles)*closingShare/(closingShare+1)))
}

// turnstile bounds how many connections are open, in all and for each client. It
// never refuses one: at a limit whoever comes takes the place of the connection that
// is the least loss. For a client that has its share, that is its own that has not
// moved on for longest. For all of them it is the one that has rested for longest
// between two requests; where none has rested for long, one of the client that has
// most: a client with few keeps them whatever others hold. To only let nobody more
// in, as netutil.LimitListener does, would leave every place to those who never
// finish.
type turnstile struct {
	limit, share int
	trusted      []netip.Prefix // peers who speak for many: each of their connections counts as a client's only one
	clock        clockwork.Clock
	log          *slog.Logger

	mu      sync.Mutex
	inside  map[net.Conn]*visitor
	parties map[uint64]*party // by clientKey; those of trusted peers are not in it
	bySize  []list.List       // of *party with so many connections; who moved last is last
	largest int               // size of the largest party
	rested  list.List         // of *visitor that ever rested; who came to rest last is last
	full    bool              // and it has been said
	crowd   func(n int)       // is told how many there are, in steps; nil is nobody
	told    int               // the last it was

	closing  chan struct{}  // has one for each connection that is being closed
	closings sync.WaitGroup // of the goroutines that do
}

// visitor is an open connection.
type visitor struct {
	conn    net.Conn
	party   *party
	place   *list.Element // among its party's
	rest    *list.Element // among those that ever rested, nil before
	resting bool          // between two requests
	since   time.Time     // when it came to rest
}

// party is the open connections of one client.
type party struct {
	key      uint64
	alone    bool          // not to be found by its key
	visitors list.List     // who moved last is last
	place    *list.Element // among those of its size
}

func newTurnstile(limit int, trusted []netip.Prefix, clock clockwork.Clock, log *slog.Logger) *turnstile {
	limit = max(1, limit)
	share := max(1, limit/clientShare)
	return &turnstile{
		limit: limit, share: share, trusted: trusted, clock: clock, log: log,
		inside: map[net.Conn]*visitor{}, parties: map[uint64]*party{}, bySize: make([]list.List, share+1),
		closing: make(chan struct{}, max(1, limit/closingShare)),
	}
}

// turnstileListener has every connection pass a turnstile. The server that accepts
// from it must tell the turnstile of states, by [turnstile.note].
type turnstileListener struct {
	net.Listener
	turnstile *turnstile
}

func (l turnstileListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.turnstile.admit(c)
	}
	return c, err
}

// admit takes a connection in, and closes another one where it must.
func (t *turnstile) admit(c net.Conn) {
	t.mu.Lock()
	p := t.partyOf(c)
	var out *visitor
	switch {
	case p.visitors.Len() >= t.share:
		out = p.visitors.Front().Value.(*visitor)
	case len(t.inside) >= t.limit:
		out = t.leastLoss()
	}
	justFull := out != nil && len(t.inside) >= t.limit && !t.full
	t.full = t.full || justFull
	if out != nil {
		t.remove(out)
	}
	t.add(c, p)
	t.mu.Unlock()
	if justFull {
		t.log.Warn("as many connections are open as may be: for each new one, one that rests or waits for long is closed", "limit", t.limit)
	}
	if out != nil {
		t.dismiss(out)
	}
}

// dismiss closes a connection from outside the goroutine that serves it. That has to
// let go of it first, which on a busy machine would keep waiting whoever comes next.
func (t *turnstile) dismiss(v *visitor) {
	t.closing <- struct{}{}
	t.closings.Go(func() {
		if tcp, ok := v.conn.(*net.TCPConn); ok && !v.resting {
			_ = tcp.SetLinger(0) // what its client has not read of an answer is not kept for it
		}
		_ = v.conn.Close()
		<-t.closing
	})
}

// wait waits for the end of what was begun, after the last connection was admitted.
func (t *turnstile) wait() { t.closings.Wait() }

// partyOf gives the party of a connection that comes, a new one perhaps.
func (t *turnstile) partyOf(c net.Conn) *party {
	var from netip.Addr
	if at, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		from = at.AddrPort().Addr().Unmap().WithZone("")
	}
	if isTrusted(from, t.trusted) {
		return &party{alone: true}
	}
	key := clientKey(from)
	if p := t.parties[key]; p != nil {
		return p
	}
	return &party{key: key}
}

// leastLoss picks the connection to close when all places are taken.
func (t *turnstile) leastLoss() *visitor {
	for e := t.rested.Front(); e != nil; e = t.rested.Front() {
		v := e.Value.(*visitor)
		if v.resting && t.clock.Since(v.since) >= longRest {
			return v
		}
		if v.resting {
			break // the others for less long
		}
		t.rested.Remove(e) // it moved on
		v.rest = nil
	}
	p := t.bySize[t.largest].Front().Value.(*party)
	return p.visitors.Front().Value.(*visitor)
}

// note hears from the server what becomes of a connection.
func (t *turnstile) note(c net.Conn, state http.ConnState) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := t.inside[bareConn(c)]
	if v == nil {
		return // another one took its place
	}
	switch state {
	case http.StateActive, http.StateIdle:
		t.move(v, state == http.StateIdle)
	case http.StateClosed, http.StateHijacked:
		t.remove(v)
		t.tell()
		t.full = t.full && len(t.inside) > t.limit/2
	}
}

// move has a connection go on to a request, or come to rest after one.
func (t *turnstile) move(v *visitor, toRest bool) {
	if v.resting = toRest; toRest {
		v.since = t.clock.Now()
	}
	switch {
	case toRest && v.rest == nil:
		v.rest = t.rested.PushBack(v)
	case toRest:
		t.rested.MoveToBack(v.rest)
	}
	v.party.visitors.MoveToBack(v.place)
	t.bySize[v.party.visitors.Len()].MoveToBack(v.party.place)
}

// add remembers a connection.
func (t *turnstile) add(c net.Conn, p *party) {
	t.unfile(p)
	v := &visitor{conn: c, party: p}
	v.place = p.visitors.PushBack(v)
	t.file(p)
	t.inside[c] = v
	if !p.alone {
		t.parties[p.key] = p
	}
	t.tell()
}

// tell says how many connections there are where that has changed by a step.
func (t *turnstile) tell() {
	n := len(t.inside)
	if t.crowd == nil || n < t.told+crowdStep && n > t.told-crowdStep {
		return
	}
	t.told = n
	t.crowd(n)
}

// remove forgets a connection.
func (t *turnstile) remove(v *visitor) {
	delete(t.inside, v.conn)
	if v.rest != nil {
		t.rested.Remove(v.rest)
	}
	p := v.party
	t.unfile(p)
	p.visitors.Remove(v.place)
	t.file(p)
	if p.visitors.Len() == 0 && !p.alone {
		delete(t.parties, p.key)
	}
}

// file puts a party among those of its size.
func (t *turnstile) file(p *party) {
	if size := p.visitors.Len(); size > 0 {
		p.place = t.bySize[size].PushBack(p)
		t.largest = max(t.largest, size)
	}
}

// unfile takes a party out from among those of its size, before that changes.
func (t *turnstile) unfile(p *party) {
	if p.place == nil {
		return
	}
	t.bySize[p.visitors.Len()].Remove(p.place)
	p.place = nil
	for t.largest > 0 && t.bySize[t.largest].Len() == 0 {
		t.largest--
	}
}

// bareConn gives the connection that was accepted, of one as the server has it.
func bareConn(c net.Conn) net.Conn {
	switch c := c.(type) {
	case *tls.Conn:
		return c.NetConn()
	case *oneWriteConn:
		return c.TCPConn
	}
	return c
}
