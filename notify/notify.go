// Package notify subscribes people and delivers alerts to them by e-mail and Web
// Push.
//
// Data passes through it in three streams. A request by e-mail is kept as it came
// ([Notifier.Ask]); the confirmation worker makes it pending and puts the mail that
// asks to confirm it into the outbox, or drops it; the link of that mail makes it a
// subscription ([Notifier.Confirm]). A browser proves itself by what was pushed to it
// ([Notifier.AskBrowser], [Notifier.Subscribe]). The alerts that a cycle changed become
// one item in the outbox for each subscriber concerned, in the transaction that keeps
// the alerts ([Notifier.Decide]). Items that are due are composed from the present
// state in one short read, sent by mail or push, and their outcomes are recorded, many
// in a commit.
//
// No transaction is open while a message is sent. A message is sent before its outcome
// is recorded: a crash in between repeats what was under way, under the same names,
// and loses nothing.
package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/snapshot"
	"vigia/notify/mail"
	"vigia/notify/message"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/subscription"
)

const (
	day   = 24 * time.Hour
	month = 30 * day
)

const (
	// clockCheck is how often the loops look at the clock, which may jump.
	clockCheck = 30 * time.Second
	// retryPause is how soon a loop looks again at what held it up: the file, or
	// messages that go first.
	retryPause = 5 * time.Second
)

// Mailer sends a message to an address. It is used from many goroutines.
type Mailer interface {
	Send(ctx context.Context, m *message.Message, to string) message.Result
}

// Pusher sends a message to a browser. It is used from many goroutines.
type Pusher interface {
	Send(ctx context.Context, m *message.Message, t *subscription.Target) message.Result
}

// Options are what a notifier is made of. Store and Catalogue are required; BaseURL is
// too when there is a channel. Open makes Keys and the senders; New takes them.
type Options struct {
	Store     *store.Store
	Catalogue *catalogue.Catalogue
	Clock     clockwork.Clock // nil means the machine's
	Log       *slog.Logger    // nil means no log
	BaseURL   string          // of the site, without a trailing slash: every link begins with it
	Contact   string          // the operator's e-mail address
	PushRate  int             // pushes a second to each push service; 0 means no limit

	Folder    string                 // of the data, with the keys
	Relay     mail.Options           // without a Host no mail is sent
	PushHosts subscription.PushHosts // push services that the operator named
	Capture   Capture                // the demo's, about made-up weather; else nil

	Sun         func(park int) snapshot.Sun // how strong the sun gets in a park of the catalogue; nil means that nothing tells
	Keys        *Keys
	Mail        Mailer   // nil means that no mail is sent
	ConfirmMail Mailer   // for the mails that ask to confirm; nil means Mail
	Push        []Pusher // by Keys, and by each of Keys.Before in their order; none means that nothing is pushed
}

// Notifier keeps the subscriptions and delivers messages. Its methods may be called
// from any goroutine.
type Notifier struct {
	o        Options
	home     *time.Location
	queues   [numQueues]*queue
	requests chan struct{} // a request came in

	eraseTried time.Time // when Erase last erased; used by it alone
	eraseErr   error     // result of that
}

// The queues: one for each channel (by its number), one for the mails that ask to
// confirm, and one for the pushes that ask for a proof.
const (
	confirming = subscription.NumChannels + iota
	proving
	numQueues
)

const (
	// confirmConnections is how many mails that ask to confirm are under way at a
	// time. The caps let through a few a minute.
	confirmConnections = 2
	// mailWorkers is how many mails to subscribers are under way at a time, the default
	// of the connections to the relay.
	mailWorkers = 8
	// pushWorkers is how many pushes to subscribers are under way at a time, and
	// proofWorkers how many that ask for a proof.
	pushWorkers  = 32
	proofWorkers = 8
)

// New returns a notifier, which neither sends nor confirms before Run.
func New(o Options) (*Notifier, error) {
	switch {
	case o.Store == nil || o.Keys == nil || o.Catalogue == nil:
		return nil, errors.New("notifications: no store, no keys or no catalogue")
	case o.BaseURL == "" && (o.Mail != nil || len(o.Push) > 0):
		return nil, errors.New("notifications: no base URL, and every link is made of it")
	case len(o.Push) > 0 && len(o.Push) != 1+len(o.Keys.Before):
		return nil, errors.New("notifications: not a sender of pushes for each of the keys before")
	}
	home, err := time.LoadLocation(homeZone)
	if err != nil {
		return nil, fmt.Errorf("notifications: %w", err)
	}
	if o.Clock == nil {
		o.Clock = clockwork.NewRealClock()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	n := &Notifier{o: o, home: home, requests: make(chan struct{}, 1)}
	n.makeQueues()
	if err := n.checkKeys(); err != nil && !errors.Is(err, store.ErrNoFile) {
		return nil, err
	}
	return n, nil
}

func (n *Notifier) makeQueues() {
	confirmMail := n.o.ConfirmMail
	if confirmMail == nil {
		confirmMail = n.o.Mail
	}
	mails := newQueue(n, store.Queue{Channel: subscription.Email}, mailWorkers, n.mailSender(n.o.Mail))
	mails.bounces = &bounceFilter{answers: map[subscription.ID]answer{}}
	confirmations := newQueue(n, store.Queue{Channel: subscription.Email, Confirming: true}, confirmConnections, n.mailSender(confirmMail))
	confirmations.before = mails
	pushes := newQueue(n, store.Queue{Channel: subscription.WebPush}, pushWorkers, n.pushSender())
	pushes.pace = newPace(n.o.PushRate)
	proofs := newQueue(n, store.Queue{Channel: subscription.WebPush, Confirming: true}, proofWorkers, n.pushSender())
	proofs.before, proofs.pace = pushes, pushes.pace
	n.queues = [numQueues]*queue{subscription.Email: mails, subscription.WebPush: pushes, confirming: confirmations, proving: proofs}
}

// mailSender returns how a delivery is sent by mail, nil when mail is not set up.
func (n *Notifier) mailSender(by Mailer) sendFunc {
	if n.o.Mail == nil {
		return nil
	}
	return func(ctx context.Context, d *delivery) message.Result { return by.Send(ctx, &d.message, d.address) }
}

// pushSender returns how a delivery is pushed, nil when Web Push is not set up.
func (n *Notifier) pushSender() sendFunc {
	if len(n.o.Push) == 0 {
		return nil
	}
	return func(ctx context.Context, d *delivery) message.Result {
		return n.o.Push[d.keys].Send(ctx, &d.message, d.target)
	}
}

// Run decides on requests and drains the outbox until ctx ends. Then
// nothing more is sent; what is under way has five seconds, and its outcomes are
// recorded before Run returns. It is called once.
func (n *Notifier) Run(ctx context.Context) error {
	var all sync.WaitGroup
	for _, q := range n.queues {
		all.Go(func() { q.run(ctx) })
	}
	all.Go(func() { newConfirmationWorker(n).run(ctx) })
	all.Wait()
	return nil
}

// Wake has the queues look at the outbox: a cycle was kept.
func (n *Notifier) Wake() {
	for _, q := range n.queues {
		notifyWorker(q.wake)
	}
}

// notifyWorker wakes the loop that receives from a channel, without waiting for it.
func notifyWorker(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

// now returns the service's time in UTC without the monotonic part, as times in a
// file are.
func (n *Notifier) now() time.Time { return n.o.Clock.Now().UTC().Round(0) }
