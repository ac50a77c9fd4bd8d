package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/textproto"
	"os"
	"regexp"
	"strconv"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"vigia/notify/message"
)

// dialError is a failure to get a connection, before there is any message.
type dialError struct{ err error }

func (e *dialError) Error() string { return "connecting: " + e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }

// answer is a relay's answer: a code, 0 for a broken connection, and its kind (RFC 3463)
// as "5.1.1", "" when there was none.
type answer struct {
	code int
	kind string
	text string
}

// kindFirst finds the kind where a relay puts it, right after the code: anywhere
// else the same digits may be an address.
var kindFirst = regexp.MustCompile(`^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?:\s|$)`)

// answerOf finds the relay's answer in an error of go-mail.
func answerOf(err error) answer {
	var sent *gomail.SendError
	var said *textproto.Error
	var a answer
	switch {
	case errors.As(err, &sent):
		a = answer{code: sent.ErrorCode(), text: sent.Error()}
		a.text = strings.TrimPrefix(a.text, sent.Reason.String()+": ")
		for _, end := range []string{", affected recipient(s): ", ", affected message ID: "} {
			a.text, _, _ = strings.Cut(a.text, end)
		}
	case errors.As(err, &said):
		a = answer{code: said.Code, text: said.Error()}
	default:
		return answer{text: err.Error()}
	}
	a.text = unquoted(a.text)
	if found := kindFirst.FindStringSubmatch(a.text); found != nil {
		a.kind = found[1]
	}
	return a
}

// unquoted returns an answer as it came: the standard library quotes what follows the
// code.
func unquoted(text string) string {
	code, rest, _ := strings.Cut(text, " ")
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return text
	}
	said, _ := strconv.Unquote(quoted) // a quoted prefix can be unquoted
	return code + " " + said + strings.TrimPrefix(rest, quoted)
}

// judge returns the verdict of a failure, and what the operator can do about it, "" for
// nothing: a library's words alone do not help to set the mail up. What is not known to be
// the address's fault or ours is tried again: nobody is dropped on a guess.
func judge(err error) (message.Verdict, string) {
	var dialing *dialError
	var sent *gomail.SendError
	switch {
	case errors.As(err, &dialing):
		return judgeDial(dialing.err)
	case !errors.As(err, &sent):
		return message.Retry, "" // the context, or the sender closed
	}
	a := answerOf(err)
	switch {
	case sent.Reason == gomail.ErrGetSender || sent.Reason == gomail.ErrGetRcpts || sent.Reason == gomail.ErrNoUnencoded:
		return message.Unsendable, ""
	case a.code < 400:
		return message.Retry, "" // reset, end of file, time-out
	case a.code < 500:
		return message.Retry, "the relay may take it later: try again in some minutes"
	case sent.Reason == gomail.ErrSMTPMailFrom:
		return message.OurFault, "the relay refuses us: check --smtp-from, and whether it wants a login (--smtp-user and --smtp-password)"
	}
	verdict := judgeKind(a, sent.Reason)
	if verdict == message.Refused {
		return verdict, "the relay refuses this recipient by its policy: where it does so with all, check --smtp-from and whether it wants a login (--smtp-user and --smtp-password)"
	}
	return verdict, ""
}

// judgeKind returns the verdict of a permanent refusal of a recipient or of a message.
//
// Only kind 5.1 blames the address; 5.1.7 and 5.1.8 of it blame the sender's, and
// 5.7 the policy. All may come after the content too, which has one recipient, and
// hold for that recipient alone: anybody can have an address for which a relay
// answers as they like. A bare 550 may be policy and is tried again until the message
// expires, as a full mailbox (5.2.2) or a missing route (5.4) is. After the content, 5.6
// and "too big" blame the content.
func judgeKind(a answer, at gomail.SendErrReason) message.Verdict {
	afterContent := at == gomail.ErrSMTPDataClose
	switch {
	case strings.HasPrefix(a.kind, "5.7."), a.kind == "5.1.7", a.kind == "5.1.8":
		return message.Refused
	case strings.HasPrefix(a.kind, "5.1."):
		return message.Bounced
	case afterContent && (strings.HasPrefix(a.kind, "5.6.") || a.kind == "5.3.4" || a.kind == "" && a.code == 552):
		return message.Unsendable
	default:
		return message.Retry
	}
}

// judgeDial returns the verdict of a failure to connect, and what to do: a relay that is
// not there, or is busy, is waited for; one that refuses us, our login or our TLS is the
// operator's to mend.
func judgeDial(err error) (message.Verdict, string) {
	var said *textproto.Error
	var garbled textproto.ProtocolError
	var lookup *net.DNSError
	var network net.Error
	switch {
	case errors.As(err, &said) && (said.Code == 530 || said.Code == 534 || said.Code == 535):
		return message.OurFault, "check --smtp-user and --smtp-password"
	case errors.As(err, &said) && said.Code >= 500:
		return message.OurFault, ""
	case errors.As(err, &said), errors.As(err, &garbled):
		return message.Retry, ""
	case errors.As(err, &lookup):
		return message.Retry, "check --smtp-host"
	case failed(err, "dial"):
		return message.Retry, "check --smtp-host and --smtp-port, and whether a firewall or the machine's host blocks that port"
	case failed(err, "remote error"), failed(err, "local error"):
		return message.OurFault, "" // an alert of TLS
	case errors.Is(err, context.DeadlineExceeded):
		return message.Retry, "nobody speaks SMTP there: check --smtp-host and --smtp-port (with --smtp-tls starttls usually 587, with tls 465)"
	case errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, context.Canceled), errors.Is(err, os.ErrDeadlineExceeded):
		return message.Retry, ""
	}
	return message.OurFault, adviceOnTerms(err)
}

// failed reports whether an operation on the network failed, by its name in package net.
func failed(err error, operation string) bool {
	var of *net.OpError
	return errors.As(err, &of) && of.Op == operation
}

// adviceOnTerms returns what to do where the relay is there and its TLS or its login are
// not as the settings have it.
func adviceOnTerms(err error) string {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch words := err.Error(); {
	case errors.As(err, &certificate):
		return "--smtp-host must be the name that the relay's certificate is for, and the certificate one that this machine trusts"
	case errors.As(err, &record):
		return "no TLS from the first byte at this port: check --smtp-port (usually 465), or use --smtp-tls starttls (usually 587)"
	case strings.Contains(words, "support STARTTLS"):
		return "no STARTTLS at this port: use --smtp-tls tls (usually port 465), or none for a relay on this machine"
	case strings.Contains(words, "support SMTP AUTH"):
		return "no login is offered at this port: leave --smtp-user and --smtp-password out, or check --smtp-port and --smtp-tls"
	default:
		return ""
	}
}

// diedIdle reports whether a reused connection was found dead before the relay took
// anything of the message: nothing came back, or that it had hung up meanwhile.
func diedIdle(err error) bool {
	var sent *gomail.SendError
	if !errors.As(err, &sent) {
		return false
	}
	code := sent.ErrorCode()
	return sent.Reason == gomail.ErrConnCheck || sent.Reason == gomail.ErrSMTPMailFrom && (code == 0 || code == 421)
}
