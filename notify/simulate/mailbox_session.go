package simulate

import (
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"io"
	"strings"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// errDropped ends a transaction whose connection a fault has cut.
var errDropped = errors.New("the connection was cut on demand")

// mailSession is what one connection says after its greeting.
type mailSession struct {
	box      *Mailbox
	conn     *mailConn
	loggedIn bool
	sender   string
	to       []string
}

func (m *Mailbox) session(c *smtp.Conn) (smtp.Session, error) {
	inner := c.Conn()
	if secured, ok := inner.(*tls.Conn); ok {
		inner = secured.NetConn()
	}
	return &mailSession{box: m, conn: inner.(*mailConn)}, nil
}

// AuthMechanisms lists the ways to log in, none where nobody has to.
func (s *mailSession) AuthMechanisms() []string {
	if s.box.options.User == "" {
		return nil
	}
	return []string{sasl.Plain}
}

// Auth checks a login.
func (s *mailSession) Auth(mechanism string) (sasl.Server, error) {
	if s.box.options.User == "" || mechanism != sasl.Plain {
		return nil, smtp.ErrAuthUnknownMechanism
	}
	return sasl.NewPlainServer(func(_, user, password string) error {
		known := subtle.ConstantTimeCompare([]byte(user), []byte(s.box.options.User)) &
			subtle.ConstantTimeCompare([]byte(password), []byte(s.box.options.Password))
		if known != 1 {
			return smtp.ErrAuthFailed
		}
		s.loggedIn = true
		return nil
	}), nil
}

// Mail begins a transaction.
func (s *mailSession) Mail(from string, _ *smtp.MailOptions) error {
	if s.box.options.User != "" && !s.loggedIn {
		return smtp.ErrAuthRequired
	}
	s.sender, s.to = from, nil
	return nil
}

// Rcpt takes a recipient, whoever it is.
func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = append(s.to, to)
	return nil
}

// Data reads the letter and keeps it, unless a fault says otherwise.
func (s *mailSession) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	s.conn.content.Store(false)
	if err != nil {
		return err
	}
	to := strings.Join(s.to, ", ")
	fault, struck := s.box.takeFault(AtContent, to)
	if !struck || fault.passes() || fault.Kept {
		l, _ := ReadLetter(raw) // one that cannot be read is kept as it came
		l.At, l.Sender, l.To = s.box.options.Clock.Now().Round(0), s.sender, to
		s.box.keep(l)
	}
	if !struck {
		return nil
	}
	return s.conn.suffer(fault)
}

// Reset forgets the transaction.
func (s *mailSession) Reset() { s.sender, s.to = "", nil }

// Logout has nothing to free.
func (s *mailSession) Logout() error { return nil }
