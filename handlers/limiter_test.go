package handlers

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"
)

var someone = netip.MustParseAddr("192.0.2.7")

// Against a log of every request: never more than the limit in any 60 s, and for
// limits up to the kept times never fewer than that either.
func TestLimiterAgainstFullLog(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for _, limit := range []int{1, 2, 7, 100, 128, 129, 600, 1000} {
		start := time.Unix(1_800_000_000, 0)
		l := newLimiter(limit, 1<<8, start)
		now := start
		var allowed []time.Time
		for range 20 * limit {
			switch random.IntN(20) {
			case 0:
				now = now.Add(time.Duration(random.IntN(90_000)) * time.Millisecond)
			case 1, 2, 3, 4:
			default:
				now = now.Add(time.Duration(random.IntN(100_000/limit+1)) * time.Millisecond)
			}
			for len(allowed) > 0 && now.Sub(allowed[0]) >= window {
				allowed = allowed[1:]
			}
			v := l.take(someone, now)
			if v.allowed && len(allowed) >= limit {
				t.Fatalf("limit %d: request %d in 60 s was allowed", limit, len(allowed)+1)
			}
			if !v.allowed && limit <= maxStamps && len(allowed) < limit {
				t.Fatalf("limit %d: refused after %d in 60 s", limit, len(allowed))
			}
			if v.allowed {
				allowed = append(allowed, now)
			}
			if v.reset < 1 || v.reset > 60 || v.remaining < 0 || v.remaining > limit {
				t.Fatalf("limit %d: %+v", limit, v)
			}
			if limit > maxStamps && v.remaining > limit-len(allowed) {
				t.Fatalf("limit %d: %d remain of %d used", limit, v.remaining, len(allowed))
			}
		}
	}
}

func TestWhoIsOneClient(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"192.0.2.7", "192.0.2.8", false},
		{"192.0.2.7", "::ffff:192.0.2.7", true},
		{"2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true},
		{"2001:db8:1:2::1", "2001:db8:1:3::1", false},
		{"0.0.0.1", "::1", false}, {"0.0.0.0", "::", false},
	} {
		a, b := clientKey(netip.MustParseAddr(c.a)), clientKey(netip.MustParseAddr(c.b))
		if (a == b) != c.same {
			t.Errorf("%s and %s: %x, %x", c.a, c.b, a, b)
		}
	}
}

// Memory is fixed, and a flood of other addresses does not forget a client that
// keeps asking as long as its set has idler ones.
func TestFloodOfAddresses(t *testing.T) {
	start := time.Unix(1_800_000_000, 0)
	l := newLimiter(3, 1<<8, start)
	size := len(l.clients)
	now := start
	refused := 0
	for i := range 20_000 {
		now = now.Add(10 * time.Microsecond)
		l.take(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), now)
		if i%20 == 0 && !l.take(someone, now).allowed {
			refused++
		}
	}
	if len(l.clients) != size || refused < 900 {
		t.Errorf("%d places; the busy client was refused %d times of 1000", len(l.clients), refused)
	}
}

func TestClockSetBack(t *testing.T) {
	start := time.Unix(1_800_000_000, 0)
	l := newLimiter(2, 1<<8, start)
	l.take(someone, start.Add(time.Hour))
	l.take(someone, start)
	if v := l.take(someone, start.Add(-time.Hour)); v.allowed {
		t.Error("a clock set back gives new requests")
	}
	if v := l.take(someone, start.Add(time.Hour+window/2)); v.allowed {
		t.Error("what was counted before is forgotten")
	}
	if v := l.take(someone, start.Add(time.Hour+window)); !v.allowed {
		t.Error("the client is never let in again")
	}
}

func TestLimitOverHTTP(t *testing.T) {
	s := newStand(t, newSnapshot(), func(o *Options) { o.RateLimit = 3 })
	for i := range 3 {
		a := s.get("/api/v1/nada")
		if want := fmt.Sprintf(`"ip";r=%d;t=60`, 2-i); a.StatusCode != 404 || a.Header.Get("Ratelimit") != want {
			t.Errorf("%d: %d %v", i, a.StatusCode, a.Header["Ratelimit"])
		}
	}
	s.clock.Advance(20 * time.Second)
	a := s.get("/api/v1/parques")
	_, fault := a.envelope(t)
	if a.StatusCode != 429 || a.Header.Get("Retry-After") != "40" || a.Header.Get("Ratelimit") != `"ip";r=0;t=40` ||
		a.Header.Get("Cache-Control") != "no-store" || fault[:23] != "demasiadas_solicitudes:" {
		t.Errorf("%d %q %v", a.StatusCode, fault, a.Header)
	}
	if page := s.get("/"); page.StatusCode == 429 {
		t.Error("pages share the API's limit")
	}
	s.clock.Advance(40 * time.Second)
	if a := s.get("/api/v1/parques"); a.StatusCode != 200 {
		t.Errorf("a minute later: %d", a.StatusCode)
	}
}

func TestStateHeadersAgree(t *testing.T) {
	l := newLimits(100, time.Now())
	for _, v := range []verdict{{true, 0, 1}, {true, 99, 60}, {false, 0, 60}, {true, 42, 17}} {
		if got := l.state(v); len(got) != 1 || got[0] != rateState(v.remaining, v.reset) {
			t.Errorf("%+v: %v", v, got)
		}
	}
	large := newLimits(5000, time.Now())
	if got := large.state(verdict{true, 4999, 60}); got[0] != `"ip";r=4999;t=60` {
		t.Errorf("large limit: %v", got)
	}
}

func BenchmarkTake(b *testing.B) {
	now := time.Now()
	l := newLimiter(100, apiClients, now)
	b.ReportMetric(float64(len(l.gaps)*2+len(l.clients)*40)/(1<<20), "MiB")
	for i := 0; b.Loop(); i++ {
		now = now.Add(time.Microsecond)
		l.take(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), now)
	}
}
