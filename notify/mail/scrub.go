package mail

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode"

	gomail "github.com/wneessen/go-mail"

	"vigia/store/subscription"
)

// longestAnswer is how much of a relay's answer is worth a log line, in bytes.
const longestAnswer = 300

var (
	anyAddress = regexp.MustCompile(`[^\s@<>]*(?:@|%40)[^\s@<>,;:]*`)
	anyLink    = regexp.MustCompile(`(?i)https?://\S*`)
	// anyToken finds tokens, which have 43 characters, where a link was taken apart,
	// and enough of one that a line's end broke in two.
	anyToken = regexp.MustCompile(`[A-Za-z0-9_-]{20,}`)
)

// scrubbed returns an error's text without the person: relays quote the address, in
// whole or in part, and the links of a mail that they refuse.
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
	for _, part := range partsOf(to) {
		text = without(text, part)
	}
	if len(text) > longestAnswer {
		text = strings.ToValidUTF8(text[:longestAnswer], "") + "…"
	}
	return errors.New(text)
}

// How many characters of an address are no word by chance: standing alone, and within
// another word.
const (
	tellingWord = 3
	tellingPart = 6
)

// partsOf returns what a relay may quote of an address, the longest first: its two
// sides, the mailbox that it looks up, which may lack the tag, the domain as people
// write it, and the words that the local part is made of, as those of a name.
func partsOf(to string) []string {
	local, domain, _ := strings.Cut(to, "@")
	mailbox, _, _ := strings.Cut(local, "+")
	parts := []string{local, mailbox, domain, subscription.WrittenDomain(domain)}
	for _, word := range strings.FieldsFunc(local, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(word) >= tellingWord {
			parts = append(parts, word)
		}
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	slices.SortStableFunc(parts, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(parts)
}

// without removes a part of an address from a text: a short one as a word of its own,
// a long one wherever it stands.
func without(text, part string) string {
	pattern := regexp.QuoteMeta(part)
	if len(part) < tellingPart {
		pattern = `\b` + pattern + `\b`
	}
	return regexp.MustCompile("(?i)"+pattern).ReplaceAllString(text, "[address]")
}
