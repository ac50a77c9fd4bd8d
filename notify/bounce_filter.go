package notify

import (
	"errors"
	"maps"
	"time"

	"vigia/notify/message"
	"vigia/store"
	"vigia/store/subscription"
)

// A relay that refuses many subscribers at once has lost its directory or changed its
// policy: those are not all gone. The last answer to each address counts for an hour, and
// longer where the next try of a refused one is to come.
const (
	answerKept = time.Hour
	// retryGrace is how late a try may be that was due.
	retryGrace = 15 * time.Minute
	// reviewEvery is how often the answers are reviewed without a new one.
	reviewEvery = time.Minute
	mostAnswers = 1 << 14 // addresses remembered
)

// An hour's refusals are the relay's fault from manyRefused addresses of two domains on,
// or from one in oneIn of those tried. With few subscribers one in twenty is one address:
// then fewRefused must be refused, or all there are. fewRefused make a domain of which
// all are refused: one who was alone in a domain may be gone with it.
const (
	manyRefused = 10
	oneIn       = 20
	fewRefused  = 3
	// policyDomains is how many domains a relay's policy must refuse, and half of what
	// was tried, to be worth an alarm.
	policyDomains = 3
)

// bounceFilter judges a relay by its last answer to each subscriber. People who never got
// a mail are not among them: anybody may have caused it.
type bounceFilter struct {
	answers  map[subscription.ID]answer
	reviewed time.Time

	unjudged bool // somebody was refused since the relay was judged with all tried
	lost     bool // it takes subscribers' addresses for unknown by its own fault
	policy   bool // it refuses many by its policy
}

// answer is a relay's last answer to an address.
type answer struct {
	domain  string
	verdict message.Verdict
	until   time.Time // when it is forgotten
}

// note takes in a relay's answer. A delay shows nothing. A refusal that is
// repeated lasts no longer than the deliveries that went with it.
func (f *bounceFilter) note(d *delivery) {
	v, id := d.result.Verdict, d.item.Subscriber
	if d.unsent() || v != message.Delivered && v != message.Bounced && v != message.Refused {
		return
	}
	next := answer{domain: domainOf(d.address), verdict: v, until: d.at.Add(answerKept)}
	before, known := f.answers[id]
	switch {
	case known && v != message.Delivered && v == before.verdict:
		next.until = before.until
	case !known && len(f.answers) >= mostAnswers:
		return
	}
	f.answers[id] = next
	f.unjudged = f.unjudged || v != message.Delivered
}

// await keeps a refusal that is not its address's fault until it was tried again.
func (f *bounceFilter) await(d *delivery) {
	if one, known := f.answers[d.item.Subscriber]; known {
		one.until = later(one.until, d.at.Add(backoff(d.item.Attempts, 0)*5/4+retryGrace))
		f.answers[d.item.Subscriber] = one
	}
}

// answerCounts counts addresses by their last answer.
type answerCounts [message.Refused + 1]int

// tried returns how many addresses there are.
func (c *answerCounts) tried() int {
	return c[message.Delivered] + c[message.Bounced] + c[message.Refused]
}

// judge forgets old answers and judges the relay by the rest, which it counts. A share
// counts only once all that was due was tried (idle), and no share grows by forgetting.
func (f *bounceFilter) judge(now time.Time, idle bool) (all answerCounts) {
	f.reviewed = now
	maps.DeleteFunc(f.answers, func(_ subscription.ID, a answer) bool { return !now.Before(a.until) })
	domains := map[string]*answerCounts{}
	for _, a := range f.answers {
		if domains[a.domain] == nil {
			domains[a.domain] = &answerCounts{}
		}
		domains[a.domain][a.verdict]++
		all[a.verdict]++
	}
	unknown, refused, whole := 0, 0, false
	for _, c := range domains {
		unknown += min(c[message.Bounced], 1)
		refused += min(c[message.Refused], 1)
		whole = whole || c[message.Bounced] >= fewRefused && c[message.Bounced] == c.tried()
	}
	bounced, tried := all[message.Bounced], all.tried()
	many := unknown >= 2 && bounced >= manyRefused
	share := unknown >= 2 && oneIn*bounced >= tried && (bounced >= fewRefused || bounced == tried)
	f.lost = (many || share || whole) && (f.lost || f.unjudged && (many || idle))
	f.policy = refused >= policyDomains && 2*all[message.Refused] >= tried && (f.policy || f.unjudged && idle)
	f.unjudged = f.unjudged && !idle
	return all
}

// weigh judges the relay by a batch too. Where it turns out to be the relay's fault
// nothing is counted against those whom it refused: they are tried again, and the
// refusals of the blameless in the last hour are to be taken back.
func (q *queue) weigh(batch []*delivery) (blameless []subscription.ID) {
	f := q.bounces
	if f == nil {
		return nil
	}
	for _, d := range batch {
		f.note(d)
	}
	wasLost := f.lost
	q.review(q.drained && q.idle())
	for _, d := range batch {
		d.blameless = f.lost && d.result.Verdict == message.Bounced
		if d.blameless || f.policy && d.result.Verdict == message.Refused {
			f.await(d)
		}
	}
	if wasLost || !f.lost {
		return nil
	}
	for id, a := range f.answers {
		if a.verdict == message.Bounced {
			blameless = append(blameless, id)
		}
	}
	return blameless
}

// review judges the relay, with all tried that was due (idle) or not, and logs when
// the judgement changes.
func (q *queue) review(idle bool) {
	f := q.bounces
	lost, policy := f.lost, f.policy
	all := f.judge(q.n.now(), idle)
	if f.lost && !lost {
		q.n.o.Log.Error("the relay takes many subscribers' addresses for unknown: its directory is at fault, or the way to it; nobody is blamed, and the messages are tried again",
			"channel", q.String(), "addresses", all[message.Bounced], "tried", all.tried())
	}
	if f.policy && !policy {
		q.n.o.Log.Error("the relay refuses many subscribers by its policy: its answers say why; the messages are tried again",
			"channel", q.String(), "addresses", all[message.Refused], "tried", all.tried())
	}
	if lost && !f.lost || policy && !f.policy {
		q.n.o.Log.Info("the relay no longer refuses many subscribers", "channel", q.String())
	}
}

const (
	// Nothing is sent any more after suspendAfter refusals over suspendSpan at the least.
	suspendAfter = 3
	suspendSpan  = 72 * time.Hour
)

// recordBounce counts, once a UTC day, that a relay does not know a subscriber's address.
// Many over days suspend the subscription, which is erased later:
// nobody is erased by a relay's word alone. A message is tried once more before it is
// given up: by then it is known whether only this one was refused.
func (n *Notifier) recordBounce(tx *store.Tx, d *delivery) error {
	if d.blameless {
		return d.retry(tx, 0)
	}
	s, err := tx.Subscription(d.item.Subscriber)
	if errors.Is(err, store.ErrNotFound) {
		return d.settle(tx, store.GoneOutcome)
	}
	if err != nil {
		return err
	}
	today := subscription.DateOf(d.at, time.UTC)
	if days := len(s.Refusals); days == 0 || subscription.DateOf(s.Refusals[days-1], time.UTC) != today {
		s.Refusals = append(s.Refusals, d.at)
	}
	if len(s.Refusals) >= suspendAfter && d.at.Sub(s.Refusals[0]) >= suspendSpan {
		s.SuspendedAt = d.at
	}
	if err := tx.PutSubscription(s); err != nil {
		return err
	}
	if d.item.Attempts == 0 && s.SuspendedAt.IsZero() {
		return d.retry(tx, 0)
	}
	return d.settle(tx, store.BouncedOutcome)
}

// takeBackRefusals forgets the refusals counted against people since an instant.
func takeBackRefusals(tx *store.Tx, ids []subscription.ID, since time.Time) error {
	for _, id := range ids {
		s, err := tx.Subscription(id)
		if err != nil {
			continue // erased, or damaged and reported
		}
		kept := len(s.Refusals)
		for kept > 0 && s.Refusals[kept-1].After(since) {
			kept--
		}
		if kept == len(s.Refusals) {
			continue
		}
		s.Refusals = s.Refusals[:kept:kept]
		if s.SuspendedAt.After(since) {
			s.SuspendedAt = time.Time{}
		}
		if err := tx.PutSubscription(s); err != nil {
			return err
		}
	}
	return nil
}
