package handlers

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jonboulle/clockwork"
)

// pipes is a listener for connections within the process, which keep to the time of
// a bubble.
type pipes struct {
	come   chan net.Conn
	closed chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.come:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial() net.Conn {
	near, far := net.Pipe()
	p.come <- far
	return near
}

// dribble writes a text a byte a second, and reads what comes, until the other end has
// had enough; it gives how long that took.
func dribble(c net.Conn, text string) time.Duration {
	began := time.Now()
	go io.Copy(io.Discard, c)
	for i := 0; ; i++ {
		if _, err := c.Write([]byte{text[i%len(text)]}); err != nil {
			return time.Since(began)
		}
		<-time.After(time.Second)
	}
}

// Whatever a client does slowly, it is let go in a time that is written here.
func TestSlowClientsAreLetGo(t *testing.T) {
	secure := newCertificate(t)
	s := New(withoutSite(Options{Clock: clockwork.NewRealClock(), Log: slog.New(slog.DiscardHandler), Subscriptions: newFakeSubscriptions()}))
	s.Publish(newSnapshot())
	for _, c := range []struct {
		name    string
		tls     *tls.Config
		slow    func(net.Conn) time.Duration
		atMost  time.Duration
		atLeast time.Duration
	}{
		{"head", nil, func(c net.Conn) time.Duration {
			return dribble(c, "GET / HTTP/1.1\r\nHost: x\r\n"+strings.Repeat("X: y\r\n", 99))
		},
			headTimeout + 2*time.Second, headTimeout - time.Second},
		{"nothing at all", nil, silence, headTimeout + time.Second, headTimeout},
		{"second head", nil, func(c net.Conn) time.Duration {
			fmt.Fprintf(c, "GET /api/v1/parques HTTP/1.1\r\nHost: x\r\n\r\n")
			response, _ := http.ReadResponse(bufio.NewReader(c), nil)
			io.Copy(io.Discard, response.Body)
			return dribble(c, strings.Repeat("GET", 999))
		}, headTimeout + 5*time.Second, headTimeout - time.Second},
		{"resting", nil, func(c net.Conn) time.Duration {
			fmt.Fprintf(c, "GET /api/v1/parques HTTP/1.1\r\nHost: x\r\n\r\n")
			return silence(c)
		}, idleTimeout + time.Second, idleTimeout},
		{"body", nil, func(c net.Conn) time.Duration {
			fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 8000\r\n\r\n", signups)
			return dribble(c, " ")
		}, readTimeout + 2*time.Second, readTimeout - time.Second},
		{"body that nobody reads", nil, func(c net.Conn) time.Duration {
			fmt.Fprintf(c, "POST /api/v1/parques HTTP/1.1\r\nHost: x\r\nContent-Length: 8000\r\n\r\n")
			return dribble(c, " ")
		}, readTimeout + 2*time.Second, 0},
		{"answer", nil, func(c net.Conn) time.Duration {
			began := time.Now()
			fmt.Fprintf(c, "GET /api/v1/parques HTTP/1.1\r\nHost: x\r\n\r\n")
			<-time.After(writeTimeout + time.Second)
			_, err := io.ReadAll(c)
			if err == nil {
				return time.Since(began)
			}
			return 0
		}, writeTimeout + time.Second, writeTimeout},
		{"handshake", secure.TLS(), func(c net.Conn) time.Duration {
			return dribble(c, "\x16\x03\x01\x02\x00\x01"+strings.Repeat("\x00", 999))
		},
			headTimeout + 2*time.Second, headTimeout - time.Second},
		{"nothing by TLS", secure.TLS(), silence, headTimeout + time.Second, headTimeout},
		{"head by HTTP/2", secure.TLS(), func(c net.Conn) time.Duration { return dribble(handshake(c, secure), "PRI * HTTP/2.0") },
			headTimeout + 2*time.Second, headTimeout - time.Second},
		{"silence by HTTP/2", secure.TLS(), func(c net.Conn) time.Duration {
			secured := handshake(c, secure)
			go fmt.Fprint(secured, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")
			return silence(secured)
		}, idleTimeout + readTimeout, headTimeout},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, counted := newPipes(), newConnLimiter(9, nil, s.Clock, s.Log)
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan error)
				go func() {
					ended <- endpoint{Listener: l, tls: c.tls, handler: s, conns: counted}.serve(ctx, s.Log)
				}()
				client := l.dial()
				if took := c.slow(client); took < c.atLeast || took > c.atMost {
					t.Errorf("let go after %s, not between %s and %s", took, c.atLeast, c.atMost)
				}
				client.Close()
				synctest.Wait()
				if n := len(counted.conns); n != 0 {
					t.Errorf("%d connections are still counted", n)
				}
				stop()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// silence reads, says nothing, and gives how long the other end bears it.
func silence(c net.Conn) time.Duration {
	began := time.Now()
	io.Copy(io.Discard, c)
	return time.Since(began)
}

func handshake(c net.Conn, of *oneCertificate) net.Conn {
	secured := tls.Client(c, &tls.Config{RootCAs: of.roots, ServerName: domain, NextProtos: []string{"h2"}})
	if err := secured.Handshake(); err != nil {
		panic(err)
	}
	return secured
}
