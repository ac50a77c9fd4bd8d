package notify

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"vigia/forecast/alert"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/subscription"
)

// Decide decides who is told what of a cycle and puts one message for each of them
// into the outbox. The store calls it in the transaction that keeps the cycle. It
// costs nothing when nothing changed, and otherwise by those who follow a place of
// what did.
func (n *Notifier) Decide(tx *store.Tx, c *store.Cycle, changed []store.ChangedAlert) error {
	if err := n.decideOutage(tx, c); err != nil {
		return fmt.Errorf("decide who is told of missing data: %w", err)
	}
	if len(changed) == 0 {
		return nil
	}
	d := newDecision(tx, c.Catalogue, c.IssuedAt.UTC().Round(0), changed)
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

// decision is the deciding of one cycle, or of one person who subscribes.
type decision struct {
	tx      *store.Tx
	now     time.Time
	changes []change         // the worst first
	at      map[string][]int // changes by the place under which they are followed
	endings map[subscription.ID][]int
	items   []*store.Item // decided on and not yet kept
	marks   []decidedTold // likewise

	touched []int       // changes that may concern the person at hand
	stories []storyMark // what he was told of their stories
}

// decidedTold is what a person will have been told of a story.
type decidedTold struct {
	story string
	id    subscription.ID
	told  store.Told
}

// keep writes what was decided, in the order of the keys: within a transaction bbolt
// holds a bucket's new keys in one list, and to put one into the middle of hundreds of
// thousands is to move half of them.
func (d *decision) keep() error {
	slices.SortStableFunc(d.items, func(a, b *store.Item) int {
		return cmp.Or(cmp.Compare(a.Channel, b.Channel), urgentFirst(a, b), a.Due.Compare(b.Due))
	})
	for _, i := range d.items {
		if err := d.tx.Enqueue(i); err != nil {
			return err
		}
	}
	slices.SortStableFunc(d.marks, func(a, b decidedTold) int {
		return cmp.Or(cmp.Compare(a.story, b.story), bytes.Compare(a.id[:], b.id[:]))
	})
	for _, m := range d.marks {
		if err := d.tx.PutTold(m.story, m.id, m.told); err != nil {
			return err
		}
	}
	return nil
}

func urgentFirst(a, b *store.Item) int {
	switch {
	case a.Urgent == b.Urgent:
		return 0
	case a.Urgent:
		return -1
	}
	return 1
}

// change is an alert that changed.
type change struct {
	alert  *alert.Alert
	story  string
	zone   *time.Location
	active bool
	notice *alert.Notice // the newest since the last decision, nil for none
}

func (c *change) over() bool {
	return c.notice != nil && (c.notice.What == alert.Ended || c.notice.What == alert.Withdrawn)
}

// storyMark is what was decided to be told to a person of a story before, and with
// what this decision adds.
type storyMark struct {
	story      string
	last, next store.Told
	known, new bool
	longer     bool // the alert lasts longer than when it was told
}

func newDecision(tx *store.Tx, parks *catalogue.Catalogue, now time.Time, changed []store.ChangedAlert) *decision {
	d := &decision{tx: tx, now: now, at: map[string][]int{}, endings: map[subscription.ID][]int{}}
	for i := range changed {
		a := changed[i].Alert
		next := change{alert: a, story: storyOf(a), zone: zoneOf(parks, a.Park), active: a.Active(d.now)}
		if k := len(changed[i].Notices); k > 0 {
			next.notice = &changed[i].Notices[k-1]
		}
		if next.active || next.over() {
			d.changes = append(d.changes, next)
		}
	}
	slices.SortStableFunc(d.changes, func(a, b change) int {
		return cmp.Or(worse(a.alert, b.alert, a.over(), b.over()), cmp.Compare(a.alert.ID, b.alert.ID))
	})
	for i := range d.changes {
		if c := &d.changes[i]; c.active && !c.over() {
			for _, place := range placesOf(c.alert) {
				d.at[place] = append(d.at[place], i)
			}
		}
	}
	return d
}

// worse orders alerts as they are told: what holds before what is over, the higher
// level, the earlier start.
func worse(a, b *alert.Alert, aOver, bOver bool) int {
	switch {
	case aOver != bOver && aOver:
		return 1
	case aOver != bOver:
		return -1
	}
	return cmp.Or(cmp.Compare(b.Level, a.Level), a.Start.Compare(b.Start))
}

func (d *decision) all() error {
	told, err := d.findEndings()
	if err != nil {
		return err
	}
	places := make([]string, 0, len(d.at))
	for place := range d.at {
		places = append(places, place)
	}
	slices.Sort(places)
	if len(places) > 0 {
		err = d.tx.EachFollower(places, func(f *store.Follower, at []int) error {
			d.touched = d.touched[:0]
			for _, i := range at {
				d.touched = append(d.touched, d.at[places[i]]...)
			}
			return d.person(f)
		})
		if err != nil {
			return err
		}
	}
	for _, id := range told {
		if err := d.formerFollower(id); err != nil {
			return err
		}
	}
	return nil
}

// findEndings finds those to whom something was told of the stories that are over,
// wherever their trails are now.
func (d *decision) findEndings() (ids []subscription.ID, err error) {
	for i := range d.changes {
		if !d.changes[i].over() {
			continue
		}
		err := d.tx.EachTold(d.changes[i].story, func(id subscription.ID, told store.Told) error {
			if told.Over || !told.Until.After(d.now) {
				return nil
			}
			if len(d.endings[id]) == 0 {
				ids = append(ids, id)
			}
			d.endings[id] = append(d.endings[id], i)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// formerFollower tells of endings to one who follows no place of what changed
// otherwise.
func (d *decision) formerFollower(id subscription.ID) error {
	if len(d.endings[id]) == 0 {
		return nil // had them with the rest
	}
	s, err := d.tx.Subscription(id)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	d.touched = d.touched[:0]
	return d.person(&store.Follower{ID: id, Channel: s.Channel, Conditions: s.Preferences.Conditions})
}

// person decides what one person is told of the changes touched, and of endings.
func (d *decision) person(f *store.Follower) error {
	d.touched = append(d.touched, d.endings[f.ID]...)
	delete(d.endings, f.ID)
	slices.Sort(d.touched)
	d.touched = slices.Compact(d.touched)
	list, due, err := d.choose(f)
	if err != nil || len(list) == 0 {
		return err
	}
	d.items = append(d.items, d.item(store.NewsItem, f, list, due))
	return nil
}

// choose picks what of the changes touched is told to a person, and when at the
// earliest: at the end of his quiet hours unless there is danger among it.
func (d *decision) choose(f *store.Follower) (list []store.News, due time.Time, err error) {
	d.stories = d.stories[:0]
	danger := false
	for _, i := range d.touched {
		c := &d.changes[i]
		mark, err := d.mark(f.ID, c.story)
		if err != nil {
			return nil, due, err
		}
		what, tell := d.toldTo(f, c, mark)
		if !tell {
			continue
		}
		list = append(list, store.News{Alert: c.alert.ID, What: what})
		danger = danger || c.alert.Level == alert.Danger || c.over() && mark.last.Level == alert.Danger
		if end, _ := quietEnd(f.Quiet, d.now, c.zone); due.IsZero() || end.Before(due) {
			due = end
		}
	}
	if danger {
		due = d.now
	}
	return list, due, d.putMarks(f.ID)
}

// mark finds what was decided before of a story for the person at hand.
func (d *decision) mark(id subscription.ID, story string) (*storyMark, error) {
	for i := range d.stories {
		if d.stories[i].story == story {
			return &d.stories[i], nil
		}
	}
	last, known, err := recorded(d.tx, story, id, d.now)
	if !known {
		last = store.Told{}
	}
	d.stories = append(d.stories, storyMark{story: story, last: last, next: last, known: known})
	return &d.stories[len(d.stories)-1], err
}

// toldTo decides whether a change is told to a person and as what, and marks it.
func (d *decision) toldTo(f *store.Follower, c *change, m *storyMark) (what alert.ChangeKind, tell bool) {
	switch {
	case c.over():
		again := m.new && !m.next.Over // the story goes on with another alert
		what, tell = c.notice.What, m.known && !m.last.Over && !again
	case wants(&f.Conditions, c.alert, c.zone):
		what, tell = news(c.alert, c.notice, m.last, m.known, d.now)
	default:
		return 0, false
	}
	until := c.alert.End.Add(remembered)
	switch {
	case tell:
		m.next, m.new = with(m.next, c.alert, what, d.now), true
	case m.known && !m.last.Over && until.Sub(m.next.Until) > remembered/4:
		m.next.Until, m.longer = until, true
	}
	return what, tell
}

// putMarks notes what was decided for the person at hand.
func (d *decision) putMarks(id subscription.ID) error {
	for i := range d.stories {
		m := &d.stories[i]
		if !m.new && !m.longer {
			continue
		}
		d.marks = append(d.marks, decidedTold{m.story, id, m.next})
		if m.longer {
			if err := d.remember(m, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// remember keeps for longer what the person at hand heard of a story that lasts.
func (d *decision) remember(m *storyMark, id subscription.ID) error {
	told, knows, err := heard(d.tx, m.story, id, d.now)
	if err != nil || !knows {
		return err
	}
	told.Until = later(told.Until, m.next.Until)
	d.marks = append(d.marks, decidedTold{m.story + heardSuffix, id, told})
	return nil
}

// item makes a message of news. It is of use until the last of its alerts ends,
// and for a day where it tells of an end.
func (d *decision) item(kind store.ItemKind, f *store.Follower, list []store.News, due time.Time) *store.Item {
	i := &store.Item{
		Channel: f.Channel, Kind: kind, Subscriber: f.ID, News: list,
		DecidedAt: d.now, Due: due, Expires: d.now,
	}
	for _, k := range d.touched {
		c := &d.changes[k]
		told := slices.ContainsFunc(list, func(n store.News) bool { return n.Alert == c.alert.ID })
		switch {
		case told && c.over():
			i.Expires = later(i.Expires, d.now.Add(aDay))
		case told:
			i.Expires = later(i.Expires, c.alert.End)
			i.Urgent = i.Urgent || c.alert.Level == alert.Danger
		}
	}
	return i
}
