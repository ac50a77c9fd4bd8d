package handlers

import (
	"net/http"
	"net/netip"
	"strconv"
	"time"
)

// How many requests may come in a minute from a client to what is not the API, which are
// pages with all that they load, and how many clients are remembered at once.
const (
	window      = time.Minute
	siteLimit   = 600
	siteClients = 1 << 13
	apiClients  = 1 << 15
)

// limits are the rate limiters with their header values.
type limits struct {
	api, site             *limiter // nil is no limit
	apiShares, siteShares []share
	policy                []string
	states                []string // RateLimit by remaining and seconds, nil for large limits
}

// tabulatedFrom is the limit above which the RateLimit header is made for each request.
const tabulatedFrom = 200

func newLimits(perMinute int) limits {
	if perMinute <= 0 {
		return limits{}
	}
	l := limits{
		api: newLimiter(apiClients), apiShares: []share{{perMinute, window}},
		site: newLimiter(siteClients), siteShares: []share{{max(siteLimit, perMinute), window}},
		policy: []string{`"ip";q=` + strconv.Itoa(perMinute) + `;w=60`},
	}
	if perMinute <= tabulatedFrom {
		for remaining := range perMinute + 1 {
			for reset := range 61 {
				l.states = append(l.states, rateState(remaining, reset))
			}
		}
	}
	return l
}

func rateState(remaining, reset int) string {
	return `"ip";r=` + strconv.Itoa(remaining) + `;t=` + strconv.Itoa(reset)
}

// state returns the RateLimit header of a verdict.
func (l *limits) state(v verdict) []string {
	reset := wholeSeconds(v.reset)
	if i := v.remaining*61 + reset; i < len(l.states) {
		return l.states[i : i+1 : i+1]
	}
	return []string{rateState(v.remaining, reset)}
}

// How many requests for a subscription may come from somewhere in any hour and in any
// 24 hours. Only those count that are complete and correct, so that mistyping shuts
// nobody out; the others count for the ordinary limit. An IPv6 /64 is a household. A /56
// and a /48 are what one household can be given too, or a few neighbours. Behind one IPv4
// address may be a mountain hut, a bus, or the thousands of a mobile network.
var (
	ofSubnet  = []share{{5, time.Hour}, {20, 24 * time.Hour}}
	ofSite    = []share{{15, time.Hour}, {60, 24 * time.Hour}}
	ofNetwork = []share{{30, time.Hour}, {120, 24 * time.Hour}}
	ofIPv4    = []share{{60, time.Hour}, {240, 24 * time.Hour}}
)

// signupClients is how many clients are remembered for a day.
const signupClients = 1 << 15

// signupsOf returns all that a request for a subscription from an address counts for, the
// largest network last.
func signupsOf(a netip.Addr) []client {
	prefix := func(bits int) netip.Prefix {
		p, _ := a.Prefix(bits) // the zero Prefix for no address
		return p
	}
	if a = a.Unmap(); !a.Is6() {
		return []client{{prefix(32), ofIPv4}}
	}
	return []client{{prefix(64), ofSubnet}, {prefix(56), ofSite}, {prefix(48), ofNetwork}}
}

// admitSignup counts a request for a subscription against its client's caps, and
// reports whether it may go on, and otherwise in how many seconds it may. It is asked
// once a request, by the API and by the site's form, when nothing else is wrong.
func (s *Server) admitSignup(r *http.Request, now time.Time) (retryAfter int, ok bool) {
	if s.RateLimit <= 0 {
		return 0, true
	}
	v := s.signups.take(now, signupsOf(clientAddress(r, s.TrustedProxies))...)
	return wholeSeconds(v.wait), v.wait == 0
}

// signupNetwork returns the network that a request for a subscription came from, which
// takes its turn with the others.
func (s *Server) signupNetwork(r *http.Request) netip.Prefix {
	clients := signupsOf(clientAddress(r, s.TrustedProxies))
	return clients[len(clients)-1].network
}
