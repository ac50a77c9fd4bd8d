package mail

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

// farewell bounds how long a relay may take to answer a QUIT.
const farewell = 2 * time.Second

// connection is one conversation with the relay, used by one goroutine at a time.
type connection struct {
	client *gomail.Client // settings, and the steps of sending
	smtp   *smtp.Client
	raw    net.Conn
	sent   int       // messages tried on it
	idle   time.Time // since when it has been idle
}

// dial connects and logs in, until its context ends.
func (s *Sender) dial(ctx context.Context) (*connection, error) {
	c := new(connection)
	var stop func() bool
	// go-mail's own context ends with its dialing; ours must also cut the greeting,
	// the TLS and the login short.
	hold := func(_ context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		c.raw = conn
		stop = context.AfterFunc(ctx, func() { conn.Close() })
		if s.options.TLS != "tls" {
			return conn, nil
		}
		secured := tls.Client(conn, s.tlsConfig())
		return secured, secured.HandshakeContext(ctx)
	}
	client, err := gomail.NewClient(s.options.Host, s.clientOptions(hold)...)
	if err != nil {
		return nil, err
	}
	c.client = client
	c.smtp, err = client.DialToSMTPClientWithContext(ctx)
	if stop != nil && !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		if c.raw != nil {
			c.raw.Close()
		}
		return nil, err
	}
	return c, nil
}

// clientOptions set go-mail up: each default that is left alone is one that fits.
// Its time-out stands behind our contexts, which end before it.
func (s *Sender) clientOptions(dial gomail.DialContextFunc) []gomail.Option {
	policy := gomail.TLSMandatory
	if s.options.TLS != "starttls" {
		policy = gomail.NoTLS // there is none to ask for: it was there from the first byte, or is not wanted
	}
	options := []gomail.Option{
		gomail.WithPort(s.options.Port), gomail.WithTLSPolicy(policy), gomail.WithTLSConfig(s.tlsConfig()),
		gomail.WithTimeout(2 * s.options.Timeout), gomail.WithHELO(s.domain), gomail.WithDialContextFunc(dial),
		// A NOOP and a RSET a message cost as much as the message does.
		gomail.WithoutNoop(), gomail.WithoutRset(),
		// Our addresses are ASCII: asking for SMTPUTF8 would bounce at relays without it.
		gomail.WithoutSMTPUTF8(),
	}
	switch {
	case s.options.User == "":
	case s.options.TLS == "none":
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthPlainNoEnc))
	default:
		options = append(options, gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthPlain, gomail.SMTPAuthLogin))
	}
	return append(options, gomail.WithUsername(s.options.User), gomail.WithPassword(s.options.Password))
}

func (s *Sender) tlsConfig() *tls.Config {
	return &tls.Config{ServerName: s.options.Host, MinVersion: tls.VersionTLS12, RootCAs: s.roots}
}

// send tries to deliver one mail, until its context ends. usable reports whether the
// connection can take another one.
func (s *Sender) send(ctx context.Context, c *connection, m *Mail) (delivered, usable bool, err error) {
	msg := s.goMail(m)
	stop := context.AfterFunc(ctx, func() { c.raw.Close() })
	c.sent++
	err = c.client.SendWithSMTPClient(c.smtp, msg)
	switch {
	case err == nil:
		usable = true
	case msg.IsDelivered():
	default:
		// After a refusal the conversation goes on if the relay forgets the message.
		code := answerOf(err).code
		usable = code >= 400 && code != 421 && c.smtp.Reset() == nil
	}
	if !stop() {
		usable = false
		if !msg.IsDelivered() {
			err = fmt.Errorf("given up: %w", context.Cause(ctx))
		}
	}
	return msg.IsDelivered(), usable, err
}

// quit ends the conversation as the protocol has it, if the relay is quick.
func (c *connection) quit() {
	if c.smtp.UpdateDeadline(farewell) == nil {
		c.smtp.Quit() // the connection is closed whatever is answered
	}
	c.raw.Close()
}
