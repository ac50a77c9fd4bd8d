package handlers

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// home gives the clients of an address of an IPv6 /64, alone in its /48.
func home(n uint64) []signupClient {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], 0x2000<<48|n<<16)
	return signupsOf(netip.AddrFrom16(b))
}

// hut gives the client of an IPv4 address.
func hut(n uint32) []signupClient {
	return signupsOf(netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, 1<<30|n))))
}

// In any hour and any day, at whatever times a client comes, it has its share and
// no more.
func TestSignupLimiterAgainstAllTimes(t *testing.T) {
	var l signupLimiter
	var taken []time.Time
	random := uint64(1)
	at := now
	for range 5000 {
		random = random*6364136223846793005 + 1442695040888963407
		at = at.Add(time.Duration(random>>40) * 40 * time.Microsecond)
		hour, day := 0, 0
		for _, earlier := range taken {
			if at.Sub(earlier) < time.Hour {
				hour++
			}
			if at.Sub(earlier) < 24*time.Hour {
				day++
			}
		}
		allowed := l.take(home(1), at) == 0
		if allowed != (hour < ofSubnet.anHour && day < ofSubnet.aDay) {
			t.Fatalf("at %s with %d in the hour and %d in the day: %v", at, hour, day, allowed)
		}
		if allowed {
			taken = append(taken, at)
		}
	}
	if len(taken) < 100 {
		t.Errorf("only %d were taken", len(taken))
	}
}

func TestSignupLimiterIsBounded(t *testing.T) {
	var l signupLimiter
	for client := range uint32(3 * signupClients) {
		l.take(hut(client), now)
	}
	if len(l.clients) != signupClients || l.recent.Len() != signupClients {
		t.Errorf("%d clients, %d logs", len(l.clients), l.recent.Len())
	}
	for range ofIPv4.anHour - 1 {
		l.take(hut(3*signupClients-1), now)
	}
	if l.take(hut(3*signupClients-1), now) == 0 {
		t.Error("the last client was forgotten")
	}
	l.take(hut(1), now.Add(24*time.Hour))
	if len(l.clients) != 1 || l.recent.Len() != 1 {
		t.Errorf("%d clients are remembered after a day", len(l.clients))
	}
}

// The client to be forgotten is the one whose last request is oldest.
func TestSignupLimiterForgetsTheOldest(t *testing.T) {
	var l signupLimiter
	for client := range uint32(signupClients) {
		l.take(hut(client), now)
	}
	l.take(hut(0), now.Add(time.Minute))
	l.take(hut(signupClients), now.Add(time.Minute))
	known := func(n uint32) bool { return l.clients[hut(n)[0].prefix] != nil }
	if !known(0) || known(1) || !known(2) {
		t.Error("another than the oldest was forgotten")
	}
}

// Many subnets of a site, and many sites of a network, have no more than a share of
// their own.
func TestSignupLimiterOfSitesAndNetworks(t *testing.T) {
	for _, c := range []struct {
		step, want int // between the subnets, of which there are 256
		of         string
	}{{1, ofSite.anHour, "a /56"}, {256, ofNetwork.anHour, "a /48"}, {65536, 256 * ofSubnet.anHour, "networks of their own"}} {
		var l signupLimiter
		allowed := 0
		for n := range 256 {
			var b [16]byte
			binary.BigEndian.PutUint64(b[:8], 0x20010db8<<32|uint64(n*c.step))
			for range ofSubnet.anHour + 1 {
				if l.take(signupsOf(netip.AddrFrom16(b)), now) == 0 {
					allowed++
				}
			}
		}
		if allowed != c.want {
			t.Errorf("%s: %d in an hour, want %d", c.of, allowed, c.want)
		}
	}
}

func TestSignupLimiterTogether(t *testing.T) {
	var l signupLimiter
	var tasks sync.WaitGroup
	var allowed atomic.Int64
	for worker := range 8 {
		tasks.Go(func() {
			for i := range 200 {
				if l.take(home(7), now) == 0 {
					allowed.Add(1)
				}
				l.take(home(uint64(100+worker*200+i)), now)
			}
		})
	}
	tasks.Wait()
	if int(allowed.Load()) != ofSubnet.anHour {
		t.Errorf("%d were allowed", allowed.Load())
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
	s := signupStand(t, subs, proxied)
	from := func(client, body string) answer { return s.send("POST", signups, body, "X-Forwarded-For", client) }
	for range 20 {
		if a := from("2001:db8:1::1", `{"canal":"email"}`); a.StatusCode != 422 {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
	}
	for i := range ofSubnet.anHour {
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
	for i := range ofSubnet.anHour + 1 {
		a := from(fmt.Sprintf("2001:db8:0:1::%x", i+1), emailForm)
		if (a.StatusCode == 429) != (i == ofSubnet.anHour) {
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
	if want := ofSubnet.anHour + 9; len(subs.asked)+len(subs.held) > want {
		t.Errorf("%d requests reached the subs", len(subs.asked))
	}
}

// An operator who asks for no limit has none.
func TestNoSignupCaps(t *testing.T) {
	s := signupStand(t, newFakeSubscriptions(), func(o *Options) { o.RateLimit = 0 })
	for range ofSubnet.aDay + 1 {
		if a := s.send("POST", signups, emailForm); a.StatusCode != http.StatusAccepted {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
	}
}

// Garbage is limited as every request is.
func TestMalformedSignupsCountForTheOrdinaryLimit(t *testing.T) {
	s := signupStand(t, newFakeSubscriptions(), func(o *Options) { o.RateLimit = 10 })
	for range 10 {
		if a := s.send("POST", signups, `{`); a.StatusCode != 400 {
			t.Fatalf("%d", a.StatusCode)
		}
	}
	if a := s.send("POST", signups, emailForm); a.StatusCode != 429 {
		t.Errorf("after ten: %d", a.StatusCode)
	}
}
