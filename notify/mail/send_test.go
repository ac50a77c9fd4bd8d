package mail

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/goleak"

	"vigia/notify/mail/mailtest"
	"vigia/notify/message"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ana = "ana.rojas@correo.example.com"

// TestVerdicts goes through what a relay can answer, and when.
func TestVerdicts(t *testing.T) {
	at := func(stage mailtest.Stage, answer string) mailtest.Fault {
		return mailtest.Fault{At: stage, Answer: answer}
	}
	drop := func(stage mailtest.Stage) mailtest.Fault { return mailtest.Fault{At: stage, Drop: true} }
	for _, c := range []struct {
		name  string
		fault mailtest.Fault
		want  message.Verdict
		kept  int // mails that came all the same
	}{
		{"busy", at(mailtest.AtGreeting, "421 4.3.2 come back later"), message.Retry, 0},
		{"unwanted", at(mailtest.AtGreeting, "554 5.7.1 no mail from there"), message.OurFault, 0},
		{"no greeting", drop(mailtest.AtGreeting), message.Retry, 0},
		{"garbled greeting", at(mailtest.AtGreeting, "hello there"), message.Retry, 0},
		{"HELO refused", at(mailtest.AtHello, "550 5.7.1 who are you"), message.OurFault, 0},
		{"dropped at EHLO", drop(mailtest.AtHello), message.Retry, 0},

		{"MAIL later", at(mailtest.AtMail, "451 4.3.0 later"), message.Retry, 0},
		{"MAIL refused", at(mailtest.AtMail, "550 5.1.0 sender rejected"), message.OurFault, 0},
		{"MAIL refused bare", at(mailtest.AtMail, "553 not you"), message.OurFault, 0},
		{"MAIL wants login", at(mailtest.AtMail, "530 5.7.0 authentication required"), message.OurFault, 0},
		{"MAIL dropped", drop(mailtest.AtMail), message.Retry, 0},

		{"RCPT greylisted", at(mailtest.AtRecipient, "450 4.2.0 greylisted"), message.Retry, 0},
		{"RCPT unknown", at(mailtest.AtRecipient, "550 5.1.1 no such user"), message.Bounced, 0},
		{"RCPT unknown domain", at(mailtest.AtRecipient, "550 5.1.2 no such host"), message.Bounced, 0},
		{"RCPT null MX", at(mailtest.AtRecipient, "556 5.1.10 takes no mail"), message.Bounced, 0},
		{"RCPT moved", at(mailtest.AtRecipient, "551 5.1.6 moved"), message.Bounced, 0},
		{"RCPT blames the sender", at(mailtest.AtRecipient, "550 5.1.8 bad sender domain"), message.Refused, 0},
		{"RCPT policy", at(mailtest.AtRecipient, "550 5.7.1 blocked"), message.Refused, 0},
		{"RCPT SPF", at(mailtest.AtRecipient, "550 5.7.23 SPF failed"), message.Refused, 0},
		{"RCPT wants login", at(mailtest.AtRecipient, "530 log in"), message.Retry, 0},
		{"RCPT full", at(mailtest.AtRecipient, "552 5.2.2 mailbox full"), message.Retry, 0},
		{"RCPT bare", at(mailtest.AtRecipient, "550 No such user here"), message.Retry, 0},
		{"RCPT kind elsewhere", at(mailtest.AtRecipient, "554 refused from 5.1.2.3 for 5.1.1"), message.Retry, 0},
		{"RCPT kind of another class", at(mailtest.AtRecipient, "450 5.1.1 odd"), message.Retry, 0},
		{"RCPT dropped", drop(mailtest.AtRecipient), message.Retry, 0},

		{"DATA later", at(mailtest.AtData, "451 4.3.0 later"), message.Retry, 0},
		{"DATA refused", at(mailtest.AtData, "554 no"), message.Retry, 0},
		{"DATA policy", at(mailtest.AtData, "550 5.7.1 no"), message.Refused, 0},
		{"DATA dropped", drop(mailtest.AtData), message.Retry, 0},

		{"mail later", at(mailtest.AtContent, "452 4.3.1 disk full"), message.Retry, 0},
		{"mail is spam", at(mailtest.AtContent, "550 5.7.1 looks like spam"), message.Refused, 0},
		{"mail too big", at(mailtest.AtContent, "552 5.3.4 too big"), message.Unsendable, 0},
		{"mail too big, bare", at(mailtest.AtContent, "552 too big"), message.Unsendable, 0},
		{"mail ill-formed", at(mailtest.AtContent, "554 5.6.0 cannot read it"), message.Unsendable, 0},
		{"mail's reader unknown", at(mailtest.AtContent, "550 5.1.1 unknown after all"), message.Bounced, 0},
		{"mail refused bare", at(mailtest.AtContent, "554 transaction failed"), message.Retry, 0},
		{"mail lost", drop(mailtest.AtContent), message.Retry, 0},
		{"mail kept, answer lost", mailtest.Fault{At: mailtest.AtContent, Drop: true, Kept: true}, message.Retry, 1},

		{"QUIT dropped", drop(mailtest.AtQuit), message.Delivered, 1},
		{"RSET dropped", drop(mailtest.AtReset), message.Delivered, 1},
		{"slow", mailtest.Fault{At: mailtest.AtRecipient, Delay: time.Millisecond}, message.Delivered, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := openMailbox(t, mailtest.Options{})
			s := senderTo(t, m, nil)
			m.Fail(c.fault)
			r := s.Send(t.Context(), news(t), ana)
			if r.Verdict != c.want || m.Received() != c.kept {
				t.Errorf("verdict %d, want %d; %d mails, want %d: %v", r.Verdict, c.want, m.Received(), c.kept, r.Err)
			}
			if (r.Err == nil) != (r.Verdict == message.Delivered) {
				t.Errorf("verdict %d with error %v", r.Verdict, r.Err)
			}
			m.Recover()
			if r := s.Send(t.Context(), news(t), ana); r.Verdict != message.Delivered || m.Received() != c.kept+1 {
				t.Errorf("afterwards: %v, %d mails", r, m.Received())
			}
		})
	}
}

// TestRefusalsKeepTheConnection: a relay that says no to one person is still good
// for the next.
func TestRefusalsKeepTheConnection(t *testing.T) {
	m := openMailbox(t, mailtest.Options{})
	s := senderTo(t, m, nil)
	m.Fail(mailtest.Fault{At: mailtest.AtRecipient, To: ana, Answer: "550 5.1.1 unknown"})
	for i := range 6 {
		to, want := ana, message.Bounced
		if i%2 == 0 {
			to, want = "eva@example.com", message.Delivered
		}
		if r := s.Send(t.Context(), news(t), to); r.Verdict != want {
			t.Errorf("%s: %v", to, r)
		}
	}
	if m.Connections() != 1 || m.Received() != 3 {
		t.Errorf("%d connections, %d mails", m.Connections(), m.Received())
	}
}

// TestIdleConnectionThatDied: the relay hung up meanwhile, and the message goes out
// over a new connection, once.
func TestIdleConnectionThatDied(t *testing.T) {
	for name, fault := range map[string]mailtest.Fault{
		"cut":             {At: mailtest.AtMail, Times: 1, Drop: true},
		"said goodbye":    {At: mailtest.AtMail, Times: 1, Answer: "421 4.4.2 idle for too long"},
		"cut again":       {At: mailtest.AtMail, Times: 2, Drop: true},
		"cut at RCPT":     {At: mailtest.AtRecipient, Times: 1, Drop: true},
		"refused at MAIL": {At: mailtest.AtMail, Times: 1, Answer: "451 4.3.0 later"},
	} {
		t.Run(name, func(t *testing.T) {
			m := openMailbox(t, mailtest.Options{})
			s := senderTo(t, m, nil)
			if r := s.Send(t.Context(), news(t), ana); r.Verdict != message.Delivered {
				t.Fatal(r)
			}
			m.Fail(fault)
			want, connections := message.Delivered, 2
			switch name {
			case "cut again":
				want = message.Retry
			case "cut at RCPT", "refused at MAIL":
				want, connections = message.Retry, 1
			}
			if r := s.Send(t.Context(), news(t), ana); r.Verdict != want || m.Connections() != connections {
				t.Errorf("%v over %d connections", r, m.Connections())
			}
		})
	}
}

// TestRelayRestarts: the relay itself goes away and comes back.
func TestRelayRestarts(t *testing.T) {
	m := openMailbox(t, mailtest.Options{})
	address := net.JoinHostPort(m.Host(), fmt.Sprint(m.Port()))
	s := senderTo(t, m, nil)
	if r := s.Send(t.Context(), news(t), ana); r.Verdict != message.Delivered {
		t.Fatal(r)
	}
	m.Close()
	for range 3 {
		if r := s.Send(t.Context(), news(t), ana); r.Verdict != message.Retry || r.Err == nil {
			t.Fatal(r)
		}
	}
	if err := s.Check(t.Context()); err == nil {
		t.Error("a relay that is away passes the check")
	}
	back := openMailbox(t, mailtest.Options{Address: address})
	if r := s.Send(t.Context(), news(t), ana); r.Verdict != message.Delivered || back.Received() != 1 {
		t.Error(r, back.Received())
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestHangs: whatever the relay does not say, a message takes no longer than its
// timeout, and ends with its context.
func TestHangs(t *testing.T) {
	for _, stage := range []mailtest.Stage{mailtest.AtGreeting, mailtest.AtHello, mailtest.AtMail, mailtest.AtRecipient, mailtest.AtData, mailtest.AtContent} {
		for _, reused := range []bool{false, true} {
			if reused && stage <= mailtest.AtHello {
				continue
			}
			t.Run(fmt.Sprint(stage, " reused ", reused), func(t *testing.T) {
				m := openMailbox(t, mailtest.Options{})
				hasty := senderTo(t, m, func(o *Options) { o.Timeout = 50 * time.Millisecond })
				patient := senderTo(t, m, func(o *Options) { o.Timeout = time.Hour })
				if reused {
					hasty.Send(t.Context(), news(t), ana)
					patient.Send(t.Context(), news(t), ana)
				}
				m.Fail(mailtest.Fault{At: stage, Hang: true})
				begun := time.Now()
				r := hasty.Send(t.Context(), news(t), ana)
				if took := time.Since(begun); r.Verdict != message.Retry || r.Err == nil || took > 5*time.Second {
					t.Errorf("%v after %v", r, took)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
				defer cancel()
				begun = time.Now()
				r = patient.Send(ctx, news(t), ana)
				if took := time.Since(begun); r.Verdict != message.Retry || r.Err == nil || took > 5*time.Second {
					t.Errorf("cancelled: %v after %v", r, took)
				}
			})
		}
	}
}

// TestDribble: a relay that is slow at every step is cut off by the sum.
func TestDribble(t *testing.T) {
	m := openMailbox(t, mailtest.Options{})
	s := senderTo(t, m, func(o *Options) { o.Timeout = 300 * time.Millisecond })
	for _, stage := range []mailtest.Stage{mailtest.AtHello, mailtest.AtMail, mailtest.AtRecipient, mailtest.AtData, mailtest.AtContent} {
		m.Fail(mailtest.Fault{At: stage, Delay: 200 * time.Millisecond})
	}
	if r := s.Send(t.Context(), news(t), ana); r.Verdict != message.Retry {
		t.Errorf("%v", r)
	}
}

func TestConcurrentSending(t *testing.T) {
	m := openMailbox(t, mailtest.Options{})
	s := senderTo(t, m, func(o *Options) { o.Connections = 8 })
	const each = 25
	var wg sync.WaitGroup
	for worker := range 16 {
		wg.Go(func() {
			for i := range each {
				b := news(t)
				b.Ref = fmt.Sprintf("ref-%d-%d", worker, i)
				if r := s.Send(t.Context(), b, fmt.Sprintf("p%d.%d@example.com", worker, i)); r.Verdict != message.Delivered {
					t.Error(r)
				}
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, l := range m.Mails() {
		seen[l.To] = true
		local, _, _ := strings.Cut(strings.TrimPrefix(l.To, "p"), "@")
		if !strings.Contains(string(l.Raw), "Message-ID: <ref-"+strings.Replace(local, ".", "-", 1)+"@") {
			t.Errorf("%s got another's mail", l.To)
		}
	}
	if len(seen) != 16*each || m.Connections() > 8+16*each/mostMessages || m.Connections() < 1 {
		t.Errorf("%d people over %d connections", len(seen), m.Connections())
	}
}

// TestPoolEnds: a connection takes so many messages, and idles so long.
func TestPoolEnds(t *testing.T) {
	m := openMailbox(t, mailtest.Options{})
	clock := clockwork.NewFakeClockAt(now)
	s := senderTo(t, m, func(o *Options) { o.Clock, o.Connections = clock, 1 })
	send := func() {
		t.Helper()
		if r := s.Send(t.Context(), news(t), ana); r.Verdict != message.Delivered {
			t.Fatal(r)
		}
	}
	for range mostMessages {
		send()
	}
	if m.Connections() != 1 {
		t.Errorf("%d connections for %d messages", m.Connections(), mostMessages)
	}
	if send(); m.Connections() != 2 {
		t.Errorf("%d connections for one message more", m.Connections())
	}
	clock.Advance(idleLife - time.Second)
	if send(); m.Connections() != 2 {
		t.Errorf("%d connections after a pause", m.Connections())
	}
	clock.Advance(idleLife)
	if send(); m.Connections() != 3 {
		t.Errorf("%d connections after a long pause", m.Connections())
	}
	s.Close()
	if r := s.Send(t.Context(), news(t), ana); r.Verdict != message.Retry || !errors.Is(r.Err, errClosed) {
		t.Errorf("sent by a closed sender: %v", r)
	}
}

// TestErrorsNameNobody: relays quote the person in many ways.
func TestErrorsNameNobody(t *testing.T) {
	link := "https://vigia.example.cl/baja/" + token
	for _, quoted := range []string{
		"<" + ana + ">: Recipient address rejected", "ANA.ROJAS@CORREO.EXAMPLE.COM unknown", "user ana.rojas does not exist", "ana.rojas=correo.example.com@srs.example.org",
		"no such user (ana.rojas) at correo.example.com", "mailto:" + ana + "?x", "bad link " + link, "see HTTPS://x.example/?u=ana.rojas%40correo.example.com",
		"ana.rojas ana.rojas,ana.rojas@ [correo.example.com]", "message <" + ref + "@vigia.example.cl> refused",
		"rcpt=ana.rojas%40correo.example.com refused", "listed: vigia.example.cl/baja/" + token, "hxxps://vigia[.]example[.]cl%2Fbaja%2F" + token,
		"ana.rojas ana.rojas ana.rojas", "correo.example.com,correo.example.com", "=3Cana.rojas=40correo.example.com=3E", "xana.rojasx", "Ana Rojas is away",
		"listed: " + token[:21] + "\r\n550 5.1.1 " + token[21:],
	} {
		for _, stage := range []mailtest.Stage{mailtest.AtRecipient, mailtest.AtContent} {
			m := openMailbox(t, mailtest.Options{})
			m.Fail(mailtest.Fault{At: stage, Answer: "550 5.1.1 " + quoted})
			r := senderTo(t, m, nil).Send(t.Context(), news(t), ana)
			if r.Verdict != message.Bounced || r.Err == nil {
				t.Fatal(r)
			}
			text := strings.ToLower(r.Err.Error())
			for _, secret := range []string{"rojas", "correo.example", strings.ToLower(token[:20]), strings.ToLower(token[22:]), "@"} {
				if strings.Contains(text, secret) {
					t.Errorf("%q says %q", quoted, text)
				}
			}
			if !strings.Contains(text, "550 5.1.1") {
				t.Errorf("%q no longer says what was answered: %q", quoted, text)
			}
		}
	}
}

// TestErrorsNameNoPart: a relay may write a domain as people do, or quote the mailbox that
// it looked up for a tagged address.
func TestErrorsNameNoPart(t *testing.T) {
	for to, answers := range map[string][2]string{
		"ana@xn--rojasand-h3a7g.cl":           {"450 4.4.3 no MX for rojasñandú.cl, try again", "no MX for [address], try again"},
		"ana.rojas+avisos@correo.example.com": {"550 5.1.1 mailbox ana.rojas is unknown", "mailbox [address] is unknown"},
	} {
		m := openMailbox(t, mailtest.Options{})
		m.Fail(mailtest.Fault{At: mailtest.AtRecipient, Answer: answers[0]})
		r := senderTo(t, m, nil).Send(t.Context(), news(t), to)
		if r.Err == nil || strings.Contains(r.Err.Error(), "rojas") || !strings.Contains(r.Err.Error(), answers[1]) {
			t.Errorf("%q became %v", answers[0], r.Err)
		}
	}
}

func TestUnsendable(t *testing.T) {
	m := openMailbox(t, mailtest.Options{})
	s := senderTo(t, m, nil)
	for name, change := range map[string]func(*message.Message) string{
		"two people":       func(*message.Message) string { return "a@example.com, b@example.com" },
		"a name":           func(*message.Message) string { return "Ana <a@example.com>" },
		"quoted":           func(*message.Message) string { return `"a b"@example.com` },
		"a command":        func(*message.Message) string { return "a@example.com\r\nRCPT TO:<b@example.com>" },
		"IP literal":       func(*message.Message) string { return "a@[127.0.0.1]" },
		"not ASCII":        func(*message.Message) string { return "ñ@example.com" },
		"nobody":           func(*message.Message) string { return "" },
		"no name":          func(b *message.Message) string { b.Ref = ""; return ana },
		"name with a line": func(b *message.Message) string { b.Ref = "a\r\nBcc: x"; return ana },
		"link with a line": func(b *message.Message) string { b.Links.Unsubscribe += "\r\nBcc: b@example.com"; return ana },
		"no alert":         func(b *message.Message) string { b.Entries = nil; return ana },
		"half an alert":    func(b *message.Message) string { b.Entries[0].Park = nil; return ana },
		"a push":           func(b *message.Message) string { b.Kind = message.Welcome; return ana },
	} {
		b := news(t)
		to := change(b)
		if r := s.Send(t.Context(), b, to); r.Verdict != message.Unsendable || r.Err == nil || strings.Contains(r.Err.Error(), "@") {
			t.Errorf("%s: %v", name, r)
		}
	}
	if m.Connections() != 0 {
		t.Error("the relay was asked for what cannot be sent")
	}
}
