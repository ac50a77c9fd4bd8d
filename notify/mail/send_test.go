package mail

import (
	"testing"

	"vigia/notify/bulletin"
	"vigia/notify/simulate"
)

func TestSmoke(t *testing.T) {
	m := openMailbox(t, simulate.MailboxOptions{})
	s := senderTo(t, m, nil)
	for range 3 {
		if r := s.Send(t.Context(), news(t), "ana@example.com"); r.Verdict != bulletin.Delivered {
			t.Fatal(r)
		}
	}
	l := m.Letters()
	t.Logf("%d letters %d connections\n%s\n%s\n%s", len(l), m.Connections(), l[0].Raw, l[0].Text, l[0].HTML)
	if r := s.Send(t.Context(), confirm(t), "ana@example.com"); r.Verdict != bulletin.Delivered {
		t.Fatal(r)
	}
	t.Log(m.Letters()[0].Text)
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
}
