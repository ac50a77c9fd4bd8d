package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

const (
	// farewell bounds how long a relay may take to answer a QUIT.
	farewell = 2 * time.Second
	// idleLife is how long a connection may be used again: relays hang up after one to
	// five minutes.
	idleLife = 30 * time.Second
	// mostMessages is how many messages a connection takes: relays have limits, and
	// a new connection may reach another of their machines.
	mostMessages = 100
)

// errClosed: the sender was closed.
var errClosed = errors.New("the mail sender is closed")

// connection is one conversation with the relay, used by one goroutine at a time.
type connection struct {
	client *gomail.Client // settings, and the steps of sending
	smtp   *smtp.Client
	raw    net.Conn
	sent   int       // messages tried on it
	idle   time.Time // since when it has been idle
}

// take returns an idle connection, nil when a new one is needed.
func (s *Sender) take() *connection {
	for {
		select {
		case c := <-s.idle:
			if s.options.Clock.Since(c.idle) < idleLife {
				return c
			}
			c.raw.Close() // the relay has hung up, or soon will
		default:
			return nil
		}
	}
}

// put keeps a connection for the next message, or ends it.
func (s *Sender) put(c *connection) {
	if c.sent >= mostMessages || s.closed.Load() {
		c.quit()
		return
	}
	c.idle = s.options.Clock.Now()
	s.idle <- c // has room for all that the places allow
	if s.closed.Load() {
		s.endIdle()
	}
}

func (s *Sender) endIdle() {
	for c := s.take(); c != nil; c = s.take() {
		c.quit()
	}
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
