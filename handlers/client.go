package handlers

import (
	"net/http"
	"net/netip"
	"slices"
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
	list, hasList := behind(hop, r.Header["X-Forwarded-For"], parseHop, trusted)
	forwarded, hasForwarded := behind(hop, r.Header["Forwarded"], parseForwarded, trusted)
	switch {
	case !hasForwarded:
		return list
	case !hasList, list == forwarded:
		return forwarded
	}
	return hop
}

// behind walks a list of hops, all header lines joined, from the right, and returns where
// it ends; ok is false when there is no list.
func behind(hop netip.Addr, lines []string, parse func(string) (netip.Addr, bool), trusted []netip.Prefix) (client netip.Addr, ok bool) {
	for _, line := range slices.Backward(lines) {
		for _, entry := range slices.Backward(strings.Split(line, ",")) {
			next, readable := parse(strings.TrimSpace(entry))
			if !readable {
				return hop, true
			}
			if hop = next; !isTrusted(hop, trusted) {
				return hop, true
			}
		}
	}
	return hop, lines != nil
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
	return slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(a) })
}
