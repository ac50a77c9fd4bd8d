package subscription

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// knownPushHosts are the push services of the browsers that people use. A host with
// a dot first stands for every host below it.
var knownPushHosts = []string{
	"fcm.googleapis.com",                // Chrome and what is made of it
	"jmt17.google.com",                  // Chromium built without keys of Google
	"updates.push.services.mozilla.com", // Firefox
	".push.apple.com",                   // Safari
	".notify.windows.com",               // Edge
}

// PushHosts are the servers to which pushes may be sent. The zero value allows the
// known push services.
type PushHosts struct {
	hosts   []string // added by the operator, as knownPushHosts
	origins []string // written in full by the operator: scheme://host or scheme://host:port
}

// ParsePushHosts reads what the operator adds to the known push services. Each is a
// host (push.example.net), all hosts below one (*.example.net), or an origin
// written in full, which is taken as written: http://127.0.0.1:9999 is allowed
// without TLS, at that port and at a private address.
func ParsePushHosts(list []string) (PushHosts, error) {
	var h PushHosts
	for _, text := range list {
		if strings.Contains(text, "://") {
			origin, err := parseOrigin(text)
			if err != nil {
				return PushHosts{}, err
			}
			h.origins = append(h.origins, origin)
			continue
		}
		host, below := strings.CutPrefix(strings.ToLower(text), "*.")
		if !IsDomain(host) {
			return PushHosts{}, fmt.Errorf("%q is neither a host (push.example.net), nor hosts below one (*.example.net), "+
				"nor an origin (https://push.example.net:8443)", text)
		}
		if below {
			host = "." + host
		}
		h.hosts = append(h.hosts, host)
	}
	return h, nil
}

func parseOrigin(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || !isPlainASCII(u.Host) ||
		u.User != nil || u.Path != "" && u.Path != "/" || strings.ContainsAny(text, "?#%\\") {
		return "", fmt.Errorf("%q is not an origin: write scheme and host, and the port when it is not the usual one, "+
			"as https://push.example.net:8443", text)
	}
	return Origin(u), nil
}

// Origin returns the origin of a URL, without the port that its scheme implies.
func Origin(u *url.URL) string {
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	host = strings.TrimSuffix(host, ":")
	switch scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return scheme + "://" + host
}

// Allows reports whether a push may be sent to a URL: by https to port 443 of a host
// on the list, or to an origin that the operator wrote in full.
func (h PushHosts) Allows(u *url.URL) bool {
	if u.User != nil || u.Opaque != "" {
		return false
	}
	if h.AsWritten(u) {
		return true
	}
	host, secure := strings.CutPrefix(Origin(u), "https://")
	return secure && IsDomain(host) && (onList(knownPushHosts, host) || onList(h.hosts, host))
}

// AsWritten reports whether the operator named the very origin of a URL. Then TLS,
// port and a public address are not asked for.
func (h PushHosts) AsWritten(u *url.URL) bool {
	return u.User == nil && u.Opaque == "" && slices.Contains(h.origins, Origin(u))
}

// onList reports whether a host is one of a list or below one with a dot first.
func onList(list []string, host string) bool {
	return slices.ContainsFunc(list, func(listed string) bool {
		return host == listed || listed[0] == '.' && strings.HasSuffix(host, listed) && len(host) > len(listed)
	})
}

// isPlainASCII reports whether a text has visible ASCII characters only.
func isPlainASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}
