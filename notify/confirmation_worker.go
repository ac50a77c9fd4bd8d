package notify

import (
	"cmp"
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
	mailsAnAddressAMonth = 3   // and one a day
	mailsADomain         = 30  // an hour, but for those of largeDomains
	mailsANetwork        = 32  // an hour: a hut or a bus full of people
	mailsAnHour          = 200 // in all
	mailsToNewDomains    = 120 // an hour, to all that are neither large nor known: an attacker with hundreds of domains fills no more
)

// largeDomains have so many people that only the cap of all holds for them.
var largeDomains = []string{
	"gmail.com", "hotmail.com", "hotmail.cl", "outlook.com", "outlook.cl", "live.com", "live.cl", "yahoo.com", "yahoo.cl", "icloud.com",
}

// newDomains stands in a mailShare for all domains that are neither large nor known.
const newDomains = "?"

const (
	requestsAtATime = 64          // decided in one commit
	waitingCheck    = time.Minute // how often the requests that wait are looked at again
)

// confirmationWorker decides on requests: which become pending subscriptions with a mail
// to confirm them, which wait, and which are dropped. Networks take turns, and none gets
// more of an hour's mails than it leaves to all others: who asks for many waits, and who
// asks for few does not.
type confirmationWorker struct {
	n       *Notifier
	mailed  map[mailShare][]time.Time // mails of the last hour
	known   map[string]bool           // domains in which somebody is subscribed for a day
	learned time.Time                 // when known was read
	seen    uint64                    // Seq of the last request looked at; 0 has all looked at again
	looked  time.Time                 // when all were looked at
	waiting int                       // requests that wait for the caps of the hour
	alarmed bool
	failing bool
}

// mailShare is a network's part of the mails to a domain, to newDomains, or to all
// ("").
type mailShare struct {
	network subscription.AddressKey
	domain  string
}

func newConfirmationWorker(n *Notifier) *confirmationWorker {
	return &confirmationWorker{n: n, mailed: map[mailShare][]time.Time{}}
}

func (w *confirmationWorker) run(ctx context.Context) {
	for ctx.Err() == nil {
		w.work(ctx)
		wait := clockCheck
		if w.failing {
			wait = retryPause
		}
		timer := w.n.o.Clock.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-w.n.requests:
		case <-timer.Chan():
		}
		timer.Stop()
	}
}

// work decides on the requests that came in, and now and then on those that wait.
func (w *confirmationWorker) work(ctx context.Context) {
	err := w.decide(ctx)
	if err != nil && !w.failing {
		w.n.o.Log.Log(ctx, store.LogLevel(err), "requests to subscribe cannot be decided on; they wait", "error", err)
	}
	if w.failing = err != nil; w.failing {
		w.seen = 0
	}
	if w.waiting > 0 && !w.alarmed {
		w.n.o.Log.Error("more requests to subscribe than confirmation mails may go out in an hour; they wait, and it may be abuse",
			"waiting", w.waiting, "mails_an_hour", mailsAnHour, "mails_a_domain", mailsADomain)
	}
	w.alarmed = w.waiting > 0
}

// decide looks at requests until there are no new ones.
func (w *confirmationWorker) decide(ctx context.Context) error {
	if now := w.n.now(); w.seen == 0 || w.waiting > 0 && now.Sub(w.looked).Abs() >= waitingCheck {
		w.seen, w.waiting, w.looked = 0, 0, now
	}
	for {
		turns, err := w.nextTurns(w.n.now())
		if err != nil || len(turns) == 0 {
			return err
		}
		for batch := range slices.Chunk(turns, requestsAtATime) {
			if ctx.Err() != nil {
				return nil
			}
			if err := w.decideBatch(batch); err != nil {
				return err
			}
		}
	}
}

// decideBatch decides on requests in one transaction. One that is gone was decided on,
// and one that is damaged is reported by the store.
func (w *confirmationWorker) decideBatch(seqs []uint64) error {
	d := decisions{confirmationWorker: w, now: w.n.now()}
	err := w.n.o.Store.Update("decide on requests", func(tx *store.Tx) error {
		for _, seq := range seqs {
			request, err := tx.Request(seq)
			if err != nil {
				continue
			}
			if err := d.one(tx, request); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	w.waiting += d.waiting
	if d.mails > 0 {
		notifyWorker(w.n.queues[confirming].wake)
	}
	if d.mails+d.dropped > 0 {
		w.n.o.Log.Info("requests to subscribe decided", "mails", d.mails, "dropped", d.dropped, "waiting", w.waiting)
	}
	return nil
}

// nextTurns returns the requests that were not looked at, in their turns; none while the
// clock is not believed.
func (w *confirmationWorker) nextTurns(now time.Time) (turns []uint64, err error) {
	for share, times := range w.mailed {
		if times = withinHour(times, now); len(times) == 0 {
			delete(w.mailed, share)
		} else {
			w.mailed[share] = times
		}
	}
	err = w.n.o.Store.View("look at requests", func(tx *store.Tx) error {
		if believed, err := tx.ClockBelieved(now); err != nil || !believed {
			return err
		}
		if w.known == nil || now.Sub(w.learned).Abs() >= day {
			w.known, w.learned = tx.DomainsConfirmed(now.Add(-day)), now
		}
		list, err := tx.WaitingAfter(w.seen)
		if err != nil || len(list) == 0 {
			return err
		}
		w.seen, turns = list[len(list)-1].Seq, w.inTurns(list)
		return nil
	})
	return turns, err
}

// inTurns returns requests in an order in which networks take turns, those first that had
// the fewest mails in the last hour.
func (w *confirmationWorker) inTurns(list []store.Waiting) (seqs []uint64) {
	counts, nth := map[subscription.AddressKey]int{}, map[uint64]int{}
	for _, one := range list {
		nth[one.Seq] = len(w.mailed[mailShare{network: one.Network}]) + counts[one.Network]
		counts[one.Network]++
		seqs = append(seqs, one.Seq)
	}
	slices.SortStableFunc(seqs, func(a, b uint64) int { return cmp.Compare(nth[a], nth[b]) })
	return seqs
}

// withinHour keeps the times of the hour before now. A time that the clock has yet to
// reach does not count.
func withinHour(times []time.Time, now time.Time) []time.Time {
	return slices.DeleteFunc(times, func(t time.Time) bool { return now.Sub(t) >= time.Hour || t.After(now) })
}

// domainOf returns the domain of an address in lower case, "" for no address.
func domainOf(address string) string {
	_, domain, _ := strings.Cut(address, "@")
	return strings.ToLower(domain)
}

// decisions are those of one transaction.
type decisions struct {
	*confirmationWorker
	now                     time.Time
	mails, dropped, waiting int
}

// one decides on a request: whether the address may get a mail at all, and whether
// now.
func (d *decisions) one(tx *store.Tx, request *subscription.Request) error {
	mailbox := subscription.Mailbox(request.Address)
	times, err := d.mailsTo(tx, mailbox)
	if err != nil {
		return err
	}
	times = slices.DeleteFunc(times, func(t time.Time) bool { return d.now.Sub(t) >= month })
	today := slices.ContainsFunc(times, func(t time.Time) bool { return d.now.Sub(t) < day })
	switch {
	case request.Trap, !d.now.Before(request.Until), d.n.suppressed(tx, mailbox, d.now),
		today, len(times) >= mailsAnAddressAMonth:
		d.dropped++
		return tx.DropRequest(request.Seq)
	}
	full, err := d.countMail(tx, request.Network, domainOf(request.Address))
	if err != nil {
		return err
	}
	if full {
		d.waiting++
		return nil
	}
	d.mails++
	return errors.Join(d.putMails(tx, mailbox, append(times, d.now)), d.accept(tx, request))
}

// countMail counts a mail against the caps of the hour; full is true, and nothing
// counted, when one is reached or its network had as many as are left of it. The counts
// of the caps are kept as those of addresses are, under what no address is, so that they
// outlast a start and the requests. Those of networks, which show who asked, are kept
// nowhere.
func (d *decisions) countMail(tx *store.Tx, network subscription.AddressKey, domain string) (full bool, err error) {
	caps := map[string]int{"": mailsAnHour}
	if !slices.Contains(largeDomains, domain) {
		caps[domain] = mailsADomain
		if !d.known[domain] {
			caps[newDomains] = mailsToNewDomains
		}
	}
	times := map[string][]time.Time{}
	for of, limit := range caps {
		times[of], err = d.lastHour(tx, "@"+of)
		if err != nil || d.hadItsShare(mailShare{network, of}, limit-len(times[of])) {
			return true, err
		}
	}
	for of := range caps {
		share := mailShare{network, of}
		d.mailed[share] = append(d.mailed[share], d.now)
		err = errors.Join(err, d.putMails(tx, "@"+of, append(times[of], d.now)))
	}
	return false, err
}

// hadItsShare reports whether a network had as many mails as it may, or as are left, or
// none is. An unknown network has no share of its own.
func (d *decisions) hadItsShare(share mailShare, left int) bool {
	return left <= 0 || share.network != (subscription.AddressKey{}) && len(d.mailed[share]) >= min(left, mailsANetwork)
}

// mailsTo returns the mails that were counted under a name, by these keys and those
// before.
func (d *decisions) mailsTo(tx *store.Tx, name string) (times []time.Time, err error) {
	for _, key := range d.n.o.Keys.AddressKeys(name) {
		some, err := tx.Mailed(key)
		if err != nil {
			return nil, err
		}
		times = append(times, some...)
	}
	return times, nil
}

// putMails keeps them under the present keys alone.
func (d *decisions) putMails(tx *store.Tx, name string, times []time.Time) error {
	slices.SortFunc(times, time.Time.Compare)
	var errs []error
	for _, key := range d.n.o.Keys.AddressKeys(name) {
		errs, times = append(errs, tx.PutMailed(key, times)), nil
	}
	return errors.Join(errs...)
}

// lastHour returns the mails of the last hour that were counted under a name. A damaged
// count begins anew: it must not keep everybody from signing up.
func (d *decisions) lastHour(tx *store.Tx, name string) ([]time.Time, error) {
	times, err := d.mailsTo(tx, name)
	if damaged := (*store.DamagedError)(nil); errors.As(err, &damaged) {
		return nil, nil
	}
	return withinHour(times, d.now), err
}

// accept makes a request a pending subscription, with the mail that asks to
// confirm it.
func (d *decisions) accept(tx *store.Tx, request *subscription.Request) error {
	p := &subscription.Pending{
		Address: request.Address, Preferences: request.Preferences, Consent: request.Consent, DecidedAt: d.now, Until: request.Until,
		Network: request.Network,
	}
	rand.Read(p.Nonce[:]) // never fails
	_, h := d.n.o.Keys.Confirmation(p.Nonce)
	return errors.Join(
		tx.PutPending(h, p),
		tx.Enqueue(&store.Item{
			Channel: subscription.Email, Kind: store.ConfirmItem, Pending: h, DecidedAt: d.now, Due: d.now, Expires: p.Until,
		}),
		tx.DropRequest(request.Seq),
	)
}
