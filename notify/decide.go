package notify

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"

	"vigia/forecast/alert"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/subscription"
)

// Decide decides who is told what of a cycle and puts one item for each of them
// into the outbox. The store calls it in the transaction that keeps the cycle. It
// costs nothing when nothing changed, and otherwise reads every subscription once.
func (n *Notifier) Decide(tx *store.Tx, c *store.Cycle, changed []store.ChangedAlert) error {
	if err := n.decideNoData(tx, c); err != nil {
		return fmt.Errorf("decide who is told of missing data: %w", err)
	}
	if len(changed) == 0 {
		return nil
	}
	d := newDecider(tx, c.Catalogue, c.IssuedAt.UTC().Round(0), changed)
	err := d.all()
	if err == nil {
		err = d.keep()
	}
	if err != nil {
		return fmt.Errorf("decide who is told of %d alerts: %w", len(changed), err)
	}
	if len(d.items) > 0 {
		n.o.Log.Info("messages decided", "alerts", len(changed), "messages", len(d.items))
	}
	return nil
}

// decider decides the items of one cycle, or of one person who subscribes.
type decider struct {
	tx      *store.Tx
	now     time.Time
	changes []change                  // the worst first
	byPlace map[string][]int          // changes that hold, by the place under which they are followed
	endings map[subscription.ID][]int // those that are over, by who was told of their thread
	items   []*store.Item             // decided and not yet kept
	records []decidedRecord           // likewise

	touched []int         // changes that may concern the person at hand
	threads []threadState // of the person at hand
}

// decidedRecord is a record to be kept of a thread.
type decidedRecord struct {
	of     string
	id     subscription.ID
	record store.Decided
}

// change is an alert that changed.
type change struct {
	alert  *alert.Alert
	thread string
	zone   *time.Location
	active bool
	notice *alert.Notice // the newest since the last decision, nil for none
}

func (c *change) over() bool { return c.notice != nil && over(c.notice.What) }

// threadState is what was decided of a thread for a person before (last), and with
// what this decision adds (next).
type threadState struct {
	thread     string
	last, next store.Decided
	known      bool // there was a record before
	changed    bool // next has more to tell
	longer     bool // the alert lasts longer than when it was told
}

func newDecider(tx *store.Tx, parks *catalogue.Catalogue, now time.Time, changed []store.ChangedAlert) *decider {
	d := &decider{tx: tx, now: now, byPlace: map[string][]int{}, endings: map[subscription.ID][]int{}}
	for i := range changed {
		a := changed[i].Alert
		next := change{alert: a, thread: threadOf(a), zone: parkOf(parks, a.Park).TimeZone, active: a.Active(d.now)}
		if k := len(changed[i].Notices); k > 0 {
			next.notice = &changed[i].Notices[k-1]
		}
		if next.active || next.over() {
			d.changes = append(d.changes, next)
		}
	}
	slices.SortStableFunc(d.changes, func(a, b change) int {
		return cmp.Or(worseFirst(a.alert, b.alert, a.over(), b.over()), cmp.Compare(a.alert.ID, b.alert.ID))
	})
	for i := range d.changes {
		if c := &d.changes[i]; c.active && !c.over() {
			for _, place := range placesOf(c.alert) {
				d.byPlace[place] = append(d.byPlace[place], i)
			}
		}
	}
	return d
}

// worseFirst orders alerts as they are told: those that hold before those that are over,
// then the higher level, then the earlier start.
func worseFirst(a, b *alert.Alert, aOver, bOver bool) int {
	return cmp.Or(trueLast(aOver, bOver), cmp.Compare(b.Level, a.Level), a.Start.Compare(b.Start))
}

func trueLast(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// all decides for everybody who follows a place of a change, or was told of one that is
// over, wherever its trails are now.
func (d *decider) all() error {
	if err := d.findEndings(); err != nil || len(d.byPlace)+len(d.endings) == 0 {
		return err
	}
	return d.tx.EachSubscription(func(s *subscription.Subscription) error {
		d.touched = append(d.touched[:0], d.endings[s.ID]...)
		for _, places := range [][]string{s.Preferences.Parks, s.Preferences.Trails} {
			for _, place := range places {
				d.touched = append(d.touched, d.byPlace[place]...)
			}
		}
		if len(d.touched) == 0 {
			return nil
		}
		slices.Sort(d.touched)
		d.touched = slices.Compact(d.touched)
		item, err := d.item(s)
		if err == nil && len(item.News) > 0 {
			d.items = append(d.items, item)
		}
		return err
	})
}

// findEndings finds those who were told of the threads that are over.
func (d *decider) findEndings() error {
	for i := range d.changes {
		if !d.changes[i].over() {
			continue
		}
		err := d.tx.EachDecided(d.changes[i].thread, func(id subscription.ID, r store.Decided) error {
			if !r.Over && r.Until.After(d.now) {
				d.endings[id] = append(d.endings[id], i)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// item decides what a person is told of the changes touched; without News it is nothing.
// It is due at the end of the person's quiet hours unless there is danger in it, and
// expires when the last of its alerts ends, after a day where it tells of an end.
func (d *decider) item(s *subscription.Subscription) (*store.Item, error) {
	item := &store.Item{Channel: s.Channel, Kind: store.NewsItem, Subscriber: s.ID, DecidedAt: d.now, Expires: d.now}
	d.threads = d.threads[:0]
	for _, i := range d.touched {
		c := &d.changes[i]
		state, err := d.thread(s.ID, c.thread)
		if err != nil {
			return nil, err
		}
		what, news := d.changeFor(&s.Preferences.Conditions, c, state)
		if !news {
			continue
		}
		item.News = append(item.News, store.News{Alert: c.alert.ID, What: what})
		if c.over() {
			item.Expires = later(item.Expires, d.now.Add(day))
		} else {
			item.Expires = later(item.Expires, c.alert.End)
			item.Urgent = item.Urgent || c.alert.Level == alert.Danger
		}
		if end, _ := quietEnd(s.Preferences.Quiet, d.now, c.zone); item.Due.IsZero() || end.Before(item.Due) {
			item.Due = end
		}
	}
	if item.Urgent {
		item.Due = d.now
	}
	return item, d.putThreads(s.ID)
}

// thread returns the state of a thread for the person at hand.
func (d *decider) thread(id subscription.ID, thread string) (*threadState, error) {
	for i := range d.threads {
		if d.threads[i].thread == thread {
			return &d.threads[i], nil
		}
	}
	last, known, err := readRecord(d.tx, thread, id, d.now)
	if !known {
		last = store.Decided{}
	}
	d.threads = append(d.threads, threadState{thread: thread, last: last, next: last, known: known})
	return &d.threads[len(d.threads)-1], err
}

// changeFor decides whether a change is news for a person and which, and notes it in the
// thread's state.
func (d *decider) changeFor(conditions *subscription.Conditions, c *change, s *threadState) (what alert.ChangeKind, news bool) {
	switch {
	case c.over():
		again := s.changed && !s.next.Over // the thread goes on with another alert
		what, news = c.notice.What, s.known && !s.last.Over && !again
	case wants(conditions, c.alert, c.zone):
		what, news = changeToTell(c.alert, c.notice, s.last, s.known, d.now)
	default:
		return 0, false
	}
	until := c.alert.End.Add(recordKept)
	switch {
	case news:
		s.next, s.changed = withAlert(s.next, c.alert, what, d.now), true
	case s.known && !s.last.Over && until.Sub(s.next.Until) > recordKept/4:
		s.next.Until, s.longer = until, true
	}
	return what, news
}

// putThreads notes the records of the person at hand. What was delivered of a thread
// that lasts longer is kept for longer too.
func (d *decider) putThreads(id subscription.ID) error {
	for i := range d.threads {
		s := &d.threads[i]
		if s.changed || s.longer {
			d.records = append(d.records, decidedRecord{s.thread, id, s.next})
		}
		if !s.longer {
			continue
		}
		r, knows, err := delivered(d.tx, s.thread, id, d.now)
		if err != nil {
			return err
		}
		if knows {
			r.Until = later(r.Until, s.next.Until)
			d.records = append(d.records, decidedRecord{s.thread + deliveredSuffix, id, r})
		}
	}
	return nil
}

// keep writes what was decided, in the order of the keys: within a transaction bbolt
// holds a bucket's new keys in one list, and to put one into the middle of hundreds of
// thousands is to move half of them.
func (d *decider) keep() error {
	slices.SortStableFunc(d.items, func(a, b *store.Item) int {
		return cmp.Or(cmp.Compare(a.Channel, b.Channel), trueLast(!a.Urgent, !b.Urgent), a.Due.Compare(b.Due))
	})
	for _, i := range d.items {
		if err := d.tx.Enqueue(i); err != nil {
			return err
		}
	}
	slices.SortStableFunc(d.records, func(a, b decidedRecord) int {
		return cmp.Or(cmp.Compare(a.of, b.of), bytes.Compare(a.id[:], b.id[:]))
	})
	for _, r := range d.records {
		if err := d.tx.PutDecided(r.of, r.id, r.record); err != nil {
			return err
		}
	}
	return nil
}
