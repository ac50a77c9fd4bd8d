package subscription

import (
	"regexp"
	"strings"
)

var (
	hostName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`)
	// number matches a label that may be read as the last number of an IPv4 address. No
	// top-level domain is like that.
	number = regexp.MustCompile(`^([0-9]+|0x[0-9a-f]*)$`)
)

// IsHostName reports whether a text is the name of a host in ASCII and lower case
// (RFC 1123).
func IsHostName(text string) bool { return len(text) <= 253 && hostName.MatchString(text) }

// IsDomain reports whether a text is the name of a host in the DNS: of two labels at the
// least, and no address.
func IsDomain(text string) bool {
	dot := strings.LastIndexByte(text, '.')
	return dot > 0 && IsHostName(text) && !number.MatchString(text[dot+1:])
}
