package push

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/alert"
	"vigia/notify/bulletin"
	"vigia/notify/simulate"
)

// journal is a log that tests read.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// scene is a sender, a push service with a browser, and a bulletin for it.
type scene struct {
	*testing.T
	clock *clockwork.FakeClock
	log   *journal
	s     *Sender
	r     *simulate.Receiver
}

func newScene(t *testing.T) *scene {
	t.Helper()
	sc := &scene{T: t, clock: clockwork.NewFakeClockAt(start), log: &journal{}}
	sc.s = testSender(t, sc.clock, func(o *Options) {
		o.Log, o.Timeout = slog.New(slog.NewTextHandler(sc.log, nil)), 5*time.Second
	})
	sc.r = listen(t, sc.clock)
	return sc
}

// send delivers to a new browser and checks that nothing tells its endpoint.
func (sc *scene) send() bulletin.Result {
	sc.Helper()
	to := target(sc, sc.r)
	got := sc.s.Send(context.Background(), news(sc, alert.Danger), to)
	secret := to.Endpoint[strings.LastIndexByte(to.Endpoint, '/')+1:]
	if said := sc.log.String(); strings.Contains(said, secret) || got.Err != nil && strings.Contains(got.Err.Error(), secret) {
		sc.Errorf("the endpoint is told: %v, %s", got.Err, said)
	}
	return got
}

// expect sends and compares verdict, wait and how many requests were made.
func (sc *scene) expect(verdict bulletin.Verdict, after time.Duration, requests int) {
	sc.Helper()
	before := sc.r.Requests()
	got := sc.send()
	if made := sc.r.Requests() - before; got.Verdict != verdict || got.After != after || made != requests {
		sc.Errorf("%+v after %d requests, want verdict %d, after %v, by %d", got, made, verdict, after, requests)
	}
	if (got.Err == nil) != (verdict == bulletin.Delivered) {
		sc.Errorf("the error of verdict %d is %v", got.Verdict, got.Err)
	}
}

func (sc *scene) answers(status int, retryAfter string) {
	sc.r.Recover()
	sc.r.Fail(simulate.PushFault{Status: status, RetryAfter: retryAfter})
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		status   int
		verdict  bulletin.Verdict
		after    time.Duration
		requests int
	}{
		{200, bulletin.Delivered, 0, 1}, {201, bulletin.Delivered, 0, 1}, {202, bulletin.Delivered, 0, 1}, {204, bulletin.Delivered, 0, 1},
		{300, bulletin.Retry, 0, 1}, {301, bulletin.Retry, 0, 1}, {302, bulletin.Retry, 0, 1}, {304, bulletin.Retry, 0, 1},
		{307, bulletin.Retry, 0, 1}, {308, bulletin.Retry, 0, 1},
		{400, bulletin.Unsendable, 0, 2}, {401, bulletin.Retry, 15 * time.Minute, 1}, {403, bulletin.Retry, 15 * time.Minute, 1},
		{404, bulletin.Gone, 0, 1}, {405, bulletin.Unsendable, 0, 2}, {407, bulletin.Retry, 0, 1}, {408, bulletin.Retry, 0, 1}, {410, bulletin.Gone, 0, 1},
		{413, bulletin.Unsendable, 0, 2}, {415, bulletin.Unsendable, 0, 2}, {421, bulletin.Retry, 0, 1}, {425, bulletin.Retry, 0, 1},
		{429, bulletin.Retry, time.Minute, 1},
		{500, bulletin.Retry, 0, 1}, {502, bulletin.Retry, 0, 1}, {503, bulletin.Retry, 0, 1}, {504, bulletin.Retry, 0, 1}, {599, bulletin.Retry, 0, 1}, {799, bulletin.Retry, 0, 1},
	} {
		sc := newScene(t)
		sc.r.Fail(simulate.PushFault{Status: c.status, Location: "http://127.0.0.1:1/elsewhere"})
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
		sc := newScene(t)
		sc.answers(429, text)
		t.Logf("%q", text)
		sc.expect(bulletin.Retry, want, 1)
		if text != "" && want != time.Minute {
			sc.answers(503, text)
			sc.clock.Advance(want)
			if text == at(5*time.Minute) || text == at(30*time.Hour) {
				continue // the date comes nearer
			}
			sc.expect(bulletin.Retry, want, 1)
			sc.expect(bulletin.Retry, want, 1) // 503 pauses nobody
		}
	}
}

func TestAPausedServiceIsLeftAlone(t *testing.T) {
	sc := newScene(t)
	other := listen(t, sc.clock)
	sc.answers(429, "120")
	sc.expect(bulletin.Retry, 2*time.Minute, 1)
	sc.r.Recover()
	sc.expect(bulletin.Retry, 2*time.Minute, 0)
	if got := sc.s.Send(context.Background(), news(t, alert.Danger), target(t, other)); got.Verdict != bulletin.Delivered {
		t.Errorf("another service: %+v", got)
	}
	sc.clock.Advance(119 * time.Second)
	sc.expect(bulletin.Retry, time.Second, 0)
	sc.clock.Advance(time.Second)
	sc.expect(bulletin.Delivered, 0, 1)
	if said := sc.log.String(); said != "" {
		t.Errorf("logged: %s", said)
	}
}

func TestAShorterPauseDoesNotEndALongerOne(t *testing.T) {
	sc := newScene(t)
	origin := sc.r.Origin()
	if got := sc.s.pause(origin, start, time.Hour, errors.New("429")); got.After != time.Hour {
		t.Errorf("%+v", got)
	}
	if got := sc.s.pause(origin, start, time.Second, errors.New("429")); got.After != time.Hour {
		t.Errorf("%+v", got)
	}
	sc.expect(bulletin.Retry, time.Hour, 0)
}

func TestRefusedKeysPauseWithOneAlarm(t *testing.T) {
	for _, status := range []int{401, 403} {
		sc := newScene(t)
		sc.answers(status, "5")
		first := token(t, sc.s, sc.r.Origin())
		sc.expect(bulletin.Retry, 15*time.Minute, 1)
		for range 5 {
			sc.expect(bulletin.Retry, 15*time.Minute, 0)
		}
		if n := strings.Count(sc.log.String(), "level=ERROR"); n != 1 {
			t.Errorf("%d alarms: %s", n, sc.log)
		}
		sc.clock.Advance(15 * time.Minute)
		if token(t, sc.s, sc.r.Origin()) == first {
			t.Error("the token that was refused is used again")
		}
		sc.expect(bulletin.Retry, 15*time.Minute, 1)
		if n := strings.Count(sc.log.String(), "level=ERROR"); n != 2 {
			t.Errorf("%d alarms after the second pause: %s", n, sc.log)
		}
		sc.clock.Advance(15 * time.Minute)
		sc.r.Recover()
		sc.expect(bulletin.Delivered, 0, 1)
	}
}

func TestASubscriptionUnderAnotherKeySilencesNobody(t *testing.T) {
	sc := newScene(t)
	sc.expect(bulletin.Delivered, 0, 1)
	sc.answers(403, "")
	for range maxRefusals - 1 {
		sc.expect(bulletin.Retry, 15*time.Minute, 1)
	}
	sc.r.Recover()
	sc.expect(bulletin.Delivered, 0, 1)
	if said := sc.log.String(); said != "" {
		t.Errorf("alarm: %s", said)
	}
	// Many in a row are our own fault after all.
	sc.answers(403, "")
	for range maxRefusals {
		sc.expect(bulletin.Retry, 15*time.Minute, 1)
	}
	sc.expect(bulletin.Retry, 15*time.Minute, 0)
	if n := strings.Count(sc.log.String(), "level=ERROR"); n != 1 {
		t.Errorf("%d alarms", n)
	}
}

func TestASuccessUnderWayEndsAPauseForKeysButNotFor429(t *testing.T) {
	sc := newScene(t)
	to, err := sc.s.address(target(t, sc.r))
	if err != nil {
		t.Fatal(err)
	}
	sc.s.refuse(to, start, errors.New("403"))
	sc.s.took(to.origin, start)
	sc.expect(bulletin.Delivered, 0, 1)
	sc.s.pause(to.origin, start, time.Minute, errors.New("429"))
	sc.s.took(to.origin, start)
	sc.expect(bulletin.Retry, time.Minute, 0)
}

func TestALongMessageIsSentOnceMoreInShort(t *testing.T) {
	for _, status := range []int{400, 413} {
		sc := newScene(t)
		sc.r.Fail(simulate.PushFault{Status: status, Calls: 1})
		sc.expect(bulletin.Delivered, 0, 2)
		n := sc.r.Notes()[0]
		if want := `{"titulo":"Peligro: viento fuerte","cuerpo":"No es un aviso oficial.",`; !strings.HasPrefix(string(n.Payload), want) ||
			n.Size != headerSize+shortRecord+tagSize || !strings.Contains(string(n.Payload), `"nivel":"peligro","caduca_en":"2026-11-22T02:00:00Z"`) {
			t.Errorf("%d bytes: %s", n.Size, n.Payload)
		}
		if said := sc.log.String(); strings.Count(said, "level=ERROR") != 1 {
			t.Errorf("log: %q", said)
		}
	}
	sc := newScene(t) // what is answered to the short one counts
	sc.r.Fail(simulate.PushFault{Status: 413, Calls: 1})
	sc.r.Fail(simulate.PushFault{Status: 410})
	sc.expect(bulletin.Gone, 0, 2)
}

func TestExpiredBulletinsAreNotSent(t *testing.T) {
	sc := newScene(t)
	to := target(t, sc.r)
	for life, sent := range map[time.Duration]bool{0: false, -time.Hour: false, time.Nanosecond: true, time.Second: true} {
		b := news(t, alert.Danger)
		b.Expires = start.Add(life)
		before := sc.r.Requests()
		got := sc.s.Send(context.Background(), b, to)
		if (got.Verdict == bulletin.Delivered) != sent || sc.r.Requests()-before > 0 != sent || !sent && (got.Verdict != bulletin.Retry || !errors.Is(got.Err, ErrExpired)) {
			t.Errorf("%v: %+v", life, got)
		}
	}
}

func TestBulletinsThatAreNoPush(t *testing.T) {
	sc := newScene(t)
	for _, b := range []bulletin.Bulletin{{Kind: bulletin.Confirm}, {Kind: bulletin.Test}, {Kind: bulletin.News}, {Kind: 99}} {
		b.Expires = start.Add(time.Hour)
		if got := sc.s.Send(context.Background(), &b, target(t, sc.r)); got.Verdict != bulletin.Unsendable || got.Err == nil {
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
