package mailtest

import (
	"crypto/tls"
	"errors"
	"io"
	"strings"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// errDropped ends a transaction whose connection a fault has cut.
var errDropped = errors.New("the connection was cut on demand")

// session is one connection after its greeting.
type session struct {
	box      *Mailbox
	conn     *faultyConn
	loggedIn bool
	sender   string
	to       []string
}

func (m *Mailbox) session(c *smtp.Conn) (smtp.Session, error) {
	inner := c.Conn()
	if secured, ok := inner.(*tls.Conn); ok {
		inner = secured.NetConn()
	}
	return &session{box: m, conn: inner.(*faultyConn)}, nil
}

// AuthMechanisms lists the ways to log in, none where nobody has to.
func (s *session) AuthMechanisms() []string {
	if s.box.options.User == "" {
		return nil
	}
	return []string{sasl.Plain}
}

// Auth checks a login.
func (s *session) Auth(mechanism string) (sasl.Server, error) {
	if s.box.options.User == "" || mechanism != sasl.Plain {
		return nil, smtp.ErrAuthUnknownMechanism
	}
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != s.box.options.User || password != s.box.options.Password {
			return smtp.ErrAuthFailed
		}
		s.loggedIn = true
		return nil
	}), nil
}

// Mail begins a transaction.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.box.options.User != "" && !s.loggedIn {
		return smtp.ErrAuthRequired
	}
	s.sender, s.to = from, nil
	return nil
}

// Rcpt accepts any recipient.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = append(s.to, to)
	return nil
}

// Data reads the mail and keeps it, unless a fault says otherwise.
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	s.conn.content.Store(false)
	if err != nil {
		return err
	}
	to := strings.Join(s.to, ", ")
	fault, struck := s.box.takeFault(AtContent, to)
	if !struck || fault.passes() || fault.Kept {
		l, _ := Read(raw) // one that cannot be read is kept as it came
		l.At, l.Sender, l.To = s.box.options.Clock.Now().Round(0), s.sender, to
		s.box.keep(l)
	}
	if !struck {
		return nil
	}
	return s.conn.contentFault(fault)
}

// Reset forgets the transaction.
func (s *session) Reset() { s.sender, s.to = "", nil }

// Logout has nothing to free.
func (s *session) Logout() error { return nil }
