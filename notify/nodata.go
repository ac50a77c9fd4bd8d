package notify

import (
	"errors"
	"time"

	"vigia/forecast/alert"
	"vigia/store"
	"vigia/store/subscription"
)

const (
	// dataThread is the thread of the times without estimates. Its record is kept while
	// somebody knows of one, for dataRecordKept.
	dataThread     = "datos"
	dataRecordKept = month
	// noDataAfter is how long no estimate must have been possible to be worth a
	// message, and tripNear how near a trip must be for it to matter.
	noDataAfter = 6 * time.Hour
	tripNear    = 3 * day
)

// decideNoData follows the times without estimates. Those who are about to rely on them
// are told once, and told once more when estimates are back.
func (n *Notifier) decideNoData(tx *store.Tx, c *store.Cycle) error {
	now := c.IssuedAt.UTC().Round(0)
	outage, err := tx.Outage()
	switch {
	case err != nil:
		return err
	case c.Estimates && outage == store.Outage{}:
		return nil
	case c.Estimates:
		if outage.Decided {
			err = n.enqueueData(tx, store.DataBackItem, []string{dataThread}, now)
		}
		return errors.Join(err, tx.PutOutage(store.Outage{}))
	case outage.Since.IsZero():
		return tx.PutOutage(store.Outage{Since: now})
	case outage.Decided || now.Sub(outage.Since) < noDataAfter:
		return nil
	}
	var parks []string
	for i := range c.Alerts {
		if c.Alerts[i].Active(now) {
			parks = append(parks, c.Alerts[i].Park)
		}
	}
	outage.Decided = true
	return errors.Join(n.enqueueData(tx, store.NoDataItem, parks, now), tx.PutOutage(outage))
}

// enqueueData puts an item of the data into the outbox for each of those who believe what
// they were told of some threads, or are about to be told; that data are missing also for
// those whose trip is under way or near. It waits for the end of quiet hours.
func (n *Notifier) enqueueData(tx *store.Tx, kind store.ItemKind, threads []string, now time.Time) error {
	concerned := map[subscription.ID]bool{}
	for _, thread := range threads {
		err := tx.EachDelivered(thread, func(id subscription.ID, told alert.Delivered) error {
			if told.Until.After(now) && (thread == dataThread || told.Believes()) {
				concerned[id] = true
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for channel := range subscription.Channel(subscription.NumChannels) {
		err := tx.EachItem(channel, func(i *store.Item) error {
			if kind == store.DataBackItem && i.Kind == store.NoDataItem || kind == store.NoDataItem && len(i.News) > 0 {
				concerned[i.Subscriber] = true
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return tx.EachSubscription(func(s *subscription.Subscription) error {
		if !concerned[s.ID] && (kind == store.DataBackItem || !n.hasTripNear(s, now)) {
			return nil
		}
		due, _ := quietEnd(s.Preferences.Quiet, now, zoneFor(n.o.Catalogue, &s.Preferences))
		return tx.Enqueue(&store.Item{Channel: s.Channel, Kind: kind, Subscriber: s.ID, DecidedAt: now, Due: due, Expires: now.Add(day)})
	})
}

// hasTripNear reports whether somebody's trip is under way or near.
func (n *Notifier) hasTripNear(s *subscription.Subscription, now time.Time) bool {
	if s.Preferences.Trip == nil {
		return false
	}
	from, to := tripDays(s.Preferences.Trip, n.home)
	return from.Before(now.Add(tripNear)) && now.Before(to)
}
