package push

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/goleak"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/notify/bulletin"
	"vigia/notify/simulate"
	"vigia/store/catalogue"
	"vigia/store/subscription"
)

func TestMain(m *testing.M) {
	if os.Getenv(sinkVariable) != "" {
		runSink()
		return
	}
	goleak.VerifyTestMain(m)
}

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
	return &alert.Alert{
		ID: id, Version: 1, Park: "torres-del-paine", Hazard: hazard.Wind, Level: level, Start: hour.Add(-time.Hour), End: hour.Add(13 * time.Hour),
		Agree: 3, Total: 4,
		Causes: []alert.Cause{{Cause: hazard.Cause{Quantity: hazard.GustQuantity, Value: 94.7, Min: 81, Max: 108, Threshold: 90}, Place: "Paso"}},
	}
}

// news is a bulletin of one alert.
func news(t testing.TB, level alert.Level) *bulletin.Bulletin {
	t.Helper()
	a := wind("a1", level)
	return &bulletin.Bulletin{
		Kind: bulletin.News, Now: start, Expires: a.End, Ref: "ref",
		Entries: []bulletin.Entry{{Alert: a, What: alert.Opened, Park: paine(t)}},
	}
}

// testSender makes a sender that may post to the origin of a URL.
func testSender(t testing.TB, clock clockwork.Clock, change func(*Options)) *Sender {
	t.Helper()
	private, public, err := NewKeys()
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

func listen(t testing.TB, clock clockwork.Clock) *simulate.Receiver {
	t.Helper()
	r, err := simulate.ListenPush(simulate.ReceiverOptions{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// target subscribes a browser of the receiver.
func target(t testing.TB, r *simulate.Receiver) *subscription.Target {
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
	if got := s.Send(context.Background(), news(t, alert.Danger), to); got.Verdict != bulletin.Delivered || got.Err != nil {
		t.Fatalf("%+v", got)
	}
	notes := r.Notes()
	if len(notes) != 1 {
		t.Fatalf("%d notes", len(notes))
	}
	n := notes[0]
	if n.Endpoint != to.Endpoint || n.Urgency != "high" || n.TTL != int((12*time.Hour+55*time.Minute)/time.Second) || len(n.Topic) != 24 {
		t.Errorf("%+v", n)
	}
	var p map[string]any
	if err := json.Unmarshal(n.Payload, &p); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{
		"titulo":   "Peligro: viento fuerte",
		"cuerpo":   "Torres del Paine, hoy de 9 a 23 h. Rachas de 94,7 km/h (umbral 90). 3 de 4 modelos. No es un aviso oficial.",
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
