package mail

import (
	"crypto/x509"
	"net"
	"strings"
	"testing"
	"time"

	"vigia/notify/bulletin"
	"vigia/notify/simulate"
)

// TestWaysToTheRelay: TLS is never given up, credentials never go in the clear or
// unused, and what is wrong with either is ours.
func TestWaysToTheRelay(t *testing.T) {
	login := func(o *Options) { o.User, o.Password = "vigia", "secreto" }
	for _, c := range []struct {
		name    string
		mailbox simulate.MailboxOptions
		options func(*Options)
		roots   bool
		want    bulletin.Verdict
	}{
		{"STARTTLS", simulate.MailboxOptions{TLS: "starttls"}, func(o *Options) { o.TLS = "starttls" }, true, bulletin.Delivered},
		{"TLS", simulate.MailboxOptions{TLS: "tls"}, func(o *Options) { o.TLS = "tls" }, true, bulletin.Delivered},
		{"STARTTLS not offered", simulate.MailboxOptions{}, func(o *Options) { o.TLS = "starttls" }, true, bulletin.OurFault},
		{"TLS to a plain port", simulate.MailboxOptions{}, func(o *Options) { o.TLS = "tls" }, true, bulletin.OurFault},
		{"STARTTLS of a stranger", simulate.MailboxOptions{TLS: "starttls"}, func(o *Options) { o.TLS = "starttls" }, false, bulletin.OurFault},
		{"TLS of a stranger", simulate.MailboxOptions{TLS: "tls"}, func(o *Options) { o.TLS = "tls" }, false, bulletin.OurFault},
		{"login", simulate.MailboxOptions{TLS: "starttls", User: "vigia", Password: "secreto"},
			func(o *Options) { o.TLS = "starttls"; login(o) }, true, bulletin.Delivered},
		{"login over TLS", simulate.MailboxOptions{TLS: "tls", User: "vigia", Password: "secreto"},
			func(o *Options) { o.TLS = "tls"; login(o) }, true, bulletin.Delivered},
		{"login on this machine", simulate.MailboxOptions{User: "vigia", Password: "secreto"}, login, true, bulletin.Delivered},
		{"wrong password", simulate.MailboxOptions{TLS: "starttls", User: "vigia", Password: "otro"},
			func(o *Options) { o.TLS = "starttls"; login(o) }, true, bulletin.OurFault},
		{"login not offered", simulate.MailboxOptions{TLS: "starttls"}, func(o *Options) { o.TLS = "starttls"; login(o) }, true, bulletin.OurFault},
		{"login left out", simulate.MailboxOptions{User: "vigia", Password: "secreto"}, nil, true, bulletin.OurFault},
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
			if passes := c.want == bulletin.Delivered || c.name == "login left out"; (err == nil) != passes {
				t.Errorf("check: %v", err)
			}
			if c.want == bulletin.Delivered && m.Connections() != 2 {
				t.Errorf("%d connections for two mails and a check", m.Connections())
			}
		})
	}
}

// TestLoginLater: a relay whose login is out of order for now is waited for.
func TestLoginLater(t *testing.T) {
	m := openMailbox(t, simulate.MailboxOptions{User: "vigia", Password: "secreto"})
	s := senderTo(t, m, func(o *Options) { o.User, o.Password = "vigia", "secreto" })
	m.Fail(simulate.MailFault{At: simulate.AtAuth, Answer: "454 4.7.0 temporary failure", Times: 1})
	if r := s.Send(t.Context(), news(t), ana); r.Verdict != bulletin.Retry {
		t.Error(r)
	}
	m.Fail(simulate.MailFault{At: simulate.AtAuth, Answer: "535 5.7.8 no", Times: 1})
	if r := s.Send(t.Context(), news(t), ana); r.Verdict != bulletin.OurFault {
		t.Error(r)
	}
	if r := s.Send(t.Context(), news(t), ana); r.Verdict != bulletin.Delivered {
		t.Error(r)
	}
}

func TestOptions(t *testing.T) {
	good := Options{Host: "smtp.example.cl", Port: 587, From: "alertas@vigia.example.cl", User: "u", Password: "p"}
	if _, err := New(good); err != nil {
		t.Fatal(err)
	}
	for says, change := range map[string]func(*Options){
		"not a host":                func(o *Options) { o.Host = "" },
		"port 0":                    func(o *Options) { o.Port = 0 },
		"port 65536":                func(o *Options) { o.Port = 65536 },
		"TLS mode":                  func(o *Options) { o.TLS = "ssl" },
		"this machine":              func(o *Options) { o.TLS = "none" },
		"without a user":            func(o *Options) { o.User = "" },
		`sender ""`:                 func(o *Options) { o.From = "" },
		`sender "vigia"`:            func(o *Options) { o.From = "vigia" },
		"[127.0.0.1]":               func(o *Options) { o.From = "a@[127.0.0.1]" },
		"only plain ASCII":          func(o *Options) { o.From = `"a b"@example.cl` },
		"PEM":                       func(o *Options) { o.DKIMKey, o.DKIMSelector = "nonsense", "s1" },
		"DKIM: selector":            func(o *Options) { o.DKIMKey = ed25519PEM },
		"DKIM: domain \"other.cl\"": func(o *Options) { o.DKIMKey, o.DKIMSelector, o.DKIMDomain = ed25519PEM, "s1", "other.cl" },
		"1024 bits":                 func(o *Options) { o.DKIMKey, o.DKIMSelector = rsaPEM(t, 1024), "s1" },
		"cannot sign mail":          func(o *Options) { o.DKIMKey, o.DKIMSelector = ecdsaPEM(t), "s1" },
		"not a private key": func(o *Options) {
			o.DKIMKey, o.DKIMSelector = strings.ReplaceAll(ed25519PEM, "PRIVATE", "PUBLIC"), "s1"
		},
		"the key cannot be read":       func(o *Options) { o.DKIMKey, o.DKIMSelector = strings.Replace(ed25519PEM, "MC4C", "MC4D", 1), "s1" },
		`selector "s1; d=example.org"`: func(o *Options) { o.DKIMKey, o.DKIMSelector = ed25519PEM, "s1; d=example.org" },
	} {
		o := good
		change(&o)
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "MC4C") {
			t.Errorf("%s: %v", says, err)
		}
	}
	for _, host := range []string{"localhost", "127.0.0.1", "::1", "127.8.8.8"} {
		o := good
		o.Host, o.TLS = host, "none"
		if _, err := New(o); err != nil {
			t.Error(err)
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
	m := openMailbox(t, simulate.MailboxOptions{TLS: "starttls"})
	m.Fail(simulate.MailFault{At: simulate.AtStartTLS, Hang: true})
	for mode, port := range map[string]int{"tls": silent.Addr().(*net.TCPAddr).Port, "starttls": m.Port()} {
		s := senderTo(t, m, func(o *Options) { o.TLS, o.Port, o.Timeout = mode, port, 50*time.Millisecond })
		if r := s.Send(t.Context(), news(t), ana); r.Verdict != bulletin.Retry || r.Err == nil {
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
		mailbox simulate.MailboxOptions
		change  func(*Options)
		answer  string // to MAIL
		want    string
	}{
		{"no STARTTLS", simulate.MailboxOptions{}, func(o *Options) { o.TLS = "starttls" }, "", "use --smtp-tls tls"},
		{"no TLS", simulate.MailboxOptions{}, func(o *Options) { o.TLS = "tls" }, "", "use --smtp-tls starttls"},
		{"a stranger's certificate", simulate.MailboxOptions{TLS: "tls"}, func(o *Options) { o.TLS = "tls" }, "", "--smtp-host must be the name"},
		{"no login", simulate.MailboxOptions{}, func(o *Options) { o.User, o.Password = "vigia", "x" }, "", "leave --smtp-user"},
		{"wrong password", simulate.MailboxOptions{User: "vigia", Password: "otro"}, func(o *Options) { o.User, o.Password = "vigia", "x" }, "", "check --smtp-user"},
		{"no such port", simulate.MailboxOptions{}, func(o *Options) { o.Port = 1 }, "", "check --smtp-host and --smtp-port"},
		{"no such host", simulate.MailboxOptions{}, func(o *Options) { o.Host, o.TLS = "relay.invalid.", "starttls" }, "", "check --smtp-host"},
		{"a sender it does not know", simulate.MailboxOptions{}, nil, "553 5.7.1 not owned by user", "check --smtp-from"},
		{"not now", simulate.MailboxOptions{}, nil, "450 4.7.1 greylisted", "try again in some minutes"},
	} {
		m := openMailbox(t, c.mailbox)
		if c.answer != "" {
			m.Fail(simulate.MailFault{At: simulate.AtMail, Answer: c.answer})
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
