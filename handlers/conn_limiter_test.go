package handlers

import (
	"bytes"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
)

// fakeConn is a connection that has an address, and notes whether it was closed.
type fakeConn struct {
	net.Conn
	from   string
	closed bool
}

func (c *fakeConn) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(c.from), 1234))
}

func (c *fakeConn) Close() error {
	c.closed = true
	return nil
}

// limiterTest is a limiter with the connections that came, by name.
type limiterTest struct {
	*connLimiter
	turns *clockwork.FakeClock
	said  bytes.Buffer
	came  map[string]*fakeConn
}

func newLimiterTest(limit int, trusted ...netip.Prefix) *limiterTest {
	g := &limiterTest{came: map[string]*fakeConn{}, turns: clockwork.NewFakeClockAt(now)}
	g.connLimiter = newConnLimiter(limit, trusted, g.turns, slog.New(slog.NewTextHandler(&g.said, nil)))
	return g
}

func (g *limiterTest) come(name, from string) {
	g.came[name] = &fakeConn{from: from}
	g.add(g.came[name])
}

// expectClosed checks who was closed, and that the server's word of it changes nothing.
func (g *limiterTest) expectClosed(t *testing.T, names ...string) {
	t.Helper()
	g.wait()
	for name, c := range g.came {
		if want := strings.Contains(" "+strings.Join(names, " ")+" ", " "+name+" "); c.closed != want {
			t.Errorf("%s from %s: closed is %v", name, c.from, c.closed)
		}
		if c.closed {
			g.stateChanged(c, http.StateClosed)
		}
	}
}

func TestOneThatRestsMakesRoomFirst(t *testing.T) {
	g := newLimiterTest(4)
	g.come("a", "192.0.2.1")
	g.come("b", "192.0.2.2")
	g.come("c", "192.0.2.3")
	g.come("d", "192.0.2.4")
	for _, name := range []string{"b", "c", "d"} {
		g.stateChanged(g.came[name], http.StateActive)
		g.stateChanged(g.came[name], http.StateIdle)
	}
	g.turns.Advance(longIdle)
	g.stateChanged(g.came["b"], http.StateActive) // asks again
	g.come("e", "192.0.2.5")
	g.expectClosed(t, "c")
	g.stateChanged(g.came["b"], http.StateIdle) // rests for less long than d
	g.come("f", "192.0.2.6")
	g.expectClosed(t, "c", "d")
	g.come("g", "192.0.2.7") // none rests for long: who waits for longest
	g.expectClosed(t, "c", "d", "a")
	g.turns.Advance(longIdle)
	g.come("h", "192.0.2.8")
	g.expectClosed(t, "c", "d", "a", "b")
}

// Whoever holds most makes room for others, whatever they do with it.
func TestWhoHasMostMakesRoom(t *testing.T) {
	g := newLimiterTest(16)
	g.come("early", "192.0.2.1") // before all others, and silent
	for _, name := range []string{"a", "b", "c"} {
		for i := range 4 {
			g.come(name+string(rune('0'+i)), "2001:db8:0:"+name+"::"+string(rune('1'+i)))
			g.stateChanged(g.came[name+string(rune('0'+i))], http.StateActive)
		}
	}
	for i, from := range []string{"198.51.100.1", "198.51.100.2", "198.51.100.3"} {
		g.come("n"+string(rune('0'+i)), from)
	}
	g.expectClosed(t)
	g.come("new", "203.0.113.1")
	g.expectClosed(t, "a0") // that which moved first of those who have four
	g.come("newer", "203.0.113.2")
	g.expectClosed(t, "a0", "b0")
}

// A client that has its share gets no more; what it began last is what it keeps.
func TestAShareForEachClient(t *testing.T) {
	g := newLimiterTest(16)
	for _, c := range []struct{ name, from string }{
		{"a", "2001:db8::1"}, {"b", "2001:db8::2"}, {"c", "2001:db8::ffff:3"}, {"d", "2001:db8:0:0:4::"}, {"other", "2001:db8:0:1::1"},
	} {
		g.come(c.name, c.from)
	}
	g.stateChanged(g.came["a"], http.StateActive)
	g.come("e", "2001:db8::5")
	g.expectClosed(t, "b")
	g.come("f", "2001:db8::6")
	g.expectClosed(t, "b", "c")
	if strings.Contains(g.said.String(), "WARN") {
		t.Errorf("one client is no news: %s", &g.said)
	}
}

// A proxy speaks for many: it may have all, and what it has counts as of many.
func TestTrustedPeersHaveNoShare(t *testing.T) {
	g := newLimiterTest(8, netip.MustParsePrefix("127.0.0.0/8"))
	for i := range 6 {
		g.come("p"+string(rune('0'+i)), "::ffff:127.0.0.1")
	}
	g.come("a", "192.0.2.1")
	g.come("b", "192.0.2.1")
	g.expectClosed(t)
	g.come("p6", "127.0.0.1")
	g.expectClosed(t, "a")
}

func TestAFullHouseIsSaidOnce(t *testing.T) {
	g := newLimiterTest(4)
	for round := range 2 {
		for i := range 20 {
			g.come(string(rune('a'+i)), "192.0.2."+string(rune('1'+i%9)))
		}
		if n := strings.Count(g.said.String(), "the limit of open connections is reached"); n != round+1 {
			t.Errorf("said %d times in round %d", n, round+1)
		}
		for i := range 20 {
			g.stateChanged(g.came[string(rune('a'+i))], http.StateClosed)
		}
	}
	if len(g.conns)+len(g.clients) > 0 {
		t.Errorf("after all have gone: %d connections, %d clients", len(g.conns), len(g.clients))
	}
}

// Whatever comes in whatever order: the limits hold, and nobody goes for another
// who has more, unless he rests.
func TestConnLimiterAtRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	clock := clockwork.NewFakeClockAt(now)
	g := newConnLimiter(24, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, clock, slog.New(slog.DiscardHandler))
	var open []*fakeConn
	clients := []string{"192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", "10.0.0.1", "198.51.100.1", "198.51.100.2", "198.51.100.3"}
	for range 20_000 {
		clock.Advance(time.Duration(random.IntN(1000)) * time.Millisecond)
		if random.IntN(3) > 0 && len(open) > 0 {
			i := random.IntN(len(open))
			state := []http.ConnState{http.StateNew, http.StateActive, http.StateIdle, http.StateClosed}[random.IntN(4)]
			if g.stateChanged(open[i], state); state == http.StateClosed {
				open = append(open[:i], open[i+1:]...)
			}
			continue
		}
		k := &fakeConn{from: clients[random.IntN(len(clients))]}
		before := map[net.Conn]openConn{}
		sizes := map[*connClient]int{}
		for c, v := range g.conns {
			before[c] = *v
			sizes[v.client] = v.client.open
		}
		g.add(k)
		g.wait()
		open = append(open, k)
		for i, c := range open {
			if !c.closed {
				continue
			}
			checkLoss(t, before, sizes, before[c], g.conns[k].client, clock.Now().Add(-longIdle))
			open = append(open[:i], open[i+1:]...)
			break
		}
		if len(g.conns) != len(open) || len(open) > g.limit {
			t.Fatalf("%d inside, %d open", len(g.conns), len(open))
		}
		for _, v := range g.conns {
			if v.client.open > g.share {
				t.Fatalf("a client has %d", v.client.open)
			}
		}
	}
}

func checkLoss(t *testing.T, before map[net.Conn]openConn, sizes map[*connClient]int, lost openConn, comer *connClient, restBefore time.Time) {
	t.Helper()
	if lost.client == comer {
		return // its own share
	}
	rests := func(v openConn) bool { return v.idle && !v.since.After(restBefore) }
	for _, v := range before {
		if !rests(lost) && (rests(v) || sizes[v.client] > sizes[lost.client]) {
			t.Fatalf("one of %d went, where one rested (%v) or one of %d was", sizes[lost.client], v.idle, sizes[v.client])
		}
	}
}

func TestConnectionsLeaveFiles(t *testing.T) {
	for files, want := range map[uint64]int{64: 21, 511: 170, 512: 204, 1024: 614, 2048: 1433, 65536: maxConnections, 1 << 60: maxConnections} {
		got := connectionsWithin(files)
		if got != want || uint64(got+got/closingShare) > files {
			t.Errorf("%d files: %d connections, want %d", files, got, want)
		}
	}
	if got := publicConnections(); got < 128 {
		t.Errorf("only %d connections here", got)
	}
}
