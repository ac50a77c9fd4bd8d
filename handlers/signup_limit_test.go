package handlers

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Five in any hour and twenty in any day, each counted from its own time.
func TestSignupLimiter(t *testing.T) {
	var l signupLimiter
	at := func(d time.Duration) time.Time { return now.Add(d) }
	for i := range signupsAnHour {
		if wait := l.take(1, at(time.Duration(i)*time.Minute)); wait != 0 {
			t.Fatalf("request %d waits %s", i, wait)
		}
	}
	if wait := l.take(1, at(10*time.Minute)); wait != 50*time.Minute {
		t.Errorf("the sixth waits %s", wait)
	}
	if wait := l.take(2, at(10*time.Minute)); wait != 0 {
		t.Errorf("another client waits %s", wait)
	}
	if wait := l.take(1, at(time.Hour-time.Nanosecond)); wait != 1 {
		t.Errorf("just before the hour: %s", wait)
	}
	if wait := l.take(1, at(time.Hour)); wait != 0 {
		t.Errorf("an hour after the first: %s", wait)
	}
	if wait := l.take(1, at(time.Hour)); wait != time.Minute {
		t.Errorf("the one after: %s", wait)
	}
	allowed := 6
	for hour := 3; hour < 24; hour++ {
		for range 2 {
			if l.take(1, at(time.Duration(hour)*time.Hour)) == 0 {
				allowed++
			}
		}
	}
	if allowed != signupsADay {
		t.Errorf("%d in a day", allowed)
	}
	if wait := l.take(1, at(24*time.Hour-time.Second)); wait != time.Second {
		t.Errorf("just before the day: %s", wait)
	}
	if wait := l.take(1, at(24*time.Hour)); wait != 0 {
		t.Errorf("a day after the first: %s", wait)
	}
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
		allowed := l.take(1, at) == 0
		if allowed != (hour < signupsAnHour && day < signupsADay) {
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
	for client := range uint64(3 * signupClients) {
		l.take(client, now)
	}
	if len(l.clients) != signupClients || l.recent.Len() != signupClients {
		t.Errorf("%d clients, %d logs", len(l.clients), l.recent.Len())
	}
	for range signupsAnHour - 1 {
		l.take(3*signupClients-1, now)
	}
	if l.take(3*signupClients-1, now) == 0 {
		t.Error("the last client was forgotten")
	}
	l.take(1, now.Add(24*time.Hour))
	if len(l.clients) != 1 || l.recent.Len() != 1 {
		t.Errorf("%d clients are remembered after a day", len(l.clients))
	}
}

// The client to be forgotten is the one whose last request is oldest.
func TestSignupLimiterForgetsTheOldest(t *testing.T) {
	var l signupLimiter
	for client := range uint64(signupClients) {
		l.take(client, now)
	}
	l.take(0, now.Add(time.Minute))
	l.take(signupClients, now.Add(time.Minute))
	if l.clients[0] == nil || l.clients[1] != nil || l.clients[2] == nil {
		t.Error("another than the oldest was forgotten")
	}
}

func TestSignupLimiterTogether(t *testing.T) {
	var l signupLimiter
	var tasks sync.WaitGroup
	var allowed atomic.Int64
	for worker := range 8 {
		tasks.Go(func() {
			for i := range 200 {
				if l.take(7, now) == 0 {
					allowed.Add(1)
				}
				l.take(uint64(100+worker*200+i), now)
			}
		})
	}
	tasks.Wait()
	if allowed.Load() != signupsAnHour {
		t.Errorf("%d were allowed", allowed.Load())
	}
}

// Over the caps a request is refused with the time to wait, by client; what is
// malformed counts for the ordinary limit alone.
func TestSignupCaps(t *testing.T) {
	d, desk := openDocument(t), newDesk()
	proxied := func(o *Options) {
		o.RateLimit = 100
		o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}
	s := signupStand(t, desk, proxied)
	from := func(client, body string) answer { return s.send("POST", signups, body, "X-Forwarded-For", client) }
	for range 20 {
		if a := from("203.0.113.1", `{"canal":"email"}`); a.StatusCode != 422 {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
	}
	for i := range signupsAnHour {
		body := []string{emailForm, pushForm}[i%2]
		if a := from("203.0.113.1", body); a.StatusCode != 202 && a.StatusCode != 201 {
			t.Fatalf("request %d: %d %s", i, a.StatusCode, a.body)
		}
		s.clock.Advance(time.Minute)
	}
	for _, body := range []string{emailForm, pushForm} {
		a := from("203.0.113.1", body)
		d.checkAnswer(t, "over the cap", operation{"/suscriptores", "post"}, a)
		if _, fault := a.envelope(t); a.StatusCode != 429 || a.Header.Get("Retry-After") != fmt.Sprint(55*60) || !strings.HasPrefix(fault, "demasiadas_solicitudes: ") {
			t.Errorf("over the cap: %d %v %s", a.StatusCode, a.Header, a.body)
		}
	}
	if a := from("203.0.113.1", `{`); a.StatusCode != 400 {
		t.Errorf("malformed over the cap: %d", a.StatusCode)
	}
	if a := from("203.0.113.2", emailForm); a.StatusCode != 202 {
		t.Errorf("another client: %d", a.StatusCode)
	}
	for i := range signupsAnHour + 1 {
		a := from(fmt.Sprintf("2001:db8:0:1::%x", i+1), emailForm)
		if (a.StatusCode == 429) != (i == signupsAnHour) {
			t.Errorf("host %d of a /64: %d", i, a.StatusCode)
		}
	}
	if a := from("2001:db8:0:2::1", emailForm); a.StatusCode != 202 {
		t.Errorf("another /64: %d", a.StatusCode)
	}
	s.clock.Advance(55 * time.Minute)
	if a := from("203.0.113.1", emailForm); a.StatusCode != 202 {
		t.Errorf("after the wait: %d", a.StatusCode)
	}
	if want := signupsAnHour + 9; len(desk.asked)+len(desk.held) > want {
		t.Errorf("%d requests reached the desk", len(desk.asked))
	}
}

// An operator who asks for no limit has none.
func TestNoSignupCaps(t *testing.T) {
	s := signupStand(t, newDesk(), func(o *Options) { o.RateLimit = 0 })
	for range signupsADay + 1 {
		if a := s.send("POST", signups, emailForm); a.StatusCode != http.StatusAccepted {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
	}
}

// Garbage is limited as every request is.
func TestMalformedSignupsCountForTheOrdinaryLimit(t *testing.T) {
	s := signupStand(t, newDesk(), func(o *Options) { o.RateLimit = 10 })
	for range 10 {
		if a := s.send("POST", signups, `{`); a.StatusCode != 400 {
			t.Fatalf("%d", a.StatusCode)
		}
	}
	if a := s.send("POST", signups, emailForm); a.StatusCode != 429 {
		t.Errorf("after ten: %d", a.StatusCode)
	}
}
