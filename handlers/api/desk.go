package api

import "vigia/store/subscription"

// Desk is where subscriptions are made, confirmed, shown and ended, and what sends
// to them. It may be used from any goroutine. A nil error of what changes
// something means that the change is on stable storage.
//
// Its errors are those of package subscription that each method names, and the
// store's.
type Desk interface {
	// Open tells whether the service is set up to send by a channel.
	Open(c subscription.Channel) bool
	// PublicKey is the key that a browser needs to subscribe (VAPID, base64url
	// without padding), "" when Web Push is off.
	PublicKey() string
	// Ask takes a request by e-mail. It does the same work whatever the address;
	// whether a mail is sent is decided later. Errors: subscription.ErrTooMany,
	// subscription.ErrNoChannel.
	Ask(r *subscription.Request) error
	// Subscribe makes a subscription by Web Push active at once and gives its
	// management token. An endpoint that is known gets the new preferences and
	// consent and keeps its token. It sets ID, CreatedAt, ConfirmedAt and Ends.
	// Errors: subscription.ErrTooMany, subscription.ErrNoChannel.
	Subscribe(s *subscription.Subscription) (token string, err error)
	// Show gives the subscription of a management token, or
	// subscription.ErrUnknownToken.
	Show(token string) (*subscription.Subscription, error)
	// Change gives the subscription of a management token other preferences, which
	// hold at once; its address, consent and token stay. Errors:
	// subscription.ErrUnknownToken; subscription.ErrOver when they are of a trip that
	// is over, and nothing is changed.
	Change(token string, p *subscription.Preferences) error
	// Cancel ends and erases the subscription of a management token. It is nil
	// again when repeated, for the token proves itself ours;
	// subscription.ErrUnknownToken for anything else.
	Cancel(token string) error
	// Pending gives what waits for a confirmation token, or
	// subscription.ErrUnknownToken, also when its life is over.
	Pending(token string) (*subscription.Pending, error)
	// Confirm makes the subscription of a confirmation token active and gives its
	// management token. again tells that it had been confirmed before.
	Confirm(token string) (management string, again bool, err error)
	// Disown erases what waits for a confirmation token and keeps that its address
	// is never to be written to again.
	Disown(token string) error
	// Outbox tells the state of a channel for /health (no_configurado, ok,
	// con_demoras, detenido) and how many messages wait, those that ask to confirm
	// left out.
	Outbox(c subscription.Channel) (state string, queued int)
}
