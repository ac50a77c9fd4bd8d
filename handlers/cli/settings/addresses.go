package settings

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vigia/store/subscription"
)

// isAddress reports whether a text is host:port as net.Listen takes it, with a numeric
// port.
func isAddress(text string) bool {
	host, port, err := net.SplitHostPort(text)
	_, badPort := strconv.ParseUint(port, 10, 16)
	return err == nil && badPort == nil && (host == "" || isHost(host))
}

// isMetricsAddress reports whether a text is host:port with a host: every address of the
// machine must be meant.
func isMetricsAddress(text string) bool {
	host, _, _ := net.SplitHostPort(text)
	return host != "" && isAddress(text)
}

func isHostName(text string) bool { return subscription.IsHostName(strings.ToLower(text)) }

func isHost(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil || isHostName(text)
}

// isLoopback reports whether a host can be no other machine than this one.
func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// domains takes names that an authority issues certificates for, in lower case: no
// addresses, no wildcards, each once.
func domains(text string) ([]string, error) {
	var names []string
	for _, typed := range splitList(text) {
		name := strings.ToLower(typed)
		switch {
		case !subscription.IsDomain(name):
			return nil, fmt.Errorf("%q: must be names such as parques.example.cl, separated by commas; no addresses, no *, letters with accents in their ASCII form (xn--…)", shorten(typed))
		case slices.Contains(names, name):
			return nil, fmt.Errorf("names %s twice; each may be named once", name)
		}
		names = append(names, name)
	}
	return names, nil
}

// publicURL takes the address under which people reach the site. A path is refused because
// the site's own links begin at the root of its host.
func publicURL(text string) (string, error) {
	u, err := plainURL(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https":
		return "", errors.New("must be an address such as https://parques.example.cl (http or https, no user, no query)")
	case strings.HasSuffix(text, "/"):
		return "", errors.New("must not end in a slash: leave the last / off")
	case u.Path != "":
		return "", errors.New("must end after the host: the site cannot live under a path")
	}
	return text, nil
}

// providerURL takes the base of a weather server, without a trailing slash.
func providerURL(text string) (string, error) {
	if !isSecure(text) {
		return "", errors.New("must be an https address such as https://api.open-meteo.com (http only for this machine, such as http://127.0.0.1:9000)")
	}
	return strings.TrimRight(text, "/"), nil
}

// isFeed reports whether a text is the full address of a document, which may have a query.
func isFeed(text string) bool {
	base, query, _ := strings.Cut(text, "?")
	return isSecure(base) && !strings.ContainsAny(query, "# ")
}

// isSecure reports whether an address is one of https, or of http on this machine: nobody
// on the way may read keys or change official notices.
func isSecure(address string) bool {
	u, err := plainURL(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname()))
}

// plainURL takes an absolute address with a host and nothing after the path.
func plainURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	_, badPort := strconv.ParseUint(u.Port(), 10, 16)
	switch {
	case !isHost(u.Hostname()),
		u.Port() == "" && strings.HasSuffix(u.Host, ":"),
		u.Port() != "" && badPort != nil,
		u.User != nil, strings.ContainsAny(text, "?#\\ "):
		return nil, errors.New("not a plain address")
	}
	return u, nil
}

// isEmailAddress reports whether a text is an e-mail address in ASCII, as typed.
func isEmailAddress(text string) bool {
	parsed, err := subscription.ParseAnyAddress(text)
	return err == nil && strings.EqualFold(parsed, text)
}

// pushHosts takes hosts with a dot, *.domain, and origins in full.
func pushHosts(text string) (subscription.PushHosts, error) {
	hosts, err := subscription.ParsePushHosts(splitList(text))
	if err != nil {
		return hosts, errors.New("must be hosts such as push.example.com or *.example.com, or origins such as http://127.0.0.1:9999, separated by commas")
	}
	return hosts, nil
}

// networks takes addresses and CIDR networks. One that holds every address is refused:
// each client could then choose its own address.
func networks(text string) ([]netip.Prefix, error) {
	var prefixes []netip.Prefix
	for _, element := range splitList(text) {
		prefix, err := network(element)
		if err != nil {
			return nil, fmt.Errorf("%q: must be addresses or CIDR networks separated by commas, such as 127.0.0.1,10.0.0.0/8", shorten(element))
		}
		if prefix.Bits() == 0 {
			return nil, fmt.Errorf("%q trusts every client; must name the proxies alone", shorten(element))
		}
		prefixes = append(prefixes, prefix)
	}
	return prefixes, nil
}

// network takes an address or a network. An IPv4 address written as IPv6 becomes plain
// IPv4, since that is how a peer's address is compared.
func network(text string) (netip.Prefix, error) {
	if ip, err := netip.ParseAddr(text); err == nil && ip.Zone() == "" {
		return ip.Unmap().Prefix(ip.Unmap().BitLen())
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, err
	}
	if ip := prefix.Addr(); ip.Is4In6() {
		return ip.Unmap().Prefix(prefix.Bits() - 96) // an error where it is wider than IPv4
	}
	return prefix.Masked(), nil
}
