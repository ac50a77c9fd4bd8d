package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// The outbox: messages decided and not yet done with, and what became of the others.
var (
	items    = table[Item]{name: []byte("items"), check: checkItem, counted: countItem} // channel, class, due, seq → JSON; the bucket's sequence is the last seq given
	outcomes = table[Outcome]{name: []byte("outcomes"), check: checkDone}               // instant, seq → JSON
)

// ItemKind is what an item of the outbox is for.
type ItemKind uint8

// The kinds of items.
const (
	ConfirmItem  ItemKind = iota // the mail that asks to confirm, the push that asks for a proof
	WelcomeItem                  // the first push
	NewsItem                     // of alerts
	NoDataItem                   // no estimate has been possible for hours
	DataBackItem                 // estimates are possible again
)

// Item is a message decided and not yet done with.
type Item struct {
	Seq        uint64               `json:"numero"` // given by Enqueue; never given again
	Channel    subscription.Channel `json:"canal"`
	Kind       ItemKind             `json:"tipo"`
	Urgent     bool                 `json:"urgente,omitempty"`   // goes before all that is not
	Subscriber subscription.ID      `json:"suscriptor,omitzero"` // of all but ConfirmItem
	Pending    subscription.Hash    `json:"pendiente,omitzero"`  // of ConfirmItem; by Web Push the key of the proof
	News       []News               `json:"avisos,omitempty"`    // of WelcomeItem and NewsItem
	DecidedAt  time.Time            `json:"decidido_en,omitzero"`
	Due        time.Time            `json:"desde,omitzero"` // not before
	Expires    time.Time            `json:"hasta,omitzero"` // of no use from then on
	Attempts   int                  `json:"intentos,omitempty"`
}

// News is what is to be told of one alert. The words are made of the alert as it is
// when the message goes.
type News struct {
	Alert string               `json:"alerta"`        // id
	What  alert.ChangeKind     `json:"cambio"`        // Opened, Raised, Moved, Ended or Withdrawn
	Told  alert.DeliveredAlert `json:"como,omitzero"` // as it was when this was decided
}

// Outcome is what became of an item. Each item has exactly one.
type Outcome uint8

// The outcomes.
const (
	DeliveredOutcome Outcome = iota // accepted by the relay or the push service
	ObsoleteOutcome                 // the present no longer called for it
	ExpiredOutcome                  // its time was over before it could go
	GoneOutcome                     // the subscription was no more
	BouncedOutcome                  // the address refused for good
	FailedOutcome                   // it could never be sent
)

// The classes of items, in the order in which they go. What asks to confirm has one of
// its own: it is drained apart.
const (
	urgentClass byte = iota
	plainClass
	confirmClass
)

// Queue is a part of the outbox that is drained by itself: the messages to the
// subscribers of a channel, or what asks to confirm by it.
type Queue struct {
	Channel    subscription.Channel
	Confirming bool
}

// classes are those of a queue, in the order in which they go.
func (q Queue) classes() []byte {
	if q.Confirming {
		return []byte{confirmClass}
	}
	return []byte{urgentClass, plainClass}
}

func itemKey(i *Item) []byte {
	class := plainClass
	switch {
	case i.Kind == ConfirmItem:
		class = confirmClass
	case i.Urgent:
		class = urgentClass
	}
	key := appendInstant([]byte{byte(i.Channel), class}, i.Due)
	return binary.BigEndian.AppendUint64(key, i.Seq)
}

func checkItem(key []byte, i *Item) error {
	if i.Kind > DataBackItem {
		return fmt.Errorf("unknown kind %d", i.Kind)
	}
	for _, news := range i.News {
		if news.What > alert.Revised {
			return fmt.Errorf("unknown change %d", news.What)
		}
	}
	if !bytes.Equal(key, itemKey(i)) {
		return errors.New("the item of another key")
	}
	return checkChannel(i.Channel)
}

// Enqueue puts an item into the outbox and gives it its Seq.
func (t *Tx) Enqueue(i *Item) (err error) {
	if i.Seq, err = t.bucket(items.name).NextSequence(); err != nil {
		return fmt.Errorf("number an item: %w", err)
	}
	return items.put(t, itemKey(i), i)
}

// Due returns up to n items of a queue that are due, the urgent first, then by the
// time they are due, without those for which skip (which may be nil) returns true.
func (t *Tx) Due(q Queue, now time.Time, n int, skip func(*Item) bool) ([]Item, error) {
	var due []Item
	for _, class := range q.classes() {
		err := items.each(t, []byte{byte(q.Channel), class}, func(_ []byte, i *Item) error {
			if len(due) >= n || i.Due.After(now) {
				return errEnough
			}
			if skip == nil || !skip(i) {
				due = append(due, *i)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return due, nil
}

// NextDue returns when the first item of a queue is due; ok is false when it is empty.
func (t *Tx) NextDue(q Queue) (first time.Time, ok bool) {
	for _, class := range q.classes() {
		_ = items.each(t, []byte{byte(q.Channel), class}, func(_ []byte, i *Item) error {
			if !ok || i.Due.Before(first) {
				first, ok = i.Due, true
			}
			return errEnough
		})
	}
	return first, ok
}

// EachItem calls do with every item of a channel.
func (t *Tx) EachItem(c subscription.Channel, do func(*Item) error) error {
	return items.each(t, []byte{byte(c)}, func(_ []byte, i *Item) error { return do(i) })
}

// Settle takes an item out of the outbox and records what became of it. ErrNotFound
// when it is not in the outbox (any more).
func (t *Tx) Settle(i *Item, o Outcome, at time.Time) error {
	if err := t.takeOut(i); err != nil {
		return err
	}
	t.bucket(outcomes.name).FillPercent = timeFillPercent
	return outcomes.put(t, binary.BigEndian.AppendUint64(appendInstant(nil, at), i.Seq), &o)
}

// Postpone leaves an item for later, with an attempt more. ErrNotFound when it is not
// in the outbox. The item given is left as it is.
func (t *Tx) Postpone(i *Item, due time.Time) error {
	later := *i
	later.Due = due
	later.Attempts++
	return t.replaceItem(i, &later)
}

// Reschedule has an item that waits due at another time, without an attempt more.
// Of the item only Channel, Kind, Urgent, Due and Seq are read. ErrNotFound when it is
// not in the outbox, or is due at another time than the item says.
func (t *Tx) Reschedule(i *Item, due time.Time) error {
	later, err := items.get(t, itemKey(i))
	if err != nil {
		return err
	}
	later.Due = due
	return t.replaceItem(i, later)
}

func (t *Tx) replaceItem(i, by *Item) error {
	if err := t.takeOut(i); err != nil {
		return err
	}
	return items.put(t, itemKey(by), by)
}

func (t *Tx) takeOut(i *Item) error {
	was, err := items.drop(t, itemKey(i))
	if err == nil && !was {
		return ErrNotFound
	}
	return err
}

func checkDone(key []byte, o *Outcome) error {
	if *o > FailedOutcome || len(key) != instantLen+8 {
		return fmt.Errorf("outcome %d, key of %d bytes", *o, len(key))
	}
	return nil
}

// EachOutcome calls do with every recorded outcome, in the order of time.
func (t *Tx) EachOutcome(do func(seq uint64, o Outcome, at time.Time) error) error {
	return outcomes.each(t, nil, func(key []byte, o *Outcome) error {
		return do(numberOf(key), *o, instantOf(key))
	})
}
