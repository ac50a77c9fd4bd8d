package api

import (
	"time"

	"vigia/store/subscription"
)

// SubscriptionService makes, confirms, shows and ends subscriptions, and sends to them. It
// may be used from any goroutine. Where a method changes something, a nil error means that
// the change is on stable storage.
//
// Its errors are those of package subscription that each method names, and the store's.
type SubscriptionService interface {
	// Open reports whether the service is set up to send by a channel.
	Open(c subscription.Channel) bool
	// PublicKey returns the key that a browser needs to subscribe (VAPID, base64url
	// without padding), "" when Web Push is off.
	PublicKey() string
	// Ask takes a request by e-mail. It does the same work whatever the address; whether a
	// mail is sent is decided later. Errors: subscription.ErrTooMany,
	// subscription.ErrNoChannel.
	Ask(r *subscription.Request) error
	// AskBrowser keeps a request by Web Push and has a proof pushed to its browser, the
	// same whether the endpoint is known or not. until is when the proof ends. Error:
	// subscription.ErrNoChannel.
	AskBrowser(s *subscription.Subscription) (until time.Time, err error)
	// Subscribe makes a subscription by Web Push active and returns its management token.
	// proof is what was pushed to the browser, or the token of the subscription that has
	// the endpoint; an endpoint that is known gets the new preferences and consent and
	// keeps its token. It sets ID, CreatedAt, ConfirmedAt and Ends. Errors:
	// subscription.ErrUnknownToken for what proves nothing, subscription.ErrNoChannel.
	Subscribe(s *subscription.Subscription, proof string) (token string, err error)
	// Show returns the subscription of a management token, or
	// subscription.ErrUnknownToken.
	Show(token string) (*subscription.Subscription, error)
	// Change replaces the preferences of the subscription of a management token, at once;
	// its address, consent and token stay. Errors: subscription.ErrUnknownToken;
	// subscription.ErrOver when they are of a trip that is over, and nothing is changed.
	Change(token string, p *subscription.Preferences) error
	// Cancel ends and erases the subscription of a management token. It returns nil again
	// when repeated, for the token proves itself ours; subscription.ErrUnknownToken for
	// anything else.
	Cancel(token string) error
	// Pending returns what waits for a confirmation token, or subscription.ErrUnknownToken,
	// also when its life is over.
	Pending(token string) (*subscription.Pending, error)
	// Confirm makes the subscription of a confirmation token active and returns its
	// management token. again is true when it had been confirmed before.
	Confirm(token string) (management string, again bool, err error)
	// Disown erases what waits for a confirmation token and keeps that its address must
	// never be written to again.
	Disown(token string) error
	// Outbox returns the state of a channel for /health (no_configurado, ok, con_demoras,
	// error, detenido) and how many messages wait, without those that ask to confirm.
	Outbox(c subscription.Channel) (state string, queued int)
}
