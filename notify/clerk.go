package notify

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"time"

	"vigia/store"
	"vigia/store/subscription"
)

// The caps on confirmation mails. Over those of an address a request is dropped,
// over those of an hour it waits.
const (
	mailsAnAddressADay   = 1
	mailsAnAddressAMonth = 3
	mailsADomain         = 30 // an hour
	mailsALargeDomain    = 100
	mailsAnHour          = 200

	aMonth = 30 * aDay
)

// largeDomains have so many people that more of them may sign up in an hour.
var largeDomains = []string{
	"gmail.com", "hotmail.com", "hotmail.cl", "outlook.com", "outlook.cl", "live.com", "live.cl", "yahoo.com", "yahoo.cl", "icloud.com",
}

const (
	requestsAtATime = 64          // decided in one commit
	waitingLook     = time.Minute // how often those that wait are looked at
)

// clerk decides on requests: which become pending subscriptions with a mail to
// confirm them, which wait, and which are dropped.
type clerk struct {
	n       *Notifier
	mails   []confirmationMail // of the last hour
	counted bool               // mails has what was decided before the start
	seen    uint64             // Seq of the last request looked at
	waiting int                // requests looked at that wait for the caps of the hour
	looked  time.Time          // when the requests were last looked at from the first on
	alarmed bool
	failing bool
}

// confirmationMail is one that was decided: when, and for which domain, which is ""
// when it is no longer known.
type confirmationMail struct {
	at     time.Time
	domain string
}

func newClerk(n *Notifier) *clerk { return &clerk{n: n} }

func (c *clerk) run(ctx context.Context) {
	for ctx.Err() == nil {
		c.work(ctx)
		timer := c.n.o.Clock.NewTimer(watch)
		select {
		case <-ctx.Done():
		case <-c.n.asked:
		case <-timer.Chan():
		}
		timer.Stop()
	}
}

// work decides on what came in, and now and then on what waits.
func (c *clerk) work(ctx context.Context) {
	if now := c.n.now(); c.waiting > 0 && now.Sub(c.looked).Abs() >= waitingLook {
		c.seen, c.waiting = 0, 0
	}
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = c.batch(); err != nil && !c.failing {
			c.n.o.Log.Error("requests to subscribe cannot be decided on; they wait", "error", err)
		}
		c.failing = err != nil
	}
	if c.waiting > 0 && !c.alarmed {
		c.n.o.Log.Error("more requests to subscribe than confirmation mails may go out in an hour; they wait, and it may be abuse",
			"waiting", c.waiting, "mails_an_hour", mailsAnHour, "mails_a_domain", mailsADomain)
	}
	c.alarmed = c.waiting > 0
}

// batch decides on the next requests and tells whether there may be more.
func (c *clerk) batch() (more bool, err error) {
	now := c.n.now()
	if c.seen == 0 {
		c.looked = now
	}
	requests, err := c.next(now)
	if err != nil || len(requests) == 0 {
		return false, err
	}
	var done rulings
	err = c.n.o.Store.Update("decide on requests", func(tx *store.Tx) error {
		done = rulings{clerk: c, now: now}
		return done.all(tx, requests)
	})
	if err != nil && !errors.Is(err, errNothingToWrite) {
		return false, err
	}
	c.seen, c.waiting = requests[len(requests)-1].Seq, c.waiting+done.waiting
	c.mails = append(c.mails, done.mails...)
	if len(done.mails) > 0 {
		poke(c.n.queues[subscription.Email].wake)
	}
	if len(done.mails)+done.dropped > 0 {
		c.n.o.Log.Info("requests to subscribe decided", "mails", len(done.mails), "dropped", done.dropped, "waiting", c.waiting)
	}
	return len(requests) == requestsAtATime, nil
}

// next reads the next requests, none while the clock is not believed.
func (c *clerk) next(now time.Time) (requests []subscription.Request, err error) {
	err = c.n.o.Store.View("look at requests", func(tx *store.Tx) error {
		if believed, err := c.n.believed(tx, now); err != nil || !believed {
			return err
		}
		if err := c.count(tx, now); err != nil {
			return err
		}
		requests, err = tx.Requests(c.seen, requestsAtATime)
		return err
	})
	return requests, err
}

// count forgets the mails of more than an hour ago. At the start it finds those
// that were decided before.
func (c *clerk) count(tx *store.Tx, now time.Time) error {
	recent := func(at time.Time) bool { return now.Sub(at) < time.Hour && !at.After(now) }
	c.mails = slices.DeleteFunc(c.mails, func(m confirmationMail) bool { return !recent(m.at) })
	if c.counted {
		return nil
	}
	err := tx.EachPending(func(_ subscription.Hash, p *subscription.Pending) error {
		if recent(p.DecidedAt) {
			c.mails = append(c.mails, confirmationMail{p.DecidedAt, domainOf(p.Address)})
		}
		return nil
	})
	c.counted = err == nil
	return err
}

// domainOf gives the domain of an address in lower case, "" for no address.
func domainOf(address string) string {
	_, domain, _ := strings.Cut(address, "@")
	return strings.ToLower(domain)
}

// errNothingToWrite ends a transaction that has nothing to keep without a commit.
var errNothingToWrite = errors.New("nothing to write")

// rulings are the decisions of one transaction.
type rulings struct {
	*clerk
	now     time.Time
	mails   []confirmationMail
	dropped int
	waiting int
}

func (r *rulings) all(tx *store.Tx, requests []subscription.Request) error {
	for i := range requests {
		if err := r.one(tx, &requests[i]); err != nil {
			return err
		}
	}
	if len(r.mails)+r.dropped == 0 {
		return errNothingToWrite
	}
	return nil
}

// one decides on a request: whether the address may get a mail at all, and whether
// now.
func (r *rulings) one(tx *store.Tx, request *subscription.Request) error {
	key := r.n.o.Keys.AddressKey(subscription.Identity(request.Address))
	times, err := tx.Mailed(key)
	if err != nil {
		return err
	}
	times = slices.DeleteFunc(times, func(t time.Time) bool { return r.now.Sub(t) >= aMonth })
	today := 0
	for _, t := range times {
		if r.now.Sub(t) < aDay {
			today++
		}
	}
	switch domain := domainOf(request.Address); {
	case request.Trap, !r.now.Before(request.Until), tx.Suppressed(key),
		today >= mailsAnAddressADay, len(times) >= mailsAnAddressAMonth:
		r.dropped++
		return tx.DropRequest(request.Seq)
	case r.full(domain):
		r.waiting++
		return nil
	default:
		r.mails = append(r.mails, confirmationMail{r.now, domain})
		return errors.Join(tx.PutMailed(key, append(times, r.now)), r.accept(tx, request))
	}
}

// full tells whether a mail to a domain would be over the caps of the hour.
func (r *rulings) full(domain string) bool {
	all, same := 0, 0
	for _, list := range [][]confirmationMail{r.clerk.mails, r.mails} {
		all += len(list)
		for _, m := range list {
			if m.domain == domain {
				same++
			}
		}
	}
	limit := mailsADomain
	if slices.Contains(largeDomains, domain) {
		limit = mailsALargeDomain
	}
	return all >= mailsAnHour || same >= limit
}

// accept makes a request a pending subscription, with the mail that asks to
// confirm it.
func (r *rulings) accept(tx *store.Tx, request *subscription.Request) error {
	p := &subscription.Pending{
		Address: request.Address, Preferences: request.Preferences, Consent: request.Consent, DecidedAt: r.now, Until: request.Until,
	}
	rand.Read(p.Nonce[:]) // never fails
	_, h := r.n.o.Keys.Confirmation(p.Nonce)
	return errors.Join(
		tx.PutPending(h, p),
		tx.Enqueue(&store.Item{
			Channel: subscription.Email, Kind: store.ConfirmItem, Urgent: true, Pending: h, DecidedAt: r.now, Due: r.now, Expires: p.Until,
		}),
		tx.DropRequest(request.Seq),
	)
}
