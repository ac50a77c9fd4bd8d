package handlers

import (
	"net/http"
	"net/netip"
	"strings"
)

// clientAddress returns the address that a request counts for: that of the
// connection, or, when a proxy that the operator named is at its other end, the
// first address from the right in the forwarding headers that is no such proxy.
// What cannot be read, or two headers that disagree, leave the last trusted
// hop: never no address. It is the zero Addr only for connections without one.
func clientAddress(r *http.Request, trusted []netip.Prefix) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	hop := peer.Addr().Unmap().WithZone("")
	if len(trusted) == 0 || !isTrusted(hop, trusted) {
		return hop
	}
	var byList, byForwarded netip.Addr
	if lines := r.Header["X-Forwarded-For"]; lines != nil {
		byList = behind(hop, lines, parseHop, trusted)
	}
	if lines := r.Header["Forwarded"]; lines != nil {
		byForwarded = behind(hop, lines, parseForwarded, trusted)
	}
	switch {
	case !byForwarded.IsValid() && !byList.IsValid():
		return hop
	case !byForwarded.IsValid():
		return byList
	case !byList.IsValid(), byList == byForwarded:
		return byForwarded
	default:
		return hop
	}
}

// behind walks a list of hops, all header lines joined, from the right.
func behind(hop netip.Addr, lines []string, parse func(string) (netip.Addr, bool), trusted []netip.Prefix) netip.Addr {
	for i := len(lines) - 1; i >= 0; i-- {
		rest := lines[i]
		for more := true; more; {
			entry := rest
			if comma := strings.LastIndexByte(rest, ','); comma >= 0 {
				entry, rest = rest[comma+1:], rest[:comma]
			} else {
				more = false
			}
			next, ok := parse(strings.TrimSpace(entry))
			if !ok {
				return hop
			}
			hop = next
			if !isTrusted(hop, trusted) {
				return hop
			}
		}
	}
	return hop
}

// parseHop reads an address with or without a port.
func parseHop(s string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"))
	if err != nil {
		withPort, err := netip.ParseAddrPort(s)
		if err != nil {
			return netip.Addr{}, false
		}
		a = withPort.Addr()
	}
	return a.Unmap().WithZone(""), true
}

// parseForwarded reads the for parameter of one element of Forwarded (RFC 7239).
// A comma inside a quoted string would end the element early; no address has one,
// so what is left cannot be read and the walk ends there.
func parseForwarded(s string) (netip.Addr, bool) {
	for pair := range strings.SplitSeq(s, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		if !strings.EqualFold(name, "for") {
			continue
		}
		if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
			value = value[1 : len(value)-1]
		}
		return parseHop(value)
	}
	return netip.Addr{}, false
}

func isTrusted(a netip.Addr, trusted []netip.Prefix) bool {
	for _, p := range trusted {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
