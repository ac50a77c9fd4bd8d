package simulate

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

func open(t *testing.T, o MailboxOptions) *Mailbox {
	t.Helper()
	m, err := ListenMail(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func (m *Mailbox) address() string { return net.JoinHostPort(m.Host(), fmt.Sprint(m.Port())) }

// post sends a letter with the standard library's client, which is not the one that
// the service uses.
func post(m *Mailbox, to, letter string) error {
	return smtp.SendMail(m.address(), nil, "de@example.com", []string{to}, []byte(strings.ReplaceAll(letter, "\n", "\r\n")))
}

func TestLetters(t *testing.T) {
	at := time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC)
	m := open(t, MailboxOptions{Keep: 3, Clock: clockwork.NewFakeClockAt(at)})
	for i := range 5 {
		if err := post(m, fmt.Sprintf("a%d@example.com", i), fmt.Sprintf("Subject: carta %d\nFrom: =?utf-8?q?Vig=C3=ADa?= <v@example.com>\n\nhola\n.punto\n", i)); err != nil {
			t.Fatal(err)
		}
	}
	letters := m.Letters()
	if len(letters) != 3 || m.Received() != 5 || m.Connections() != 5 {
		t.Fatalf("%d letters of %d over %d connections", len(letters), m.Received(), m.Connections())
	}
	l := letters[0]
	if l.Subject != "carta 4" || l.To != "a4@example.com" || l.Sender != "de@example.com" || l.From != "Vigía <v@example.com>" ||
		l.Text != "hola\n.punto\n" || l.HTML != "" || !l.At.Equal(at) || !strings.HasPrefix(string(l.Raw), "Subject: carta 4\r\n") {
		t.Errorf("%+v", l)
	}
	m.Close()
	if len(m.Letters()) != 3 {
		t.Error("the letters went with the mailbox")
	}
	if err := post(m, "a@example.com", "Subject: x\n\n"); err == nil {
		t.Error("a closed mailbox takes letters")
	}
}

func TestReadLetter(t *testing.T) {
	alternative := "Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: %s\n\n%s\n--b\nContent-Type: text/html\n\n<p>hola</p>\n--b--\n"
	for name, c := range map[string]struct{ letter, text, html string }{
		"plain":            {"Subject: x\n\nhola\n", "hola\n", ""},
		"quoted-printable": {fmt.Sprintf(alternative, "quoted-printable", "se=C3=B1al =\nlarga"), "señal larga", "<p>hola</p>"},
		"base64":           {fmt.Sprintf(alternative, "base64", "c2XDsWFs"), "señal", "<p>hola</p>"},
		"8bit":             {fmt.Sprintf(alternative, "8bit", "señal"), "señal", "<p>hola</p>"},
		"Latin-1":          {"Content-Type: text/plain; charset=ISO-8859-1\n\nse\xf1al", "señal", ""},
		"ill-formed UTF-8": {"Content-Type: text/plain\n\nse\xf1al", "se\uFFFDal", ""},
		"no boundary":      {"Content-Type: multipart/alternative\n\nhola", "", ""},
		"cut off":          {"Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\nho", "ho", ""},
		"bad type":         {"Content-Type: ;;;\n\nhola", "hola", ""},
		"nested": {"Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/html\n\n<i>\n--b--\n--a\nContent-Type: text/plain\n\nfin\n--a--\n",
			"fin", "<i>"},
	} {
		l, err := ReadLetter([]byte(strings.ReplaceAll(c.letter, "\n", "\r\n")))
		if err != nil || l.Text != c.text || l.HTML != c.html {
			t.Errorf("%s: %q, %q, %v", name, l.Text, l.HTML, err)
		}
	}
	if _, err := ReadLetter([]byte("no headers at all")); err == nil {
		t.Error("what is no letter is read")
	}
}

func FuzzReadLetter(f *testing.F) {
	f.Add([]byte("Subject: =?utf-8?q?x?=\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n\r\nhola\r\n--a--\r\n"))
	f.Add([]byte("Content-Transfer-Encoding: base64\r\n\r\nc2XDsWFs"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if l, _ := ReadLetter(raw); len(l.Text) > 3*len(raw)+3 || len(l.HTML) > 3*len(raw)+3 {
			t.Errorf("%d bytes became %d and %d", len(raw), len(l.Text), len(l.HTML))
		}
	})
}

// TestBounds: whatever is sent, what is kept is bounded.
func TestBounds(t *testing.T) {
	m := open(t, MailboxOptions{})
	if err := post(m, "a@example.com", "Subject: x\n\n"+strings.Repeat("0123456789\n", maxLetter/11)); err == nil || !strings.HasPrefix(err.Error(), "552") {
		t.Errorf("a letter that is too big: %v", err)
	}
	deep := "Content-Type: multipart/mixed; boundary=a\n\n" + strings.Repeat("--a\nContent-Type: multipart/mixed; boundary=a\n\n", 2000)
	if err := post(m, "a@example.com", deep); err != nil {
		t.Error(err)
	}
	if m.Received() != 1 {
		t.Errorf("%d letters", m.Received())
	}
	for _, address := range []string{"0.0.0.0:0", "192.0.2.1:0", "nonsense"} {
		if other, err := ListenMail(MailboxOptions{Address: address}); err == nil {
			other.Close()
			t.Errorf("listens on %s", address)
		}
	}
	if _, err := ListenMail(MailboxOptions{TLS: "ssl"}); err == nil {
		t.Error("an unknown kind of TLS is taken")
	}
}

// TestFaults goes through the stages by hand: what a line is answered.
func TestFaults(t *testing.T) {
	for stage, command := range map[MailStage]string{AtHello: "EHLO x", AtMail: "MAIL FROM:<a@example.com>", AtRecipient: "RCPT TO:<b@example.com>",
		AtData: "DATA", AtReset: "RSET", AtQuit: "QUIT"} {
		m := open(t, MailboxOptions{})
		before := map[MailStage][]string{AtMail: {"EHLO x"}, AtRecipient: {"EHLO x", "MAIL FROM:<a@example.com>"},
			AtData: {"EHLO x", "MAIL FROM:<a@example.com>", "RCPT TO:<b@example.com>"}, AtReset: {"EHLO x"}, AtQuit: {"EHLO x"}}[stage]
		c := dial(t, m)
		for _, line := range before {
			c.say(line)
		}
		m.Fail(MailFault{At: stage, Times: 1, Answer: "451 4.3.0 later"})
		if got := c.say(command); got != "451 4.3.0 later" {
			t.Errorf("%s: %q", command, got)
		}
		if got := c.say(command); got == "451 4.3.0 later" || got == "" {
			t.Errorf("%s once more: %q", command, got)
		}
		m.Fail(MailFault{At: AtHello, Drop: true})
		if got := dial(t, m).say("EHLO x"); got != "" {
			t.Errorf("dropped: %q", got)
		}
		m.Recover()
		if got := dial(t, m).say("EHLO x"); !strings.HasPrefix(got, "250") {
			t.Errorf("recovered: %q", got)
		}
	}
	m := open(t, MailboxOptions{})
	m.Fail(MailFault{At: AtRecipient, To: "b@example.com", Answer: "550 5.1.1 unknown"})
	if err := post(m, "B@example.com", "Subject: x\n\nQUIT\n"); err == nil || !strings.Contains(err.Error(), "5.1.1") {
		t.Errorf("%v", err)
	}
	if err := post(m, "c@example.com", "Subject: x\n\nQUIT\nRSET\n"); err != nil || m.Letters()[0].Text != "QUIT\nRSET\n" {
		t.Errorf("%v", err)
	}
	m.Fail(MailFault{At: AtContent, Answer: "554 5.6.0 no", Kept: true})
	if err := post(m, "c@example.com", "Subject: y\n\n"); err == nil || !strings.HasPrefix(err.Error(), "554") || m.Received() != 2 {
		t.Errorf("%v, %d letters", err, m.Received())
	}
}

// TestHangsEndWithTheMailbox: what hangs ends when the mailbox does.
func TestHangsEndWithTheMailbox(t *testing.T) {
	m := open(t, MailboxOptions{})
	m.Fail(MailFault{At: AtMail, Hang: true})
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
