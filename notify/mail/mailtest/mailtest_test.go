package mailtest

import (
	"bufio"
	"fmt"
	"net"
	"net/smtp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
)

func open(t *testing.T, o Options) *Mailbox {
	t.Helper()
	m, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func (m *Mailbox) address() string { return net.JoinHostPort(m.Host(), fmt.Sprint(m.Port())) }

// post sends a mail with the standard library's client, which is not the one that
// the service uses.
func post(m *Mailbox, to, mail string) error {
	return smtp.SendMail(m.address(), nil, "de@example.com", []string{to}, []byte(strings.ReplaceAll(mail, "\n", "\r\n")))
}

func TestMails(t *testing.T) {
	at := time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC)
	m := open(t, Options{Clock: clockwork.NewFakeClockAt(at)})
	for i := range 3 {
		if err := post(m, fmt.Sprintf("a%d@example.com", i), fmt.Sprintf("Subject: carta %d\nFrom: =?utf-8?q?Vig=C3=ADa?= <v@example.com>\n"+
			"Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"+
			"se=C3=B1al =\nlarga\n.punto\n--b\nContent-Type: text/html\n\n<p>hola</p>\n--b--\n", i)); err != nil {
			t.Fatal(err)
		}
	}
	mails := m.Mails()
	if len(mails) != 3 || m.Received() != 3 || m.Connections() != 3 {
		t.Fatalf("%d mails of %d over %d connections", len(mails), m.Received(), m.Connections())
	}
	l := mails[0]
	if l.Subject != "carta 2" || l.To != "a2@example.com" || l.Sender != "de@example.com" || l.From != "Vigía <v@example.com>" ||
		l.Text != "señal larga\n.punto" || l.HTML != "<p>hola</p>" || !l.At.Equal(at) || !strings.HasPrefix(string(l.Raw), "Subject: carta 2\r\n") {
		t.Errorf("%+v", l)
	}
	m.Close()
	if len(m.Mails()) != 3 {
		t.Error("the mails went with the mailbox")
	}
	if err := post(m, "a@example.com", "Subject: x\n\n"); err == nil {
		t.Error("a closed mailbox takes mails")
	}
}

// TestFaults goes through the stages by hand: what a line is answered.
func TestFaults(t *testing.T) {
	for stage, command := range map[Stage]string{AtHello: "EHLO x", AtMail: "MAIL FROM:<a@example.com>", AtRecipient: "RCPT TO:<b@example.com>",
		AtData: "DATA", AtReset: "RSET", AtQuit: "QUIT"} {
		m := open(t, Options{})
		before := map[Stage][]string{AtMail: {"EHLO x"}, AtRecipient: {"EHLO x", "MAIL FROM:<a@example.com>"},
			AtData: {"EHLO x", "MAIL FROM:<a@example.com>", "RCPT TO:<b@example.com>"}, AtReset: {"EHLO x"}, AtQuit: {"EHLO x"}}[stage]
		c := dial(t, m)
		for _, line := range before {
			c.say(line)
		}
		m.Fail(Fault{At: stage, Times: 1, Answer: "451 4.3.0 later"})
		if got := c.say(command); got != "451 4.3.0 later" {
			t.Errorf("%s: %q", command, got)
		}
		if got := c.say(command); got == "451 4.3.0 later" || got == "" {
			t.Errorf("%s once more: %q", command, got)
		}
		m.Fail(Fault{At: AtHello, Drop: true})
		if got := dial(t, m).say("EHLO x"); got != "" {
			t.Errorf("dropped: %q", got)
		}
		m.Recover()
		if got := dial(t, m).say("EHLO x"); !strings.HasPrefix(got, "250") {
			t.Errorf("recovered: %q", got)
		}
	}
	m := open(t, Options{})
	m.Fail(Fault{At: AtRecipient, To: "b@example.com", Answer: "550 5.1.1 unknown"})
	if err := post(m, "B@example.com", "Subject: x\n\nQUIT\n"); err == nil || !strings.Contains(err.Error(), "5.1.1") {
		t.Errorf("%v", err)
	}
	if err := post(m, "c@example.com", "Subject: x\n\nQUIT\nRSET\n"); err != nil || !strings.HasSuffix(string(m.Mails()[0].Raw), "\r\n\r\nQUIT\r\nRSET\r\n") {
		t.Errorf("%v", err)
	}
	m.Fail(Fault{At: AtContent, Answer: "554 5.6.0 no", Kept: true})
	if err := post(m, "c@example.com", "Subject: y\n\n"); err == nil || !strings.HasPrefix(err.Error(), "554") || m.Received() != 2 {
		t.Errorf("%v, %d mails", err, m.Received())
	}
}

// TestHangsEndWithTheMailbox: what hangs ends when the mailbox does.
func TestHangsEndWithTheMailbox(t *testing.T) {
	m := open(t, Options{})
	m.Fail(Fault{At: AtMail, Hang: true})
	var wg sync.WaitGroup
	for range 4 {
		c := dial(t, m)
		c.say("EHLO x")
		wg.Go(func() {
			if got := c.say("MAIL FROM:<a@example.com>"); got != "" {
				t.Errorf("a hanging mailbox says %q", got)
			}
		})
	}
	m.Close()
	wg.Wait()
}

// conversation is one by hand.
type conversation struct {
	conn   net.Conn
	reader *bufio.Reader
}

func dial(t *testing.T, m *Mailbox) *conversation {
	t.Helper()
	conn, err := net.Dial("tcp", m.address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	c := &conversation{conn, bufio.NewReader(conn)}
	c.answer()
	return c
}

// say gives the last line of the answer to a command, "" when there is none.
func (c *conversation) say(command string) string {
	fmt.Fprintf(c.conn, "%s\r\n", command)
	return c.answer()
}

func (c *conversation) answer() string {
	for {
		line, err := c.reader.ReadString('\n')
		if err != nil {
			return ""
		}
		if len(line) < 4 || line[3] != '-' {
			return strings.TrimRight(line, "\r\n")
		}
	}
}
