package push

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// Limits on the phases of a request.
const (
	dialTimeout = 10 * time.Second
	pingAfter   = 5 * time.Second // a connection that is silent for so long while an answer is due is tried, and soon given up
	maxHeader   = 16 << 10
)

// newDialer returns a dialer; a guarded one dials addresses of the public network
// only.
func newDialer(guarded bool) *net.Dialer {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
	if guarded {
		dialer.Control = guard
	}
	return dialer
}

// newTransport returns a transport for push services. It keeps connections, speaks
// HTTP/2 where the service does, and follows nothing: a redirect is an answer like
// any other.
func newTransport(dialer *net.Dialer) *http.Transport {
	return &http.Transport{
		Proxy:                  nil, // not from the environment either
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    dialTimeout,
		MaxResponseHeaderBytes: maxHeader,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConns:           64,
		MaxIdleConnsPerHost:    8,
		DisableCompression:     true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingAfter},
	}
}

// client posts one message that webpush-go made. A transport alone follows no redirect.
type client struct {
	*http.Transport
	asked bool // the message was made: an error is of its way
}

// Do implements [webpush.HTTPClient].
func (c *client) Do(r *http.Request) (*http.Response, error) {
	c.asked = true
	r.Header.Set("User-Agent", "vigia")
	return c.RoundTrip(r)
}

// guard refuses to dial an address that is not of the public network. The dialer
// calls it with what a name was resolved to.
func guard(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%q is not an address", address)
	}
	if !isPublic(at.Addr()) {
		return errors.New("not an address of the public network")
	}
	return nil
}

// publicIPv6 is all that is allotted; the rest are local, mapped, translated
// (64:ff9b::/96) or reserved addresses.
var publicIPv6 = netip.MustParsePrefix("2000::/3")

// notPublic are the blocks of the registries for special purposes (RFC 6890), and
// one address by which a cloud talks to its machines.
var notPublic = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
)

func prefixes(list ...string) (all []netip.Prefix) {
	for _, text := range list {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

func isPublic(a netip.Addr) bool {
	if a.Zone() != "" || a.Is6() && !publicIPv6.Contains(a) {
		return false
	}
	for _, p := range notPublic {
		if p.Contains(a) {
			return false
		}
	}
	return a.IsValid()
}
