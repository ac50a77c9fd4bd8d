// Package notify decides who is told what, and sees to it that it is told: the
// front desk for those who subscribe and leave, the deciding within the hourly
// cycle's transaction, and the workers that drain the outbox.
//
// Data passes through it in three streams. A request by e-mail is written as it
// came ([Notifier.Ask]) → the clerk turns it into a pending subscription and a
// mail to confirm it, or drops it → the link makes it a subscription
// ([Notifier.Confirm]); one by Web Push is active at once. The alerts that a cycle
// changed → the followers of their places → one item each in the outbox, in the
// transaction that keeps the alerts ([Notifier.Decide]). The items that are due →
// composed and checked against the present in one short read → sent, by mail or
// push → what came of them recorded, many in a commit.
//
// Nothing is told from memory: what an item says is made when it goes, of the
// subscription, the alerts and what its reader has heard as they are then. No
// transaction is open while something is sent. Sending comes before recording, so
// a crash in between repeats what was under way, with the same names, and loses
// nothing.
package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/notify/bulletin"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/subscription"
)

const aDay = 24 * time.Hour

// watch is how often the loops look at the clock, which may jump.
const watch = 5 * time.Second

// Mailer sends a bulletin to an address. It is used from many goroutines.
type Mailer interface {
	Send(ctx context.Context, b *bulletin.Bulletin, to string) bulletin.Result
}

// Pusher sends a bulletin to a browser. It is used from many goroutines.
type Pusher interface {
	Send(ctx context.Context, b *bulletin.Bulletin, t *subscription.Target) bulletin.Result
}

// Options are what New needs. Store, Keys and Catalogue are required; BaseURL is
// too when there is a channel.
type Options struct {
	Store       *store.Store
	Keys        *Keys
	Catalogue   *catalogue.Catalogue
	Clock       clockwork.Clock // nil means the machine's
	Log         *slog.Logger    // nil means no log
	BaseURL     string          // of the site, without a trailing slash: every link begins with it
	Contact     string          // the operator's e-mail address
	Simulated   bool            // the weather is made up, and every message says so
	Mail        Mailer          // nil means that no mail is sent
	Push        Pusher          // nil means that nothing is pushed
	MailWorkers int             // mails under way at a time; 0 means 8
	PushWorkers int             // pushes under way at a time; 0 means 32
}

// Notifier is the service's telling of people. Its methods may be called from any
// goroutine.
type Notifier struct {
	o      Options
	home   *time.Location
	built  time.Time // when the program was, zero when unknown
	queues [subscription.NumChannels]*queue
	clerk  *clerk
	asked  chan struct{} // requests came in
}

// New prepares a notifier, which neither sends nor confirms before Run.
func New(o Options) (*Notifier, error) {
	switch {
	case o.Store == nil || o.Keys == nil || o.Catalogue == nil:
		return nil, errors.New("notifications: no store, no keys or no catalogue")
	case o.BaseURL == "" && (o.Mail != nil || o.Push != nil):
		return nil, errors.New("notifications: no base URL, and every link is made of it")
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
	n := &Notifier{o: o, home: home, built: buildTime(), asked: make(chan struct{}, 1)}
	n.queues[subscription.Email] = newQueue(n, subscription.Email, orElse(o.MailWorkers, 8), n.mail())
	n.queues[subscription.WebPush] = newQueue(n, subscription.WebPush, orElse(o.PushWorkers, 32), n.push())
	n.clerk = newClerk(n)
	return n, n.checkKeys()
}

func orElse(value, standard int) int {
	if value > 0 {
		return value
	}
	return standard
}

// checkKeys logs what an operator must know of the keys.
func (n *Notifier) checkKeys() error {
	if n.o.Keys.Tightened {
		n.o.Log.Warn("the file of keys was open to other users of this machine; it is closed to them now")
	}
	mark, kept := n.o.Keys.mark(), ""
	err := n.o.Store.View("read the mark of the keys", func(tx *store.Tx) error {
		kept = tx.KeyMark()
		return nil
	})
	if err != nil || kept == mark {
		return err
	}
	any, err := n.anySubscription()
	if err != nil {
		return fmt.Errorf("look for subscriptions: %w", err)
	}
	if any && (kept != "" || n.o.Keys.Fresh) {
		what := "is another one than before"
		if n.o.Keys.Fresh {
			what = "was missing and a new one was made"
		}
		n.o.Log.Error("the file of keys " + what + ", but there are subscriptions: the links in mails sent before " +
			"no longer work, and push subscriptions made with the old key will be refused; stop, restore vigia.key from a copy, and start again")
		return nil // and say so at every start, until the right file is back
	}
	err = n.o.Store.Update("keep the mark of the keys", func(tx *store.Tx) error { return tx.PutKeyMark(mark) })
	if err != nil {
		n.o.Log.Warn("the mark of the keys cannot be kept; it is tried again at the next start", "error", err)
	}
	return nil
}

var errFound = errors.New("found")

// anySubscription tells whether anybody subscribed or was asked to confirm.
func (n *Notifier) anySubscription() (bool, error) {
	err := n.o.Store.View("look for a subscription", func(tx *store.Tx) error {
		var places []string
		for i := range n.o.Catalogue.Parks {
			park := n.o.Catalogue.Parks[i].Slug
			places = append(places, park)
			for _, trail := range n.o.Catalogue.TrailsOf(i) {
				places = append(places, park+"/"+trail.Slug)
			}
		}
		return errors.Join(
			tx.EachFollower(places, func(*store.Follower, []int) error { return errFound }),
			tx.EachPending(func(subscription.Hash, *subscription.Pending) error { return errFound }),
		)
	})
	if errors.Is(err, errFound) {
		return true, nil
	}
	return false, err
}

// mail and push give how a letter of each channel is sent, nil when it is not
// set up.
func (n *Notifier) mail() sendFunc {
	if n.o.Mail == nil {
		return nil
	}
	return func(ctx context.Context, l *letter) bulletin.Result {
		return n.o.Mail.Send(ctx, &l.bulletin, l.address)
	}
}

func (n *Notifier) push() sendFunc {
	if n.o.Push == nil {
		return nil
	}
	return func(ctx context.Context, l *letter) bulletin.Result { return n.o.Push.Send(ctx, &l.bulletin, l.target) }
}

// Run decides on requests, drains the outbox and sweeps until ctx ends. Then
// nothing more is sent; what is under way has five seconds, and what came of it is
// recorded before Run returns. It is called once.
func (n *Notifier) Run(ctx context.Context) error {
	var all sync.WaitGroup
	for _, q := range n.queues {
		if q.send != nil {
			all.Go(func() { q.run(ctx) })
		}
	}
	all.Go(func() { n.clerk.run(ctx) })
	all.Go(func() { n.sweep(ctx) })
	all.Wait()
	return nil
}

// Wake says that there may be something to send: a cycle was kept.
func (n *Notifier) Wake() {
	for _, q := range n.queues {
		poke(q.wake)
	}
}

// poke leaves a sign for a loop that will look sooner or later.
func poke(sign chan struct{}) {
	select {
	case sign <- struct{}{}:
	default:
	}
}

// now is the time of the service, UTC and without the monotonic part: it is
// compared with what a file has.
func (n *Notifier) now() time.Time { return n.o.Clock.Now().UTC().Round(0) }
