package handlers

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
)

// slowClient opens connections from an address and finishes nothing on them.
type slowClient struct {
	from, to string
	says     string
	deaf     bool // reads no answer
}

// slowClients are so many, of every kind, from a few addresses.
func slowClients(n int, plain, secure string) (all []slowClient) {
	kinds := []slowClient{
		{to: plain, says: "GET /api/v1/parques HTTP/1.1\r\nHost: x\r\nX-Never: "},
		{to: plain, says: "POST " + signups + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 8000\r\n\r\n{"},
		{to: plain, says: strings.Repeat("GET /api/v1/parques/lauca/historial HTTP/1.1\r\nHost: x\r\n\r\n", 30), deaf: true},
		{to: plain},
		{to: secure, says: "\x16\x03\x01\x02\x00\x01\x00"},
	}
	for i := range n {
		b := kinds[i%len(kinds)]
		b.from = fmt.Sprintf("127.0.1.%d", 1+i/len(kinds)%8)
		all = append(all, b)
	}
	return all
}

// hold holds a connection, and opens another one half a second after it was closed,
// until ctx ends.
func (b slowClient) hold(ctx context.Context) {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(b.from)}}
	for ctx.Err() == nil {
		if c, err := dialer.DialContext(ctx, "tcp", b.to); err == nil {
			stop := context.AfterFunc(ctx, func() { c.Close() })
			if b.deaf {
				c.(*net.TCPConn).SetReadBuffer(4 << 10)
			}
			io.WriteString(c, b.says)
			if b.deaf {
				<-ctx.Done()
			}
			io.Copy(io.Discard, c)
			stop()
			c.Close()
		}
		select {
		case <-ctx.Done():
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// smallServer is a server with few places, at a plain and a TLS address.
type smallServer struct {
	server        *Server
	plain, secure net.Listener
	keys          *oneCertificate
}

const fewPlaces = 120

func newSmallServer(t *testing.T) *smallServer {
	t.Helper()
	b := &smallServer{keys: newCertificate(t)}
	b.server = New(withoutSite(Options{Clock: clockwork.NewRealClock(), Log: slog.New(slog.DiscardHandler), Subscriptions: newFakeSubscriptions()}))
	b.server.conns = newConnLimiter(fewPlaces, nil, b.server.Clock, b.server.Log)
	b.server.Publish(newSnapshot())
	for _, l := range []*net.Listener{&b.plain, &b.secure} {
		var err error
		if *l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// amongSlow opens 300 connections at once for as long as do takes.
func (b *smallServer) amongSlow(do func()) {
	ctx, stop := context.WithCancel(context.Background())
	var tasks sync.WaitGroup
	for _, one := range slowClients(300, b.plain.Addr().String(), b.secure.Addr().String()) {
		tasks.Go(func() { one.hold(ctx) })
	}
	do()
	stop()
	tasks.Wait()
}

// visit asks over new connections from an address of its own, and gives how long the
// answers took; a negative time is no answer.
func (b *smallServer) visit(t *testing.T, times int, patience time.Duration) (took []time.Duration) {
	t.Helper()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 9)}}
	transport := &http.Transport{
		DialContext: dialer.DialContext, DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{RootCAs: b.keys.roots, ServerName: domain}, ForceAttemptHTTP2: true,
	}
	client := &http.Client{Transport: transport, Timeout: patience}
	for i := range times {
		url := "http://" + b.plain.Addr().String()
		if i%2 == 1 {
			url = "https://" + b.secure.Addr().String()
		}
		began := time.Now()
		response, err := client.Get(url + "/api/v1/parques")
		if err == nil {
			_, err = io.Copy(io.Discard, response.Body)
			response.Body.Close()
		}
		if err != nil || response.StatusCode != 200 {
			t.Logf("%d: %v", i, err)
			took = append(took, -1)
			continue
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took
}

// held counts the connections that the server has.
func (b *smallServer) held() int {
	b.server.conns.mu.Lock()
	defer b.server.conns.mu.Unlock()
	return len(b.server.conns.conns)
}

// Who asks a thing and goes gets it while hundreds hold every place.
func TestHonestClientsAmongSlowOnes(t *testing.T) {
	b := newSmallServer(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- b.server.serveAll(ctx, endpoint{Listener: b.plain, handler: b.server, conns: b.server.conns},
			endpoint{Listener: b.secure, tls: b.keys.TLS(), handler: b.server, conns: b.server.conns})
	}()
	alone := b.visit(t, 60, 20*time.Second)
	b.amongSlow(func() {
		for b.held() < fewPlaces {
			<-time.After(10 * time.Millisecond)
		}
		took := b.visit(t, 60, 20*time.Second)
		t.Logf("median and longest answer: %s, %s alone, %s, %s among 300 slow ones", alone[30], alone[59], took[30], took[59])
		if took[0] < 0 {
			t.Errorf("some of 60 got no answer: %v", took)
		}
		if n := b.held(); n > fewPlaces {
			t.Errorf("%d connections, at most %d", n, fewPlaces)
		}
	})
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for i := 0; b.held() > 0; i++ { // those that had to be cut end by themselves
		if <-time.After(10 * time.Millisecond); i == 1000 {
			t.Fatalf("%d connections are still counted", b.held())
		}
	}
}
