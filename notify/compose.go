package notify

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"vigia/forecast/alert"
	"vigia/notify/bulletin"
	"vigia/store"
	"vigia/store/subscription"
)

// letter is an item ready to be sent, or what else became of it when that was
// clear from the present.
type letter struct {
	item     store.Item
	bulletin bulletin.Bulletin
	address  string               // Email
	target   *subscription.Target // WebPush
	bounced  bool                 // the address bounced before
	tells    []told               // what its reader will have heard
	stories  []string             // what it was decided to tell of
	danger   bool                 // it goes in quiet hours too
	probe    bool                 // it tries whether sending works again

	settled bool // nothing is to be sent: outcome says why
	outcome store.Outcome
	later   time.Time // not yet: due then, zero when it goes now
	fault   error     // why it can never be sent
}

// composer makes letters of items within one read transaction. It is used again
// for the next one, since the alerts stay for an hour.
type composer struct {
	n      *Notifier
	tx     *store.Tx
	now    time.Time
	cycle  time.Time // whose alerts they are
	alerts []alert.Alert
}

// begin makes ready for a transaction. now is when the letters are composed.
func (c *composer) begin(tx *store.Tx, now time.Time) error {
	c.tx, c.now = tx, now
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

// letter composes an item of what is true now. An error means that the store
// cannot be read.
func (c *composer) letter(i *store.Item) (*letter, error) {
	l := &letter{item: *i, stories: c.stories(i)}
	if !c.now.Before(i.Expires) {
		return l.settle(store.ExpiredOutcome), nil
	}
	if i.Kind == store.ConfirmItem {
		return l, c.confirm(l)
	}
	s, err := c.tx.Subscription(i.Subscriber)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return l.settle(store.GoneOutcome), nil
	case err != nil:
		return l.fail(err), nil
	case ended(s, c.now):
		return l.settle(store.GoneOutcome), nil
	}
	l.address, l.target, l.bounced = s.Address, s.Target, s.BouncedOn != ""
	l.bulletin = c.blank(l, &s.Preferences)
	root, token := c.root(&s.Preferences), c.n.o.Keys.Token(s.ID)
	l.bulletin.Links.Manage, l.bulletin.Links.Unsubscribe = root+"/gestionar/"+token, root+"/baja/"+token
	switch i.Kind {
	case store.NoDataItem, store.DataBackItem:
		return l, c.data(l, s)
	default:
		return l, c.news(l, s)
	}
}

// stories names what an item was decided to tell of, as far as it is still known.
func (c *composer) stories(i *store.Item) (list []string) {
	if i.Kind == store.NoDataItem || i.Kind == store.DataBackItem {
		return []string{dataStory}
	}
	for _, item := range i.News {
		if a := c.alert(item.Alert); a != nil && !slices.Contains(list, storyOf(a)) {
			list = append(list, storyOf(a))
		}
	}
	return list
}

func (l *letter) settle(o store.Outcome) *letter {
	l.settled, l.outcome = true, o
	return l
}

// fail settles an item whose record is damaged: it can never be sent, and must not
// hold up the others.
func (l *letter) fail(err error) *letter {
	l.fault = err
	return l.settle(store.FailedOutcome)
}

// blank gives what all bulletins have.
func (c *composer) blank(l *letter, p *subscription.Preferences) bulletin.Bulletin {
	o := &c.n.o
	return bulletin.Bulletin{
		Language: p.Language, Now: c.now, Simulated: o.Simulated, Ref: c.ref(&l.item), Expires: l.item.Expires,
		Zone: zoneFor(o.Catalogue, p), Contact: o.Contact, Emergency: o.Catalogue.Emergency,
		Links: bulletin.Links{Home: c.root(p), Privacy: c.root(p) + "/privacidad"},
	}
}

// root gives the address of the site's pages in somebody's language.
func (c *composer) root(p *subscription.Preferences) string { return c.n.o.BaseURL + p.Language.Root() }

// ref names an item. Its number alone would not do: a file that was restored from
// a backup gives it again.
func (c *composer) ref(i *store.Item) string {
	return c.n.o.Keys.Ref([]byte("mensaje"), binary.BigEndian.AppendUint64(nil, i.Seq),
		i.Subscriber[:], i.Pending[:], binary.BigEndian.AppendUint64(nil, uint64(i.DecidedAt.UnixMilli())))
}

func (c *composer) confirm(l *letter) error {
	p, err := c.tx.Pending(l.item.Pending)
	switch {
	case errors.Is(err, store.ErrNotFound):
		l.settle(store.GoneOutcome)
		return nil
	case err != nil:
		l.fail(err)
		return nil
	case p.Used != nil, c.tx.Suppressed(c.n.o.Keys.AddressKey(subscription.Mailbox(p.Address))):
		l.settle(store.ObsoleteOutcome)
		return nil
	}
	token, h := c.n.o.Keys.Confirmation(p.Nonce)
	if h != l.item.Pending {
		l.fail(errors.New("its link was made with other keys than those in use"))
		return nil
	}
	l.address = p.Address
	l.bulletin = c.blank(l, &p.Preferences)
	l.bulletin.Kind, l.bulletin.Links.Confirm = bulletin.Confirm, c.root(&p.Preferences)+"/confirmar/"+token
	l.bulletin.Parks, l.bulletin.Trails = placeNames(c.n.o.Catalogue, &p.Preferences)
	return nil
}

// data composes a message of the estimates' absence or return, if it is still so
// and the reader does not know it yet.
func (c *composer) data(l *letter, s *subscription.Subscription) error {
	outage, err := c.tx.Outage()
	if err != nil {
		return err
	}
	before, knows, err := heard(c.tx, dataStory, s.ID, c.now)
	if err != nil {
		return err
	}
	back := l.item.Kind == store.DataBackItem
	if absent := !outage.Since.IsZero(); absent == back || knows != back {
		l.settle(store.ObsoleteOutcome)
		return nil
	}
	if c.quiet(l, s) {
		return nil
	}
	l.bulletin.Kind, l.bulletin.Since = bulletin.NoData, outage.Since
	if back {
		l.bulletin.Kind, l.bulletin.Since = bulletin.DataBack, l.item.DecidedAt
	}
	next := store.Told{At: l.item.DecidedAt, Until: l.item.DecidedAt.Add(outageRemembered), Start: before.Start, Over: back}
	l.tells = []told{{story: dataStory, Told: next}}
	return nil
}

// news composes the alerts that are still to be told, the worst first.
func (c *composer) news(l *letter, s *subscription.Subscription) error {
	welcome := l.item.Kind == store.WelcomeItem
	for _, item := range l.item.News {
		a := c.alert(item.Alert)
		if a == nil {
			continue
		}
		last, knows, err := heard(c.tx, storyOf(a), s.ID, c.now)
		if err != nil {
			return err
		}
		same, err := heardAs(c.tx, c.alerts, a, s.ID, last.At, c.now)
		if err != nil {
			return err
		}
		if c.current(a, item.What, s, last, knows, same) {
			c.add(l, s, a, item.What, last)
		}
	}
	if err := c.others(l, s); err != nil {
		return err
	}
	slices.SortStableFunc(l.bulletin.Entries, func(a, b bulletin.Entry) int {
		return worse(a.Alert, b.Alert, a.Over(), b.Over())
	})
	switch {
	case welcome:
		l.bulletin.Kind = bulletin.Welcome
		l.bulletin.Parks, l.bulletin.Trails = placeNames(c.n.o.Catalogue, &s.Preferences)
	case len(l.bulletin.Entries) == 0:
		l.settle(store.ObsoleteOutcome)
	default:
		l.bulletin.Kind = bulletin.News
		c.quiet(l, s)
	}
	return nil
}

// add puts an alert into a letter to somebody who heard last of its story.
func (c *composer) add(l *letter, s *subscription.Subscription, a *alert.Alert, what alert.ChangeKind, last store.Told) {
	over := what == alert.Ended || what == alert.Withdrawn
	l.danger = l.danger || a.Level == alert.Danger || over && last.Level == alert.Danger
	l.bulletin.Entries = append(l.bulletin.Entries, c.entry(a, what, s))
	l.tells = append(l.tells, told{story: storyOf(a), alert: a, what: what})
}

// others puts into a letter that goes what was decided in other cycles and did not
// go out yet, held by quiet hours or by a relay: it is one message, and the items
// of the rest are found obsolete when their turn comes.
func (c *composer) others(l *letter, s *subscription.Subscription) error {
	if len(l.bulletin.Entries) == 0 {
		return nil
	}
	own := len(l.tells)
	for i := range c.alerts {
		a := &c.alerts[i]
		story := storyOf(a)
		if !follows(&s.Preferences, a) || slices.ContainsFunc(l.tells[:own], func(t told) bool { return t.story == story }) {
			continue
		}
		last, open, err := undelivered(c.tx, story, s.ID, c.now)
		if err != nil {
			return err
		}
		if !open {
			continue
		}
		same, err := heardAs(c.tx, c.alerts, a, s.ID, last.At, c.now)
		if err != nil {
			return err
		}
		what, knows := since(a, last), last != store.Told{}
		if c.current(a, what, s, last, knows, same) {
			c.add(l, s, a, what, last)
			l.bulletin.Expires = later(l.bulletin.Expires, a.End)
		}
	}
	return nil
}

func (c *composer) entry(a *alert.Alert, what alert.ChangeKind, s *subscription.Subscription) bulletin.Entry {
	park := parkOf(c.n.o.Catalogue, a.Park)
	return bulletin.Entry{
		Alert: a, What: what, Park: park, Trails: trailNames(c.n.o.Catalogue, a.Park, a.Trails),
		Thread: c.n.o.Keys.Ref([]byte("hilo"), s.ID[:], []byte(a.ID)),
	}
}

// current tells whether what an item was to say of an alert is so, and is news to
// its reader, who heard last of its story, if he knows anything of it, and may have
// heard the same of the very alert.
func (c *composer) current(a *alert.Alert, what alert.ChangeKind, s *subscription.Subscription, last store.Told, knows, same bool) bool {
	if what == alert.Ended || what == alert.Withdrawn {
		return knows && !c.goesOn(storyOf(a), s)
	}
	switch {
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

// holds tells whether an alert is active, and its reader's wishes call for it.
func (c *composer) holds(a *alert.Alert, s *subscription.Subscription) bool {
	return a.Active(c.now) && follows(&s.Preferences, a) && wants(&s.Preferences.Conditions, a, zoneOf(c.n.o.Catalogue, a.Park))
}

// goesOn tells whether a story that was over has an alert again for its reader.
func (c *composer) goesOn(story string, s *subscription.Subscription) bool {
	return slices.ContainsFunc(c.alerts, func(a alert.Alert) bool { return storyOf(&a) == story && c.holds(&a, s) })
}

// quiet puts a letter off when its reader's quiet hours hold now everywhere it
// tells of, and nothing in it is danger.
func (c *composer) quiet(l *letter, s *subscription.Subscription) bool {
	if l.danger {
		return false
	}
	zones := []*time.Location{l.bulletin.Zone}
	if len(l.bulletin.Entries) > 0 {
		zones = nil
	}
	for i := range l.bulletin.Entries {
		zones = append(zones, l.bulletin.Entries[i].Park.TimeZone)
	}
	var until time.Time
	for _, zone := range zones {
		end, quiet := quietEnd(s.Preferences.Quiet, c.now, zone)
		if !quiet {
			return false
		}
		if until.IsZero() || end.Before(until) {
			until = end
		}
	}
	l.later = until
	return true
}
