package notify

import (
	"errors"
	"time"

	"vigia/forecast/alert"
	"vigia/store"
	"vigia/store/subscription"
)

const (
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
	if err != nil {
		return err
	}
	switch {
	case c.Estimates && outage == store.Outage{}:
		return nil
	case c.Estimates:
		if outage.Decided {
			ids, err := believers(tx, dataThread, nil, now)
			if err == nil {
				err = n.enqueueData(tx, ids, store.DataBackItem, now)
			}
			if err != nil {
				return err
			}
		}
		return tx.PutOutage(store.Outage{})
	case outage.Since.IsZero():
		return tx.PutOutage(store.Outage{Since: now})
	case outage.Decided || now.Sub(outage.Since) < noDataAfter:
		return nil
	}
	ids, err := n.reliant(tx, c.Alerts, now)
	if err == nil {
		err = n.enqueueData(tx, ids, store.NoDataItem, now)
	}
	if err != nil {
		return err
	}
	outage.Decided = true
	return tx.PutOutage(outage)
}

// reliant returns those whose trip is under way or near, and those who were told of an
// alert that is not over.
func (n *Notifier) reliant(tx *store.Tx, alerts []alert.Alert, now time.Time) (ids []subscription.ID, err error) {
	err = tx.EachWithTrip(func(f *store.Follower) error {
		from, to := tripDays(f.Trip, n.home)
		if from.Before(now.Add(tripNear)) && now.Before(to) {
			ids = append(ids, f.ID)
		}
		return nil
	})
	threads := map[string]bool{}
	for i := range alerts {
		thread := threadOf(&alerts[i])
		if err != nil || !alerts[i].Active(now) || threads[thread] {
			continue
		}
		threads[thread] = true
		ids, err = believers(tx, thread, ids, now)
	}
	return ids, err
}

// believers appends those who were told of a thread, and not that it is over.
func believers(tx *store.Tx, thread string, ids []subscription.ID, now time.Time) ([]subscription.ID, error) {
	err := tx.EachDecided(thread, func(id subscription.ID, r store.Decided) error {
		if !r.Over && r.Until.After(now) {
			ids = append(ids, id)
		}
		return nil
	})
	return ids, err
}

// enqueueData puts an item of the data into the outbox for each of the people, once
// each. It waits for the end of quiet hours.
func (n *Notifier) enqueueData(tx *store.Tx, ids []subscription.ID, kind store.ItemKind, now time.Time) error {
	done := make(map[subscription.ID]bool, len(ids))
	for _, id := range ids {
		if done[id] {
			continue
		}
		done[id] = true
		s, err := tx.Subscription(id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		due, _ := quietEnd(s.Preferences.Quiet, now, zoneFor(n.o.Catalogue, &s.Preferences))
		err = errors.Join(
			tx.PutDecided(dataThread, id, store.Decided{At: now, Until: now.Add(dataRecordKept), Over: kind == store.DataBackItem}),
			tx.Enqueue(&store.Item{Channel: s.Channel, Kind: kind, Subscriber: id, DecidedAt: now, Due: due, Expires: now.Add(day)}),
		)
		if err != nil {
			return err
		}
	}
	return nil
}
