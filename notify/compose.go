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
	cycle  time.Time // of the alerts
	alerts []alert.Alert
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
		c.alerts, err = tx.Alerts()
		c.cycle = cycle
		return err
	}
	return nil
}

func (c *composer) alert(id string) *alert.Alert {
	if i := slices.IndexFunc(c.alerts, func(a alert.Alert) bool { return a.ID == id }); i >= 0 {
		return &c.alerts[i]
	}
	return nil
}

// delivery composes an item from the present state. An error means that the store
// cannot be read.
func (c *composer) delivery(i *store.Item) (*delivery, error) {
	d := &delivery{item: *i, threads: c.threads(i), at: c.now}
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

// threads names those that an item was decided for, as far as they are still known.
func (c *composer) threads(i *store.Item) (list []string) {
	if i.Kind == store.NoDataItem || i.Kind == store.DataBackItem {
		return []string{dataThread}
	}
	for _, item := range i.News {
		if a := c.alert(item.Alert); a != nil && !slices.Contains(list, threadOf(a)) {
			list = append(list, threadOf(a))
		}
	}
	return list
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
	before, knows, err := delivered(c.tx, dataThread, s.ID, c.now)
	if err != nil {
		return err
	}
	back := d.item.Kind == store.DataBackItem
	if missing := !outage.Since.IsZero(); missing == back || knows != back {
		d.finish(store.ObsoleteOutcome)
		return nil
	}
	if d.message.Kind, d.message.Since = message.NoData, outage.Since; back {
		d.message.Kind, d.message.Since = message.DataBack, d.item.DecidedAt
	}
	next := store.Decided{At: d.item.DecidedAt, Until: d.item.DecidedAt.Add(dataRecordKept), Start: before.Start, Over: back}
	d.updates = []threadUpdate{{thread: dataThread, record: next}}
	c.holdInQuietHours(d, s)
	return nil
}

// news composes the alerts that are still to be told, the worst first.
func (c *composer) alertChanges(d *delivery, s *subscription.Subscription) error {
	for _, item := range d.item.News {
		a := c.alert(item.Alert)
		if a == nil {
			continue
		}
		last, knows, err := delivered(c.tx, threadOf(a), s.ID, c.now)
		if err == nil {
			err = c.addIfNew(d, s, a, item.What, last, knows)
		}
		if err != nil {
			return err
		}
	}
	if err := c.addUndelivered(d, s); err != nil {
		return err
	}
	slices.SortStableFunc(d.message.Entries, func(a, b message.Entry) int {
		return worseFirst(a.Alert, b.Alert, a.Over(), b.Over())
	})
	switch {
	case d.item.Kind == store.WelcomeItem:
		d.message.Kind = message.Welcome
		d.message.Parks, d.message.Trails = placeNames(c.n.o.Catalogue, &s.Preferences)
	case len(d.message.Entries) == 0:
		d.finish(store.ObsoleteOutcome)
	default:
		d.message.Kind = message.Alerts
		c.holdInQuietHours(d, s)
	}
	return nil
}

// addUndelivered adds to a message that goes what was decided in other cycles and was not
// delivered yet, held by quiet hours or by a relay: it is one message, and the items
// of the rest are found obsolete when their turn comes.
func (c *composer) addUndelivered(d *delivery, s *subscription.Subscription) error {
	own := len(d.updates)
	for i := range c.alerts {
		a := &c.alerts[i]
		thread := threadOf(a)
		if own == 0 || !follows(&s.Preferences, a) || slices.ContainsFunc(d.updates[:own], func(u threadUpdate) bool { return u.thread == thread }) {
			continue
		}
		last, open, err := undelivered(c.tx, thread, s.ID, c.now)
		before := len(d.updates)
		if err == nil && open {
			err = c.addIfNew(d, s, a, changeSince(a, last), last, last != store.Decided{})
		}
		if err != nil {
			return err
		}
		if len(d.updates) > before {
			d.message.Expires = later(d.message.Expires, a.End)
		}
	}
	return nil
}

// addIfNew adds an alert to a message if it holds and is news to its reader: last was
// delivered of its thread, if the reader knows of it.
func (c *composer) addIfNew(d *delivery, s *subscription.Subscription, a *alert.Alert, what alert.ChangeKind, last store.Decided, knows bool) error {
	same, err := sameDelivered(c.tx, c.alerts, a, s.ID, last.At, c.now)
	if err != nil || !c.isNew(a, what, s, last, knows, same) {
		return err
	}
	d.danger = d.danger || a.Level == alert.Danger && !over(what)
	d.message.Entries = append(d.message.Entries, c.entry(a, what, s))
	d.updates = append(d.updates, threadUpdate{thread: threadOf(a), alert: a, what: what})
	return nil
}

func (c *composer) entry(a *alert.Alert, what alert.ChangeKind, s *subscription.Subscription) message.Entry {
	e := message.Entry{
		Alert: a, What: what, Park: parkOf(c.n.o.Catalogue, a.Park), Trails: trailNames(c.n.o.Catalogue, a.Park, a.Trails),
		ThreadRef: c.n.o.Keys.Ref([]byte("hilo"), s.ID[:], []byte(a.ID)),
	}
	if i, known := c.n.o.Catalogue.ParkBySlug(a.Park); known {
		if c.official == nil {
			set, _ := c.tx.Notices() // one that cannot be read counts as unknown
			c.official = &set
		}
		e.Closures, e.Volcanic = c.official.InForce(c.n.o.Catalogue, i, c.now, a.Trails)
	}
	return e
}

// isNew reports whether a change of an alert still holds and is news to its reader. last
// was delivered of the alert's thread, if the reader knows of it; same says that the very
// alert was delivered as it is.
func (c *composer) isNew(a *alert.Alert, what alert.ChangeKind, s *subscription.Subscription, last store.Decided, knows, same bool) bool {
	switch {
	case over(what):
		return knows && !c.threadHolds(threadOf(a), s)
	case !c.holds(a, s) || knows && same:
		return false
	case !knows || a.Level > last.Level:
		return true
	case what == alert.Opened:
		return a.Start.Sub(last.Start).Abs() >= earlier
	default:
		return what == alert.Moved && last.Start.Sub(a.Start) >= earlier
	}
}

// holds reports whether an alert is active and meets its reader's preferences.
func (c *composer) holds(a *alert.Alert, s *subscription.Subscription) bool {
	return a.Active(c.now) && follows(&s.Preferences, a) && wants(&s.Preferences.Conditions, a, parkOf(c.n.o.Catalogue, a.Park).TimeZone)
}

// threadHolds reports whether an alert of a thread holds for a reader.
func (c *composer) threadHolds(thread string, s *subscription.Subscription) bool {
	return slices.ContainsFunc(c.alerts, func(a alert.Alert) bool { return threadOf(&a) == thread && c.holds(&a, s) })
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
