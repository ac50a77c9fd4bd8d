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
	"golang.org/x/net/netutil"
)

// besieger is one who opens connections from an address and finishes nothing on them.
type besieger struct {
	from, to string
	says     string
	deaf     bool // reads no answer
}

// besiegers are so many, of every kind, from a few addresses.
func besiegers(n int, plain, secure string) (all []besieger) {
	kinds := []besieger{
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

// besiege holds a connection, and opens another one half a second after it was closed,
// until ctx ends.
func (b besieger) besiege(ctx context.Context) {
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

// besieged is a server with few places, at a plain and a TLS address.
type besieged struct {
	server        *Server
	plain, secure net.Listener
	keys          *oneCertificate
}

const fewPlaces = 120

func newBesieged(t *testing.T) *besieged {
	t.Helper()
	b := &besieged{keys: newCertificate(t)}
	b.server = New(Options{Clock: clockwork.NewRealClock(), Log: slog.New(slog.DiscardHandler), Desk: newDesk()})
	b.server.turnstile = newTurnstile(fewPlaces, nil, b.server.Clock, b.server.Log)
	b.server.Publish(edition())
	for _, l := range []*net.Listener{&b.plain, &b.secure} {
		var err error
		if *l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// siege is 300 connections at once for as long as do takes.
func (b *besieged) siege(do func()) {
	ctx, stop := context.WithCancel(context.Background())
	var tasks sync.WaitGroup
	for _, one := range besiegers(300, b.plain.Addr().String(), b.secure.Addr().String()) {
		tasks.Go(func() { one.besiege(ctx) })
	}
	do()
	stop()
	tasks.Wait()
}

// visit asks over new connections from an address of its own, and gives how long the
// answers took; a negative time is no answer.
func (b *besieged) visit(t *testing.T, times int, patience time.Duration) (took []time.Duration) {
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
func (b *besieged) held() int {
	b.server.turnstile.mu.Lock()
	defer b.server.turnstile.mu.Unlock()
	return len(b.server.turnstile.inside)
}

// Who asks a thing and goes gets it while hundreds hold every place; and the control:
// where connections are only kept out when all places are taken, nobody gets anything.
func TestHonestClientsAmongSlowOnes(t *testing.T) {
	b := newBesieged(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- b.server.serveAt(ctx, entrance{Listener: b.plain, handler: b.server.Handler(), turnstile: b.server.turnstile},
			entrance{Listener: b.secure, tls: b.keys.TLS(), handler: b.server.Handler(), turnstile: b.server.turnstile})
	}()
	alone := b.visit(t, 60, 20*time.Second)
	b.siege(func() {
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

func TestKeepingOutIsNotEnough(t *testing.T) {
	b := newBesieged(t)
	server := entrance{handler: b.server.Handler(), turnstile: b.server.turnstile}.server(b.server.Log)
	server.ConnState = nil
	ended := make(chan error)
	go func() { ended <- server.Serve(netutil.LimitListener(b.plain, fewPlaces)) }()
	defer func() { server.Close(); b.secure.Close(); <-ended }()
	if took := b.visit(t, 1, 5*time.Second); took[0] < 0 {
		t.Fatal("no answer before")
	}
	b.siege(func() {
		<-time.After(500 * time.Millisecond)
		if took := b.visit(t, 1, time.Second); took[0] >= 0 {
			t.Errorf("an answer after %s: the siege is none", took[0])
		}
	})
}
