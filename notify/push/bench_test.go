package push

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
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
// webpush-go is given ready made; its options are those it has when none are set.

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
		o: webpush.Options{HTTPClient: client, Subscriber: "guardia@example.cl", Topic: made.topic, TTL: 3600,
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
	time, cpu     time.Duration
	bytes, allocs uint64
}

// used is the time that this process has used on all processors.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func (c *cost) measure(do func()) {
	clock := clockwork.NewRealClock()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began, worked := clock.Now(), used()
	do()
	c.time += clock.Since(began)
	c.cpu += used() - worked
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

// sinkVariable has this test binary be the sink of BenchmarkEndToEnd.
const sinkVariable = "VIGIA_PUSH_SINK"

// runSink takes messages over HTTP/2 and TLS until its standard input ends. It
// tells where, and its certificate, as JSON.
func runSink() {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusCreated)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	json.NewEncoder(os.Stdout).Encode(sinkAt{server.URL, server.Certificate().Raw})
	io.Copy(io.Discard, os.Stdin)
	server.Close()
}

type sinkAt struct {
	URL         string
	Certificate []byte
}

// startSink starts a sink in a process of its own, so that its work does not count
// as the sender's.
func startSink(b *testing.B) (at sinkAt, roots *x509.CertPool) {
	b.Helper()
	sink := exec.Command(os.Args[0])
	sink.Env = append(os.Environ(), sinkVariable+"=1")
	in, err := sink.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := sink.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := sink.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { in.Close(); sink.Wait() })
	if err := json.NewDecoder(out).Decode(&at); err != nil {
		b.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(at.Certificate)
	if err != nil {
		b.Fatal(err)
	}
	roots = x509.NewCertPool()
	roots.AddCert(certificate)
	return at, roots
}

// BenchmarkEndToEnd is messages over HTTP/2 and TLS on loopback, eight at a time,
// by the wall clock and by this process's own work.
func BenchmarkEndToEnd(b *testing.B) {
	at, roots := startSink(b)
	s := testSender(b, clockwork.NewFakeClockAt(start), nil)
	s.open.(*http.Transport).TLSClientConfig.RootCAs = roots
	n := news(b, alert.Danger)
	_, to := browserOf(b, at.URL+"/x")
	client := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: roots}}, Timeout: time.Minute}
	defer client.CloseIdleConnections()
	other := newBare(b, s, n, to, client)
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
	count := float64(messages)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(count/mine.time.Seconds(), "pushes/s")
	b.ReportMetric(count/yours.time.Seconds(), "pushes/s/webpush-go")
	b.ReportMetric(float64(yours.time)/float64(mine.time), "times-as-fast")
	b.ReportMetric(float64(mine.cpu.Nanoseconds())/count/1e3, "cpu-µs")
	b.ReportMetric(float64(yours.cpu.Nanoseconds())/count/1e3, "cpu-µs/webpush-go")
	b.ReportMetric(float64(yours.cpu)/float64(mine.cpu), "times-as-little-cpu")
}

// eight does something so often, eight at a time.
func eight(times int32, do func()) func() {
	return func() {
		var left atomic.Int32
		left.Store(times)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for left.Add(-1) >= 0 {
					do()
				}
			})
		}
		all.Wait()
	}
}
