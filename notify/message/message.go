// Package message has the content of one message to one person, before it is a mail
// or a push: which alerts, their changes, and the links that go with it.
//
// Package notify composes a [Message] from an item of the outbox and the present state;
// packages mail and push write it in the reader's language, send it and return a
// [Result].
package message

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"slices"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/snapshot"
	"vigia/store/catalogue"
	"vigia/store/notices"
	"vigia/store/subscription"
	"vigia/web/wording"
)

// NewRef returns a name for a message that belongs to no item of the outbox.
func NewRef() string {
	var name [16]byte
	rand.Read(name[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(name[:])
}

// Kind is what a message is for.
type Kind uint8

// The kinds of messages.
const (
	Confirm  Kind = iota // asks to confirm a subscription: a mail with a link, a push with a proof
	Welcome              // the first push, with the alerts that are active
	Alerts               // alerts opened, raised, moved or ended
	NoData               // no estimate has been possible for hours
	DataBack             // estimates are possible again
	Test                 // of the operator
)

// Message is the content of a message. Only what its kind needs is set.
type Message struct {
	Kind      Kind
	Language  subscription.Language
	Now       time.Time // when it is composed
	Simulated bool      // the weather is made up, and every message says so
	// Ref is the message's own stable name, 22 characters of base64url: it is the
	// same in every repetition.
	Ref string
	// Entries are the alerts of Welcome and Alerts, the worst first.
	Entries []Entry
	// Parks and Trails are the places of the subscription by name, for Confirm and
	// Welcome.
	Parks, Trails []string
	// Since is when the last estimate was possible (NoData), and since when they are
	// again (DataBack).
	Since time.Time
	// Proof is what a browser sends back to show that it got a Confirm.
	Proof string
	// Zone is that of Since and of other hours that belong to no alert.
	Zone *time.Location
	// Expires is when the message is of no use any more.
	Expires   time.Time
	Links     Links
	Contact   string // the operator's address
	Emergency []catalogue.EmergencyNumber
}

// Entry is an alert in a message: the part of it that its reader asked for.
type Entry struct {
	Alert  *alert.Alert
	What   alert.ChangeKind // Opened, Raised, Moved, Ended or Withdrawn
	Park   *catalogue.Park
	Trails []string // names, as Alert.Trails
	// ThreadRef is a stable name of the mails about the alert, 22 characters of base64url.
	ThreadRef string
	// Sun is how strong the sun gets in the park in the next day, the zero value where that
	// is not known.
	Sun snapshot.Sun
	// Closures and Volcanic are the official notices in force for the alert's trails.
	Closures []notices.Holding
	Volcanic []notices.Nearby
}

// Localizer returns what writes the message in its reader's language. Its zone is that of
// hours that belong to no alert.
func (m *Message) Localizer(days wording.Days) wording.Localizer {
	l := wording.Localizer{Language: wording.Spanish, Now: m.Now, Zone: cmp.Or(m.Zone, time.UTC), Days: days}
	if m.Language == subscription.English {
		l.Language = wording.English
	}
	return l
}

// Lead returns the index of the entry that a message is headed by: the first whose alert
// holds, which is the worst, and 0 where none does.
func Lead(entries []Entry) int {
	return max(0, slices.IndexFunc(entries, func(e Entry) bool { return !e.Over() }))
}

// Over reports whether the entry says that an alert holds no longer.
func (e *Entry) Over() bool { return e.What == alert.Ended || e.What == alert.Withdrawn }

// TrailNames returns the names of some of the alert's trails.
func (e *Entry) TrailNames(slugs []string) (names []string) {
	for i, slug := range e.Alert.Trails {
		if i < len(e.Trails) && slices.Contains(slugs, slug) {
			names = append(names, e.Trails[i])
		}
	}
	return names
}

// Links are absolute addresses, of the pages in the reader's language.
type Links struct {
	Home        string // what those pages begin with, without a trailing slash
	Manage      string // page with what is subscribed, to change it; "" in Confirm
	Unsubscribe string // page with a button that a POST acts on too; "" in Confirm
	Confirm     string // page with the button that confirms
	Privacy     string
}

// Verdict is the outcome of an attempt to deliver.
type Verdict uint8

// The verdicts.
const (
	Delivered  Verdict = iota // accepted by the relay or the push service
	Retry                     // not now: again later, after Result.After at the least
	Bounced                   // the relay does not know the address
	Gone                      // the push subscription is no more: erase it
	OurFault                  // our settings, keys or clock: stop the queue, alarm, delete nobody
	Unsendable                // this one message can never be sent: a fault of ours, alarm
	Refused                   // by the relay's policy, to this recipient: try him again, and nobody else less
)

// Result is a verdict with its circumstances.
type Result struct {
	Verdict Verdict
	After   time.Duration // Retry: the least time to wait, 0 when not said
	// Unreached means, with Retry, that nobody was there to take any message: it is tried
	// again as soon as another one gets through.
	Unreached bool
	Err       error // what was answered, without addresses, endpoints or tokens
}
