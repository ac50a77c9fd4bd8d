package store

import (
	"errors"
	"time"

	"go.etcd.io/bbolt"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// Tx is a transaction on subscriptions and outbox. What it gives is copied out
// and outlives it, and is as it was just before where do changes it on the way. A
// record that is damaged is left out of lists and logged once; only who asks for it
// by name gets a DamagedError.
type Tx struct {
	store *Store
	tx    *bbolt.Tx

	// What this transaction changes of the counts in memory.
	queued     [subscription.NumChannels]int
	confirming int
	waiting    int
	counting   bool // the change of the counts is on its way
}

// View runs do in a read transaction. do begins no other transaction; its panic comes
// back as an error.
func (s *Store) View(what string, do func(*Tx) error) error {
	return s.view(what, func(tx *bbolt.Tx) error {
		return spared(func() error { return do(&Tx{store: s, tx: tx}) })
	})
}

// Update runs do in a write transaction. When it returns nil everything done is on
// stable storage; when do fails or panics, which comes back as an error, nothing is.
// do begins no other transaction. When do changed nothing, nothing is written.
func (s *Store) Update(what string, do func(*Tx) error) error {
	err := s.update(what, func(tx *bbolt.Tx) error {
		err := spared(func() error { return do(&Tx{store: s, tx: tx}) })
		if stats := tx.Stats(); err == nil && stats.GetNodeCount() == 0 { // bbolt makes a node of each page to be changed
			err = errUnchanged
		}
		return err
	})
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}

// errUnchanged ends a transaction that has nothing to commit.
var errUnchanged = errors.New("nothing was changed")

// count has the counts in memory follow once the transaction is kept.
func (t *Tx) count() {
	if t.counting {
		return
	}
	t.counting = true
	t.tx.OnCommit(func() {
		for c, by := range t.queued {
			t.store.queued[c].Add(int64(by))
		}
		t.store.confirming.Add(int64(t.confirming))
		t.store.waiting.Add(int64(t.waiting))
	})
}

// Alerts gives every alert kept.
func (t *Tx) Alerts() ([]alert.Alert, error) {
	var alerts []alert.Alert
	err := each(t.tx.Bucket(bucketAlerts), nil, func(k, v []byte) error {
		a, err := decodeAlert(k, v)
		if err != nil {
			t.leaveOut(bucketAlerts, k, err)
			return nil
		}
		alerts = append(alerts, a)
		return nil
	})
	return alerts, err
}

// Alert gives an alert, ErrNotFound when it is no longer kept.
func (t *Tx) Alert(id string) (*alert.Alert, error) {
	value := t.tx.Bucket(bucketAlerts).Get([]byte(id))
	if value == nil {
		return nil, ErrNotFound
	}
	a, err := decodeAlert([]byte(id), value)
	if err != nil {
		return nil, t.damaged(bucketAlerts, []byte(id), err)
	}
	return &a, nil
}

// LastTime is the IssuedAt of the last cycle kept, zero when there was none.
func (t *Tx) LastTime() (time.Time, error) {
	value := t.tx.Bucket(bucketMeta).Get(keyLast)
	if value == nil {
		return time.Time{}, nil
	}
	last, err := unsealTime(value)
	if err != nil {
		return time.Time{}, t.damaged(bucketMeta, keyLast, err)
	}
	return last, nil
}

// ItemKind is what an item of the outbox is for.
type ItemKind uint8

// The kinds of items.
const (
	ConfirmItem  ItemKind = iota // the mail that asks to confirm
	WelcomeItem                  // the first push
	NewsItem                     // of alerts
	NoDataItem                   // no estimate has been possible for hours
	DataBackItem                 // estimates are possible again
)

// Item is a message decided and not yet done with.
type Item struct {
	Seq        uint64 // given by Enqueue; never given again
	Channel    subscription.Channel
	Kind       ItemKind
	Urgent     bool              // goes before all that is not
	Subscriber subscription.ID   // of all but ConfirmItem
	Pending    subscription.Hash // of ConfirmItem
	News       []News            // of WelcomeItem and NewsItem
	DecidedAt  time.Time
	Due        time.Time // not before
	Expires    time.Time // of no use from then on
	Attempts   int
}

// News is what is to be told of one alert. The words are made of the alert as it is
// when the message goes.
type News struct {
	Alert string           // id
	What  alert.ChangeKind // Opened, Raised, Moved, Ended or Withdrawn
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

// Told is what a subscriber was told, or is about to be, of a story: of one hazard
// in one park, or of the data.
type Told struct {
	At        time.Time // when it was decided
	Before    time.Time // when what was told before was, zero when this is the first; a higher level does not count
	Level     alert.Level
	Start     time.Time
	Until     time.Time // when the record may be forgotten
	Delivered bool      // the message went out
	Over      bool      // the last told is that it is over
}

// Follower is a subscriber who follows a place, with what decides whether he is told.
type Follower struct {
	ID      subscription.ID
	Channel subscription.Channel
	subscription.Conditions
}

// ChangedAlert is an alert that changed since who is told of it was decided last.
type ChangedAlert struct {
	Alert   *alert.Alert
	Notices []alert.Notice // those noted since, oldest first; may be none
}

// Outage is a time without estimates; the zero value is none.
type Outage struct {
	Since time.Time `json:"desde"`
	Told  bool      `json:"avisada"`
}
