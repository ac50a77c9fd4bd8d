package mail

import (
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"vigia/notify/bulletin"
)

// longestSubject is in characters: more is cut off by every program, and a single
// word of a line's whole length could not be folded.
const longestSubject = 200

// letter is a mail for one person, ready to be made into a message for each
// attempt: go-mail's messages remember what happened to them.
type letter struct {
	to         string
	date       time.Time
	boundary   string // between its parts
	headers    []header
	text, html string
	signature  string // of DKIM, "" for none
}

type header struct {
	name  gomail.Header
	value string
}

// compose writes the letter of a bulletin.
func (s *Sender) compose(b *bulletin.Bulletin, to string) (*letter, error) {
	if address, err := mail.ParseAddress(to); err != nil || address.Name != "" || address.Address != to || !isPlain(to) {
		return nil, errors.New("the recipient is not a plain address")
	}
	if !isName(b.Ref) {
		return nil, errors.New("the message has no name of its own")
	}
	doc, err := write(b)
	if err != nil {
		return nil, err
	}
	l := &letter{
		to: to, date: s.options.Clock.Now().UTC(), boundary: "vigia-" + b.Ref,
		headers: s.headers(b, doc.subject), text: doc.text(), html: doc.html(),
	}
	for _, h := range l.headers {
		if hasControl(h.value) || len(h.value) > 900 {
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

// headers gives the headers that tell programs what the mail is: that no person
// wrote it, to which list and thread it belongs, and how to leave (RFC 2369, 8058).
func (s *Sender) headers(b *bulletin.Bulletin, subject string) []header {
	list := []header{
		{gomail.HeaderSubject, shortened(subject)},
		{gomail.HeaderMessageID, s.messageID(b.Ref)},
		{"Auto-Submitted", "auto-generated"},
		{"List-Id", serviceList(s.domain)},
		{"Content-Language", b.Language.String()},
	}
	if b.Kind == bulletin.News {
		if thread := worst(b.Entries).Thread; isName(thread) {
			list = append(list, header{gomail.HeaderReferences, s.messageID(thread)}, header{gomail.HeaderInReplyTo, s.messageID(thread)})
		}
	}
	if link := b.Links.Unsubscribe; link != "" && b.Kind != bulletin.Confirm && b.Kind != bulletin.Test {
		list = append(list, header{gomail.HeaderListUnsubscribe, "<" + link + ">"},
			header{gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click"})
	}
	return list
}

func (s *Sender) messageID(name string) string { return "<" + name + "@" + s.domain + ">" }

// serviceList names our list of subscribers as RFC 2919 has it.
func serviceList(domain string) string { return "<alertas." + domain + ">" }

// isName tells whether a text is made of base64url's characters, as all names of
// messages and threads are.
func isName(text string) bool {
	return text != "" && len(text) <= 64 && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// shortened gives a subject in one line of bounded length. What looks like an
// encoded word must not be taken for one.
func shortened(subject string) string {
	runes := []rune(strings.ReplaceAll(oneLine(subject), "=?", "= ?"))
	if len(runes) > longestSubject {
		runes = append(runes[:longestSubject-1], '…')
	}
	return string(runes)
}

// message makes a letter into a message for one attempt. Made again, it is the same
// to the last byte.
func (s *Sender) message(l *letter) *gomail.Msg {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent(), gomail.WithEncoding(gomail.EncodingQP), gomail.WithCharset(gomail.CharsetUTF8),
		gomail.WithBoundary(l.boundary))
	m.FromMailAddress(&s.from)
	m.ToMailAddress(&mail.Address{Address: l.to})
	m.SetDateWithValue(l.date)
	for _, h := range l.headers {
		m.SetGenHeader(h.name, h.value)
	}
	m.SetBodyString(gomail.TypeTextPlain, l.text)
	m.AddAlternativeString(gomail.TypeTextHTML, l.html)
	if l.signature != "" {
		m.SetGenHeaderPreformatted("DKIM-Signature", l.signature)
	}
	return m
}
