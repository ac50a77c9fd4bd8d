package subscription

import (
	"errors"
	"net/mail"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// The longest parts of an address, in bytes (RFC 5321).
const (
	longestAddress = 254
	longestLocal   = 64
	longestLabel   = 63
)

// specialUse are the domains to which no mail can go, with everything below them
// (the registry of RFC 6761, and internal, which ICANN reserved).
var specialUse = []string{"alt", "arpa", "example", "example.com", "example.net", "example.org",
	"internal", "invalid", "local", "localhost", "onion", "test"}

// What is wrong with an address, in words for whoever typed it. None repeats it.
var (
	errNoAddress = errors.New("no es una dirección de correo; escríbala como nombre@dominio.cl, sin nombre propio ni espacios")
	errTooLong   = errors.New("la dirección es demasiado larga: como máximo 254 caracteres, 64 antes de la arroba")
	errLocal     = errors.New("antes de la arroba solo se admiten letras sin tilde, números y los signos .!#$%&'*+/=?^_`{|}~- " +
		"(el punto, no al comienzo, al final ni repetido)")
	errDomain     = errors.New("el dominio de la dirección no es válido; revise lo que va después de la arroba")
	errSpecialUse = errors.New("el dominio de la dirección está reservado y no recibe correo; escriba una dirección real")
)

// ParseAddress is [ParseAnyAddress] of an address to which mail can go.
func ParseAddress(text string) (string, error) {
	address, err := ParseAnyAddress(text)
	if err != nil {
		return "", err
	}
	_, domain, _ := strings.Cut(address, "@")
	for _, special := range specialUse {
		if domain == special || strings.HasSuffix(domain, "."+special) {
			return "", errSpecialUse
		}
	}
	return address, nil
}

// ParseAnyAddress checks an e-mail address and gives it as it was typed, with its
// domain in ASCII lower case. The error says in Spanish what is wrong and does
// not repeat the address.
func ParseAnyAddress(text string) (string, error) {
	if len(text) > 4*longestAddress { // a domain may be shorter in ASCII
		return "", errTooLong
	}
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return "", errNoAddress
	}
	local, domain := text[:at], text[at+1:]
	if strings.ContainsAny(local, " \t\r\n<>,;:\"()") {
		return "", errNoAddress
	}
	if len(local) > longestLocal {
		return "", errTooLong
	}
	if !isDotAtom(local) {
		return "", errLocal
	}
	if parsed, err := mail.ParseAddress(text); err != nil || parsed.Name != "" || parsed.Address != text {
		return "", errNoAddress
	}
	domain, err := parseDomain(domain)
	if err != nil {
		return "", err
	}
	if len(local)+1+len(domain) > longestAddress {
		return "", errTooLong
	}
	return local + "@" + domain, nil
}

// Identity returns what makes two spellings the same person's: the address in lower
// case. No relay of today tells letters of different case apart.
func Identity(address string) string { return strings.ToLower(address) }

// Mailbox returns what is one mailbox however its address is varied: the address in
// lower case without the tag after a plus sign, at Gmail without its dots too. Who
// protects a mailbox from mails that nobody wanted counts by it. Two people are
// never one for it but at a relay where a plus sign means nothing.
func Mailbox(address string) string {
	local, domain, _ := strings.Cut(Identity(address), "@")
	if tag := strings.IndexByte(local, '+'); tag > 0 {
		local = local[:tag]
	}
	if domain == "gmail.com" || domain == "googlemail.com" {
		local, domain = strings.ReplaceAll(local, ".", ""), "gmail.com"
	}
	return local + "@" + domain
}

// isDotAtom reports whether a local part is one of RFC 5322 in ASCII.
func isDotAtom(local string) bool {
	for atom := range strings.SplitSeq(local, ".") {
		if atom == "" {
			return false
		}
		for i := range len(atom) {
			c := atom[i]
			letter := c|0x20 >= 'a' && c|0x20 <= 'z'
			if !letter && (c < '0' || c > '9') && strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) < 0 {
				return false
			}
		}
	}
	return true
}

// parseDomain returns the domain of an address as it is asked for in the DNS.
func parseDomain(text string) (string, error) {
	domain, err := idna.Lookup.ToASCII(text)
	if err != nil {
		return "", errDomain
	}
	domain = strings.ToLower(domain)
	labels := strings.Split(domain, ".")
	if len(labels) < 2 || slices.ContainsFunc(labels, func(l string) bool { return l == "" || len(l) > longestLabel }) {
		return "", errDomain
	}
	if looksLikeNumber(labels[len(labels)-1]) {
		return "", errDomain // an IP address, or nothing at all
	}
	return domain, nil
}

// WrittenDomain returns a domain as people write it, xn--and-6ma2c.cl as ñandú.cl, and
// as it is where it cannot be read.
func WrittenDomain(domain string) string {
	written, err := idna.ToUnicode(domain)
	if err != nil {
		return domain
	}
	return written
}

// looksLikeNumber reports whether a label may be read as the last number of an IPv4
// address: digits, or hexadecimal after 0x. No top-level domain is like that.
func looksLikeNumber(label string) bool {
	digits := "0123456789"
	if rest, ok := strings.CutPrefix(label, "0x"); ok {
		label, digits = rest, digits+"abcdef"
	}
	return strings.Trim(label, digits) == ""
}
