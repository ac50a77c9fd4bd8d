package mail

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	netmail "net/mail"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gomail "github.com/wneessen/go-mail"

	"vigia/notify/message"
)

// sink is the fastest SMTP server that there can be: it takes all and keeps nothing.
// Each of its answers comes after a delay, as over a network with that round trip.
type sink struct {
	net.Listener
	delay time.Duration
	taken atomic.Int64
}

func openSink(t testing.TB, delay time.Duration) *sink {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &sink{Listener: listener, delay: delay}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { s.serve(conn) })
		}
	})
	t.Cleanup(func() { listener.Close(); wg.Wait() })
	return s
}

func (s *sink) serve(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewReaderSize(conn, 64<<10)
	say := func(text string) {
		if s.delay > 0 {
			<-time.After(s.delay)
		}
		conn.Write([]byte(text + "\r\n"))
	}
	say("220 sink")
	for content := false; ; {
		line, err := lines.ReadSlice('\n')
		switch {
		case err != nil:
			return
		case content:
			if content = !bytes.Equal(line, []byte(".\r\n")); !content {
				s.taken.Add(1)
				say("250 2.0.0 taken")
			}
		case bytes.HasPrefix(line, []byte("EHLO")):
			say("250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 ENHANCEDSTATUSCODES")
		case bytes.HasPrefix(line, []byte("DATA")):
			content = true
			say("354 go on")
		case bytes.HasPrefix(line, []byte("QUIT")):
			say("221 2.0.0 bye")
			return
		default:
			say("250 2.0.0 good")
		}
	}
}

func (s *sink) port() int { return s.Addr().(*net.TCPAddr).Port }

// inParallel sends n messages, each worker its share.
func inParallel(workers, n int, send func(worker int)) time.Duration {
	begun := time.Now()
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			for i := worker; i < n; i += workers {
				send(worker)
			}
		})
	}
	wg.Wait()
	return time.Since(begun)
}

// bareLoop returns the bare form: go-mail with its own settings, a connection for each
// worker dialled once, the same headers and bodies already in hand.
func bareLoop(b *testing.B, s *Sender, workers, port int) func(worker int) {
	l, err := s.Compose(news(b), ana)
	if err != nil {
		b.Fatal(err)
	}
	client, err := gomail.NewClient("127.0.0.1", gomail.WithPort(port), gomail.WithTLSPolicy(gomail.NoTLS), gomail.WithHELO("vigia.example.cl"))
	if err != nil {
		b.Fatal(err)
	}
	var wires []func(*gomail.Msg) error
	for range workers {
		wire, err := client.DialToSMTPClientWithContext(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { wire.Close() })
		wires = append(wires, func(m *gomail.Msg) error { return client.SendWithSMTPClient(wire, m) })
	}
	return func(worker int) {
		m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
		m.FromMailAddress(&s.from)
		m.ToMailAddress(&netmail.Address{Address: ana})
		for _, h := range l.headers {
			m.SetGenHeader(h.name, h.value)
		}
		m.SetBodyString(gomail.TypeTextPlain, l.Text)
		m.AddAlternativeString(gomail.TypeTextHTML, l.HTML)
		if err := wires[worker](m); err != nil {
			b.Error(err)
		}
	}
}

// BenchmarkSend compares mails a second with those of go-mail in a bare loop, in
// turns, composing from the message included.
func BenchmarkSend(b *testing.B) {
	for _, delay := range []time.Duration{0, 20 * time.Millisecond} {
		for _, connections := range []int{1, 8} {
			b.Run(fmt.Sprintf("rtt=%v/connections=%d", delay, connections), func(b *testing.B) {
				sink := openSink(b, delay)
				s, err := New(Options{Host: "127.0.0.1", Port: sink.port(), TLS: "none", From: "alertas@vigia.example.cl", Connections: connections})
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() { s.Close() })
				m := news(b)
				ours := func(int) {
					if r := s.Send(b.Context(), m, ana); r.Verdict != message.Delivered {
						b.Error(r)
					}
				}
				bare := bareLoop(b, s, connections, sink.port())
				turn := 25 * connections
				if delay == 0 {
					turn = 400
				}
				var tookOurs, tookBare time.Duration
				rounds := 0
				for b.Loop() {
					tookOurs += inParallel(connections, turn, ours)
					tookBare += inParallel(connections, turn, bare)
					rounds++
				}
				if got := sink.taken.Load(); got != int64(2*rounds*turn) {
					b.Errorf("%d mails taken, %d sent", got, 2*rounds*turn)
				}
				b.ReportMetric(float64(rounds*turn)/tookOurs.Seconds(), "mails/s")
				b.ReportMetric(float64(tookBare)/float64(tookOurs), "ours/bare")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
