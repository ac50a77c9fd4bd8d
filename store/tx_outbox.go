package store

import (
	"time"

	"vigia/store/subscription"
)

// Enqueue puts an item into the outbox and gives it its Seq.
func (t *Tx) Enqueue(i *Item) error { panic("unwritten") }

// Due gives up to n items of a channel that are due, the urgent first, then by the
// time they are due, without those that skip (which may be nil) tells to leave out.
func (t *Tx) Due(c subscription.Channel, now time.Time, n int, skip func(*Item) bool) ([]Item, error) {
	panic("unwritten")
}

// NextDue tells when the first item of a channel is due.
func (t *Tx) NextDue(c subscription.Channel) (time.Time, bool) { panic("unwritten") }

// Settle takes an item out of the outbox and records what became of it. ErrNotFound
// when it is not in the outbox (any more).
func (t *Tx) Settle(i *Item, o Outcome, at time.Time) error { panic("unwritten") }

// Postpone leaves an item for later, with an attempt more. ErrNotFound when it is not
// in the outbox.
func (t *Tx) Postpone(i *Item, due time.Time) error { panic("unwritten") }

// EachItem gives every item of a channel.
func (t *Tx) EachItem(c subscription.Channel, do func(*Item) error) error { panic("unwritten") }

// EachOutcome gives every recorded outcome, in the order of time.
func (t *Tx) EachOutcome(do func(seq uint64, o Outcome, at time.Time) error) error {
	panic("unwritten")
}

// PruneOutcomes forgets those recorded before an instant.
func (t *Tx) PruneOutcomes(before time.Time) error { panic("unwritten") }

// Told gives what a subscriber was told of a story, ErrNotFound when nothing.
func (t *Tx) Told(story string, id subscription.ID) (Told, error) { panic("unwritten") }

// PutTold keeps what a subscriber was told of a story.
func (t *Tx) PutTold(story string, id subscription.ID, told Told) error { panic("unwritten") }

// EachTold gives everybody who was told of a story, in the order of ids.
func (t *Tx) EachTold(story string, do func(subscription.ID, Told) error) error { panic("unwritten") }

// EachStory gives every story that somebody was told of.
func (t *Tx) EachStory(do func(story string) error) error { panic("unwritten") }

// PruneTold forgets the records whose Until is before an instant.
func (t *Tx) PruneTold(before time.Time) error { panic("unwritten") }

// Outage gives the outage under way, the zero value for none.
func (t *Tx) Outage() (Outage, error) { panic("unwritten") }

// PutOutage keeps it.
func (t *Tx) PutOutage(o Outage) error { panic("unwritten") }

// Queued tells how many items of a channel are in the outbox, from memory.
func (s *Store) Queued(c subscription.Channel) int { panic("unwritten") }
