package handlers

import (
	"net/http"
	"net/netip"
	"testing"
)

var proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}

func TestClientAddress(t *testing.T) {
	const peer, proxy = "203.0.113.9:4711", "10.1.1.1:80"
	for _, c := range []struct {
		name, remote   string
		list, forwards []string
		want           string
	}{
		{"no header", peer, nil, nil, "203.0.113.9"},
		{"a stranger's header", peer, []string{"198.51.100.1"}, nil, "203.0.113.9"},
		{"behind a proxy", proxy, []string{"198.51.100.1"}, nil, "198.51.100.1"},
		{"the client put one before", proxy, []string{"1.1.1.1, 198.51.100.1"}, nil, "198.51.100.1"},
		{"the proxy added a line", proxy, []string{"1.1.1.1", "198.51.100.1"}, nil, "198.51.100.1"},
		{"two proxies", proxy, []string{"198.51.100.1, 10.2.2.2"}, nil, "198.51.100.1"},
		{"two proxies in two lines", proxy, []string{"198.51.100.1", "10.2.2.2"}, nil, "198.51.100.1"},
		{"junk last", proxy, []string{"198.51.100.1, junk"}, nil, "10.1.1.1"},
		{"junk behind the second proxy", proxy, []string{"198.51.100.1, junk, 10.2.2.2"}, nil, "10.2.2.2"},
		{"empty", proxy, []string{""}, nil, "10.1.1.1"},
		{"all proxies", proxy, []string{"10.3.3.3, 10.2.2.2"}, nil, "10.3.3.3"},
		{"with port", proxy, []string{"198.51.100.1:9"}, nil, "198.51.100.1"},
		{"v6 with port", proxy, []string{"[2001:db8::1]:9"}, nil, "2001:db8::1"},
		{"mapped", proxy, []string{"::ffff:198.51.100.1"}, nil, "198.51.100.1"},
		{"mapped peer", "[::ffff:10.1.1.1]:80", []string{"198.51.100.1"}, nil, "198.51.100.1"},
		{"forwarded", proxy, nil, []string{`for=198.51.100.1;proto=https, for="[fd00::2]:1"`}, "198.51.100.1"},
		{"forwarded v6", proxy, nil, []string{`proto=http;For="[2001:db8::1]"`}, "2001:db8::1"},
		{"forwarded hidden", proxy, nil, []string{`for=198.51.100.1, for=_hidden`}, "10.1.1.1"},
		{"forwarded without for", proxy, nil, []string{`proto=https`}, "10.1.1.1"},
		{"both agree", proxy, []string{"198.51.100.1"}, []string{"for=198.51.100.1"}, "198.51.100.1"},
		{"both disagree", proxy, []string{"198.51.100.1"}, []string{"for=198.51.100.2"}, "10.1.1.1"},
		{"a zone", "[fe80::1%eth0]:80", nil, nil, "fe80::1"},
	} {
		r := &http.Request{RemoteAddr: c.remote, Header: http.Header{}}
		if c.list != nil {
			r.Header["X-Forwarded-For"] = c.list
		}
		if c.forwards != nil {
			r.Header["Forwarded"] = c.forwards
		}
		if got := clientAddress(r, proxies); got.String() != c.want {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
}

// Whatever the headers say, a request counts for a valid address, and for a peer
// that is no proxy it is the peer's.
func FuzzClientAddress(f *testing.F) {
	f.Add("198.51.100.1, 10.2.2.2", `for="[2001:db8::1]:4711";by=_x`)
	f.Add(",,", "for=")
	f.Add("::ffff:10.0.0.1%x", `for=";`)
	f.Fuzz(func(t *testing.T, list, forwarded string) {
		h := http.Header{"X-Forwarded-For": {list}, "Forwarded": {forwarded}}
		if got := clientAddress(&http.Request{RemoteAddr: "10.1.1.1:80", Header: h}, proxies); !got.IsValid() {
			t.Errorf("no address for %q, %q", list, forwarded)
		}
		stranger := clientAddress(&http.Request{RemoteAddr: "203.0.113.9:80", Header: h}, proxies)
		if stranger.String() != "203.0.113.9" {
			t.Errorf("a stranger became %v", stranger)
		}
	})
}
