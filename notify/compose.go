package notify

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"vigia/forecast/alert"
	"vigia/notify/message"
	"vigia/store"
	"vigia/store/notices"
	"vigia/store/subscription"
)

// composer composes items within one read transaction. It is used again for the next
// one, since the alerts stay for an hour.
type composer struct {
	n      *Notifier
	tx     *store.Tx
	now    time.Time
	cycle  time.Time                 // of the alerts
	alerts map[string][]*alert.Alert // by park
	// official has the notices of official bodies, read when a transaction first needs
	// them.
	official *notices.Set
}

// begin prepares for a transaction at an instant.
func (c *composer) begin(tx *store.Tx, now time.Time) error {
	c.tx, c.now, c.official = tx, now, nil
	cycle, err := tx.LastTime()
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if c.alerts == nil || !cycle.Equal(c.cycle) {
		all, err := tx.Alerts()
		c.alerts, c.cycle = byPark(all), cycle
		return err
	}
	return nil
}

// delivery composes an item from the present state. An error means that the store
// cannot be read.
func (c *composer) delivery(i *store.Item) (*delivery, error) {
	d := &delivery{item: *i, at: c.now}
	switch {
	case !c.now.Before(i.Expires):
		d.finish(store.ExpiredOutcome)
		return d, nil
	case isProof(i):
		c.proof(d)
		return d, nil
	case i.Kind == store.ConfirmItem:
		c.confirmation(d)
		return d, nil
	}
	s, err := c.tx.Subscription(i.Subscriber)
	switch {
	case err != nil:
		d.drop(err)
		return d, nil
	case ended(s, c.now):
		d.finish(store.GoneOutcome)
		return d, nil
	case !s.SuspendedAt.IsZero():
		d.finish(store.BouncedOutcome)
		return d, nil
	}
	d.address, d.target, d.keys = s.Address, s.Target, c.n.o.Keys.since(s.CreatedAt)
	d.message = c.blank(d, &s.Preferences)
	root, token := c.root(&s.Preferences), c.n.o.Keys.Token(s.ID)
	d.message.Links.Manage, d.message.Links.Unsubscribe = root+"/gestionar/"+token, root+"/baja/"+token
	if i.Kind == store.NoDataItem || i.Kind == store.DataBackItem {
		return d, c.data(d, s)
	}
	return d, c.alertChanges(d, s)
}

// blank returns what all messages have.
func (c *composer) blank(d *delivery, p *subscription.Preferences) message.Message {
	o := &c.n.o
	return message.Message{
		Language: p.Language, Now: c.now, Simulated: o.Capture != nil, Ref: c.ref(&d.item), Expires: d.item.Expires,
		Zone: zoneFor(o.Catalogue, p), Contact: o.Contact, Emergency: o.Catalogue.Emergency,
		Links: message.Links{Home: c.root(p), Privacy: c.root(p) + "/privacidad"},
	}
}

// root returns the address of the site's pages in somebody's language.
func (c *composer) root(p *subscription.Preferences) string { return c.n.o.BaseURL + p.Language.Root() }

// ref names an item. Its number alone would not do: a file that was restored from
// a backup gives it again.
func (c *composer) ref(i *store.Item) string {
	return c.n.o.Keys.Ref([]byte("mensaje"), binary.BigEndian.AppendUint64(nil, i.Seq),
		i.Subscriber[:], i.Pending[:], binary.BigEndian.AppendUint64(nil, uint64(i.DecidedAt.UnixMilli())))
}

// confirmation composes the mail that asks to confirm.
func (c *composer) confirmation(d *delivery) {
	p, err := c.tx.Pending(d.item.Pending)
	switch {
	case err != nil:
		d.drop(err)
		return
	case p.Used != nil, c.n.suppressed(c.tx, subscription.Mailbox(p.Address), c.now):
		d.finish(store.ObsoleteOutcome)
		return
	}
	token, ours := c.n.o.Keys.Confirmed(p.Nonce, d.item.Pending)
	if !ours {
		d.drop(errors.New("its link was made with other keys than those in use"))
		return
	}
	d.address, d.message = p.Address, c.askToConfirm(d, &p.Preferences)
	d.message.Links.Confirm = c.root(&p.Preferences) + "/confirmar/" + token
}

// askToConfirm returns what both messages that ask to confirm have.
func (c *composer) askToConfirm(d *delivery, p *subscription.Preferences) message.Message {
	m := c.blank(d, p)
	m.Kind = message.Confirm
	m.Parks, m.Trails = placeNames(c.n.o.Catalogue, p)
	return m
}

// data composes a message of missing or returned estimates, if it still holds
// and the reader does not know it yet.
func (c *composer) data(d *delivery, s *subscription.Subscription) error {
	outage, err := c.tx.Outage()
	if err != nil {
		return err
	}
	before, err := c.tx.Delivered(dataThread, s.ID, c.now)
	if err != nil {
		return err
	}
	knows := !before.Until.IsZero()
	back := d.item.Kind == store.DataBackItem
	if missing := !outage.Since.IsZero(); missing == back || knows != back {
		d.finish(store.ObsoleteOutcome)
		return nil
	}
	if d.message.Kind, d.message.Since = message.NoData, outage.Since; back {
		d.message.Kind, d.message.Since = message.DataBack, d.item.DecidedAt
	}
	d.told = map[string]alert.Delivered{dataThread: {}}
	if !back {
		d.told[dataThread] = alert.Delivered{Until: d.item.DecidedAt.Add(dataRecordKept)}
	}
	c.holdInQuietHours(d, s)
	return nil
}

// alertChanges composes all that there is to tell of the places that its reader follows,
// or that the item was decided for, the worst first. It is one message: the other items
// that wait for the same reader are found obsolete when their turn comes.
func (c *composer) alertChanges(d *delivery, s *subscription.Subscription) error {
	var waits time.Time // for the first of what is not due yet
	d.told = map[string]alert.Delivered{}
	for _, park := range c.parksOf(d, s) {
		told, err := c.tx.Delivered(park, s.ID, c.now)
		if err != nil {
			return err
		}
		for _, n := range told.News(c.alerts[park], filterFor(&s.Preferences, parkOf(c.n.o.Catalogue, park)), c.now) {
			if n.Due.After(c.now) {
				if waits.IsZero() || n.Due.Before(waits) {
					waits = n.Due
				}
				continue
			}
			d.danger = d.danger || n.Part.Level == alert.Danger && !n.Over()
			d.message.Entries = append(d.message.Entries, c.entry(&n, s))
			d.message.Expires = later(d.message.Expires, n.Part.End)
			told.Add(&n.Part, n.What, n.Filter, c.now)
			d.told[park] = told
		}
	}
	slices.SortStableFunc(d.message.Entries, func(a, b message.Entry) int {
		return worseFirst(a.Alert, b.Alert, a.Over(), b.Over())
	})
	switch {
	case d.item.Kind == store.WelcomeItem:
		d.message.Kind = message.Welcome
		d.message.Parks, d.message.Trails = placeNames(c.n.o.Catalogue, &s.Preferences)
	case len(d.message.Entries) > 0:
		d.message.Kind = message.Alerts
		c.holdInQuietHours(d, s)
	case waits.IsZero():
		d.finish(store.ObsoleteOutcome)
	default:
		d.later = waits
	}
	return nil
}

// parksOf returns the parks that a message may be about, each once.
func (c *composer) parksOf(d *delivery, s *subscription.Subscription) []string {
	parks := parksOf(&s.Preferences)
	for _, n := range d.item.News {
		for park, alerts := range c.alerts {
			if slices.ContainsFunc(alerts, func(a *alert.Alert) bool { return a.ID == n.Alert }) {
				parks = append(parks, park)
			}
		}
	}
	slices.Sort(parks)
	return slices.Compact(parks)
}

func (c *composer) entry(n *alert.News, s *subscription.Subscription) message.Entry {
	a := &n.Part
	e := message.Entry{
		Alert: a, What: n.What, Park: parkOf(c.n.o.Catalogue, a.Park), Trails: trailNames(c.n.o.Catalogue, a.Park, a.Trails),
		ThreadRef: c.n.o.Keys.Ref([]byte("hilo"), s.ID[:], []byte(a.ID)),
	}
	if i, known := c.n.o.Catalogue.ParkBySlug(a.Park); known {
		if c.official == nil {
			set, _ := c.tx.Notices() // one that cannot be read counts as unknown
			c.official = &set
		}
		if c.n.o.Sun != nil {
			e.Sun = c.n.o.Sun(i)
		}
		e.Closures, e.Volcanic = c.official.InForce(c.n.o.Catalogue, i, c.now, a.Trails)
	}
	return e
}

// holdInQuietHours has a message wait when its reader's quiet hours hold now at every
// place in it, and nothing in it is danger.
func (c *composer) holdInQuietHours(d *delivery, s *subscription.Subscription) {
	if d.danger {
		return
	}
	zones := []*time.Location{d.message.Zone}
	if len(d.message.Entries) > 0 {
		zones = nil
	}
	for i := range d.message.Entries {
		zones = append(zones, d.message.Entries[i].Park.TimeZone)
	}
	var until time.Time
	for _, zone := range zones {
		end, quiet := quietEnd(s.Preferences.Quiet, c.now, zone)
		if !quiet {
			return
		}
		if until.IsZero() || end.Before(until) {
			until = end
		}
	}
	d.later = until
}
