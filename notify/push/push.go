// Package push sends messages to browsers by Web Push (RFC 8030).
//
// A [message.Message] becomes a payload of under 600 bytes that the service worker shows
// (payload.go). webpush-go encrypts it for one browser (RFC 8291), signs the request
// (VAPID, RFC 8292) and posts it by our client, which follows no redirect, knows no proxy
// and refuses addresses that are not of the public network (transport.go). The answer of
// the push service becomes a [message.Result] (verdict.go). A service that asks for a
// pause or refuses our keys gets nothing for a while (service.go).
package push

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/SherClockHolmes/webpush-go"
	"github.com/jonboulle/clockwork"

	"vigia/notify/message"
	"vigia/store/subscription"
)

const (
	// DefaultTimeout is for one message, from the dialling to the end of the answer.
	DefaultTimeout = 10 * time.Second

	// Every message is padded to the size of its record in bytes, which hides its length.
	// Firefox for Android refuses 4,096; what a service refuses is tried once more in the
	// short record. Encryption takes sealing bytes of either.
	fullRecord  = 2048
	shortRecord = 550
	sealing     = 103

	// longestTTL is 28 days: push services refuse more.
	longestTTL = 28 * 24 * time.Hour
)

// Options are what a sender needs.
type Options struct {
	// Public and Private are the pair of VAPID keys in base64url.
	Public, Private string
	// Subject is the operator's address for push services: an e-mail address or an https
	// URL.
	Subject string
	// AsWritten reports whether the operator named the origin of a URL in full, so that
	// plain http, other ports and private addresses are allowed there. Nil: none.
	AsWritten func(*url.URL) bool
	Clock     clockwork.Clock // nil: the machine's
	Log       *slog.Logger    // nil: nothing is logged
	Timeout   time.Duration   // for one message; 0: DefaultTimeout
}

// Sender sends notifications. It is safe for concurrent use.
type Sender struct {
	o       Options
	open    *http.Transport // for origins as the operator wrote them
	guarded *http.Transport // for all others

	mu       sync.Mutex
	services map[string]*service // by origin
}

// New returns a sender. Public and Private must belong together; no subject is an error.
func New(o Options) (*Sender, error) {
	if o.Subject == "" {
		return nil, errors.New("web push needs a subject: an e-mail address or an https URL")
	}
	o.Subject = strings.TrimPrefix(o.Subject, "mailto:") // which webpush-go puts before all but https
	if o.AsWritten == nil {
		o.AsWritten = func(*url.URL) bool { return false }
	}
	if o.Clock == nil {
		o.Clock = clockwork.NewRealClock()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	return &Sender{o: o, open: newTransport(newDialer(false)), guarded: newTransport(newDialer(true)), services: map[string]*service{}}, nil
}

// Close closes the idle connections. No Send may be under way.
func (s *Sender) Close() error {
	s.open.CloseIdleConnections()
	s.guarded.CloseIdleConnections()
	return nil
}

// ErrExpired is returned for a message that had expired when its turn came. It is not
// sent, and its verdict is Retry: the next try records that it has expired.
var ErrExpired = errors.New("the message has expired")

// Send delivers a message of the kinds Confirm, Welcome, Alerts, NoData and DataBack to a
// browser, unless it has expired. It changes neither, so that one message may be
// sent to many at a time. The errors in its results name the push service's host
// and never the endpoint.
//
// While a service is paused the answer is Retry, at once and with the time that
// is left. A service that refuses our keys is paused too, and its verdict is Retry
// and not OurFault: the others go on working.
func (s *Sender) Send(ctx context.Context, m *message.Message, t *subscription.Target) message.Result {
	to, err := s.address(t)
	if err != nil {
		return message.Result{Verdict: message.Unsendable, Err: err}
	}
	if now := s.o.Clock.Now().Round(0); !now.Before(m.Expires) {
		return message.Result{Verdict: message.Retry, Err: ErrExpired}
	}
	to.asked = m.Kind == message.Confirm
	n, err := newNotification(m)
	if err != nil {
		return message.Result{Verdict: message.Unsendable, Err: err}
	}
	result := s.post(ctx, to, n, n.long, fullRecord)
	if result.Verdict != message.Unsendable {
		return result
	}
	refusal := result.Err
	short, err := encode(&n.brief)
	if err != nil {
		return message.Result{Verdict: message.Unsendable, Err: err}
	}
	if result = s.post(ctx, to, n, short, shortRecord); result.Verdict == message.Delivered {
		s.o.Log.Error("a push service took a notification only when it was shortened", "service", to.url.Hostname(), "error", refusal)
	}
	return result
}

// address is where a message goes.
type address struct {
	url    *url.URL
	origin string // scheme://host, with the port where it is not the usual one
	open   bool   // the operator wrote this origin
	asked  bool   // it is asked for a proof: its owner is not known
	target *subscription.Target
}

// address reads a target's endpoint and refuses one that may not be dialled.
func (s *Sender) address(t *subscription.Target) (*address, error) {
	u, err := url.Parse(t.Endpoint)
	if err != nil || u.Host == "" || u.User != nil {
		return nil, errors.New("the endpoint of a push subscription is not a URL to post to") // its text stays out
	}
	to := &address{url: u, open: s.o.AsWritten(u), target: t}
	if !to.open && (u.Scheme != "https" || u.Port() != "" && u.Port() != "443") {
		return nil, fmt.Errorf("push to %s: neither https on port 443 nor an origin that the operator wrote", u.Hostname())
	}
	to.origin = subscription.Origin(u)
	_, u.Host, _ = strings.Cut(to.origin, "://") // the audience of the token, which webpush-go takes from here
	return to, nil
}

// post has a payload encrypted, signed and sent once, and judges the answer.
func (s *Sender) post(ctx context.Context, to *address, n *notification, payload []byte, record uint32) message.Result {
	if result, paused := s.paused(to); paused {
		return result
	}
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	c := &client{Transport: s.guarded}
	if to.open {
		c.Transport = s.open
	}
	// The padding is appended to what is given: it must not reach what follows in memory.
	response, err := webpush.SendNotificationWithContext(ctx, slices.Clip(payload), to.subscription(), s.options(n, record, c))
	switch {
	case err != nil && !c.asked:
		// The library's error may hold the endpoint.
		return message.Result{Verdict: message.Unsendable, Err: fmt.Errorf("push to %s: %d bytes cannot be sealed for the browser's keys (%T)", to.url.Hostname(), len(payload), err)}
	case err != nil:
		return message.Result{Verdict: message.Retry, Unreached: true, Err: fmt.Errorf("push to %s: %w", to.url.Hostname(), withoutEndpoint(err))}
	}
	drain(response.Body)
	return s.judge(to, response)
}

// subscription returns the browser in webpush-go's form.
func (a *address) subscription() *webpush.Subscription {
	encode := base64.RawURLEncoding.EncodeToString
	return &webpush.Subscription{
		Endpoint: a.url.String(), Keys: webpush.Keys{P256dh: encode(a.target.Key[:]), Auth: encode(a.target.Auth[:])},
	}
}

// options returns webpush-go's options for a message.
func (s *Sender) options(n *notification, record uint32, c *client) *webpush.Options {
	ttl := min(max(n.expires.Sub(s.o.Clock.Now().Round(0)), 0), longestTTL)
	urgency := webpush.UrgencyNormal
	if n.urgent {
		urgency = webpush.UrgencyHigh
	}
	return &webpush.Options{
		HTTPClient: c, RecordSize: record, Subscriber: s.o.Subject, Topic: n.topic, TTL: int(ttl / time.Second), Urgency: urgency,
		VAPIDPublicKey: s.o.Public, VAPIDPrivateKey: s.o.Private,
	}
}
