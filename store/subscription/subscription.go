// Package subscription has the plain values of a subscription: who is told
// (an address or a push target), of what (preferences), and on what consent.
//
// What a person sent comes in as text, is checked here field by field, and goes on
// as values in which everything else may trust. Nothing here reads or writes.
package subscription

import (
	"crypto/rand"
	"errors"
	"time"
)

// The errors on which the API and the pages decide.
var (
	// ErrUnknownToken: not a token of ours, or of something that is no more.
	ErrUnknownToken = errors.New("unknown token")
	// ErrTooMany: no further request can be taken for now.
	ErrTooMany = errors.New("too many requests are waiting")
	// ErrOver: what is wished for is of a trip that is over.
	ErrOver = errors.New("the trip is over")
	// ErrNoChannel: the service is not set up to send by that channel.
	ErrNoChannel = errors.New("the channel is not set up")
)

// ID names a subscription. It is random and in the file; the token that people
// hold is made of it and of a key that is not in the file.
type ID [16]byte

// NewID gives a random ID.
func NewID() (id ID) {
	rand.Read(id[:]) // never fails
	return id
}

// Hash is the SHA-256 of a confirmation token, by which a pending subscription is
// found: the token itself is kept nowhere.
type Hash [32]byte

// AddressKey stands for an address where the address itself must not be kept.
type AddressKey [16]byte

// Channel is how a person is told.
type Channel uint8

// The channels.
const (
	Email Channel = iota
	WebPush
	NumChannels = 2
)

// String gives the channel's name in the API.
func (c Channel) String() string { return [...]string{"email", "webpush"}[c] }

// Language is the language in which a person is told.
type Language uint8

// The languages.
const (
	Spanish Language = iota
	English
)

// String gives the language's code in the API.
func (l Language) String() string { return [...]string{"es", "en"}[l] }

// Root gives what the paths of the site's pages in the language begin with.
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
	ConfirmedAt time.Time   `json:"confirmada_en"`    // when the link was used; WebPush: CreatedAt
	Ends        time.Time   `json:"termina"`          // when it ends and is erased; zero is never
	BouncedOn   Date        `json:"rebote,omitempty"` // UTC day of the last hard bounce, "" for none since the last delivery
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
}

// Request is a wish to be told by e-mail as it came in. Whether a mail is sent for
// it is decided later, so that the answer takes the same time for every address.
type Request struct {
	Seq         uint64      `json:"-"` // given by the store
	Address     string      `json:"email"`
	Preferences Preferences `json:"preferencias"`
	Consent     Consent     `json:"consentimiento"`
	Until       time.Time   `json:"hasta"`            // when the confirmation's life ends
	Trap        bool        `json:"trampa,omitempty"` // a machine filled the field that people do not see
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
}
