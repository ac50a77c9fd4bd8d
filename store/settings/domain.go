package settings

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// httpsPort is where browsers ask for HTTPS.
const httpsPort = "443"

// checkDomain finds settings that do not go together with HTTPS by the service
// itself, and fills in what follows from it.
func (in *input) checkDomain(s *Settings) {
	if !among(in.command.Name, realOnly) {
		return
	}
	if len(s.Domains) == 0 {
		if v, given := in.values["acme-url"]; given && v.text != "" && in.missing("domain") {
			in.fault("%s: set without --domain, whose certificates it is for", v.label)
		}
		return
	}
	if in.missing("listen") {
		in.infer(s, "listen", ":"+httpsPort, &s.Listen)
	}
	if in.missing("base-url") {
		in.infer(s, "base-url", "https://"+s.Domains[0], &s.BaseURL)
		return
	}
	u, err := url.Parse(s.BaseURL)
	if s.BaseURL == "" || err != nil {
		return // it has its own fault
	}
	if u.Scheme != "https" || u.Port() != "" || !slices.Contains(s.Domains, strings.ToLower(u.Hostname())) {
		in.fault("%s %q: must be https:// and one of --domain, without a port: https://%s; or leave it out",
			in.values["base-url"].label, shorten(s.BaseURL), strings.Join(s.Domains, " or https://"))
	}
}

// checkMetrics finds the address of the metrics where the public one is: they are
// never shown there.
func (in *input) checkMetrics(s *Settings) {
	public := []string{s.Listen}
	if at := s.RedirectAddress(); at != "" {
		public = append(public, at)
	}
	for _, at := range public {
		if sameAddress(s.MetricsListen, at) {
			in.fault("%s %q: must be another address than the public one, %s", in.values["metrics-listen"].label, shorten(s.MetricsListen), at)
		}
	}
}

// sameAddress tells whether two addresses cannot be listened on side by side.
func sameAddress(a, b string) bool {
	hostA, portA, errA := net.SplitHostPort(a)
	hostB, portB, errB := net.SplitHostPort(b)
	every := func(host string) bool { return host == "" || host == "0.0.0.0" || host == "::" }
	return errA == nil && errB == nil && portA == portB && strings.Trim(portA, "0") != "" && (hostA == hostB || every(hostA) || every(hostB))
}

// infer gives a setting that nobody gave the value that follows from --domain.
func (in *input) infer(s *Settings, name, text string, field *string) {
	*field = text
	in.values[name] = value{text: text, origin: "--domain"}
	for i := range s.rows {
		if s.rows[i].Name == name {
			s.rows[i].Value, s.rows[i].Origin = text, "--domain"
		}
	}
}

// RedirectAddress is where the redirect to HTTPS listens, "" for nowhere: without
// Domains, and where another port than 443 says that somebody forwards.
func (s *Settings) RedirectAddress() string {
	host, port, err := net.SplitHostPort(s.Listen)
	if err != nil || len(s.Domains) == 0 || port != httpsPort {
		return ""
	}
	return net.JoinHostPort(host, "80")
}

// domains takes names that an authority issues certificates for: no addresses, no
// wildcards, each once.
func domains(text string) ([]string, error) {
	var names []string
	for _, typed := range splitList(text) {
		name := strings.ToLower(typed)
		_, notIP := netip.ParseAddr(name)
		switch {
		case notIP == nil, !hostName(name), !strings.Contains(name, "."), allDigits(name[strings.LastIndex(name, ".")+1:]):
			return nil, fmt.Errorf("%q: must be names such as parques.example.cl, separated by commas; no addresses, no *, letters with accents in their ASCII form (xn--…)", shorten(typed))
		case slices.Contains(names, name):
			return nil, fmt.Errorf("names %s twice; each may be named once", name)
		}
		names = append(names, name)
	}
	return names, nil
}

// authorityURL takes the address of a directory, which is asked for as it is written.
func authorityURL(text string) (string, error) {
	u, err := plainURL(text)
	if err != nil || u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return "", errors.New("must be an https address such as https://acme-v02.api.letsencrypt.org/directory (http only for this machine)")
	}
	return text, nil
}

// metricsAddress takes host:port with a host: who means every address of the
// machine says so.
func metricsAddress(text string) (string, error) {
	host, _, _ := net.SplitHostPort(text)
	if _, err := address(text); err != nil || host == "" {
		return "", errors.New("must be host:port with a host, such as 127.0.0.1:9090 (0.0.0.0:9090 for every address of the machine)")
	}
	return text, nil
}
