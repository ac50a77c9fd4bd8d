package handlers

import (
	"bytes"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
)

// knock is a connection that only says from where it comes, and whether it was
// closed.
type knock struct {
	net.Conn
	from   string
	closed bool
}

func (k *knock) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(k.from), 1234))
}

func (k *knock) Close() error {
	k.closed = true
	return nil
}

// gate is a turnstile with those who knocked, by name.
type gate struct {
	*turnstile
	turns *clockwork.FakeClock
	said  bytes.Buffer
	conns map[string]*knock
}

func newGate(limit int, trusted ...netip.Prefix) *gate {
	g := &gate{conns: map[string]*knock{}, turns: clockwork.NewFakeClockAt(now)}
	g.turnstile = newTurnstile(limit, trusted, g.turns, slog.New(slog.NewTextHandler(&g.said, nil)))
	return g
}

func (g *gate) come(name, from string) {
	g.conns[name] = &knock{from: from}
	g.admit(g.conns[name])
}

// expectClosed checks who was closed, and that the server's word of it changes nothing.
func (g *gate) expectClosed(t *testing.T, names ...string) {
	t.Helper()
	g.wait()
	for name, k := range g.conns {
		if want := strings.Contains(" "+strings.Join(names, " ")+" ", " "+name+" "); k.closed != want {
			t.Errorf("%s from %s: closed is %v", name, k.from, k.closed)
		}
		if k.closed {
			g.note(k, http.StateClosed)
		}
	}
}

func TestOneThatRestsMakesRoomFirst(t *testing.T) {
	g := newGate(4)
	g.come("a", "192.0.2.1")
	g.come("b", "192.0.2.2")
	g.come("c", "192.0.2.3")
	g.come("d", "192.0.2.4")
	for _, name := range []string{"b", "c", "d"} {
		g.note(g.conns[name], http.StateActive)
		g.note(g.conns[name], http.StateIdle)
	}
	g.turns.Advance(longRest)
	g.note(g.conns["b"], http.StateActive) // asks again
	g.come("e", "192.0.2.5")
	g.expectClosed(t, "c")
	g.note(g.conns["b"], http.StateIdle) // rests for less long than d
	g.come("f", "192.0.2.6")
	g.expectClosed(t, "c", "d")
	g.come("g", "192.0.2.7") // none rests for long: who waits for longest
	g.expectClosed(t, "c", "d", "a")
	g.turns.Advance(longRest)
	g.come("h", "192.0.2.8")
	g.expectClosed(t, "c", "d", "a", "b")
}

// Whoever holds most makes room for others, whatever they do with it.
func TestWhoHasMostMakesRoom(t *testing.T) {
	g := newGate(16)
	g.come("early", "192.0.2.1") // before all others, and silent
	for _, name := range []string{"a", "b", "c"} {
		for i := range 4 {
			g.come(name+string(rune('0'+i)), "2001:db8:0:"+name+"::"+string(rune('1'+i)))
			g.note(g.conns[name+string(rune('0'+i))], http.StateActive)
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
	g := newGate(16)
	for _, c := range []struct{ name, from string }{
		{"a", "2001:db8::1"}, {"b", "2001:db8::2"}, {"c", "2001:db8::ffff:3"}, {"d", "2001:db8:0:0:4::"}, {"other", "2001:db8:0:1::1"},
	} {
		g.come(c.name, c.from)
	}
	g.note(g.conns["a"], http.StateActive)
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
	g := newGate(8, netip.MustParsePrefix("127.0.0.0/8"))
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
	g := newGate(4)
	for round := range 2 {
		for i := range 20 {
			g.come(string(rune('a'+i)), "192.0.2."+string(rune('1'+i%9)))
		}
		if n := strings.Count(g.said.String(), "as many connections are open as may be"); n != round+1 {
			t.Errorf("said %d times in round %d", n, round+1)
		}
		for i := range 20 {
			g.note(g.conns[string(rune('a'+i))], http.StateClosed)
		}
	}
	if len(g.inside)+len(g.parties)+g.rested.Len()+g.largest > 0 {
		t.Errorf("after all have gone: %d connections, %d clients, %d rested", len(g.inside), len(g.parties), g.rested.Len())
	}
}

// Whatever comes in whatever order: the limits hold, and nobody goes for another
// who has more, unless he rests.
func TestTurnstileAtRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	clock := clockwork.NewFakeClockAt(now)
	g := newTurnstile(24, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, clock, slog.New(slog.DiscardHandler))
	var open []*knock
	clients := []string{"192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", "10.0.0.1", "198.51.100.1", "198.51.100.2", "198.51.100.3"}
	for range 20_000 {
		clock.Advance(time.Duration(random.IntN(1000)) * time.Millisecond)
		if random.IntN(3) > 0 && len(open) > 0 {
			i := random.IntN(len(open))
			state := []http.ConnState{http.StateNew, http.StateActive, http.StateIdle, http.StateClosed}[random.IntN(4)]
			if g.note(open[i], state); state == http.StateClosed {
				open = append(open[:i], open[i+1:]...)
			}
			continue
		}
		k := &knock{from: clients[random.IntN(len(clients))]}
		before := map[net.Conn]visitor{}
		sizes := map[*party]int{}
		for c, v := range g.inside {
			before[c] = *v
			sizes[v.party] = v.party.visitors.Len()
		}
		g.admit(k)
		g.wait()
		open = append(open, k)
		for i, c := range open {
			if !c.closed {
				continue
			}
			checkLoss(t, before, sizes, before[c], g.inside[k].party, clock.Now().Add(-longRest))
			open = append(open[:i], open[i+1:]...)
			break
		}
		if len(g.inside) != len(open) || len(open) > g.limit {
			t.Fatalf("%d inside, %d open", len(g.inside), len(open))
		}
		for _, v := range g.inside {
			if v.party.visitors.Len() > g.share {
				t.Fatalf("a client has %d", v.party.visitors.Len())
			}
		}
	}
}

func checkLoss(t *testing.T, before map[net.Conn]visitor, sizes map[*party]int, lost visitor, comer *party, restBefore time.Time) {
	t.Helper()
	if lost.party == comer {
		return // its own share
	}
	rests := func(v visitor) bool { return v.resting && !v.since.After(restBefore) }
	for _, v := range before {
		if !rests(lost) && (rests(v) || sizes[v.party] > sizes[lost.party]) {
			t.Fatalf("one of %d went, where one rested (%v) or one of %d was", sizes[lost.party], v.resting, sizes[v.party])
		}
	}
}

func TestACrowdIsToldInSteps(t *testing.T) {
	g := newGate(1000)
	var told []int
	g.crowd = func(n int) { told = append(told, n) }
	for i := range 300 {
		g.come(string(rune('a'+i)), "192.0.2."+string(rune('1'+i%9)))
	}
	for i := range 300 {
		g.note(g.conns[string(rune('a'+i))], http.StateClosed)
	}
	if !slices.Equal(told, []int{128, 256, 128, 0}) {
		t.Errorf("told %v", told)
	}
}

func TestConnectionsLeaveFiles(t *testing.T) {
	for files, want := range map[uint64]int{64: 21, 511: 170, 512: 204, 1024: 614, 2048: 1433, 65536: mostConnections, 1 << 60: mostConnections} {
		got := connectionsWithin(files)
		if got != want || uint64(got+got/closingShare) > files {
			t.Errorf("%d files: %d connections, want %d", files, got, want)
		}
	}
	if got := publicConnections(); got < 128 {
		t.Errorf("only %d connections here", got)
	}
}
