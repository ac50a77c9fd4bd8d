// Package push sends bulletins to browsers by Web Push (RFC 8030).
//
// A bulletin becomes a payload of under 600 bytes that the service worker shows
// (payload.go). It is sealed for one browser by RFC 8291 (seal.go), signed for as
// the application server by a VAPID token of RFC 8292 that is made once per push
// service and hour (service.go), and posted by a client that follows no redirect,
// knows no proxy and refuses addresses that are not of the public network
// (transport.go). What the service answers becomes a [bulletin.Result]
// (verdict.go); one that asks for patience or refuses our keys is left alone for
// a while, and nothing is posted to it in the meantime.
//
// webpush-go makes the keys, and is what the tests and benchmarks compare with.
// It is not the sender: it signs a new token for every message, which is more than
// half of its work, appends its padding to the caller's slice, fills every record
// to its full size, and leaves redirects, timeouts and forbidden addresses to
// others.
package push

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/SherClockHolmes/webpush-go"
	"github.com/jonboulle/clockwork"

	"vigia/notify/bulletin"
	"vigia/store/subscription"
)

// DefaultTimeout is for one message, from the dialling to the end of the answer.
const DefaultTimeout = 30 * time.Second

// Options are what a sender needs.
type Options struct {
	// Public and Private are the VAPID keys in base64url, as [NewKeys] makes them.
	Public, Private string
	// Subject tells the push services whom to write to: an e-mail address or an https
	// URL.
	Subject string
	// AsWritten tells whether the operator named the origin of a URL in full, so that
	// plain http, other ports and private addresses are allowed there. Nil: none.
	AsWritten func(*url.URL) bool
	Clock     clockwork.Clock // nil: the machine's
	Log       *slog.Logger    // nil: nothing is logged
	Timeout   time.Duration   // for one message; 0: DefaultTimeout
}

// Sender sends notifications. It is safe for concurrent use.
type Sender struct {
	public    string
	key       *ecdsa.PrivateKey
	subject   string
	asWritten func(*url.URL) bool
	clock     clockwork.Clock
	log       *slog.Logger
	timeout   time.Duration
	open      http.RoundTripper // for origins as the operator wrote them
	guarded   http.RoundTripper // for all others

	mu       sync.Mutex
	services map[string]*service // by origin
}

// NewKeys makes the keys by which push services know this server, in base64url.
func NewKeys() (private, public string, err error) {
	private, public, err = webpush.GenerateVAPIDKeys()
	if err != nil {
		return "", "", fmt.Errorf("make VAPID keys: %w", err)
	}
	return private, public, nil
}

// New makes a sender. Keys that do not belong together, or no subject, are errors.
func New(o Options) (*Sender, error) {
	key, err := parseKeys(o.Public, o.Private)
	if err != nil {
		return nil, err
	}
	if o.Subject == "" {
		return nil, errors.New("web push needs a subject: an e-mail address or an https URL")
	}
	s := &Sender{
		public: strings.TrimRight(o.Public, "="), key: key, subject: subjectURI(o.Subject), asWritten: o.AsWritten,
		clock: o.Clock, log: o.Log, timeout: o.Timeout, services: map[string]*service{},
		open: newTransport(newDialer(false)), guarded: newTransport(newDialer(true)),
	}
	if s.asWritten == nil {
		s.asWritten = func(*url.URL) bool { return false }
	}
	if s.clock == nil {
		s.clock = clockwork.NewRealClock()
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.timeout <= 0 {
		s.timeout = DefaultTimeout
	}
	return s, nil
}

// subjectURI gives the contact as the URI that RFC 8292 asks for.
func subjectURI(contact string) string {
	if strings.HasPrefix(contact, "https://") || strings.HasPrefix(contact, "mailto:") {
		return contact
	}
	return "mailto:" + contact
}

// Close lets go of the idle connections. Whoever sends must have ended.
func (s *Sender) Close() error {
	for _, t := range []http.RoundTripper{s.open, s.guarded} {
		if t, ok := t.(*http.Transport); ok {
			t.CloseIdleConnections()
		}
	}
	return nil
}

// ErrExpired is the error of a bulletin that was of no use any more when its turn
// came. It is not sent, and its verdict is Retry: whoever asks again finds that it
// has expired and records so.
var ErrExpired = errors.New("the message has expired")

// Send delivers a bulletin of the kinds Welcome, News, NoData and DataBack to a
// browser, unless it has expired. It changes neither, so that one bulletin may be
// sent to many at a time. The errors in its results name the push service's host
// and never the endpoint.
//
// While a service is paused the answer is Retry, at once and with the time that
// is left. A service that refuses our keys is paused too, and its verdict is Retry
// and not OurFault: the others go on working.
func (s *Sender) Send(ctx context.Context, b *bulletin.Bulletin, t *subscription.Target) bulletin.Result {
	to, err := s.address(t)
	if err != nil {
		return bulletin.Result{Verdict: bulletin.Unsendable, Err: err}
	}
	if now := s.clock.Now().Round(0); !now.Before(b.Expires) {
		return bulletin.Result{Verdict: bulletin.Retry, Err: ErrExpired}
	}
	n, err := newNotification(b)
	if err != nil {
		return bulletin.Result{Verdict: bulletin.Unsendable, Err: err}
	}
	result := s.post(ctx, to, n, n.long, fullRecord)
	if result.Verdict != bulletin.Unsendable {
		return result
	}
	refusal := result.Err
	short, err := n.short()
	if err != nil {
		return bulletin.Result{Verdict: bulletin.Unsendable, Err: err}
	}
	if result = s.post(ctx, to, n, short, shortRecord); result.Verdict == bulletin.Delivered {
		s.log.Error("a push service took a notification only when it was shortened", "service", to.url.Hostname(), "error", refusal)
	}
	return result
}

// address is where a message goes.
type address struct {
	url    *url.URL
	origin string // scheme://host, with the port where it is not the usual one
	open   bool   // the operator wrote this origin
	target *subscription.Target
}

// address reads a target's endpoint and refuses one that may not be dialled.
func (s *Sender) address(t *subscription.Target) (*address, error) {
	u, err := url.Parse(t.Endpoint)
	if err != nil || u.Host == "" || u.User != nil {
		return nil, errors.New("the endpoint of a push subscription is not a URL to post to") // its text stays out
	}
	to := &address{url: u, open: s.asWritten(u), target: t}
	if !to.open && (u.Scheme != "https" || u.Port() != "" && u.Port() != "443") {
		return nil, fmt.Errorf("push to %s: neither https on port 443 nor an origin that the operator wrote", u.Hostname())
	}
	host := strings.TrimSuffix(strings.ToLower(u.Host), ":")
	switch u.Scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	to.origin = u.Scheme + "://" + host
	return to, nil
}

// post seals a payload, sends it once and judges the answer.
func (s *Sender) post(ctx context.Context, to *address, n *notification, payload []byte, record int) bulletin.Result {
	authorization, result, ok := s.enter(to)
	if !ok {
		return result
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	request, err := s.request(ctx, to, n, payload, record)
	if err != nil {
		return bulletin.Result{Verdict: bulletin.Unsendable, Err: fmt.Errorf("push to %s: %w", to.url.Hostname(), err)}
	}
	request.Header.Set("Authorization", authorization)
	transport := s.guarded
	if to.open {
		transport = s.open
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return bulletin.Result{Verdict: bulletin.Retry, Unreached: true, Err: fmt.Errorf("push to %s: %w", to.url.Hostname(), withoutEndpoint(err))}
	}
	drain(response.Body)
	return s.judge(to, response)
}
