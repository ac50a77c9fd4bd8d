package push

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/SherClockHolmes/webpush-go"
	"github.com/jonboulle/clockwork"

	"vigia/forecast/alert"
	"vigia/notify/bulletin"
	"vigia/store/subscription"
)

// The benchmarks send the same message by this package and by webpush-go in a bare
// loop, in turns within one run, and report the ratios: only those carry over
// between machines. The sender's share includes the making of the payload, which
// webpush-go is given ready made.

// taking answers every request at once, so that only what comes before it costs.
type taking struct{}

func (taking) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusCreated, Body: http.NoBody, Request: r}, nil
}

func (k taking) Do(r *http.Request) (*http.Response, error) { return k.RoundTrip(r) }

// bare is what a bare loop with webpush-go needs.
type bare struct {
	payload []byte
	to      webpush.Subscription
	o       webpush.Options
}

func newBare(b *testing.B, s *Sender, n *bulletin.Bulletin, t *subscription.Target, client webpush.HTTPClient) *bare {
	b.Helper()
	made, err := newNotification(n)
	if err != nil {
		b.Fatal(err)
	}
	private, err := s.key.Bytes()
	if err != nil {
		b.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	return &bare{
		payload: made.long[:len(made.long):len(made.long)],
		to:      webpush.Subscription{Endpoint: t.Endpoint, Keys: webpush.Keys{P256dh: encode(t.Key[:]), Auth: encode(t.Auth[:])}},
		o: webpush.Options{HTTPClient: client, RecordSize: recordSize, Subscriber: "guardia@example.cl", Topic: made.topic, TTL: 3600,
			Urgency: webpush.UrgencyHigh, VAPIDPublicKey: s.public, VAPIDPrivateKey: encode(private)},
	}
}

func (w *bare) send(b *testing.B) {
	answer, err := webpush.SendNotification(w.payload, &w.to, &w.o)
	if err != nil || answer.StatusCode != http.StatusCreated {
		b.Errorf("webpush-go: %v", err)
		return
	}
	io.Copy(io.Discard, answer.Body)
	answer.Body.Close()
}

func send(b *testing.B, s *Sender, n *bulletin.Bulletin, t *subscription.Target) {
	if got := s.Send(context.Background(), n, t); got.Verdict != bulletin.Delivered {
		b.Errorf("%+v", got)
	}
}

// cost is what something took.
type cost struct {
	time          time.Duration
	bytes, allocs uint64
}

func (c *cost) measure(do func()) {
	clock := clockwork.NewRealClock()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := clock.Now()
	do()
	c.time += clock.Since(began)
	runtime.ReadMemStats(&after)
	c.bytes += after.TotalAlloc - before.TotalAlloc
	c.allocs += after.Mallocs - before.Mallocs
}

// BenchmarkMessage is a message on one core up to its request.
func BenchmarkMessage(b *testing.B) {
	s := testSender(b, clockwork.NewFakeClockAt(start), nil)
	s.open = taking{}
	n := news(b, alert.Danger)
	_, to := browserOf(b, "http://127.0.0.1:9/x")
	other := newBare(b, s, n, to, taking{})
	made, err := newNotification(n)
	if err != nil {
		b.Fatal(err)
	}
	place, err := s.address(to)
	if err != nil {
		b.Fatal(err)
	}
	const batch = 50
	var whole, sealed, theirs cost
	messages := 0
	for b.Loop() {
		messages += batch
		whole.measure(func() {
			for range batch {
				send(b, s, n, to)
			}
		})
		sealed.measure(func() {
			for range batch {
				if got := s.post(context.Background(), place, made, made.long, fullRecord); got.Verdict != bulletin.Delivered {
					b.Errorf("%+v", got)
				}
			}
		})
		theirs.measure(func() {
			for range batch {
				other.send(b)
			}
		})
	}
	count := float64(messages)
	b.ReportMetric(0, "ns/op")
	for _, c := range []struct {
		name string
		cost
	}{{"whole", whole}, {"sealed", sealed}, {"webpush-go", theirs}} {
		b.ReportMetric(float64(c.time.Nanoseconds())/count/1e3, "µs/"+c.name)
		b.ReportMetric(float64(c.bytes)/count, "B/"+c.name)
		b.ReportMetric(float64(c.allocs)/count, "allocs/"+c.name)
	}
	b.ReportMetric(float64(theirs.time)/float64(whole.time), "times-as-fast")
	b.ReportMetric(float64(theirs.time)/float64(sealed.time), "times-as-fast/sealed")
}

// BenchmarkEndToEnd is messages over HTTP/2 and TLS to a sink in the same process,
// eight at a time.
func BenchmarkEndToEnd(b *testing.B) {
	server := sink(b, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusCreated)
	})
	s := testSender(b, clockwork.NewFakeClockAt(start), nil)
	trust(s, server)
	n := news(b, alert.Danger)
	_, to := browserOf(b, server.URL+"/x")
	transport := newTransport(newDialer(false))
	transport.TLSClientConfig.RootCAs = s.open.(*http.Transport).TLSClientConfig.RootCAs
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: time.Minute}
	other := newBare(b, s, n, to, client)
	eight := func(count int32, one func()) func() {
		return func() {
			var left atomic.Int32
			left.Store(count)
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					for left.Add(-1) >= 0 {
						one()
					}
				})
			}
			all.Wait()
		}
	}
	const batch = 400
	ours, theirs := func() { send(b, s, n, to) }, func() { other.send(b) }
	eight(8, ours)()
	eight(8, theirs)()
	var mine, yours cost
	messages := 0
	for b.Loop() {
		messages += batch
		mine.measure(eight(batch, ours))
		yours.measure(eight(batch, theirs))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(messages)/mine.time.Seconds(), "pushes/s")
	b.ReportMetric(float64(messages)/yours.time.Seconds(), "pushes/s/webpush-go")
	b.ReportMetric(float64(yours.time)/float64(mine.time), "times-as-fast")
}
