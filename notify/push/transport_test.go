package push

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/net/http/httpproxy"

	"vigia/forecast/alert"
	"vigia/notify/message"
	"vigia/notify/push/pushtest"
	"vigia/store/subscription"
)

func TestAddressesOfThePublicNetwork(t *testing.T) {
	for _, text := range []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "100.127.255.255", "127.0.0.1", "127.9.9.9",
		"169.254.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1",
		"198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "168.63.129.16",
		"::", "::1", "::7f00:1", "::ffff:8.8.8.8", "::ffff:127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "100::1",
		"2001::1", "2001:0:1::1", "2001:10::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%lo", "fec0::1", "ff02::1", "4000::1",
		"2606:4700::1%eth0",
	} {
		if err := guard("tcp", netip.AddrPortFrom(netip.MustParseAddr(text), 443).String(), nil); err == nil {
			t.Errorf("%s may be dialled", text)
		}
	}
	for _, text := range []string{"8.8.8.8", "142.250.79.42", "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0",
		"192.0.1.1", "192.167.255.255", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::1", "2a00:1450:4001::200a", "2001:4860:4860::8888", "2620:149::1"} {
		if err := guard("tcp", netip.AddrPortFrom(netip.MustParseAddr(text), 443).String(), nil); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"", "push.example:443", "8.8.8.8", "[::1", "8.8.8.8:x"} {
		if guard("tcp", text, nil) == nil {
			t.Errorf("%q may be dialled", text)
		}
	}
}

// resolving returns a resolver by which every name has one address.
func resolving(t *testing.T, to string) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var ended sync.WaitGroup
	t.Cleanup(func() { server.Close(); ended.Wait() })
	ended.Go(func() {
		var packet [1500]byte
		for {
			n, from, err := server.ReadFrom(packet[:])
			if err != nil {
				return
			}
			answer, err := dnsAnswer(packet[:n], netip.MustParseAddr(to))
			if err != nil {
				t.Error(err)
				return
			}
			server.WriteTo(answer, from)
		}
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

func dnsAnswer(query []byte, to netip.Addr) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil {
		return nil, err
	}
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	q := m.Questions[0]
	h := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1}
	switch {
	case q.Type == dnsmessage.TypeA && to.Is4():
		m.Answers = []dnsmessage.Resource{{Header: h, Body: &dnsmessage.AResource{A: to.As4()}}}
	case q.Type == dnsmessage.TypeAAAA && to.Is6():
		m.Answers = []dnsmessage.Resource{{Header: h, Body: &dnsmessage.AAAAResource{AAAA: to.As16()}}}
	}
	return m.Pack()
}

// A public name that resolves to an address of somebody's own network is not
// dialled. The control is a dialer without the guard: it does dial.
func TestNamesThatResolveToForbiddenAddresses(t *testing.T) {
	for _, address := range []string{"127.0.0.1", "10.0.0.1", "169.254.169.254", "100.64.0.1", "::1", "fd00:ec2::254", "fe80::1", "64:ff9b::a00:1", "::ffff:10.0.0.1"} {
		s := testSender(t, clockwork.NewFakeClockAt(start), func(o *Options) { o.Timeout = 5 * time.Second })
		dialer := newDialer(true)
		dialer.Resolver = resolving(t, address)
		s.guarded.DialContext = dialer.DialContext
		to := browserAt(t, "https://updates.push.services.mozilla.com/wpush/v2/secret")
		got := s.Send(context.Background(), news(t, alert.Danger), to)
		if got.Verdict != message.Retry || !strings.Contains(fmt.Sprint(got.Err), "not an address of the public network") || strings.Contains(got.Err.Error(), "secret") {
			t.Errorf("%s: %+v", address, got)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	for guarded, reached := range map[bool]bool{false: true, true: false} {
		dialer := newDialer(guarded)
		dialer.Resolver = resolving(t, "127.0.0.1")
		conn, err := dialer.DialContext(t.Context(), "tcp", "public.example:"+port)
		if (err == nil) != reached {
			t.Errorf("guarded %v: %v", guarded, err)
		}
		if err == nil {
			conn.Close()
		}
	}
}

func TestOnlyHTTPSOnItsPortUnlessAsWritten(t *testing.T) {
	s := testSender(t, clockwork.NewFakeClockAt(start), nil)
	for endpoint, ok := range map[string]bool{
		"https://fcm.googleapis.com/x": true, "https://fcm.googleapis.com:443/x": true, "http://127.0.0.1:99/x": true, "https://127.0.0.1:99/x": true,
		"http://fcm.googleapis.com/x": false, "https://fcm.googleapis.com:8443/x": false, "https://127.0.0.1/x": true, "ftp://fcm.googleapis.com/x": false,
		"https://a@fcm.googleapis.com/x": false, "https:///x": false, "": false, "fcm.googleapis.com/x": false, "https://[::1": false, "https://a b/": false,
	} {
		to := browserAt(t, endpoint)
		if _, err := s.address(to); (err == nil) != ok {
			t.Errorf("%q: %v", endpoint, err)
		}
	}
	for endpoint, want := range map[string]string{
		"https://FCM.googleapis.com:443/x": "https://fcm.googleapis.com", "https://fcm.googleapis.com/y": "https://fcm.googleapis.com", "https://fcm.googleapis.com:/y": "https://fcm.googleapis.com",
		"http://127.0.0.1:80/x": "http://127.0.0.1", "http://127.0.0.1:9/x": "http://127.0.0.1:9", "https://127.0.0.1:8443/x": "https://127.0.0.1:8443",
	} {
		to := browserAt(t, endpoint)
		if got, err := s.address(to); err != nil || got.origin != want {
			t.Errorf("%q: %+v, %v", endpoint, got, err)
		}
	}
	// An address of our own network as it stands is refused at the dial, with https too.
	s.o.AsWritten = func(*url.URL) bool { return false }
	to := browserAt(t, "https://127.0.0.1/x")
	if got := s.Send(context.Background(), news(t, alert.Danger), to); got.Verdict != message.Retry || !strings.Contains(fmt.Sprint(got.Err), "public network") {
		t.Errorf("%+v", got)
	}
}

func TestNoProxyFromTheEnvironment(t *testing.T) {
	var asked atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { asked.Add(1); w.WriteHeader(201) }))
	defer proxy.Close()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	r := listen(t, clockwork.NewRealClock())
	_, port, _ := strings.Cut(strings.TrimPrefix(r.Origin(), "http://"), ":")
	s := testSender(t, clockwork.NewRealClock(), func(o *Options) { o.AsWritten = func(*url.URL) bool { return true } })
	transport := s.open
	if transport.Proxy != nil || s.guarded.Proxy != nil {
		t.Error("there is a proxy")
	}
	dialer := newDialer(false)
	dialer.Resolver = resolving(t, "127.0.0.1")
	transport.DialContext = dialer.DialContext
	b := news(t, alert.Danger)
	b.Expires = clockwork.NewRealClock().Now().Add(time.Hour)
	to := browserAt(t, "http://push.example:"+port+"/x")
	if got := s.Send(context.Background(), b, to); got.Verdict != message.Gone || asked.Load() != 0 {
		t.Errorf("%+v, the proxy was asked %d times", got, asked.Load())
	}
	transport.CloseIdleConnections()
	fromEnvironment := httpproxy.FromEnvironment().ProxyFunc() // the control; net/http's own reads the environment once only
	transport.Proxy = func(r *http.Request) (*url.URL, error) { return fromEnvironment(r.URL) }
	if got := s.Send(context.Background(), b, to); got.Verdict != message.Delivered || asked.Load() != 1 {
		t.Errorf("control: %+v, the proxy was asked %d times", got, asked.Load())
	}
}

// sink is a push service over TLS that takes everything.
func sink(t testing.TB, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// trust has a sender take the certificate of a server for an authority's.
func trust(s *Sender, server *httptest.Server) {
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	s.open.TLSClientConfig.RootCAs = roots
}

func TestHTTP2OverTLSOnOneConnection(t *testing.T) {
	var connections, version atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		version.Store(int32(r.ProtoMajor))
		io.Copy(io.Discard, r.Body)
		w.WriteHeader(201)
	}))
	server.EnableHTTP2 = true
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.StartTLS()
	defer server.Close()
	s := testSender(t, clockwork.NewFakeClockAt(start), nil)
	trust(s, server)
	to := browserAt(t, server.URL+"/x")
	for range 20 {
		if got := s.Send(context.Background(), news(t, alert.Danger), to); got.Verdict != message.Delivered {
			t.Fatalf("%+v", got)
		}
	}
	if version.Load() != 2 || connections.Load() != 1 {
		t.Errorf("HTTP/%d over %d connections", version.Load(), connections.Load())
	}
}

func TestTheCertificateIsCheckedAgainstTheHost(t *testing.T) {
	var asked atomic.Int32
	server := sink(t, func(w http.ResponseWriter, _ *http.Request) { asked.Add(1) })
	for name, prepare := range map[string]func(s *Sender) string{
		"an unknown authority": func(*Sender) string { return server.URL },
		"another host": func(s *Sender) string {
			trust(s, server)
			return strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
		},
	} {
		s := testSender(t, clockwork.NewFakeClockAt(start), func(o *Options) { o.AsWritten = func(*url.URL) bool { return true } })
		to := browserAt(t, prepare(s)+"/secret")
		got := s.Send(context.Background(), news(t, alert.Danger), to)
		if got.Verdict != message.Retry || !strings.Contains(fmt.Sprint(got.Err), "certificate") || strings.Contains(got.Err.Error(), "secret") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if asked.Load() != 0 {
		t.Error("something was posted")
	}
	if v := newTransport(newDialer(true)).TLSClientConfig; v.InsecureSkipVerify || v.MinVersion < tls.VersionTLS12 {
		t.Errorf("%+v", v)
	}
}

// speaking is a server that answers every connection with a text of its own.
func speaking(t *testing.T, text func(request string) string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() { listener.Close(); all.Wait() })
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer conn.Close()
				line, _ := bufio.NewReader(conn).ReadString('\n')
				io.WriteString(conn, text(line))
			})
		}
	})
	return "http://" + listener.Addr().String()
}

func TestBrokenAnswersAreRetriedWithoutTellingTheEndpoint(t *testing.T) {
	echo := func(format string) func(string) string {
		return func(request string) string { return fmt.Sprintf(format, strings.TrimSpace(request)) }
	}
	for name, answer := range map[string]func(string) string{
		"nothing":            echo(""),
		"no HTTP":            echo("%s\r\n\r\n"),
		"a broken status":    echo("HTTP/1.1 %s\r\n\r\n"),
		"a broken header":    echo("HTTP/1.1 201 Created\r\n%s\r\n\r\n"),
		"a broken length":    echo("HTTP/1.1 201 Created\r\nContent-Length: %s\r\n\r\n"),
		"a redirect to junk": echo("HTTP/1.1 307 x\r\nLocation: http://[%s\r\nContent-Length: 0\r\n\r\n"),
		"TLS where none is":  func(string) string { return "\x15\x03\x01\x00\x02\x02\x16" },
		"an endless header": func(string) string {
			return "HTTP/1.1 201 Created\r\nA: " + strings.Repeat("a", 2*maxHeader) + "\r\n\r\n"
		},
		"an unknown encoding": echo("HTTP/1.1 201 Created\r\nTransfer-Encoding: %s\r\n\r\n"),
	} {
		s := testSender(t, clockwork.NewFakeClockAt(start), func(o *Options) { o.Timeout = 10 * time.Second })
		to := browserAt(t, speaking(t, answer)+"/secret")
		got := s.Send(context.Background(), news(t, alert.Danger), to)
		if got.Verdict != message.Retry || got.Err == nil || strings.Contains(got.Err.Error(), "secret") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestFaultsOfTheNetwork(t *testing.T) {
	for name, f := range map[string]pushtest.Fault{
		"reset": {Kind: pushtest.Reset}, "reset after it was taken": {Kind: pushtest.Reset, Accept: true}, "hang": {Kind: pushtest.Hang},
	} {
		sc := newFixture(t)
		sc.s.o.Timeout = 300 * time.Millisecond
		sc.r.Fail(f)
		got := sc.send()
		if got.Verdict != message.Retry || got.After != 0 || got.Err == nil {
			t.Errorf("%s: %+v", name, got)
		}
		if taken := len(sc.r.Pushes()); taken > 0 != f.Accept {
			t.Errorf("%s: %d pushes", name, taken)
		}
	}
	sc := newFixture(t)
	sc.r.Close()
	if got := sc.s.Send(context.Background(), news(t, alert.Danger), target(t, sc.r)); got.Verdict != message.Retry || got.Err == nil {
		t.Errorf("away: %+v", got)
	}
	s := testSender(t, sc.clock, func(o *Options) { o.AsWritten = func(*url.URL) bool { return true } })
	to := browserAt(t, "https://no-such-name.invalid/secret")
	dialer := newDialer(false)
	dialer.Resolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, net.ErrClosed }}
	s.open.DialContext = dialer.DialContext
	if got := s.Send(context.Background(), news(t, alert.Danger), to); got.Verdict != message.Retry || strings.Contains(fmt.Sprint(got.Err), "secret") {
		t.Errorf("no such name: %+v", got)
	}
}

func TestACancelledSendEndsAtOnce(t *testing.T) {
	sc := newFixture(t)
	sc.r.Fail(pushtest.Fault{Kind: pushtest.Hang})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan message.Result)
	to := target(t, sc.r)
	go func() { ended <- sc.s.Send(ctx, news(t, alert.Danger), to) }()
	for sc.r.Requests() == 0 {
		select {
		case <-time.After(time.Millisecond):
		case <-t.Context().Done():
		}
	}
	cancel()
	if got := <-ended; got.Verdict != message.Retry {
		t.Errorf("%+v", got)
	}
}

// One message goes to many browsers at a time, as the workers of the outbox do.
func TestOneMessageForManyBrowsers(t *testing.T) {
	sc := newFixture(t)
	b := news(t, alert.Danger)
	targets := make([]*subscription.Target, 48)
	for i := range targets {
		targets[i] = target(t, sc.r)
	}
	var all sync.WaitGroup
	for _, to := range targets {
		all.Go(func() {
			if got := sc.s.Send(context.Background(), b, to); got.Verdict != message.Delivered {
				t.Errorf("%+v", got)
			}
		})
	}
	all.Wait()
	first := ""
	for _, n := range sc.r.Pushes() {
		if first == "" {
			first = string(n.Payload)
		}
		if string(n.Payload) != first {
			t.Errorf("%s", n.Payload)
		}
	}
	if len(sc.r.Shown()) != len(targets) {
		t.Errorf("%d pushes", len(sc.r.Shown()))
	}
}
