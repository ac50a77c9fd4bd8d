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
	seen    uint64    // Seq of the last request looked at
	waiting int       // requests looked at that wait for the caps of the hour
	looked  time.Time // when the requests were last looked at from the first on
	alarmed bool
	failing bool
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
			c.n.o.Log.Log(ctx, store.LogLevel(err), "requests to subscribe cannot be decided on; they wait", "error", err)
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
	if done.mails > 0 {
		poke(c.n.queues[subscription.Email].wake)
	}
	if done.mails+done.dropped > 0 {
		c.n.o.Log.Info("requests to subscribe decided", "mails", done.mails, "dropped", done.dropped, "waiting", c.waiting)
	}
	return len(requests) == requestsAtATime, nil
}

// next reads the next requests, none while the clock is not believed.
func (c *clerk) next(now time.Time) (requests []subscription.Request, err error) {
	err = c.n.o.Store.View("look at requests", func(tx *store.Tx) error {
		if believed, err := c.n.believed(tx, now); err != nil || !believed {
			return err
		}
		requests, err = tx.Requests(c.seen, requestsAtATime)
		return err
	})
	return requests, err
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
	mails   int
	dropped int
	waiting int
}

func (r *rulings) all(tx *store.Tx, requests []subscription.Request) error {
	for i := range requests {
		if err := r.one(tx, &requests[i]); err != nil {
			return err
		}
	}
	if r.mails+r.dropped == 0 {
		return errNothingToWrite
	}
	return nil
}

// one decides on a request: whether the address may get a mail at all, and whether
// now.
func (r *rulings) one(tx *store.Tx, request *subscription.Request) error {
	key := r.n.o.Keys.AddressKey(subscription.Mailbox(request.Address))
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
	switch {
	case request.Trap, !r.now.Before(request.Until), tx.Suppressed(key),
		today >= mailsAnAddressADay, len(times) >= mailsAnAddressAMonth:
		r.dropped++
		return tx.DropRequest(request.Seq)
	}
	switch full, err := r.countMail(tx, domainOf(request.Address)); {
	case err != nil:
		return err
	case full:
		r.waiting++
		return nil
	default:
		r.mails++
		return errors.Join(tx.PutMailed(key, append(times, r.now)), r.accept(tx, request))
	}
}

// countMail counts a mail to a domain against the caps of the hour, or tells that
// they are full. The counts are kept as those of addresses are, under what no
// address is, so that they outlast a start and whatever becomes of the requests.
func (r *rulings) countMail(tx *store.Tx, domain string) (full bool, err error) {
	limit := mailsADomain
	if slices.Contains(largeDomains, domain) {
		limit = mailsALargeDomain
	}
	all, same := r.n.o.Keys.AddressKey("@"), r.n.o.Keys.AddressKey("@"+domain)
	toAll, err := r.lastHour(tx, all)
	if err != nil || len(toAll) >= mailsAnHour {
		return true, err
	}
	toSame, err := r.lastHour(tx, same)
	if err != nil || len(toSame) >= limit {
		return true, err
	}
	return false, errors.Join(tx.PutMailed(all, append(toAll, r.now)), tx.PutMailed(same, append(toSame, r.now)))
}

// lastHour gives the mails of the last hour that were counted under a key. A time
// that the clock has yet to reach does not count, and a damaged count begins anew: it
// must not keep everybody from signing up.
func (r *rulings) lastHour(tx *store.Tx, key subscription.AddressKey) ([]time.Time, error) {
	times, err := tx.Mailed(key)
	if damaged := (*store.DamagedError)(nil); errors.As(err, &damaged) {
		return nil, nil
	}
	return slices.DeleteFunc(times, func(t time.Time) bool { return r.now.Sub(t) >= time.Hour || t.After(r.now) }), err
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
