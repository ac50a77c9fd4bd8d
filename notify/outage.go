package notify

import (
	"errors"
	"time"

	"vigia/forecast/alert"
	"vigia/store"
	"vigia/store/subscription"
)

const (
	// outageTold is how long no estimate must have been possible to be worth a
	// message, and tripNear how near a trip must be for it to matter.
	outageTold = 6 * time.Hour
	tripNear   = 3 * 24 * time.Hour
)

// decideOutage follows the times without estimates: who is about to rely on them
// is told once, and those told are told once that they are back.
func (n *Notifier) decideOutage(tx *store.Tx, c *store.Cycle) error {
	now := c.IssuedAt.UTC().Round(0)
	outage, err := tx.Outage()
	if err != nil {
		return err
	}
	switch {
	case c.Estimates && outage == store.Outage{}:
		return nil
	case c.Estimates:
		if outage.Told {
			if err := n.tellBack(tx, now); err != nil {
				return err
			}
		}
		return tx.PutOutage(store.Outage{})
	case outage.Since.IsZero():
		return tx.PutOutage(store.Outage{Since: now})
	case outage.Told || now.Sub(outage.Since) < outageTold:
		return nil
	}
	if err := n.tellOutage(tx, c.Alerts, now); err != nil {
		return err
	}
	outage.Told = true
	return tx.PutOutage(outage)
}

// tellOutage tells those whose trip is under way or near, and those to whom an
// alert was told that is not over.
func (n *Notifier) tellOutage(tx *store.Tx, alerts []alert.Alert, now time.Time) error {
	var ids []subscription.ID
	err := tx.EachWithTrip(func(f *store.Follower) error {
		from, to := tripDays(f.Trip, n.home)
		if from.Before(now.Add(tripNear)) && now.Before(to) {
			ids = append(ids, f.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	stories := map[string]bool{}
	for i := range alerts {
		story := storyOf(&alerts[i])
		if !alerts[i].Active(now) || stories[story] {
			continue
		}
		stories[story] = true
		err := tx.EachTold(story, func(id subscription.ID, told store.Told) error {
			if !told.Over && told.Until.After(now) {
				ids = append(ids, id)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return n.tellOfData(tx, ids, store.NoDataItem, now)
}

func (n *Notifier) tellBack(tx *store.Tx, now time.Time) error {
	var ids []subscription.ID
	err := tx.EachTold(dataStory, func(id subscription.ID, told store.Told) error {
		if !told.Over && told.Until.After(now) {
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return n.tellOfData(tx, ids, store.DataBackItem, now)
}

// tellOfData puts a message of the data for each of the people into the outbox,
// once for each. It waits for the end of quiet hours as all that is no danger.
func (n *Notifier) tellOfData(tx *store.Tx, ids []subscription.ID, kind store.ItemKind, now time.Time) error {
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
			tx.PutTold(dataStory, id, store.Told{At: now, Until: now.Add(outageRemembered), Over: kind == store.DataBackItem}),
			tx.Enqueue(&store.Item{Channel: s.Channel, Kind: kind, Subscriber: id, DecidedAt: now, Due: due, Expires: now.Add(aDay)}),
		)
		if err != nil {
			return err
		}
	}
	return nil
}
