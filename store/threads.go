package store

import (
	"bytes"
	"fmt"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store/subscription"
)

// Who was told of what, how alerts were when that was decided last, and whether
// estimates are missing.
var (
	threads = table[alert.Delivered]{name: []byte("threads"), check: checkDelivered} // thread, 0, id → JSON
	marks   = table[decidedMark]{name: []byte("decided")}                            // alert id → JSON
	outages = table[Outage]{name: bucketMeta}                                        // keyOutage → JSON
)

// Outage is a time without estimates; the zero value is none.
type Outage struct {
	Since   time.Time `json:"desde"`
	Decided bool      `json:"avisada"`
}

func threadKey(thread string, id subscription.ID) []byte {
	return append(appendPrefix(make([]byte, 0, len(thread)+1+len(id)), thread), id[:]...)
}

// readerOf returns who was told, by the key of a record.
func readerOf(key []byte) (id subscription.ID, err error) {
	end := len(key) - len(id) - 1
	if end <= 0 || bytes.IndexByte(key, 0) != end {
		return id, fmt.Errorf("key %x", key)
	}
	copy(id[:], key[end+1:])
	return id, nil
}

func checkDelivered(key []byte, d *alert.Delivered) error {
	_, err := readerOf(key)
	for _, told := range d.Alerts {
		if told.Level > alert.Danger || int(told.Hazard) >= hazard.NumHazards {
			err = fmt.Errorf("told of level %d of hazard %d", told.Level, told.Hazard)
		}
	}
	return err
}

// Delivered returns what a subscriber was told of a thread: the alerts of a park, by its
// slug, or that data are missing. It is the zero value when that was nothing, or is past
// its time.
func (t *Tx) Delivered(thread string, id subscription.ID, now time.Time) (alert.Delivered, error) {
	d, err := threads.value(t, threadKey(thread, id))
	if !d.Until.After(now) {
		d = alert.Delivered{}
	}
	return d, err
}

// PutDelivered keeps what a subscriber was told of a thread.
func (t *Tx) PutDelivered(thread string, id subscription.ID, d alert.Delivered) error {
	if err := checkPrefix(thread); err != nil {
		return fmt.Errorf("thread %w", err)
	}
	return threads.put(t, threadKey(thread, id), &d)
}

// EachDelivered calls do with everybody who was told of a thread, in the order of ids.
func (t *Tx) EachDelivered(thread string, do func(subscription.ID, alert.Delivered) error) error {
	return threads.each(t, appendPrefix(nil, thread), func(key []byte, d *alert.Delivered) error {
		id, _ := readerOf(key)
		return do(id, *d)
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

// decidedMark is how an alert was when it was decided last: its version, and how many
// of its tracks were not over.
type decidedMark struct {
	Version int `json:"version"`
	Ahead   int `json:"por_venir"`
}

func markOf(a *alert.Alert) decidedMark {
	mark := decidedMark{Version: a.Version}
	for i := range a.Tracks {
		if !a.Tracks[i].Over {
			mark.Ahead++
		}
	}
	return mark
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
	for _, a := range changed {
		mark := markOf(a)
		if err := marks.put(t, []byte(a.ID), &mark); err != nil {
			return err
		}
	}
	alerts := t.bucket(alerts.name)
	return dropKeys(t.bucket(marks.name), func(key []byte) bool { return alerts.Get(key) == nil })
}

// changedAlerts lists the cycle's alerts that are not as they were decided. One
// whose mark is damaged counts as never decided: what people were told is kept
// apart from it.
func (t *Tx) changedAlerts(c *Cycle) (changed []*alert.Alert) {
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
			changed = append(changed, a)
		}
	}
	return changed
}
