package settings

import (
	"errors"
	"strings"
)

// checkMail finds settings of the mail that do not go together.
func (in *input) checkMail(s *Settings) {
	if !among(in.command.Name, mailUsers) {
		return
	}
	if s.SMTPHost == "" {
		in.checkNoRelay()
		return
	}
	if in.missing("smtp-from") {
		in.fault("--smtp-from (none): required with --smtp-host: the address from which mails are sent, such as alertas@example.cl")
	}
	if in.missing("base-url") && in.command.Name != "test-mail" {
		in.fault("--base-url (none): required with --smtp-host: mails hold links, such as https://parques.example.cl")
	}
	if s.SMTPTLS == "none" && !loopback(s.SMTPHost) {
		in.fault("--smtp-tls \"none\": only for a relay on this machine (127.0.0.1, ::1, localhost); must be starttls or tls for %q", shorten(s.SMTPHost))
	}
	if (s.SMTPUser == "") != (s.SMTPPassword == "") {
		in.fault("--smtp-user and --smtp-password: set both, or neither")
	}
}

// missing tells whether nobody gave a setting. One that was given and is wrong has
// its own fault.
func (in *input) missing(name string) bool {
	v, given := in.values[name]
	return !given || v.text == ""
}

// checkNoRelay finds settings that only make sense with a relay.
func (in *input) checkNoRelay() {
	if in.command.Name == "test-mail" {
		if !in.missing("smtp-host") {
			return // it is wrong, not absent
		}
		in.fault("--smtp-host (none): required by test-mail: the mail relay to test")
		return
	}
	for _, name := range []string{"smtp-port", "smtp-user", "smtp-password", "smtp-password-file", "smtp-from", "smtp-tls", "dkim-key", "dkim-selector"} {
		if v, given := in.values[name]; given && v.text != "" {
			in.fault("%s: set without --smtp-host, the relay that it is for", v.label)
		}
	}
}

// relayHost takes the name or the address of a mail relay.
func relayHost(text string) (string, error) {
	if !hostName(text) && !ipAddress(text) {
		return "", errors.New("must be a host such as smtp.example.cl; the port is set with --smtp-port")
	}
	return text, nil
}

// freeText takes any text of up to 512 bytes; control characters are refused for
// every setting.
func freeText(text string) (string, error) {
	if len(text) > 512 {
		return "", errors.New("must be up to 512 bytes")
	}
	return text, nil
}

func hostNameText(text string) (string, error) {
	if !hostName(text) {
		return "", errors.New("must be letters, digits, hyphens and dots, such as vigia2026")
	}
	return text, nil
}

// pushHosts takes hosts with a dot, *.domain, and origins in full.
func pushHosts(text string) ([]string, error) {
	hosts := splitList(text)
	for _, typed := range hosts {
		host := strings.TrimPrefix(typed, "*.")
		u, err := plainURL(typed)
		origin := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Path == ""
		if !origin && (!hostName(host) || !strings.Contains(host, ".") || ipAddress(host)) {
			return nil, errors.New("must be hosts such as push.example.com or *.example.com, or origins such as http://127.0.0.1:9999, separated by commas")
		}
	}
	return hosts, nil
}
