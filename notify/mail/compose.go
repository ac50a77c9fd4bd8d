package mail

import (
	"bytes"
	"errors"
	"fmt"
	netmail "net/mail"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"

	"vigia/notify/message"
)

// longestSubject is in characters: more is cut off by every program, and a single
// word of a line's whole length could not be folded.
const longestSubject = 200

// Mail is a mail for one person, from which a message is made for each attempt: go-mail's
// messages remember what happened to them.
type Mail struct {
	From, To, Subject string // as its reader sees them
	Text, HTML        string

	date      time.Time
	boundary  string // between its parts
	headers   []header
	signature string // of DKIM, "" for none
}

type header struct {
	name  gomail.Header
	value string
}

// Compose returns the mail of a message for one person, without sending it.
func (s *Sender) Compose(m *message.Message, to string) (*Mail, error) {
	mail, err := s.compose(m, to)
	if err != nil {
		return nil, fmt.Errorf("writing the mail: %w", err)
	}
	return mail, nil
}

func (s *Sender) compose(m *message.Message, to string) (*Mail, error) {
	if !isPlain(to) {
		return nil, errors.New("the recipient is not a plain address")
	}
	if m.Ref == "" {
		return nil, errors.New("the message has no name of its own")
	}
	doc, err := write(m)
	if err != nil {
		return nil, err
	}
	l := &Mail{
		From: s.from.Name + " <" + s.from.Address + ">", To: to, Subject: shortened(doc.Subject),
		date: s.options.Clock.Now().UTC(), boundary: "vigia-" + m.Ref,
	}
	l.headers = s.headers(m, l.Subject)
	if l.Text, err = doc.text(); err != nil {
		return nil, fmt.Errorf("writing the text: %w", err)
	}
	if l.HTML, err = doc.html(); err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	for strings.Contains(l.Text+l.HTML, l.boundary) { // a name can be anything
		l.boundary += "-"
	}
	for _, h := range l.headers {
		if strings.ContainsFunc(h.value, unicode.IsControl) || len(h.value) > 900 {
			return nil, fmt.Errorf("the header %s would break its line", h.name)
		}
	}
	if s.dkim != nil {
		if err := s.sign(l); err != nil {
			return nil, fmt.Errorf("signing: %w", err)
		}
	}
	return l, nil
}

// Raw returns a mail with all its headers, as a relay gets it.
func (s *Sender) Raw(l *Mail) ([]byte, error) {
	var raw bytes.Buffer
	_, err := s.goMail(l).WriteTo(&raw)
	return raw.Bytes(), err
}

// headers returns the headers for programs: that no person wrote the mail, its list and
// thread, and how to unsubscribe (RFC 2369, 8058).
func (s *Sender) headers(m *message.Message, subject string) []header {
	list := []header{
		{gomail.HeaderSubject, subject},
		{gomail.HeaderMessageID, s.messageID(m.Ref)},
		{"Auto-Submitted", "auto-generated"},
		{"List-Id", serviceList(s.domain)},
		{"Content-Language", m.Language.String()},
	}
	if m.Kind == message.Alerts {
		thread := s.messageID(m.Entries[message.Lead(m.Entries)].ThreadRef)
		list = append(list, header{gomail.HeaderReferences, thread}, header{gomail.HeaderInReplyTo, thread})
	}
	if link := m.Links.Unsubscribe; link != "" {
		list = append(list, header{gomail.HeaderListUnsubscribe, "<" + link + ">"},
			header{gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click"})
	}
	return list
}

func (s *Sender) messageID(name string) string { return "<" + name + "@" + s.domain + ">" }

// serviceList names our list of subscribers as RFC 2919 has it.
func serviceList(domain string) string { return "<alertas." + domain + ">" }

// shortened returns a subject in one line of bounded length. What looks like an
// encoded word must not be taken for one.
func shortened(subject string) string {
	runes := []rune(strings.ReplaceAll(oneLine(subject), "=?", "= ?"))
	if len(runes) > longestSubject {
		runes = append(runes[:longestSubject-1], '…')
	}
	return string(runes)
}

// goMail returns a mail as go-mail's message for one attempt. Made again, it is the same
// but for the order of its headers.
func (s *Sender) goMail(l *Mail) *gomail.Msg {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent(), gomail.WithEncoding(gomail.EncodingQP), gomail.WithCharset(gomail.CharsetUTF8),
		gomail.WithBoundary(l.boundary))
	m.FromMailAddress(&s.from)
	m.ToMailAddress(&netmail.Address{Address: l.To})
	m.SetDateWithValue(l.date)
	for _, h := range l.headers {
		if h.name == gomail.HeaderListUnsubscribe {
			// Not folded: some relays take a header that begins with a fold apart, and
			// signatures of theirs over it fail. The value was checked.
			m.SetGenHeaderPreformatted(h.name, h.value)
			continue
		}
		m.SetGenHeader(h.name, h.value)
	}
	m.SetBodyString(gomail.TypeTextPlain, l.Text)
	m.AddAlternativeString(gomail.TypeTextHTML, l.HTML)
	if l.signature != "" {
		m.SetGenHeaderPreformatted("DKIM-Signature", l.signature)
	}
	return m
}
