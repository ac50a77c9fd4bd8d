package notify

import (
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
func (n *Notifier) Decide(tx *store.Tx, c *store.Cycle, changed []*alert.Alert) error {
	if err := n.decideNoData(tx, c); err != nil {
		return fmt.Errorf("decide who is told of missing data: %w", err)
	}
	if len(changed) == 0 {
		return nil
	}
	d := newDecider(tx, c.Catalogue, c.IssuedAt.UTC().Round(0), c.Alerts)
	err := d.all(changed)
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
	parks   *catalogue.Catalogue
	alerts  map[string][]*alert.Alert         // by park
	waiting map[subscription.ID][]*store.Item // in the outbox, of alerts
	items   []*store.Item                     // decided and not yet kept
}

func newDecider(tx *store.Tx, parks *catalogue.Catalogue, now time.Time, alerts []alert.Alert) *decider {
	return &decider{tx: tx, now: now, parks: parks, alerts: byPark(alerts), waiting: map[subscription.ID][]*store.Item{}}
}

// all decides for everybody who follows the park of a changed alert, or was told of its
// alerts, wherever they look now.
func (d *decider) all(changed []*alert.Alert) error {
	followed, told := map[string]bool{}, map[subscription.ID][]string{}
	for _, a := range changed {
		if followed[a.Park] {
			continue
		}
		followed[a.Park] = true
		err := d.tx.EachDelivered(a.Park, func(id subscription.ID, before alert.Delivered) error {
			if before.Until.After(d.now) && before.Believes() {
				told[id] = append(told[id], a.Park)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := d.readWaiting(); err != nil {
		return err
	}
	return d.tx.EachSubscription(func(s *subscription.Subscription) error {
		parks := slices.DeleteFunc(parksOf(&s.Preferences), func(park string) bool { return !followed[park] })
		if parks = append(parks, told[s.ID]...); len(parks) == 0 {
			return nil
		}
		items, err := d.itemsFor(s, parks, nil)
		d.items = append(d.items, items...)
		return err
	})
}

// readWaiting reads what waits in the outbox: it was decided and is not decided again.
func (d *decider) readWaiting() error {
	for channel := range subscription.Channel(subscription.NumChannels) {
		err := d.tx.EachItem(channel, func(i *store.Item) error {
			if len(i.News) > 0 {
				d.waiting[i.Subscriber] = append(d.waiting[i.Subscriber], i)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// itemsFor decides what a person is told of some parks: one item, and another for what
// has to wait for longer than quiet hours. first, which may be nil, is an item that goes in
// any case, and takes what need not wait.
func (d *decider) itemsFor(s *subscription.Subscription, parks []string, first *store.Item) (items []*store.Item, err error) {
	if first != nil {
		items = append(items, first)
	}
	slices.Sort(parks)
	for _, park := range slices.Compact(parks) {
		told, err := d.told(s.ID, park)
		if err != nil {
			return nil, err
		}
		place := parkOf(d.parks, park)
		for _, n := range told.News(d.alerts[park], filterFor(&s.Preferences, place), d.now) {
			due, expires, urgent := timing(&n, s.Preferences.Quiet, place.TimeZone)
			if !due.Before(expires) {
				continue
			}
			item, waits := first, n.Due.After(d.now)
			if at := slices.IndexFunc(items, func(i *store.Item) bool { return i.Due.Equal(due) }); at >= 0 {
				item = items[at]
			} else if item == nil || waits {
				item = &store.Item{Channel: s.Channel, Kind: store.NewsItem, Subscriber: s.ID, DecidedAt: d.now, Due: due}
				items = append(items, item)
			}
			if !waits && first == nil {
				first = item
			}
			item.Due, item.Expires, item.Urgent = earliest(item.Due, due), later(item.Expires, expires), item.Urgent || urgent
			item.News = append(item.News, store.News{Alert: n.Part.ID, What: n.What, Told: told.Add(&n.Part, n.What, n.Filter, d.now)})
		}
	}
	return items, nil
}

// told returns what a person was told of a park, or is about to be.
func (d *decider) told(id subscription.ID, park string) (alert.Delivered, error) {
	told, err := d.tx.Delivered(park, id, d.now)
	if err == nil && told.Renew(d.alerts[park]) {
		err = d.tx.PutDelivered(park, id, told)
	}
	sent := told.Sent
	for _, i := range d.waiting[id] {
		for _, n := range i.News {
			if slices.ContainsFunc(d.alerts[park], func(a *alert.Alert) bool { return a.ID == n.Alert }) {
				told.Take(n.Told)
			}
		}
	}
	told.Sent = sent // what waits may never go, and has to find room when it does
	return told, err
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
	return nil
}
