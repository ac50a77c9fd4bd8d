package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strings"

	"vigia/notify/message"
)

// advised adds to an error (as shown) what the operator can do about it: a library's
// words alone do not help to set the mail up.
func (s *Sender) advised(err, shown error) error {
	var dialing *dialError
	text := ""
	switch a := answerOf(err); {
	case errors.As(err, &dialing):
		text = s.adviceOnDialing(dialing.err)
	case judge(err) == message.OurFault:
		text = "the relay refuses us: check --smtp-from, and whether it wants a login (--smtp-user and --smtp-password)"
	case judge(err) == message.Refused:
		text = "the relay refuses this recipient by its policy: where it does so with all, check --smtp-from and whether it wants a login (--smtp-user and --smtp-password)"
	case a.code >= 400 && a.code < 500:
		text = "the relay may take it later: try again in some minutes"
	}
	if text == "" {
		return shown
	}
	return fmt.Errorf("%w; %s", shown, text)
}

// adviceOnDialing returns what to do when there is no connection to send over.
func (s *Sender) adviceOnDialing(err error) string {
	var said *textproto.Error
	var lookup *net.DNSError
	var operation *net.OpError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch words := err.Error(); {
	case errors.As(err, &lookup):
		return "check --smtp-host"
	case errors.As(err, &certificate):
		return "--smtp-host must be the name that the relay's certificate is for, and the certificate one that this machine trusts"
	case errors.As(err, &record):
		return "no TLS from the first byte at this port: check --smtp-port (usually 465), or use --smtp-tls starttls (usually 587)"
	case strings.Contains(words, "support STARTTLS"):
		return "no STARTTLS at this port: use --smtp-tls tls (usually port 465), or none for a relay on this machine"
	case strings.Contains(words, "support SMTP AUTH"):
		return "no login is offered at this port: leave --smtp-user and --smtp-password out, or check --smtp-port and --smtp-tls"
	case errors.As(err, &said) && (said.Code == 530 || said.Code == 534 || said.Code == 535):
		return "check --smtp-user and --smtp-password"
	case errors.As(err, &operation) && operation.Op == "dial":
		return "check --smtp-host and --smtp-port, and whether a firewall or the machine's host blocks that port"
	case errors.Is(err, context.DeadlineExceeded):
		return "nobody speaks SMTP there: check --smtp-host and --smtp-port (with --smtp-tls starttls usually 587, with tls 465)"
	default:
		return ""
	}
}
