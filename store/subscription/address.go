package subscription

import (
	"errors"
	"regexp"
	"strings"

	"golang.org/x/net/idna"
)

// The longest parts of an address, in bytes (RFC 5321).
const (
	longestAddress = 254
	longestLocal   = 64
)

// dotAtom matches a local part of RFC 5322 in ASCII.
var dotAtom = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$")

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
	if !dotAtom.MatchString(local) {
		return "", errLocal
	}
	domain, err := inASCII(domain)
	if err != nil || !IsDomain(domain) {
		return "", errDomain
	}
	if len(local)+1+len(domain) > longestAddress {
		return "", errTooLong
	}
	return local + "@" + domain, nil
}

// inASCII returns a domain in ASCII lower case. One that would not be taken again as it
// comes out, as bytes that are no text, is an error.
func inASCII(domain string) (string, error) {
	made, err := idna.Lookup.ToASCII(domain)
	if err != nil {
		return "", err
	}
	made = strings.ToLower(made)
	if again, err := idna.Lookup.ToASCII(made); err != nil || again != made {
		return "", errDomain
	}
	return made, nil
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

// WrittenDomain returns a domain as people write it, xn--and-6ma2c.cl as ñandú.cl, and
// as it is where it cannot be read.
func WrittenDomain(domain string) string {
	written, err := idna.ToUnicode(domain)
	if err != nil {
		return domain
	}
	return written
}
