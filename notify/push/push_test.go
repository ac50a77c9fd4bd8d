package push

import (
	"bytes"
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/SherClockHolmes/webpush-go"
	"github.com/jonboulle/clockwork"
	"go.uber.org/goleak"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/notify/message"
	"vigia/notify/push/pushtest"
	"vigia/store/catalogue"
	"vigia/store/subscription"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start is Saturday the 21st, five past ten in the morning in Punta Arenas.
var start = time.Date(2026, 11, 21, 13, 5, 0, 0, time.UTC)

func paine(t testing.TB) *catalogue.Park {
	t.Helper()
	zone, err := time.LoadLocation("America/Punta_Arenas")
	if err != nil {
		t.Fatal(err)
	}
	return &catalogue.Park{Slug: "torres-del-paine", Name: "Torres del Paine", TimeZone: zone}
}

// wind is an alert of strong wind from 9 to 23 h.
func wind(id string, level alert.Level) *alert.Alert {
	hour := start.Truncate(time.Hour)
	a := &alert.Alert{ID: id, Version: 1, Park: "torres-del-paine"}
	a.SetTracks([]alert.Track{{
		Trail: "base-torres", Hazard: hazard.Wind, Level: level, From: hour, To: hour.Add(12 * time.Hour),
		Reason: alert.Reason{On: level, Level: level, Agree: 3, Total: 4, Causes: []alert.Cause{
			{Cause: hazard.Cause{Quantity: hazard.GustQuantity, Value: 94.7, Min: 81, Max: 108, Threshold: 90, Over: 3, Total: 4}, Place: "Paso"}}},
	}})
	return a
}

// news is a message of one alert.
func news(t testing.TB, level alert.Level) *message.Message {
	t.Helper()
	a := wind("a1", level)
	return &message.Message{
		Kind: message.Alerts, Now: start, Expires: a.End, Ref: "ref",
		Entries: []message.Entry{{Alert: a, What: alert.Opened, Park: paine(t)}},
	}
}

// testSender makes a sender that may post to the origin of a URL.
func testSender(t testing.TB, clock clockwork.Clock, change func(*Options)) *Sender {
	t.Helper()
	private, public, err := webpush.GenerateVAPIDKeys()
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Public: public, Private: private, Subject: "guardia@example.cl", Clock: clock,
		AsWritten: func(u *url.URL) bool { return strings.HasPrefix(u.Host, "127.0.0.1:") }}
	if change != nil {
		change(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func listen(t testing.TB, clock clockwork.Clock) *pushtest.Service {
	t.Helper()
	r, err := pushtest.Listen(pushtest.Options{Clock: clock, TokenClock: clockwork.NewRealClock()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func unbase64(t testing.TB, text string) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// browserAt makes the target of a browser that no receiver knows.
func browserAt(t testing.TB, endpoint string) *subscription.Target {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	to := &subscription.Target{Endpoint: endpoint, Key: [65]byte(key.PublicKey().Bytes())}
	rand.Read(to.Auth[:])
	return to
}

// target subscribes a browser of the receiver.
func target(t testing.TB, r *pushtest.Service) *subscription.Target {
	t.Helper()
	endpoint, key, auth := r.NewBrowser()
	to := &subscription.Target{Endpoint: endpoint}
	copy(to.Key[:], unbase64(t, key))
	copy(to.Auth[:], unbase64(t, auth))
	return to
}

func TestSendReachesABrowser(t *testing.T) {
	clock := clockwork.NewFakeClockAt(start)
	r := listen(t, clock)
	s := testSender(t, clock, nil)
	to := target(t, r)
	if got := s.Send(context.Background(), news(t, alert.Danger), to); got.Verdict != message.Delivered || got.Err != nil {
		t.Fatalf("%+v", got)
	}
	pushes := r.Pushes()
	if len(pushes) != 1 {
		t.Fatalf("%d pushes", len(pushes))
	}
	n := pushes[0]
	if n.Endpoint != to.Endpoint || n.Urgency != "high" || n.Size != 2048 || n.TTL != int((12*time.Hour+55*time.Minute)/time.Second) || len(n.Topic) != 24 {
		t.Errorf("%+v", n)
	}
	var p map[string]any
	if err := json.Unmarshal(n.Payload, &p); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{
		"titulo":   "Peligro: viento fuerte",
		"cuerpo":   "Torres del Paine, hasta las 23:00 de hoy. Rachas: 3 de 4 modelos sobre 90 km/h (mediana 95 km/h). No es un aviso oficial.",
		"etiqueta": n.Topic, "url": "/parques/torres-del-paine", "nivel": "peligro", "caduca_en": "2026-11-22T02:00:00Z", "idioma": "es",
	} {
		if p[key] != want {
			t.Errorf("%s is %q, want %q", key, p[key], want)
		}
	}
	if len(p) != 7 {
		t.Errorf("%d fields: %v", len(p), p)
	}
}

// What a message says outside of what is sealed, and its length, which is the same for
// all.
func TestHeaders(t *testing.T) {
	sc := newFixture(t)
	for _, c := range []struct {
		life    time.Duration
		level   alert.Level
		ttl     int
		urgency string
	}{
		{90 * time.Second, alert.Danger, 90, "high"},
		{1999 * time.Millisecond, alert.Caution, 1, "normal"},
		{365 * 24 * time.Hour, alert.Caution, 28 * 24 * 3600, "normal"},
	} {
		b := news(t, c.level)
		b.Expires = start.Add(c.life)
		if got := sc.s.Send(context.Background(), b, target(t, sc.r)); got.Verdict != message.Delivered {
			t.Fatalf("%v: %+v", c.life, got)
		}
		n := sc.r.Pushes()[0]
		if n.TTL != c.ttl || n.Urgency != c.urgency || n.Topic != topicOf(b) || n.Size != 2048 {
			t.Errorf("%v: %+v", c.life, n)
		}
		if shown, err := sc.s.Compose(b); err != nil || shown.TTL != n.TTL || shown.Urgency != n.Urgency || shown.Topic != n.Topic || !bytes.Equal(shown.Payload, n.Payload) {
			t.Errorf("%v: composed %+v (%v)", c.life, shown, err)
		}
	}
	made := sc.s.options(&notification{expires: start.Add(-time.Hour)}, shortRecord, nil)
	if made.TTL != 0 {
		t.Errorf("a message that expires between its two tries has a TTL of %d", made.TTL)
	}
}

func TestWhoSends(t *testing.T) {
	var header http.Header
	server := sink(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		header = r.Header
		w.WriteHeader(http.StatusCreated)
	})
	s := testSender(t, clockwork.NewFakeClockAt(start), nil)
	trust(s, server)
	if got := s.Send(context.Background(), news(t, alert.Danger), browserAt(t, server.URL+"/x")); got.Verdict != message.Delivered {
		t.Fatalf("%+v", got)
	}
	want := "Authorization Content-Encoding Content-Length Content-Type Topic Ttl Urgency User-Agent"
	if names := strings.Join(slices.Sorted(maps.Keys(header)), " "); header.Get("User-Agent") != "vigia" || names != want {
		t.Errorf("%s is sent by %s", names, header.Get("User-Agent"))
	}
}

// The receiver takes nothing but our key, its own origin as the audience, and a subject
// that is one.
func TestSubjects(t *testing.T) {
	private, public, err := webpush.GenerateVAPIDKeys()
	if err != nil {
		t.Fatal(err)
	}
	r, err := pushtest.Listen(pushtest.Options{Key: public})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	for contact, want := range map[string]message.Verdict{
		"a@example.cl": message.Delivered, "mailto:a@example.cl": message.Delivered, "https://example.cl/contacto": message.Delivered,
		"nobody": message.Retry, // the control: refused
	} {
		s := testSender(t, clockwork.NewFakeClockAt(start), func(o *Options) { o.Subject, o.Public, o.Private = contact, public, private+"=" })
		if got := s.Send(context.Background(), news(t, alert.Danger), target(t, r)); got.Verdict != want {
			t.Errorf("%q: %+v", contact, got)
		}
	}
	s := testSender(t, clockwork.NewFakeClockAt(start), nil)
	if got := s.Send(context.Background(), news(t, alert.Danger), target(t, r)); got.Verdict != message.Retry {
		t.Errorf("under another key: %+v", got)
	}
}

func TestSealingLeavesTheCallersMemoryAlone(t *testing.T) {
	sc := newFixture(t)
	for _, size := range []int{0, 1, 100, maxPayload - 1, fullRecord - sealing} {
		payload := bytes.Repeat([]byte("a"), size)
		shared := append(payload[:size:size], "what follows in memory"...)
		to, err := sc.s.address(target(t, sc.r))
		if err != nil {
			t.Fatal(err)
		}
		if got := sc.s.post(t.Context(), to, &notification{topic: "t", expires: start}, shared[:size], fullRecord); got.Verdict != message.Delivered {
			t.Fatalf("%d bytes: %+v", size, got)
		}
		if n := sc.r.Pushes()[0]; !bytes.Equal(n.Payload, payload) || n.Size != fullRecord || string(shared[size:]) != "what follows in memory" {
			t.Errorf("%d bytes come out as %d, of %d, and leave %q", size, len(n.Payload), n.Size, shared[size:])
		}
	}
}

func TestWhatCannotBeSealed(t *testing.T) {
	s := testSender(t, clockwork.NewFakeClockAt(start), nil)
	for name, key := range map[string][65]byte{"zeros": {}, "not on the curve": {4, 1, 2, 3}, "compressed": {2, 1}} {
		got := s.Send(context.Background(), news(t, alert.Danger), &subscription.Target{Endpoint: "http://127.0.0.1:1/secret", Key: key})
		if got.Verdict != message.Unsendable || got.Err == nil || strings.Contains(got.Err.Error(), "secret") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
