package store

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"vigia/store/subscription"
)

// A transaction that changes nothing leaves the file as it was, byte for byte; every
// one that changes something is there after a restart, however little it is.
func TestATransactionWithoutAChangeWritesNothing(t *testing.T) {
	path := newPath(t)
	s := openStore(t, path)
	keep(t, s, func(tx *Tx) error { return tx.PutSubscription(byMail(1, []string{"lauca"})) })
	read := func() []byte {
		t.Helper()
		content, err := os.ReadFile(path)
		must(t, err)
		return content
	}
	before := read()
	keep(t, s, func(tx *Tx) error {
		_, err := tx.Subscription(idOf(1))
		return errors.Join(err, tx.Forget(testHour))
	})
	if !bytes.Equal(before, read()) {
		t.Error("a transaction that only read was written")
	}
	for n, change := range []func(tx *Tx) error{
		func(tx *Tx) error { return tx.PutKeyMark("mark") },
		func(tx *Tx) error {
			return tx.PutDelivered("lauca", idOf(1), deliveredAt(testHour))
		},
		func(tx *Tx) error {
			return tx.Enqueue(&Item{Kind: NewsItem, Channel: subscription.Email, Subscriber: idOf(1), Due: testHour, Expires: testHour})
		},
		func(tx *Tx) error { _, err := tx.Erase(idOf(1)); return err },
	} {
		before := read()
		keep(t, s, change)
		if bytes.Equal(before, read()) {
			t.Errorf("change %d was not written", n)
		}
	}
}
