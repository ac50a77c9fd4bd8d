package settings

import (
	"net"
	"net/url"
	"slices"
	"strings"
)

// httpsPort is the port of HTTPS.
const httpsPort = "443"

// imply sets the settings that follow from --domain and are not set themselves.
func (in *input) imply() {
	names, err := domains(in.values["domain"].text)
	if err != nil || !in.takes("domain") {
		return
	}
	for name, text := range map[string]string{"listen": ":" + httpsPort, "base-url": "https://" + names[0]} {
		if in.missing(name) {
			in.values[name] = value{text: text, origin: "--domain", rank: fromFlag}
		}
	}
}

// check finds settings that do not go together.
func (in *input) check(s *Settings) {
	for _, flag := range in.flags() {
		with := flag.Tag.Get("with")
		if with != "" && !in.missing(flag.Name) && in.missing(with) && !names(in.settings[with], "needs", in.command) {
			in.fault("%s: set without --%s, which it is for", in.values[flag.Name].label, with)
		}
	}
	in.checkDomain(s)
	in.checkMetrics(s)
	in.checkMail(s)
}

// checkDomain names an address of the site that is not one of --domain.
func (in *input) checkDomain(s *Settings) {
	u, err := url.Parse(s.BaseURL)
	if len(s.Domains) == 0 || s.BaseURL == "" || err != nil {
		return // a wrong address has its own fault
	}
	if u.Scheme != "https" || u.Port() != "" || !slices.Contains(s.Domains, strings.ToLower(u.Hostname())) {
		in.fault("%s %q: must be https:// and one of --domain, without a port: https://%s; or leave it out",
			in.values["base-url"].label, shorten(s.BaseURL), strings.Join(s.Domains, " or https://"))
	}
}

// checkMetrics names an address of the metrics that is the public one: metrics are never
// public.
func (in *input) checkMetrics(s *Settings) {
	for _, at := range []string{s.Listen, s.RedirectAddress()} {
		if sameAddress(s.MetricsListen, at) {
			in.fault("%s %q: must be another address than the public one, %s", in.values["metrics-listen"].label, shorten(s.MetricsListen), at)
		}
	}
}

// sameAddress reports whether two addresses cannot be listened on side by side.
func sameAddress(a, b string) bool {
	hostA, portA, errA := net.SplitHostPort(a)
	hostB, portB, errB := net.SplitHostPort(b)
	every := func(host string) bool { return host == "" || host == "0.0.0.0" || host == "::" }
	return errA == nil && errB == nil && portA == portB && strings.Trim(portA, "0") != "" && (hostA == hostB || every(hostA) || every(hostB))
}

// checkMail names settings of the relay that are missing or contradict each other.
func (in *input) checkMail(s *Settings) {
	if s.SMTPHost == "" {
		return
	}
	if in.missing("smtp-from") {
		in.fault("--smtp-from (none): required with --smtp-host: the address from which mails are sent, such as alertas@example.cl")
	}
	if in.missing("base-url") && in.command != "test-mail" {
		in.fault("--base-url (none): required with --smtp-host: mails hold links, such as https://parques.example.cl")
	}
	if s.SMTPTLS == "none" && !isLoopback(s.SMTPHost) {
		in.fault("--smtp-tls \"none\": only for a relay on this machine (127.0.0.1, ::1, localhost); must be starttls or tls for %q", shorten(s.SMTPHost))
	}
	if (s.SMTPUser == "") != (s.SMTPPassword == "") {
		in.fault("--smtp-user and --smtp-password: set both, or neither")
	}
}

// RedirectAddress returns the address on which the redirect to HTTPS listens. It is ""
// without Domains, and with another port than 443, to which port 443 is forwarded.
func (s *Settings) RedirectAddress() string {
	host, port, err := net.SplitHostPort(s.Listen)
	if err != nil || len(s.Domains) == 0 || port != httpsPort {
		return ""
	}
	return net.JoinHostPort(host, "80")
}
