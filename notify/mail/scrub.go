package mail

import (
	"context"
	"errors"
	"regexp"
	"strings"

	gomail "github.com/wneessen/go-mail"
)

// longestAnswer is how much of a relay's answer is worth a log line, in bytes.
const longestAnswer = 300

var (
	anyAddress = regexp.MustCompile(`[^\s@<>]*(?:@|%40)[^\s@<>,;:]*`)
	anyLink    = regexp.MustCompile(`(?i)https?://\S*`)
	// anyToken finds tokens, which have 43 characters, where a link was taken apart.
	anyToken = regexp.MustCompile(`[A-Za-z0-9_-]{40,}`)
)

// scrubbed gives an error's text without the person: relays quote the address, in
// whole or in part, and the links of a letter that they dislike.
func scrubbed(err error, to string) error {
	text := err.Error()
	var sent *gomail.SendError
	switch {
	case errors.As(err, &sent):
		text = sent.Reason.String() + ": " + answerOf(err).text
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, errClosed):
		return err // ours, and the caller may ask for it
	}
	text = anyLink.ReplaceAllString(oneLine(text), "[link]")
	text = anyAddress.ReplaceAllString(text, "[address]")
	text = anyToken.ReplaceAllString(text, "[token]")
	local, domain, _ := strings.Cut(to, "@")
	mailbox, _, _ := strings.Cut(local, "+") // what a relay looks up may lack the tag
	for _, part := range []string{local, mailbox, domain} {
		if part != "" {
			text = regexp.MustCompile(`(?i)(^|[^a-z0-9])`+regexp.QuoteMeta(part)+`([^a-z0-9]|$)`).ReplaceAllString(text, "${1}[address]${2}")
		}
	}
	if len(text) > longestAnswer {
		text = strings.ToValidUTF8(text[:longestAnswer], "") + "…"
	}
	return errors.New(text)
}
