package handlers

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var someone = netip.MustParseAddr("192.0.2.7")

// a minute's share of someone.
func perMinute(requests int) client {
	return client{networkOf(someone), []share{{requests, window}}}
}

// Against a log of every request: never more than the share in any span, and never fewer,
// at whatever times a client comes.
func TestLimiterAgainstFullLog(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	shares := [][]share{ofSubnet}
	for _, limit := range []int{1, 2, 7, 100, 600, 1000} {
		shares = append(shares, []share{{limit, window}})
	}
	for _, of := range shares {
		l, at := newLimiter(1<<8), now
		var counted []time.Time
		within := func(span time.Duration) int {
			return len(slices.DeleteFunc(slices.Clone(counted), func(earlier time.Time) bool { return at.Sub(earlier) >= span }))
		}
		for range 20 * min(of[0].requests, 100) {
			at = at.Add(time.Duration(random.Int64N(int64(3*of[0].span))) / time.Duration(of[0].requests))
			if random.IntN(20) == 0 {
				at = at.Add(time.Duration(random.Int64N(int64(2 * of[len(of)-1].span))))
			}
			want := !slices.ContainsFunc(of, func(s share) bool { return within(s.span) >= s.requests })
			v := l.take(at, client{networkOf(someone), of})
			if v.wait == 0 != want {
				t.Fatalf("%v at %v: %+v, want %v", of, at, v, want)
			}
			if v.wait == 0 {
				counted = append(counted, at)
			}
			if len(of) == 1 && (v.reset <= 0 || v.reset > of[0].span || v.remaining != of[0].requests-within(of[0].span)) {
				t.Fatalf("%v: %+v", of, v)
			}
			counted = slices.DeleteFunc(counted, func(earlier time.Time) bool { return at.Sub(earlier) >= of[len(of)-1].span })
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
		a, b := networkOf(netip.MustParseAddr(c.a)), networkOf(netip.MustParseAddr(c.b))
		if (a == b) != c.same {
			t.Errorf("%s and %s: %v, %v", c.a, c.b, a, b)
		}
	}
}

// hut returns the client of an IPv4 address.
func hut(n uint32) []client {
	return signupsOf(netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, 1<<30|n))))
}

// home returns the clients of an IPv6 /64, of which those with a number in step share a
// /56 or a /48.
func home(n uint64) []client {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], 0x20010db8<<32|n)
	return signupsOf(netip.AddrFrom16(b))
}

// So many clients are remembered and no more; the one to be forgotten is the one that was
// seen longest ago, and a day later it is all of them.
func TestLimiterIsBounded(t *testing.T) {
	const room = 1000
	l := newLimiter(room)
	for i := range uint32(3 * room) {
		l.take(now, hut(i)...)
		if i >= 50 && i%50 == 0 {
			l.take(now, hut(0)...) // refused in the end, and still seen
		}
	}
	known := func(n uint32) bool { return l.clients[hut(n)[0].network] != nil }
	if len(l.clients) != room || l.seen.Len() != room || !known(0) || known(1) || !known(3*room-1) {
		t.Errorf("%d clients, %d logs; known are %v, %v, %v", len(l.clients), l.seen.Len(), known(0), known(1), known(3*room-1))
	}
	if l.take(now, hut(0)...).wait == 0 {
		t.Error("who keeps asking was forgotten")
	}
	l.take(now.Add(24*time.Hour), hut(1)...)
	if len(l.clients) != 1 || l.seen.Len() != 1 {
		t.Errorf("%d clients are remembered after a day", len(l.clients))
	}
}

func TestClockSetBack(t *testing.T) {
	l, c := newLimiter(1<<8), perMinute(2)
	l.take(now.Add(time.Hour), c)
	l.take(now, c)
	if v := l.take(now.Add(-time.Hour), c); v.wait == 0 || v.wait > window {
		t.Errorf("a clock set back: %+v", v)
	}
	if v := l.take(now.Add(time.Hour+window/2), c); v.wait == 0 {
		t.Error("what was counted before is forgotten")
	}
	if v := l.take(now.Add(time.Hour+window), c); v.wait > 0 {
		t.Error("the client is never let in again")
	}
}

// Many subnets of a site, and many sites of a network, have no more than a share of
// their own.
func TestSignupsOfSitesAndNetworks(t *testing.T) {
	for _, c := range []struct {
		step, want int // between the subnets, of which there are 256
		of         string
	}{{1, ofSite[0].requests, "a /56"}, {256, ofNetwork[0].requests, "a /48"}, {65536, 256 * ofSubnet[0].requests, "networks of their own"}} {
		l, allowed := newLimiter(signupClients), 0
		for n := range 256 {
			for range ofSubnet[0].requests + 1 {
				if l.take(now, home(uint64(n*c.step))...).wait == 0 {
					allowed++
				}
			}
		}
		if allowed != c.want {
			t.Errorf("%s: %d in an hour, want %d", c.of, allowed, c.want)
		}
	}
}

func TestLimiterTogether(t *testing.T) {
	l := newLimiter(signupClients)
	var tasks sync.WaitGroup
	var allowed atomic.Int64
	for worker := range 8 {
		tasks.Go(func() {
			for i := range 200 {
				if l.take(now, home(7<<16)...).wait == 0 {
					allowed.Add(1)
				}
				l.take(now, home(uint64(100+worker*200+i)<<16)...)
			}
		})
	}
	tasks.Wait()
	if int(allowed.Load()) != ofSubnet[0].requests {
		t.Errorf("%d were allowed", allowed.Load())
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

// What the server says by itself is in the language of the page.
func TestALimitIsToldInTheLanguageOfThePage(t *testing.T) {
	s, _ := withForms(t, func(o *Options) { o.RateLimit = 1 })
	for range siteLimit {
		s.server.limits.site.take(now, client{networkOf(netip.MustParseAddr("127.0.0.1")), s.server.limits.siteShares})
	}
	for path, want := range map[string]string{"/": "Espere un minuto", "/en/": "Wait a minute"} {
		if a := s.get(path); a.StatusCode != 429 || !strings.Contains(string(a.body), want) || a.Header.Get("Retry-After") != "60" {
			t.Errorf("%s: %d %s", path, a.StatusCode, a.body)
		}
	}
}

func TestStateHeadersAgree(t *testing.T) {
	l, large := newLimits(100), newLimits(5000)
	for _, v := range []verdict{{0, 0, 1}, {0, 99, window}, {1, 0, window}, {0, 42, 16500 * time.Millisecond}} {
		if got, want := l.state(v), large.state(v); len(got) != 1 || got[0] != want[0] {
			t.Errorf("%+v: %v, %v", v, got, want)
		}
	}
	if got := large.state(verdict{0, 4999, window}); got[0] != `"ip";r=4999;t=60` {
		t.Errorf("large limit: %v", got)
	}
}

// Over the caps a request is refused with the time to wait, by client; what is
// malformed counts for the ordinary limit alone.
func TestSignupCaps(t *testing.T) {
	d, subs := openDocument(t), newFakeSubscriptions()
	proxied := func(o *Options) {
		o.RateLimit = 100
		o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}
	s, most := signupStand(t, subs, proxied), ofSubnet[0].requests
	from := func(client, body string) answer { return s.send("POST", signups, body, "X-Forwarded-For", client) }
	for range 20 {
		if a := from("2001:db8:1::1", `{"canal":"email"}`); a.StatusCode != 422 {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
	}
	for i := range most {
		body := []string{emailForm, pushForm}[i%2]
		if a := from("2001:db8:1::1", body); a.StatusCode != 202 && a.StatusCode != 201 {
			t.Fatalf("request %d: %d %s", i, a.StatusCode, a.body)
		}
		s.clock.Advance(time.Minute)
	}
	for _, body := range []string{emailForm, pushForm} {
		a := from("2001:db8:1::1", body)
		d.checkAnswer(t, "over the cap", operation{"/suscriptores", "post"}, a)
		if _, fault := a.envelope(t); a.StatusCode != 429 || a.Header.Get("Retry-After") != fmt.Sprint(55*60) || !strings.HasPrefix(fault, "demasiadas_solicitudes: ") {
			t.Errorf("over the cap: %d %v %s", a.StatusCode, a.Header, a.body)
		}
	}
	if a := from("2001:db8:1::1", `{`); a.StatusCode != 400 {
		t.Errorf("malformed over the cap: %d", a.StatusCode)
	}
	if a := from("203.0.113.2", emailForm); a.StatusCode != 202 {
		t.Errorf("another client: %d", a.StatusCode)
	}
	for i := range most + 1 {
		a := from(fmt.Sprintf("2001:db8:0:1::%x", i+1), emailForm)
		if (a.StatusCode == 429) != (i == most) {
			t.Errorf("host %d of a /64: %d", i, a.StatusCode)
		}
	}
	if a := from("2001:db8:0:2::1", emailForm); a.StatusCode != 202 {
		t.Errorf("another /64: %d", a.StatusCode)
	}
	s.clock.Advance(55 * time.Minute)
	if a := from("2001:db8:1::1", emailForm); a.StatusCode != 202 {
		t.Errorf("after the wait: %d", a.StatusCode)
	}
	if want := most + 9; len(subs.Asked)+len(subs.Active) > want {
		t.Errorf("%d requests reached the subs", len(subs.Asked))
	}
}

// An operator who asks for no limit has none, and garbage is limited as every request is.
func TestSignupsAndTheOrdinaryLimit(t *testing.T) {
	s := signupStand(t, newFakeSubscriptions(), func(o *Options) { o.RateLimit = 0 })
	for range ofSubnet[1].requests + 1 {
		if a := s.send("POST", signups, emailForm); a.StatusCode != http.StatusAccepted {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
	}
	s = signupStand(t, newFakeSubscriptions(), func(o *Options) { o.RateLimit = 10 })
	for range 10 {
		if a := s.send("POST", signups, `{`); a.StatusCode != 400 {
			t.Fatalf("%d", a.StatusCode)
		}
	}
	if a := s.send("POST", signups, emailForm); a.StatusCode != 429 {
		t.Errorf("after ten: %d", a.StatusCode)
	}
}
