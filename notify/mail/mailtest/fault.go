package mailtest

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

// Stage is a moment of an SMTP conversation at which something can go wrong.
type Stage uint8

// The stages, in their order. After STARTTLS only AtContent is still seen.
const (
	AtGreeting Stage = iota
	AtHello
	AtStartTLS
	AtAuth
	AtMail
	AtRecipient
	AtData    // the command, before the mail
	AtContent // after the mail's last line
	AtReset
	AtQuit
)

var stages = map[string]Stage{
	"EHLO": AtHello, "HELO": AtHello, "STARTTLS": AtStartTLS, "AUTH": AtAuth, "MAIL": AtMail,
	"RCPT": AtRecipient, "DATA": AtData, "RSET": AtReset, "QUIT": AtQuit,
}

// Fault is a deliberate fault. Delay comes first, then one of Answer, Drop and
// Hang; without any of them all goes on as if nothing were wrong.
type Fault struct {
	At     Stage
	To     string        // AtRecipient and AtContent: only for this recipient; "" for all
	Times  int           // how often; 0: until [Mailbox.Recover]
	Delay  time.Duration // on the machine's clock
	Answer string        // instead of the right one, as "550 5.1.1 No such user"
	Drop   bool          // cut the connection without an answer
	Hang   bool          // say nothing until the connection ends
	Kept   bool          // AtContent: the mail is kept all the same
}

// passes reports whether nothing but time is lost.
func (f Fault) passes() bool { return f.Answer == "" && !f.Drop && !f.Hang }

// Fail adds a fault. Of several faults of a stage the first one happens.
func (m *Mailbox) Fail(f Fault) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults = append(m.faults, f)
}

// Recover removes all faults. Those under way go on.
func (m *Mailbox) Recover() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults = nil
}

// takeFault returns the fault of a stage, if any, and counts it down.
func (m *Mailbox) takeFault(at Stage, to string) (Fault, bool) {
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
	return Fault{}, false
}

// faultyConn is a connection with faults: it reads the commands before the
// server does, and the greeting before the client does.
type faultyConn struct {
	net.Conn
	box     *Mailbox
	greeted atomic.Bool
	content atomic.Bool // a mail is coming: its lines are no commands
	once    sync.Once
	closed  chan struct{}
}

// Read passes the client's commands to the server, except those that a fault
// answers. It looks at the first command of a piece alone: enough for
// clients that wait for each answer.
func (c *faultyConn) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if err != nil || c.content.Load() {
			return n, err
		}
		line, _, _ := bytes.Cut(p[:n], []byte("\r\n"))
		verb, argument, _ := strings.Cut(string(line), " ")
		stage, known := stages[strings.ToUpper(verb)]
		if !known {
			return n, nil
		}
		fault, faulty := c.box.takeFault(stage, recipientOf(argument))
		if faulty && !fault.passes() {
			if !c.answer(fault) {
				return 0, io.EOF
			}
			continue
		}
		if faulty {
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

// Write passes the server's answers to the client. The first is the greeting.
func (c *faultyConn) Write(p []byte) (int, error) {
	if c.greeted.Swap(true) {
		return c.Conn.Write(p)
	}
	fault, faulty := c.box.takeFault(AtGreeting, "")
	switch {
	case faulty && !fault.passes():
		c.answer(fault)
		return 0, io.ErrClosedPipe
	case faulty:
		c.wait(fault.Delay)
	}
	return c.Conn.Write(p)
}

// answer carries out a fault in place of an answer, and reports whether the
// connection goes on.
func (c *faultyConn) answer(f Fault) bool {
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

// contentFault carries out a fault after a mail; its error is the server's answer.
func (c *faultyConn) contentFault(f Fault) error {
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
func (c *faultyConn) wait(d time.Duration) {
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

// Close ends the connection and the faults that hang on it.
func (c *faultyConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}
