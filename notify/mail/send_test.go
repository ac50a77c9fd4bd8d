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

	"vigia/notify/bulletin"
	"vigia/notify/simulate"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ana = "ana.rojas@correo.example.com"

// TestVerdicts goes through what a relay can answer, and when.
func TestVerdicts(t *testing.T) {
	at := func(stage simulate.MailStage, answer string) simulate.MailFault {
		return simulate.MailFault{At: stage, Answer: answer}
	}
	drop := func(stage simulate.MailStage) simulate.MailFault { return simulate.MailFault{At: stage, Drop: true} }
	for _, c := range []struct {
		name  string
		fault simulate.MailFault
		want  bulletin.Verdict
		kept  int // letters that came all the same
	}{
		{"busy", at(simulate.AtGreeting, "421 4.3.2 come back later"), bulletin.Retry, 0},
		{"unwanted", at(simulate.AtGreeting, "554 5.7.1 no mail from there"), bulletin.OurFault, 0},
		{"no greeting", drop(simulate.AtGreeting), bulletin.Retry, 0},
		{"garbled greeting", at(simulate.AtGreeting, "hello there"), bulletin.Retry, 0},
		{"HELO refused", at(simulate.AtHello, "550 5.7.1 who are you"), bulletin.OurFault, 0},
		{"dropped at EHLO", drop(simulate.AtHello), bulletin.Retry, 0},

		{"MAIL later", at(simulate.AtMail, "451 4.3.0 later"), bulletin.Retry, 0},
		{"MAIL refused", at(simulate.AtMail, "550 5.1.0 sender rejected"), bulletin.OurFault, 0},
		{"MAIL refused bare", at(simulate.AtMail, "553 not you"), bulletin.OurFault, 0},
		{"MAIL wants login", at(simulate.AtMail, "530 5.7.0 authentication required"), bulletin.OurFault, 0},
		{"MAIL dropped", drop(simulate.AtMail), bulletin.Retry, 0},

		{"RCPT greylisted", at(simulate.AtRecipient, "450 4.2.0 greylisted"), bulletin.Retry, 0},
		{"RCPT unknown", at(simulate.AtRecipient, "550 5.1.1 no such user"), bulletin.Bounced, 0},
		{"RCPT unknown domain", at(simulate.AtRecipient, "550 5.1.2 no such host"), bulletin.Bounced, 0},
		{"RCPT null MX", at(simulate.AtRecipient, "556 5.1.10 takes no mail"), bulletin.Bounced, 0},
		{"RCPT moved", at(simulate.AtRecipient, "551 5.1.6 moved"), bulletin.Bounced, 0},
		{"RCPT blames the sender", at(simulate.AtRecipient, "550 5.1.8 bad sender domain"), bulletin.OurFault, 0},
		{"RCPT policy", at(simulate.AtRecipient, "550 5.7.1 blocked"), bulletin.OurFault, 0},
		{"RCPT SPF", at(simulate.AtRecipient, "550 5.7.23 SPF failed"), bulletin.OurFault, 0},
		{"RCPT wants login", at(simulate.AtRecipient, "530 log in"), bulletin.OurFault, 0},
		{"RCPT full", at(simulate.AtRecipient, "552 5.2.2 mailbox full"), bulletin.Retry, 0},
		{"RCPT bare", at(simulate.AtRecipient, "550 No such user here"), bulletin.Retry, 0},
		{"RCPT kind elsewhere", at(simulate.AtRecipient, "554 refused from 5.1.2.3 for 5.1.1"), bulletin.Retry, 0},
		{"RCPT kind of another class", at(simulate.AtRecipient, "450 5.1.1 odd"), bulletin.Retry, 0},
		{"RCPT dropped", drop(simulate.AtRecipient), bulletin.Retry, 0},

		{"DATA later", at(simulate.AtData, "451 4.3.0 later"), bulletin.Retry, 0},
		{"DATA refused", at(simulate.AtData, "554 no"), bulletin.Retry, 0},
		{"DATA policy", at(simulate.AtData, "550 5.7.1 no"), bulletin.OurFault, 0},
		{"DATA dropped", drop(simulate.AtData), bulletin.Retry, 0},

		{"letter later", at(simulate.AtContent, "452 4.3.1 disk full"), bulletin.Retry, 0},
		{"letter is spam", at(simulate.AtContent, "550 5.7.1 looks like spam"), bulletin.OurFault, 0},
		{"letter too big", at(simulate.AtContent, "552 5.3.4 too big"), bulletin.Unsendable, 0},
		{"letter too big, bare", at(simulate.AtContent, "552 too big"), bulletin.Unsendable, 0},
		{"letter ill-formed", at(simulate.AtContent, "554 5.6.0 cannot read it"), bulletin.Unsendable, 0},
		{"letter's reader unknown", at(simulate.AtContent, "550 5.1.1 unknown after all"), bulletin.Bounced, 0},
		{"letter refused bare", at(simulate.AtContent, "554 transaction failed"), bulletin.Retry, 0},
		{"letter lost", drop(simulate.AtContent), bulletin.Retry, 0},
		{"letter kept, answer lost", simulate.MailFault{At: simulate.AtContent, Drop: true, Kept: true}, bulletin.Retry, 1},

		{"QUIT dropped", drop(simulate.AtQuit), bulletin.Delivered, 1},
		{"RSET dropped", drop(simulate.AtReset), bulletin.Delivered, 1},
		{"slow", simulate.MailFault{At: simulate.AtRecipient, Delay: time.Millisecond}, bulletin.Delivered, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := openMailbox(t, simulate.MailboxOptions{})
			s := senderTo(t, m, nil)
			m.Fail(c.fault)
			r := s.Send(t.Context(), news(t), ana)
			if r.Verdict != c.want || m.Received() != c.kept {
				t.Errorf("verdict %d, want %d; %d letters, want %d: %v", r.Verdict, c.want, m.Received(), c.kept, r.Err)
			}
			if (r.Err == nil) != (r.Verdict == bulletin.Delivered) {
				t.Errorf("verdict %d with error %v", r.Verdict, r.Err)
			}
			m.Recover()
			if r := s.Send(t.Context(), news(t), ana); r.Verdict != bulletin.Delivered || m.Received() != c.kept+1 {
				t.Errorf("afterwards: %v, %d letters", r, m.Received())
			}
		})
	}
}

// TestRefusalsKeepTheConnection: a relay that says no to one person is still good
// for the next.
func TestRefusalsKeepTheConnection(t *testing.T) {
	m := openMailbox(t, simulate.MailboxOptions{})
	s := senderTo(t, m, nil)
	m.Fail(simulate.MailFault{At: simulate.AtRecipient, To: ana, Answer: "550 5.1.1 unknown"})
	for i := range 6 {
		to, want := ana, bulletin.Bounced
		if i%2 == 0 {
			to, want = "eva@example.com", bulletin.Delivered
		}
		if r := s.Send(t.Context(), news(t), to); r.Verdict != want {
			t.Errorf("%s: %v", to, r)
		}
	}
	if m.Connections() != 1 || m.Received() != 3 {
		t.Errorf("%d connections, %d letters", m.Connections(), m.Received())
	}
}

// TestIdleConnectionThatDied: the relay hung up meanwhile, and the message goes out
// over a new connection, once.
func TestIdleConnectionThatDied(t *testing.T) {
	for name, fault := range map[string]simulate.MailFault{
		"cut":             {At: simulate.AtMail, Times: 1, Drop: true},
		"said goodbye":    {At: simulate.AtMail, Times: 1, Answer: "421 4.4.2 idle for too long"},
		"cut again":       {At: simulate.AtMail, Times: 2, Drop: true},
		"cut at RCPT":     {At: simulate.AtRecipient, Times: 1, Drop: true},
		"refused at MAIL": {At: simulate.AtMail, Times: 1, Answer: "451 4.3.0 later"},
	} {
		t.Run(name, func(t *testing.T) {
			m := openMailbox(t, simulate.MailboxOptions{})
			s := senderTo(t, m, nil)
			if r := s.Send(t.Context(), news(t), ana); r.Verdict != bulletin.Delivered {
				t.Fatal(r)
			}
			m.Fail(fault)
			want, connections := bulletin.Delivered, 2
			switch name {
			case "cut again":
				want = bulletin.Retry
			case "cut at RCPT", "refused at MAIL":
				want, connections = bulletin.Retry, 1
			}
			if r := s.Send(t.Context(), news(t), ana); r.Verdict != want || m.Connections() != connections {
				t.Errorf("%v over %d connections", r, m.Connections())
			}
		})
	}
}

// TestRelayRestarts: the relay itself goes away and comes back.
func TestRelayRestarts(t *testing.T) {
	m := openMailbox(t, simulate.MailboxOptions{})
	address := net.JoinHostPort(m.Host(), fmt.Sprint(m.Port()))
	s := senderTo(t, m, nil)
	if r := s.Send(t.Context(), news(t), ana); r.Verdict != bulletin.Delivered {
		t.Fatal(r)
	}
	m.Close()
	for range 3 {
		if r := s.Send(t.Context(), news(t), ana); r.Verdict != bulletin.Retry || r.Err == nil {
			t.Fatal(r)
		}
	}
	if err := s.Check(t.Context()); err == nil {
		t.Error("a relay that is away passes the check")
	}
	back := openMailbox(t, simulate.MailboxOptions{Address: address})
	if r := s.Send(t.Context(), news(t), ana); r.Verdict != bulletin.Delivered || back.Received() != 1 {
		t.Error(r, back.Received())
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestHangs: whatever the relay does not say, a message takes no longer than its
// timeout, and ends with its context.
func TestHangs(t *testing.T) {
	for _, stage := range []simulate.MailStage{simulate.AtGreeting, simulate.AtHello, simulate.AtMail, simulate.AtRecipient, simulate.AtData, simulate.AtContent} {
		for _, reused := range []bool{false, true} {
			if reused && stage <= simulate.AtHello {
				continue
			}
			t.Run(fmt.Sprint(stage, " reused ", reused), func(t *testing.T) {
				m := openMailbox(t, simulate.MailboxOptions{})
				hasty := senderTo(t, m, func(o *Options) { o.Timeout = 50 * time.Millisecond })
				patient := senderTo(t, m, func(o *Options) { o.Timeout = time.Hour })
				if reused {
					hasty.Send(t.Context(), news(t), ana)
					patient.Send(t.Context(), news(t), ana)
				}
				m.Fail(simulate.MailFault{At: stage, Hang: true})
				begun := time.Now()
				r := hasty.Send(t.Context(), news(t), ana)
				if took := time.Since(begun); r.Verdict != bulletin.Retry || r.Err == nil || took > 5*time.Second {
					t.Errorf("%v after %v", r, took)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
				defer cancel()
				begun = time.Now()
				r = patient.Send(ctx, news(t), ana)
				if took := time.Since(begun); r.Verdict != bulletin.Retry || r.Err == nil || took > 5*time.Second {
					t.Errorf("cancelled: %v after %v", r, took)
				}
			})
		}
	}
}

// TestDribble: a relay that is slow at every step is cut off by the sum.
func TestDribble(t *testing.T) {
	m := openMailbox(t, simulate.MailboxOptions{})
	s := senderTo(t, m, func(o *Options) { o.Timeout = 300 * time.Millisecond })
	for _, stage := range []simulate.MailStage{simulate.AtHello, simulate.AtMail, simulate.AtRecipient, simulate.AtData, simulate.AtContent} {
		m.Fail(simulate.MailFault{At: stage, Delay: 200 * time.Millisecond})
	}
	if r := s.Send(t.Context(), news(t), ana); r.Verdict != bulletin.Retry {
		t.Errorf("%v", r)
	}
}

func TestConcurrentSending(t *testing.T) {
	m := openMailbox(t, simulate.MailboxOptions{Keep: 1000})
	s := senderTo(t, m, func(o *Options) { o.Connections = 8 })
	const each = 25
	var wg sync.WaitGroup
	for worker := range 16 {
		wg.Go(func() {
			for i := range each {
				b := news(t)
				b.Ref = fmt.Sprintf("ref-%d-%d", worker, i)
				if r := s.Send(t.Context(), b, fmt.Sprintf("p%d.%d@example.com", worker, i)); r.Verdict != bulletin.Delivered {
					t.Error(r)
				}
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, l := range m.Letters() {
		seen[l.To] = true
		local, _, _ := strings.Cut(strings.TrimPrefix(l.To, "p"), "@")
		if !strings.Contains(string(l.Raw), "Message-ID: <ref-"+strings.Replace(local, ".", "-", 1)+"@") {
			t.Errorf("%s got another's letter", l.To)
		}
	}
	if len(seen) != 16*each || m.Connections() > 8+16*each/mostMessages || m.Connections() < 1 {
		t.Errorf("%d people over %d connections", len(seen), m.Connections())
	}
}

// TestPoolEnds: a connection takes so many messages, and idles so long.
func TestPoolEnds(t *testing.T) {
	m := openMailbox(t, simulate.MailboxOptions{Keep: 1})
	clock := clockwork.NewFakeClockAt(now)
	s := senderTo(t, m, func(o *Options) { o.Clock, o.Connections = clock, 1 })
	send := func() {
		t.Helper()
		if r := s.Send(t.Context(), news(t), ana); r.Verdict != bulletin.Delivered {
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
	if r := s.Send(t.Context(), news(t), ana); r.Verdict != bulletin.Retry || !errors.Is(r.Err, errClosed) {
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
		for _, stage := range []simulate.MailStage{simulate.AtRecipient, simulate.AtContent} {
			m := openMailbox(t, simulate.MailboxOptions{})
			m.Fail(simulate.MailFault{At: stage, Answer: "550 5.1.1 " + quoted})
			r := senderTo(t, m, nil).Send(t.Context(), news(t), ana)
			if r.Verdict != bulletin.Bounced || r.Err == nil {
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

// TestErrorsNameNoDomain: a relay may write a domain as people do.
func TestErrorsNameNoDomain(t *testing.T) {
	m := openMailbox(t, simulate.MailboxOptions{})
	m.Fail(simulate.MailFault{At: simulate.AtRecipient, Answer: "450 4.4.3 no MX for rojasñandú.cl, try again"})
	r := senderTo(t, m, nil).Send(t.Context(), news(t), "ana@xn--rojasand-h3a7g.cl")
	if r.Err == nil || strings.Contains(r.Err.Error(), "rojas") || !strings.Contains(r.Err.Error(), "no MX for [address], try again") {
		t.Errorf("it says %v", r.Err)
	}
}

// TestErrorsNameNoMailbox: a relay may quote of a tagged address what it looked up.
func TestErrorsNameNoMailbox(t *testing.T) {
	m := openMailbox(t, simulate.MailboxOptions{})
	m.Fail(simulate.MailFault{At: simulate.AtRecipient, Answer: "550 5.1.1 mailbox ana.rojas is unknown"})
	r := senderTo(t, m, nil).Send(t.Context(), news(t), "ana.rojas+avisos@correo.example.com")
	if r.Err == nil || strings.Contains(r.Err.Error(), "rojas") {
		t.Errorf("it says %v", r.Err)
	}
}

func TestUnsendable(t *testing.T) {
	m := openMailbox(t, simulate.MailboxOptions{})
	s := senderTo(t, m, nil)
	for name, change := range map[string]func(*bulletin.Bulletin) string{
		"two people":         func(*bulletin.Bulletin) string { return "a@example.com, b@example.com" },
		"a name":             func(*bulletin.Bulletin) string { return "Ana <a@example.com>" },
		"quoted":             func(*bulletin.Bulletin) string { return `"a b"@example.com` },
		"a command":          func(*bulletin.Bulletin) string { return "a@example.com\r\nRCPT TO:<b@example.com>" },
		"IP literal":         func(*bulletin.Bulletin) string { return "a@[127.0.0.1]" },
		"not ASCII":          func(*bulletin.Bulletin) string { return "ñ@example.com" },
		"nobody":             func(*bulletin.Bulletin) string { return "" },
		"no name":            func(b *bulletin.Bulletin) string { b.Ref = ""; return ana },
		"name with a line":   func(b *bulletin.Bulletin) string { b.Ref = "a\r\nBcc: x"; return ana },
		"link with a line":   func(b *bulletin.Bulletin) string { b.Links.Unsubscribe += "\r\nBcc: b@example.com"; return ana },
		"link out of itself": func(b *bulletin.Bulletin) string { b.Links.Unsubscribe += ">, <mailto:b@example.com"; return ana },
		"script link":        func(b *bulletin.Bulletin) string { b.Links.Privacy = "javascript:alert(1)"; return ana },
		"no link to cancel":  func(b *bulletin.Bulletin) string { b.Links.Unsubscribe = ""; return ana },
		"no link to change":  func(b *bulletin.Bulletin) string { b.Links.Manage = ""; return ana },
		"no alert":           func(b *bulletin.Bulletin) string { b.Entries = nil; return ana },
		"half an alert":      func(b *bulletin.Bulletin) string { b.Entries[0].Park = nil; return ana },
		"a push":             func(b *bulletin.Bulletin) string { b.Kind = bulletin.Welcome; return ana },
		"no language":        func(b *bulletin.Bulletin) string { b.Language = 9; return ana },
		"no confirmation":    func(b *bulletin.Bulletin) string { b.Kind = bulletin.Confirm; return ana },
	} {
		b := news(t)
		to := change(b)
		if r := s.Send(t.Context(), b, to); r.Verdict != bulletin.Unsendable || r.Err == nil || strings.Contains(r.Err.Error(), "@") {
			t.Errorf("%s: %v", name, r)
		}
	}
	if m.Connections() != 0 {
		t.Error("the relay was asked for what cannot be sent")
	}
}
