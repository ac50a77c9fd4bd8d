package simulate

import (
	"bytes"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/emersion/go-smtp"
)

// MailStage is a moment of an SMTP conversation at which something can go wrong.
type MailStage uint8

// The stages, in their order. After STARTTLS only AtContent is still seen.
const (
	AtGreeting MailStage = iota
	AtHello
	AtStartTLS
	AtAuth
	AtMail
	AtRecipient
	AtData    // the command, before the letter
	AtContent // after the letter's last line
	AtReset
	AtQuit
)

var mailStages = map[string]MailStage{
	"EHLO": AtHello, "HELO": AtHello, "STARTTLS": AtStartTLS, "AUTH": AtAuth, "MAIL": AtMail,
	"RCPT": AtRecipient, "DATA": AtData, "RSET": AtReset, "QUIT": AtQuit,
}

// MailFault is a deliberate fault. Delay comes first, then one of Answer, Drop and
// Hang; without any of them all goes on as if nothing were wrong.
type MailFault struct {
	At     MailStage
	To     string        // AtRecipient and AtContent: only for this recipient; "" for all
	Times  int           // how often; 0: until [Mailbox.Recover]
	Delay  time.Duration // on the machine's clock
	Answer string        // instead of the right one, as "550 5.1.1 No such user"
	Drop   bool          // cut the connection without an answer
	Hang   bool          // say nothing until the connection ends
	Kept   bool          // AtContent: the letter is kept all the same
}

// passes tells whether nothing but time is lost.
func (f MailFault) passes() bool { return f.Answer == "" && !f.Drop && !f.Hang }

// Fail makes conversations go wrong. Of several faults of a stage the first one
// wins.
func (m *Mailbox) Fail(f MailFault) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults = append(m.faults, f)
}

// Recover takes all faults away. Those that are being suffered go on.
func (m *Mailbox) Recover() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults = nil
}

// takeFault gives the fault of a stage, if any, and counts it down.
func (m *Mailbox) takeFault(at MailStage, to string) (MailFault, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, f := range m.faults {
		if f.At != at || f.To != "" && !strings.EqualFold(f.To, to) {
			continue
		}
		switch {
		case f.Times == 1:
			m.faults = slices.Delete(m.faults, i, i+1)
		case f.Times > 1:
			m.faults[i].Times--
		}
		return f, true
	}
	return MailFault{}, false
}

// mailConn is a connection that faults can befall: it sees the commands before the
// server does, and the greeting before the client does.
type mailConn struct {
	net.Conn
	box     *Mailbox
	greeted atomic.Bool
	content atomic.Bool // a letter is coming: its lines are no commands
	once    sync.Once
	closed  chan struct{}
	leave   func()
}

// Read gives the server what the client says, but for commands that a fault
// answers. It looks at the first command of what comes in one piece: enough for
// clients that wait for each answer.
func (c *mailConn) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if err != nil || c.content.Load() {
			return n, err
		}
		line, _, _ := bytes.Cut(p[:n], []byte("\r\n"))
		verb, argument, _ := strings.Cut(string(line), " ")
		stage, known := mailStages[strings.ToUpper(verb)]
		if !known {
			return n, nil
		}
		fault, struck := c.box.takeFault(stage, recipientOf(argument))
		if struck && !fault.passes() {
			if !c.answer(fault) {
				return 0, io.EOF
			}
			continue
		}
		if struck {
			c.wait(fault.Delay)
		}
		c.content.Store(stage == AtData)
		return n, nil
	}
}

// recipientOf finds the address in the argument of a RCPT command.
func recipientOf(argument string) string {
	_, rest, _ := strings.Cut(argument, "<")
	address, _, _ := strings.Cut(rest, ">")
	return address
}

// Write gives the client what the server says. The first of it is the greeting.
func (c *mailConn) Write(p []byte) (int, error) {
	if c.greeted.Swap(true) {
		return c.Conn.Write(p)
	}
	fault, struck := c.box.takeFault(AtGreeting, "")
	switch {
	case struck && !fault.passes():
		c.answer(fault)
		return 0, io.ErrClosedPipe
	case struck:
		c.wait(fault.Delay)
	}
	return c.Conn.Write(p)
}

// answer carries a fault out that replaces an answer, and tells whether the
// connection goes on.
func (c *mailConn) answer(f MailFault) bool {
	c.wait(f.Delay)
	switch {
	case f.Hang:
		<-c.closed
	case f.Drop:
		c.Close()
	default:
		_, err := io.WriteString(c.Conn, f.Answer+"\r\n")
		return err == nil
	}
	return false
}

// suffer carries a fault out after a letter: what it gives is what the server answers.
func (c *mailConn) suffer(f MailFault) error {
	if f.Answer == "" && !f.passes() {
		c.answer(f)
		return errDropped
	}
	c.wait(f.Delay)
	if f.Answer == "" {
		return nil
	}
	code, text, _ := strings.Cut(f.Answer, " ")
	number, _ := strconv.Atoi(code)
	return &smtp.SMTPError{Code: number, EnhancedCode: smtp.NoEnhancedCode, Message: text}
}

// wait lets time pass, until the connection ends at the latest.
func (c *mailConn) wait(d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.closed:
	}
}

// Close ends the connection, and whatever hangs on it.
func (c *mailConn) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.leave()
	})
	return c.Conn.Close()
}
