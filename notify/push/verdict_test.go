package push

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/alert"
	"vigia/notify/message"
	"vigia/notify/push/pushtest"
)

// logBuffer is a log that tests read.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *logBuffer) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *logBuffer) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// fixture is a sender, a push service with a browser, and a message for it.
type fixture struct {
	*testing.T
	clock *clockwork.FakeClock
	log   *logBuffer
	s     *Sender
	r     *pushtest.Service

	reached bool         // its browsers were reached before
	kind    message.Kind // of what is sent to them
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	sc := &fixture{T: t, clock: clockwork.NewFakeClockAt(start), log: &logBuffer{}, kind: message.Alerts}
	sc.s = testSender(t, sc.clock, func(o *Options) {
		o.Log, o.Timeout = slog.New(slog.NewTextHandler(sc.log, nil)), 5*time.Second
	})
	sc.r = listen(t, sc.clock)
	return sc
}

// send delivers to a new browser and checks that nothing tells its endpoint.
func (sc *fixture) send() message.Result {
	sc.Helper()
	to, b := target(sc, sc.r), news(sc, alert.Danger)
	to.Reached = sc.reached
	if b.Kind = sc.kind; sc.kind == message.Confirm {
		b.Entries, b.Proof = nil, "proof"
	}
	got := sc.s.Send(context.Background(), b, to)
	secret := to.Endpoint[strings.LastIndexByte(to.Endpoint, '/')+1:]
	if said := sc.log.String(); strings.Contains(said, secret) || got.Err != nil && strings.Contains(got.Err.Error(), secret) {
		sc.Errorf("the endpoint is told: %v, %s", got.Err, said)
	}
	return got
}

// expect sends and compares verdict, wait and how many requests were made.
func (sc *fixture) expect(verdict message.Verdict, after time.Duration, requests int) {
	sc.Helper()
	before := sc.r.Requests()
	got := sc.send()
	if made := sc.r.Requests() - before; got.Verdict != verdict || got.After != after || made != requests {
		sc.Errorf("%+v after %d requests, want verdict %d, after %v, by %d", got, made, verdict, after, requests)
	}
	if (got.Err == nil) != (verdict == message.Delivered) {
		sc.Errorf("the error of verdict %d is %v", got.Verdict, got.Err)
	}
}

func (sc *fixture) answers(status int, retryAfter string) {
	sc.r.Recover()
	sc.r.Fail(pushtest.Fault{Status: status, RetryAfter: retryAfter})
}

// What each status means. No redirect is followed.
func TestVerdicts(t *testing.T) {
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	defer inner.Close()
	for _, c := range []struct {
		status   int
		verdict  message.Verdict
		after    time.Duration
		requests int
	}{
		{200, message.Delivered, 0, 1}, {201, message.Delivered, 0, 1}, {202, message.Delivered, 0, 1}, {204, message.Delivered, 0, 1},
		{300, message.Retry, 0, 1}, {301, message.Retry, 0, 1}, {302, message.Retry, 0, 1}, {304, message.Retry, 0, 1},
		{307, message.Retry, 0, 1}, {308, message.Retry, 0, 1},
		{400, message.Unsendable, 0, 2}, {401, message.Retry, 15 * time.Minute, 1}, {403, message.Retry, 15 * time.Minute, 1},
		{404, message.Gone, 0, 1}, {405, message.Unsendable, 0, 2}, {407, message.Retry, 0, 1}, {408, message.Retry, 0, 1}, {410, message.Gone, 0, 1},
		{413, message.Unsendable, 0, 2}, {415, message.Unsendable, 0, 2}, {421, message.Retry, 0, 1}, {425, message.Retry, 0, 1},
		{429, message.Retry, time.Minute, 1},
		{500, message.Retry, 0, 1}, {502, message.Retry, 0, 1}, {503, message.Retry, 0, 1}, {504, message.Retry, 0, 1}, {599, message.Retry, 0, 1}, {799, message.Retry, 0, 1},
	} {
		sc := newFixture(t)
		sc.r.Fail(pushtest.Fault{Status: c.status, Location: inner.URL})
		t.Log(c.status)
		sc.expect(c.verdict, c.after, c.requests)
	}
}

func TestRetryAfter(t *testing.T) {
	at := func(d time.Duration) string { return start.Add(d).Format(http.TimeFormat) }
	for text, want := range map[string]time.Duration{
		"": time.Minute, "90": 90 * time.Second, "0": time.Second, "1": time.Second, "3600": time.Hour, "3601": time.Hour,
		"99999999999999999999999": time.Hour, "18446744073709551615": time.Hour, "-5": time.Minute, "1.5": time.Minute, "soon": time.Minute, " 7 ": 7 * time.Second,
		at(5 * time.Minute): 5 * time.Minute, at(-5 * time.Minute): time.Second, at(30 * time.Hour): time.Hour, "Sat, 99 Nov 2026": time.Minute,
	} {
		sc := newFixture(t)
		sc.answers(429, text)
		t.Logf("%q", text)
		sc.expect(message.Retry, want, 1)
		if text != "" && want != time.Minute {
			sc.answers(503, text)
			sc.clock.Advance(want)
			if text == at(5*time.Minute) || text == at(30*time.Hour) {
				continue // the date comes nearer
			}
			sc.expect(message.Retry, want, 1)
			sc.expect(message.Retry, want, 1) // 503 pauses nobody
		}
	}
}

func TestAPausedServiceIsLeftAlone(t *testing.T) {
	sc := newFixture(t)
	other := listen(t, sc.clock)
	sc.answers(429, "120")
	sc.expect(message.Retry, 2*time.Minute, 1)
	sc.r.Recover()
	sc.expect(message.Retry, 2*time.Minute, 0)
	if got := sc.s.Send(context.Background(), news(t, alert.Danger), target(t, other)); got.Verdict != message.Delivered {
		t.Errorf("another service: %+v", got)
	}
	sc.clock.Advance(119 * time.Second)
	sc.expect(message.Retry, time.Second, 0)
	sc.clock.Advance(time.Second)
	sc.expect(message.Delivered, 0, 1)
	if said := sc.log.String(); said != "" {
		t.Errorf("logged: %s", said)
	}
}

func TestAShorterPauseDoesNotEndALongerOne(t *testing.T) {
	sc := newFixture(t)
	origin := sc.r.Origin()
	if got := sc.s.pause(origin, start, time.Hour, errors.New("429")); got.After != time.Hour {
		t.Errorf("%+v", got)
	}
	if got := sc.s.pause(origin, start, time.Second, errors.New("429")); got.After != time.Hour {
		t.Errorf("%+v", got)
	}
	sc.expect(message.Retry, time.Hour, 0)
}

// refused sends to browsers until a request is not made, and tells how many were.
func (sc *fixture) refused(most int) (requests int) {
	sc.Helper()
	for range most {
		before := sc.r.Requests()
		if got := sc.send(); got.Verdict != message.Retry || got.After <= 0 {
			sc.Fatalf("%+v", got)
		}
		if sc.r.Requests() == before {
			return requests
		}
		requests++
	}
	return requests
}

func (sc *fixture) alarms(want int) {
	sc.Helper()
	if n := strings.Count(sc.log.String(), "level=ERROR"); n != want {
		sc.Errorf("%d alarms, want %d: %s", n, want, sc.log)
	}
}

// Refused by everybody who was reached before, our keys or our clock are wrong: one
// alarm and a pause, after which several are tried again.
func TestRefusedKeysPauseWithOneAlarm(t *testing.T) {
	for _, status := range []int{401, 403} {
		sc := newFixture(t)
		sc.reached = true
		sc.answers(status, "5")
		if n := sc.refused(20); n != severalRefused {
			t.Errorf("%d requests before the pause", n)
		}
		sc.alarms(1)
		sc.clock.Advance(refusedPause)
		if n := sc.refused(20); n != severalRefused {
			t.Errorf("%d requests before the second pause", n)
		}
		sc.alarms(2)
		sc.clock.Advance(refusedPause)
		sc.r.Recover()
		sc.expect(message.Delivered, 0, 1)
		sc.alarms(2)
	}
}

// Anybody can register endpoints that a service refuses, before it ever took a message
// and after.
func TestEndpointsThatWereNeverReachedPauseNobody(t *testing.T) {
	for _, kind := range []message.Kind{message.Alerts, message.Confirm} {
		sc := newFixture(t)
		sc.kind = kind
		sc.answers(403, "")
		if n := sc.refused(150); n != 150 {
			t.Errorf("kind %d: after %d refusals nobody is asked", kind, n)
		}
		sc.reached = true
		sc.r.Recover()
		sc.expect(message.Delivered, 0, 1)
		sc.alarms(0)
	}
}

// One endpoint that is refused again and again is one, and several that are refused
// while others are taken are not all.
func TestASubscriptionUnderAnotherKeySilencesNobody(t *testing.T) {
	sc := newFixture(t)
	sc.answers(403, "")
	one := target(t, sc.r)
	one.Reached = true
	for range 50 {
		if got := sc.s.Send(context.Background(), news(t, alert.Danger), one); got.After != refusedWait {
			t.Fatalf("%+v", got)
		}
	}
	sc.alarms(0)
	sc.reached = true
	sc.r.Recover()
	sc.expect(message.Delivered, 0, 1)
	sc.answers(403, "")
	if n := sc.refused(50); n != 50 {
		t.Errorf("paused after %d", n)
	}
	sc.alarms(0)
	sc.clock.Advance(acceptedLately)
	if n := sc.refused(50); n != 1 { // nobody was taken for long
		t.Errorf("paused after %d", n)
	}
	sc.alarms(1)
}

// What a push that asks for a proof is answered is that endpoint's alone.
func TestTooManyRequestsOfAStrangerPauseNobody(t *testing.T) {
	sc := newFixture(t)
	sc.kind = message.Confirm
	sc.answers(429, "3600")
	sc.expect(message.Retry, time.Hour, 1)
	sc.r.Recover()
	sc.kind = message.Alerts
	sc.expect(message.Delivered, 0, 1)
}

func TestASuccessUnderWayEndsAPauseForKeysButNotFor429(t *testing.T) {
	sc := newFixture(t)
	to, err := sc.s.address(target(t, sc.r))
	if err != nil {
		t.Fatal(err)
	}
	sc.reached = true
	sc.answers(403, "")
	sc.refused(20)
	sc.r.Recover()
	sc.s.took(to.origin, start)
	sc.expect(message.Delivered, 0, 1)
	sc.s.pause(to.origin, start, time.Minute, errors.New("429"))
	sc.s.took(to.origin, start)
	sc.expect(message.Retry, time.Minute, 0)
}

func TestALongMessageIsSentOnceMoreInShort(t *testing.T) {
	for _, status := range []int{400, 413} {
		sc := newFixture(t)
		sc.r.Fail(pushtest.Fault{Status: status, Calls: 1})
		sc.expect(message.Delivered, 0, 2)
		n := sc.r.Pushes()[0]
		if want := `{"titulo":"Peligro: viento fuerte","cuerpo":"No es un aviso oficial.",`; !strings.HasPrefix(string(n.Payload), want) ||
			n.Size != shortRecord || !strings.Contains(string(n.Payload), `"nivel":"peligro","caduca_en":"2026-11-22T02:00:00Z"`) {
			t.Errorf("%d bytes: %s", n.Size, n.Payload)
		}
		if said := sc.log.String(); strings.Count(said, "level=ERROR") != 1 {
			t.Errorf("log: %q", said)
		}
	}
	sc := newFixture(t) // what is answered to the short one counts
	sc.r.Fail(pushtest.Fault{Status: 413, Calls: 1})
	sc.r.Fail(pushtest.Fault{Status: 410})
	sc.expect(message.Gone, 0, 2)
}

func TestExpiredMessagesAreNotSent(t *testing.T) {
	sc := newFixture(t)
	to := target(t, sc.r)
	for life, sent := range map[time.Duration]bool{0: false, -time.Hour: false, time.Nanosecond: true, time.Second: true} {
		b := news(t, alert.Danger)
		b.Expires = start.Add(life)
		before := sc.r.Requests()
		got := sc.s.Send(context.Background(), b, to)
		if (got.Verdict == message.Delivered) != sent || sc.r.Requests()-before > 0 != sent || !sent && (got.Verdict != message.Retry || !errors.Is(got.Err, ErrExpired)) {
			t.Errorf("%v: %+v", life, got)
		}
	}
}

func TestMessagesThatAreNoPush(t *testing.T) {
	sc := newFixture(t)
	for _, b := range []message.Message{{Kind: message.Confirm}, {Kind: message.Test}, {Kind: message.Alerts}, {Kind: 99}} {
		b.Expires = start.Add(time.Hour)
		if got := sc.s.Send(context.Background(), &b, target(t, sc.r)); got.Verdict != message.Unsendable || got.Err == nil {
			t.Errorf("kind %d: %+v", b.Kind, got)
		}
	}
	if sc.r.Requests() != 0 {
		t.Error("something was sent")
	}
}

// endless is an answer that never ends, and knows how much of it was read.
type endless struct {
	read   int
	closed bool
}

func (e *endless) Read(p []byte) (int, error) { e.read += len(p); return len(p), nil }
func (e *endless) Close() error               { e.closed = true; return nil }

func TestOfAnEndlessAnswerLittleIsRead(t *testing.T) {
	e := &endless{}
	drain(e)
	if e.read != maxAnswer || !e.closed {
		t.Errorf("%d bytes read, closed: %v", e.read, e.closed)
	}
}
