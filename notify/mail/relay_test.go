package mail

import (
	"crypto/x509"
	"net"
	"strings"
	"testing"
	"time"

	"vigia/notify/mail/mailtest"
	"vigia/notify/message"
)

// TestWaysToTheRelay: TLS is never given up, credentials never go in the clear or
// unused, and what is wrong with either is ours.
func TestWaysToTheRelay(t *testing.T) {
	login := func(o *Options) { o.User, o.Password = "vigia", "secreto" }
	for _, c := range []struct {
		name    string
		mailbox mailtest.Options
		options func(*Options)
		roots   bool
		want    message.Verdict
	}{
		{"STARTTLS", mailtest.Options{TLS: "starttls"}, func(o *Options) { o.TLS = "starttls" }, true, message.Delivered},
		{"TLS", mailtest.Options{TLS: "tls"}, func(o *Options) { o.TLS = "tls" }, true, message.Delivered},
		{"STARTTLS not offered", mailtest.Options{}, func(o *Options) { o.TLS = "starttls" }, true, message.OurFault},
		{"TLS to a plain port", mailtest.Options{}, func(o *Options) { o.TLS = "tls" }, true, message.OurFault},
		{"STARTTLS of a stranger", mailtest.Options{TLS: "starttls"}, func(o *Options) { o.TLS = "starttls" }, false, message.OurFault},
		{"TLS of a stranger", mailtest.Options{TLS: "tls"}, func(o *Options) { o.TLS = "tls" }, false, message.OurFault},
		{"login", mailtest.Options{TLS: "starttls", User: "vigia", Password: "secreto"},
			func(o *Options) { o.TLS = "starttls"; login(o) }, true, message.Delivered},
		{"login over TLS", mailtest.Options{TLS: "tls", User: "vigia", Password: "secreto"},
			func(o *Options) { o.TLS = "tls"; login(o) }, true, message.Delivered},
		{"login on this machine", mailtest.Options{User: "vigia", Password: "secreto"}, login, true, message.Delivered},
		{"wrong password", mailtest.Options{TLS: "starttls", User: "vigia", Password: "otro"},
			func(o *Options) { o.TLS = "starttls"; login(o) }, true, message.OurFault},
		{"login not offered", mailtest.Options{TLS: "starttls"}, func(o *Options) { o.TLS = "starttls"; login(o) }, true, message.OurFault},
		{"login left out", mailtest.Options{User: "vigia", Password: "secreto"}, nil, true, message.OurFault},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := openMailbox(t, c.mailbox)
			s := senderTo(t, m, c.options)
			if s.roots = m.Roots(); !c.roots {
				s.roots = x509.NewCertPool()
			}
			for range 2 {
				r := s.Send(t.Context(), news(t), ana)
				if r.Verdict != c.want || r.Err != nil && strings.Contains(r.Err.Error(), "secreto") {
					t.Errorf("verdict %d, want %d: %v", r.Verdict, c.want, r.Err)
				}
			}
			err := s.Check(t.Context())
			if passes := c.want == message.Delivered || c.name == "login left out"; (err == nil) != passes {
				t.Errorf("check: %v", err)
			}
			if c.want == message.Delivered && m.Connections() != 2 {
				t.Errorf("%d connections for two mails and a check", m.Connections())
			}
		})
	}
}

// TestLoginLater: a relay whose login is out of order for now is waited for.
func TestLoginLater(t *testing.T) {
	m := openMailbox(t, mailtest.Options{User: "vigia", Password: "secreto"})
	s := senderTo(t, m, func(o *Options) { o.User, o.Password = "vigia", "secreto" })
	m.Fail(mailtest.Fault{At: mailtest.AtAuth, Answer: "454 4.7.0 temporary failure", Times: 1})
	if r := s.Send(t.Context(), news(t), ana); r.Verdict != message.Retry {
		t.Error(r)
	}
	m.Fail(mailtest.Fault{At: mailtest.AtAuth, Answer: "535 5.7.8 no", Times: 1})
	if r := s.Send(t.Context(), news(t), ana); r.Verdict != message.OurFault {
		t.Error(r)
	}
	if r := s.Send(t.Context(), news(t), ana); r.Verdict != message.Delivered {
		t.Error(r)
	}
}

func TestOptions(t *testing.T) {
	good := Options{Host: "smtp.example.cl", Port: 587, From: "alertas@vigia.example.cl", User: "u", Password: "p"}
	if _, err := New(good); err != nil {
		t.Fatal(err)
	}
	for says, change := range map[string]func(*Options){
		`sender ""`:        func(o *Options) { o.From = "" },
		`sender "vigia"`:   func(o *Options) { o.From = "vigia" },
		"[127.0.0.1]":      func(o *Options) { o.From = "a@[127.0.0.1]" },
		"only plain ASCII": func(o *Options) { o.From = `"a b"@example.cl` },
		"PEM":              func(o *Options) { o.DKIMKey, o.DKIMSelector = "nonsense", "s1" },
		"1024 bits":        func(o *Options) { o.DKIMKey, o.DKIMSelector = rsaPEM(t, 1024), "s1" },
		"cannot sign mail": func(o *Options) { o.DKIMKey, o.DKIMSelector = ecdsaPEM(t), "s1" },
		"not a private key": func(o *Options) {
			o.DKIMKey, o.DKIMSelector = strings.ReplaceAll(ed25519PEM, "PRIVATE", "PUBLIC"), "s1"
		},
		"the key cannot be read": func(o *Options) { o.DKIMKey, o.DKIMSelector = strings.Replace(ed25519PEM, "MC4C", "MC4D", 1), "s1" },
	} {
		o := good
		change(&o)
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "MC4C") {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// TestSilentTLS: a relay that never finishes with TLS is given up like any other.
func TestSilentTLS(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // connections wait there for ever
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	m := openMailbox(t, mailtest.Options{TLS: "starttls"})
	m.Fail(mailtest.Fault{At: mailtest.AtStartTLS, Hang: true})
	for mode, port := range map[string]int{"tls": silent.Addr().(*net.TCPAddr).Port, "starttls": m.Port()} {
		s := senderTo(t, m, func(o *Options) { o.TLS, o.Port, o.Timeout = mode, port, 50*time.Millisecond })
		if r := s.Send(t.Context(), news(t), ana); r.Verdict != message.Retry || r.Err == nil {
			t.Errorf("%s: %v", mode, r)
		}
		if err := s.Check(t.Context()); err == nil {
			t.Errorf("%s: silence passes the check", mode)
		}
	}
}

// TestWhatToDo: an error of the settings names the one to look at.
func TestWhatToDo(t *testing.T) {
	for _, c := range []struct {
		name    string
		mailbox mailtest.Options
		change  func(*Options)
		answer  string // to MAIL
		want    string
	}{
		{"no STARTTLS", mailtest.Options{}, func(o *Options) { o.TLS = "starttls" }, "", "use --smtp-tls tls"},
		{"no TLS", mailtest.Options{}, func(o *Options) { o.TLS = "tls" }, "", "use --smtp-tls starttls"},
		{"a stranger's certificate", mailtest.Options{TLS: "tls"}, func(o *Options) { o.TLS = "tls" }, "", "--smtp-host must be the name"},
		{"no login", mailtest.Options{}, func(o *Options) { o.User, o.Password = "vigia", "x" }, "", "leave --smtp-user"},
		{"wrong password", mailtest.Options{User: "vigia", Password: "otro"}, func(o *Options) { o.User, o.Password = "vigia", "x" }, "", "check --smtp-user"},
		{"no such port", mailtest.Options{}, func(o *Options) { o.Port = 1 }, "", "check --smtp-host and --smtp-port"},
		{"no such host", mailtest.Options{}, func(o *Options) { o.Host, o.TLS = "relay.invalid.", "starttls" }, "", "check --smtp-host"},
		{"a sender it does not know", mailtest.Options{}, nil, "553 5.7.1 not owned by user", "check --smtp-from"},
		{"not now", mailtest.Options{}, nil, "450 4.7.1 greylisted", "try again in some minutes"},
	} {
		m := openMailbox(t, c.mailbox)
		if c.answer != "" {
			m.Fail(mailtest.Fault{At: mailtest.AtMail, Answer: c.answer})
		}
		s := senderTo(t, m, c.change)
		s.roots = x509.NewCertPool()
		if r := s.Send(t.Context(), news(t), ana); r.Err == nil || !strings.Contains(r.Err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, r.Err)
		}
		if err := s.Check(t.Context()); c.answer == "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: check says %v", c.name, err)
		}
	}
}
