package settings

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The parsers below check one value each. Their errors say what is allowed, in
// words that follow the setting's name and value.

// address takes host:port as net.Listen does, with a numeric port.
func address(text string) (string, error) {
	allowed := errors.New("must be host:port, such as :8080 or 127.0.0.1:8080 (a port from 0 to 65535)")
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", allowed
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", allowed
	}
	if _, err := netip.ParseAddr(host); host != "" && err != nil && !hostName(host) {
		return "", allowed
	}
	return text, nil
}

// hostName tells whether a text is a name of a host in ASCII (RFC 1123).
func hostName(text string) bool {
	for label := range strings.SplitSeq(text, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if strings.ContainsFunc(label, func(r rune) bool { return !asciiAlphanumeric(r) && r != '-' }) {
			return false
		}
	}
	return len(text) <= 253
}

func asciiAlphanumeric(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// path takes any name of a file or folder; whether it exists is found out by who
// opens it.
func path(text string) (string, error) { return text, nil }

// publicURL takes the address under which people reach the site. A path is
// refused because the site's own links begin at the root of its host.
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

// providerURL takes the base of a weather server: https, or http when the server
// is on this machine, since the key and the answers would travel open otherwise.
// A trailing slash is dropped.
func providerURL(text string) (string, error) {
	u, err := plainURL(text)
	if err != nil || u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return "", errors.New("must be an https address such as https://api.open-meteo.com (http only for this machine, such as http://127.0.0.1:9000)")
	}
	return strings.TrimRight(text, "/"), nil
}

// feedURL takes the full address of a document, which may have a query: https, or
// http when the server is on this machine, since anybody on the way could otherwise
// say what is official.
func feedURL(text string) (string, error) {
	base, _, _ := strings.Cut(text, "?")
	u, err := plainURL(base)
	if _, queryErr := url.Parse(text); err != nil || queryErr != nil || strings.ContainsAny(text, "# ") ||
		u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return "", errors.New("must be an https address such as https://example.cl/avisos.json (http only for this machine, such as http://127.0.0.1:9000/avisos.json)")
	}
	return text, nil
}

// plainURL takes an absolute address with a host and nothing after the path.
func plainURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	_, notIP := netip.ParseAddr(u.Hostname())
	_, badPort := strconv.ParseUint(u.Port(), 10, 16)
	switch {
	case notIP != nil && !hostName(u.Hostname()),
		u.Port() == "" && strings.HasSuffix(u.Host, ":"),
		u.Port() != "" && badPort != nil,
		u.User != nil, strings.ContainsAny(text, "?#\\ "):
		return nil, errors.New("not a plain address")
	}
	return u, nil
}

// loopback tells whether a host can be no other machine than this one.
func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// emailAddress takes a bare mailbox: an ASCII dot-atom of up to 64 before the @,
// a domain with a dot after it, 254 in all (RFC 5321 without its quoted forms,
// which no operator uses and many programs refuse).
func emailAddress(text string) (string, error) {
	parsed, err := mail.ParseAddress(text)
	local, domain, _ := strings.Cut(text, "@")
	if err != nil || parsed.Name != "" || parsed.Address != text || len(text) > 254 ||
		len(local) > 64 || strings.ContainsFunc(local, notAtom) ||
		!strings.Contains(domain, ".") || !hostName(domain) || allDigits(domain[strings.LastIndex(domain, ".")+1:]) {
		return "", errors.New("must be an e-mail address such as nombre@example.cl")
	}
	return text, nil
}

// notAtom tells the characters that RFC 5322 does not allow in a dot-atom.
func notAtom(r rune) bool {
	return !asciiAlphanumeric(r) && !strings.ContainsRune(".!#$%&'*+-/=?^_`{|}~", r)
}

func ipAddress(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil
}

func allDigits(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}

// secretText takes a key as the provider hands them out.
func secretText(text string) (string, error) {
	if len(text) > 512 || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.New("must be up to 512 ASCII characters without spaces")
	}
	return text, nil
}

// modelNames takes a list of weather models and gives their canonical names. The
// same model twice would vote twice, under an alias too.
func modelNames(text string, canonical func(string) (string, bool)) ([]string, error) {
	var names []string
	for _, typed := range splitList(text) {
		name, known := typed, wellFormedModel(typed)
		if known && canonical != nil {
			name, known = canonical(typed)
		}
		if !known {
			return nil, fmt.Errorf("unknown model %q; must be names of weather models separated by commas, such as ecmwf_ifs,ncep_gfs_global", shorten(typed))
		}
		if slices.Contains(names, name) {
			return nil, fmt.Errorf("names the model %s twice; each may be named once", name)
		}
		names = append(names, name)
	}
	return names, nil
}

func wellFormedModel(name string) bool {
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}

// splitList splits at commas; spaces around an element do not count.
func splitList(text string) []string {
	elements := strings.Split(text, ",")
	for i := range elements {
		elements[i] = strings.TrimSpace(elements[i])
	}
	return elements
}

// networks takes addresses and CIDR networks. One that holds every address is
// refused: each client could then name itself as it likes.
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

// network reads one element of networks. An IPv4 address written as IPv6 becomes
// plain IPv4, since that is how a peer's address is compared.
func network(text string) (netip.Prefix, error) {
	if ip, err := netip.ParseAddr(text); err == nil {
		if ip.Zone() != "" {
			return netip.Prefix{}, errors.New("zones are not compared")
		}
		ip = ip.Unmap()
		return netip.PrefixFrom(ip, ip.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, err
	}
	if ip := prefix.Addr(); ip.Is4In6() {
		if prefix.Bits() < 96 {
			return netip.Prefix{}, errors.New("wider than the IPv4 addresses")
		}
		prefix = netip.PrefixFrom(ip.Unmap(), prefix.Bits()-96)
	}
	return prefix.Masked(), nil
}

// whole makes a parser of whole numbers within bounds.
func whole(least, most int) func(string) (int, error) {
	return func(text string) (int, error) {
		n, err := strconv.Atoi(ungrouped(text))
		if err != nil || n < least || n > most {
			return 0, fmt.Errorf("must be a whole number from %d to %d", least, most)
		}
		return n, nil
	}
}

// ungrouped takes out the underscores with which TOML groups digits: 10_000.
func ungrouped(text string) string {
	groups := strings.Split(text, "_")
	for i, group := range groups {
		if i == 0 {
			group = strings.TrimLeft(group, "+-")
		}
		if group == "" || !allDigits(group) {
			return text
		}
	}
	return strings.Join(groups, "")
}

func seed(text string) (uint64, error) {
	n, err := strconv.ParseUint(ungrouped(text), 10, 64)
	if err != nil {
		return 0, errors.New("must be a whole number from 0 to 18446744073709551615")
	}
	return n, nil
}

// oneOf makes a parser of a fixed set of words.
func oneOf(words ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		if !slices.Contains(words, text) {
			return "", fmt.Errorf("must be one of %s", strings.Join(words, ", "))
		}
		return text, nil
	}
}

// day takes a date, as its midnight in UTC.
func day(text string) (time.Time, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}, errors.New("must be a date such as 2026-11-21")
	}
	return t, nil
}

// yes takes yes or no.
func yes(text string) (bool, error) {
	text, err := oneOf("yes", "no", "true", "false")(text)
	return text == "yes" || text == "true", err
}

func logLevel(text string) (slog.Level, error) {
	text, err := oneOf("debug", "info", "warn", "error")(text)
	if err != nil {
		return 0, err
	}
	var level slog.Level
	return level, level.UnmarshalText([]byte(text))
}
