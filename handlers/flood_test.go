package handlers

import (
	"fmt"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"vigia/handlers/site/sitetest"
	"vigia/store/subscription"
)

// discard is an answer of which little is kept.
type discard struct {
	header http.Header
	status int
	body   []byte // the first part of it
}

func (d *discard) Header() http.Header { return d.header }

func (d *discard) WriteHeader(status int) { d.status = status }

func (d *discard) Write(p []byte) (int, error) {
	d.body = append(d.body[:0], p[:min(len(p), 300)]...)
	return len(p), nil
}

// flooded is a server behind a proxy, and requests as that passes them on.
type flooded struct {
	*stand
	handler http.Handler
	request *http.Request
	answer  discard
}

func newFlooded(t *testing.T, change func(*Options)) *flooded {
	t.Helper()
	s := signupStand(t, nil, func(o *Options) {
		o.RateLimit = 100
		o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
		if change != nil {
			change(o)
		}
	})
	f := &flooded{stand: s, handler: s.server, answer: discard{header: http.Header{}}}
	var err error
	if f.request, err = http.NewRequest("GET", "/api/v1/parques", nil); err != nil {
		t.Fatal(err)
	}
	f.request.RemoteAddr = "10.0.0.1:4711"
	return f
}

// from sends the request for a client and gives the status.
func (f *flooded) from(client string) int {
	clear(f.answer.header)
	f.answer.status = 200
	f.request.Header["X-Forwarded-For"] = []string{client}
	f.handler.ServeHTTP(&f.answer, f.request)
	return f.answer.status
}

// stranger is an address that no other number has: of each second one a /64 of IPv6.
func stranger(i int) string {
	if i%2 == 0 {
		return fmt.Sprintf("2001:db8:%x:%x::1", i>>16, i&0xffff)
	}
	return fmt.Sprintf("%d.%d.%d.9", 20+i>>16, i>>8&0xff, i&0xff)
}

// alone is the address of a client who shares no network with others.
func alone(i int) string {
	if i%2 == 0 {
		return fmt.Sprintf("2a00:%x:%x::1", i>>16, i&0xffff)
	}
	return stranger(i)
}

// heap is what is in use after a collection.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// many is how often something is tried: the race detector makes each many times dearer.
func many(n int) int {
	if raceEnabled {
		return n / 50
	}
	return n
}

// Many more addresses in a minute than are remembered: the memory is bounded, who keeps to the limit
// is never refused, and who does not is.
func TestAFloodOfAddresses(t *testing.T) {
	for _, path := range []string{"/api/v1/parques", "/nada"} {
		f := newFlooded(t, nil)
		f.request.URL.Path = path
		limit := map[string]int{"/api/v1/parques": 100, "/nada": siteLimit}[path]
		addresses := many(200_000)
		before := heap()
		began := time.Now()
		var refused, greedy, stopped int
		for i := range addresses {
			f.clock.Advance(time.Minute / time.Duration(addresses))
			f.from(stranger(i))
			if i%(addresses/limit+1) == 0 && f.from("203.0.113.7") == 429 {
				refused++ // as many in a minute as may be
			}
			if i%(addresses/limit/4) == 0 {
				greedy++
				if f.from("203.0.113.8") == 429 {
					stopped++
				}
			}
		}
		took := time.Since(began)
		grown := heap() - before
		t.Logf("%s: %d addresses, %s a request, the heap grew by %d KB; of %d requests of one who asks too much %d were refused",
			path, addresses, took/time.Duration(addresses), grown>>10, greedy, stopped)
		if refused > 0 {
			t.Errorf("%s: an honest client was refused %d times", path, refused)
		}
		if stopped < greedy/2 {
			t.Errorf("%s: of %d requests too much only %d were refused", path, greedy, stopped)
		}
		if grown > 12<<20 {
			t.Errorf("%s: the heap grew by %d bytes", path, grown)
		}
	}
}

// forgetful is a service of subscriptions that keeps nothing.
type forgetful struct{ *sitetest.Subscriptions }

func (forgetful) Ask(*subscription.Request) error { return nil }

// The same for requests for a subscription, which are counted for a day.
func TestAFloodOfSignups(t *testing.T) {
	f := newFlooded(t, func(o *Options) { o.Subscriptions = forgetful{newFakeSubscriptions()} })
	f.request.Method, f.request.URL.Path = "POST", signups
	const body = `{"canal":"email","email":"ana@example.cl","parques":["lauca"],"consentimiento":true}`
	f.request.Header["Content-Type"] = []string{"application/json"}
	f.request.ContentLength = int64(len(body))
	ask := func(client string) int {
		f.request.Body = readCloser{strings.NewReader(body)}
		return f.from(client)
	}
	before := heap()
	clients := many(50_000)
	began := time.Now()
	honest := 0
	for i := range clients {
		f.clock.Advance(time.Hour / time.Duration(clients))
		if got := ask(alone(i)); got != 202 {
			t.Fatalf("the first request of %s got %d: %s", alone(i), got, f.answer.body)
		}
		if i%(clients/ofIPv4[0].requests) == 0 && ask("203.0.113.7") == 202 {
			honest++
		}
	}
	if honest != ofIPv4[0].requests {
		t.Errorf("of %d requests in an hour %d were taken", ofIPv4[0].requests, honest)
	}
	grown := heap() - before
	t.Logf("%d clients, %s a request, the heap grew by %d KB", clients, time.Since(began)/time.Duration(clients), grown>>10)
	if grown > 24<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }
