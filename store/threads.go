package store

import (
	"bytes"
	"fmt"
	"time"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// What was decided: who was told of what, which changes of alerts were decided, and
// whether estimates are missing.
var (
	threads = table[Decided]{name: []byte("threads"), check: checkDecided}  // thread, 0, id → JSON
	marks   = table[decidedMark]{name: []byte("decided"), check: checkMark} // alert id → JSON
	outages = table[Outage]{name: bucketMeta}                               // keyOutage → JSON
)

// Decided is what a subscriber was told, or is about to be, of a thread: of one hazard
// in one park, or of the data.
type Decided struct {
	At        time.Time   `json:"en"`             // when it was decided
	Before    time.Time   `json:"antes,omitzero"` // when what was told before was, zero when this is the first; a higher level does not count
	Level     alert.Level `json:"nivel"`
	Start     time.Time   `json:"comienzo,omitzero"`
	Until     time.Time   `json:"hasta,omitzero"`      // when the record may be forgotten
	Delivered bool        `json:"entregado,omitempty"` // the message went out
	Over      bool        `json:"terminado,omitempty"` // the last told is that it is over
}

// Outage is a time without estimates; the zero value is none.
type Outage struct {
	Since   time.Time `json:"desde"`
	Decided bool      `json:"avisada"`
}

// ChangedAlert is an alert that changed since who is told of it was decided last.
type ChangedAlert struct {
	Alert   *alert.Alert
	Notices []alert.Notice // those noted since, oldest first; may be none
}

func threadKey(thread string, id subscription.ID) []byte {
	return append(appendPrefix(make([]byte, 0, len(thread)+1+len(id)), thread), id[:]...)
}

// splitThread takes the key of a record apart.
func splitThread(key []byte) (thread []byte, id subscription.ID, err error) {
	end := len(key) - len(id) - 1
	if end <= 0 || bytes.IndexByte(key, 0) != end {
		return nil, id, fmt.Errorf("key %x", key)
	}
	copy(id[:], key[end+1:])
	return key[:end], id, nil
}

func checkDecided(key []byte, t *Decided) error {
	_, _, err := splitThread(key)
	if t.Level > alert.Danger {
		err = fmt.Errorf("told of level %d", t.Level)
	}
	return err
}

// Decided returns what a subscriber was told of a thread, ErrNotFound when nothing.
func (t *Tx) Decided(thread string, id subscription.ID) (Decided, error) {
	found, err := threads.get(t, threadKey(thread, id))
	if err != nil {
		return Decided{}, err
	}
	return *found, nil
}

// PutDecided keeps what a subscriber was told of a thread.
func (t *Tx) PutDecided(thread string, id subscription.ID, what Decided) error {
	if err := checkPrefix(thread); err != nil {
		return fmt.Errorf("thread %w", err)
	}
	return threads.put(t, threadKey(thread, id), &what)
}

// EachDecided calls do with everybody who was told of a thread, in the order of ids.
func (t *Tx) EachDecided(thread string, do func(subscription.ID, Decided) error) error {
	return threads.each(t, appendPrefix(nil, thread), func(key []byte, what *Decided) error {
		_, id, _ := splitThread(key)
		return do(id, *what)
	})
}

// EachThread calls do with every thread that somebody was told of.
func (t *Tx) EachThread(do func(thread string) error) error {
	bucket := t.bucket(threads.name)
	for key, _ := bucket.Cursor().First(); key != nil; {
		thread, _, found := bytes.Cut(key, []byte{0})
		next := string(thread) + "\x01"
		if !found {
			t.leaveOut(threads.name, key, errValue)
			next = string(key) + "\x00"
		} else if err := do(string(thread)); err != nil {
			return err
		}
		key, _ = bucket.Cursor().Seek([]byte(next))
	}
	return nil
}

// dropThreads forgets what a subscriber was told of every thread.
func (t *Tx) dropThreads(id subscription.ID) error {
	return t.EachThread(func(thread string) error {
		_, err := threads.drop(t, threadKey(thread, id))
		return err
	})
}

// PruneDecided forgets the records whose Until is before an instant.
func (t *Tx) PruneDecided(before time.Time) error {
	return threads.prune(t, func(_ []byte, what *Decided) bool { return what.Until.Before(before) })
}

// Outage returns the outage under way, the zero value for none.
func (t *Tx) Outage() (Outage, error) {
	return outages.value(t, keyOutage)
}

// PutOutage keeps the outage under way; the zero value ends it.
func (t *Tx) PutOutage(o Outage) error {
	if o.Since.IsZero() && !o.Decided {
		_, err := outages.drop(t, keyOutage)
		return err
	}
	return outages.put(t, keyOutage, &o)
}

// decidedMark is how an alert was when it was decided last.
type decidedMark struct {
	Version int `json:"version"`
	Notices int `json:"avisos"`
}

func markOf(a *alert.Alert) decidedMark { return decidedMark{a.Version, len(a.Notices)} }

func checkMark(_ []byte, m *decidedMark) error {
	if m.Notices < 0 {
		return fmt.Errorf("%d notices", m.Notices)
	}
	return nil
}

// undecidedError is why a cycle's Decide failed: the cycle is kept without it.
type undecidedError struct{ cause error }

func (e *undecidedError) Error() string { return e.cause.Error() }

func (e *undecidedError) Unwrap() error { return e.cause }

// decide lets the cycle decide who is told of the alerts that changed since they
// were decided last, and marks them. The marks are in the file, so that what a
// cycle could not decide the next one does.
func (t *Tx) decide(c *Cycle) error {
	changed := t.changedAlerts(c)
	if err := isolated(func() error { return c.Decide(t, c, changed) }); err != nil {
		return &undecidedError{err}
	}
	for _, each := range changed {
		mark := markOf(each.Alert)
		if err := marks.put(t, []byte(each.Alert.ID), &mark); err != nil {
			return err
		}
	}
	alerts := t.bucket(alerts.name)
	return dropKeys(t.bucket(marks.name), func(key []byte) bool { return alerts.Get(key) == nil })
}

// changedAlerts lists the cycle's alerts that are not as they were decided. One
// whose mark is damaged counts as never decided: what people were told is kept
// apart from it.
func (t *Tx) changedAlerts(c *Cycle) (changed []ChangedAlert) {
	for i := range c.Alerts {
		a := &c.Alerts[i]
		if a.Level == alert.NoLevel || t.bucket(alerts.name).Get([]byte(a.ID)) == nil {
			continue
		}
		before, err := marks.get(t, []byte(a.ID))
		if err != nil {
			before = &decidedMark{Version: -1}
		}
		if *before != markOf(a) {
			changed = append(changed, ChangedAlert{Alert: a, Notices: a.Notices[min(before.Notices, len(a.Notices)):]})
		}
	}
	return changed
}
