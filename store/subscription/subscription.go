// Package subscription has the plain values of a subscription: who is told
// (an address or a push target), of what (preferences), and on what consent.
//
// What a person sent comes in as text, is checked here field by field, and goes on
// as values in which everything else may trust. Nothing here reads or writes.
package subscription

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net/netip"
	"time"
)

// The errors on which the API and the pages decide.
var (
	// ErrUnknownToken is returned for what is no token of ours, or one of something that is no more.
	ErrUnknownToken = errors.New("unknown token")
	// ErrTooMany is returned when no further request can be taken for now.
	ErrTooMany = errors.New("too many requests are waiting")
	// ErrOver is returned for a wish about a trip that is over.
	ErrOver = errors.New("the trip is over")
	// ErrNoChannel is returned when the service is not set up to send by that channel.
	ErrNoChannel = errors.New("the channel is not set up")
)

// ID names a subscription. It is random and in the file; the token that people
// hold is made of it and of a key that is not in the file.
type ID [16]byte

// NewID returns a random ID.
func NewID() (id ID) {
	rand.Read(id[:]) // never fails
	return id
}

// MarshalText returns the ID in base64, as the store keeps it.
func (id ID) MarshalText() ([]byte, error) { return toText(id[:]), nil }

// UnmarshalText undoes MarshalText.
func (id *ID) UnmarshalText(text []byte) error { return fromText(id[:], text) }

// Hash is the SHA-256 of a confirmation token, by which a pending subscription is
// found: the token itself is kept nowhere.
type Hash [32]byte

// MarshalText returns the hash in base64, as the store keeps it.
func (h Hash) MarshalText() ([]byte, error) { return toText(h[:]), nil }

// UnmarshalText undoes MarshalText.
func (h *Hash) UnmarshalText(text []byte) error { return fromText(h[:], text) }

// AddressKey stands for an address, or a network, where it must not be kept itself.
type AddressKey [16]byte

// MarshalText returns the key in base64, as the store keeps it.
func (k AddressKey) MarshalText() ([]byte, error) { return toText(k[:]), nil }

// UnmarshalText undoes MarshalText.
func (k *AddressKey) UnmarshalText(text []byte) error { return fromText(k[:], text) }

func toText(b []byte) []byte { return base64.RawURLEncoding.AppendEncode(nil, b) }

// fromText fills b from base64 of just its length.
func fromText(b, text []byte) error {
	if base64.RawURLEncoding.DecodedLen(len(text)) != len(b) {
		return errors.New("another length")
	}
	_, err := base64.RawURLEncoding.Strict().Decode(b, text)
	return err
}

// Channel is how a person is told.
type Channel uint8

// The channels.
const (
	Email Channel = iota
	WebPush
	NumChannels = 2
)

// String returns the channel's name in the API.
func (c Channel) String() string { return [...]string{"email", "webpush"}[c] }

// Language is the language in which a person is told.
type Language uint8

// The languages.
const (
	Spanish Language = iota
	English
)

// String returns the language's code in the API.
func (l Language) String() string { return [...]string{"es", "en"}[l] }

// Root returns what the paths of the site's pages in the language begin with.
func (l Language) Root() string { return [...]string{"", "/en"}[l] }

// Subscription is one person's wish to be told, confirmed.
type Subscription struct {
	ID          ID          `json:"id"`
	Channel     Channel     `json:"canal"`
	Address     string      `json:"email,omitempty"`   // Email: as ParseAddress gives it
	Target      *Target     `json:"destino,omitempty"` // WebPush
	Preferences Preferences `json:"preferencias"`
	Consent     Consent     `json:"consentimiento"`
	CreatedAt   time.Time   `json:"creada_en"`
	ConfirmedAt time.Time   `json:"confirmada_en"` // when the link was used; WebPush: CreatedAt
	Ends        time.Time   `json:"termina"`       // when it ends and is erased; zero is never
	// Refusals are when the relay said that the address takes no mail, one a UTC day at
	// the most, since the last delivery.
	Refusals []time.Time `json:"rechazos,omitempty"`
	// SuspendedAt is since when nothing is sent for such refusals; zero is not at all.
	SuspendedAt time.Time `json:"suspendida_en,omitzero"`
}

// suspendedKept is how long a suspended subscription is kept.
const suspendedKept = 30 * 24 * time.Hour

// Erased returns when a subscription is to be erased, as it is now: when it ends, or when
// it has been suspended for long; zero is never.
func (s *Subscription) Erased() time.Time {
	end := s.Ends
	if !s.SuspendedAt.IsZero() {
		if until := s.SuspendedAt.Add(suspendedKept); end.IsZero() || until.Before(end) {
			end = until
		}
	}
	return end
}

// RefusedOn returns the last UTC day on which the address refused, "" for none since the
// last delivery.
func (s *Subscription) RefusedOn() Date {
	if len(s.Refusals) == 0 {
		return ""
	}
	return DateOf(s.Refusals[len(s.Refusals)-1], time.UTC)
}

// Consent is what a person agreed to, and when.
type Consent struct {
	At     time.Time `json:"en"`
	Policy string    `json:"politica"` // version of the privacy page
}

// Target is where a browser gets its messages (RFC 8030, RFC 8291).
type Target struct {
	Endpoint string   `json:"endpoint"`
	Key      [65]byte `json:"p256dh"` // uncompressed point of P-256
	Auth     [16]byte `json:"auth"`
	// Reached says that a message was delivered there. What a push service answers of
	// an endpoint that was never reached tells nothing of us: anybody can register it.
	Reached bool `json:"alcanzado,omitempty"`
}

// ConfirmationLife is how long a request by e-mail may be confirmed.
const ConfirmationLife = 48 * time.Hour

// Request is a wish to be told by e-mail as it came in. Whether a mail is sent for
// it is decided later, so that the answer takes the same time for every address.
type Request struct {
	Seq         uint64      `json:"-"` // given by the store
	Address     string      `json:"email"`
	Preferences Preferences `json:"preferencias"`
	Consent     Consent     `json:"consentimiento"`
	Until       time.Time   `json:"hasta"`            // when the confirmation's life ends
	Trap        bool        `json:"trampa,omitempty"` // a machine filled the field that people do not see
	// From is the network that it came from, which is not kept, and Network stands for
	// it while the request waits; zero when it is not known.
	From    netip.Prefix `json:"-"`
	Network AddressKey   `json:"red,omitzero"`
}

// Proof is a wish to be told by Web Push whose browser has yet to prove that it gets
// what is pushed to it. The token that proves it is derived from Nonce and a key that
// is not in the file, and pushed to the browser alone.
type Proof struct {
	Nonce       [16]byte    `json:"nonce"`
	Target      Target      `json:"destino"`
	Preferences Preferences `json:"preferencias"`
	AskedAt     time.Time   `json:"pedida_en"`         // when its last push was decided
	Until       time.Time   `json:"hasta"`             // when it is erased
	Queued      bool        `json:"en_cola,omitempty"` // that push waits in the outbox
}

// Pending is a request whose confirmation mail was decided. Its token is derived
// from Nonce and a key that is not in the file.
type Pending struct {
	Nonce       [16]byte    `json:"nonce"`
	Address     string      `json:"email"` // "" once used
	Preferences Preferences `json:"preferencias"`
	Consent     Consent     `json:"consentimiento"`
	DecidedAt   time.Time   `json:"decidida_en"` // when the mail was decided
	Until       time.Time   `json:"hasta"`
	Used        *ID         `json:"usada,omitempty"` // the subscription that it became
	Network     AddressKey  `json:"red,omitzero"`    // that of the request; zero once used
}
