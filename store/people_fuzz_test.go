package store

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// Every decoder of what is about people takes any bytes: sealed rightly, they are
// refused as a value that does not decode or read to something that can be used.

// decodes wants an error of the kind that leaves a record out, or none.
func decodes(t *testing.T, err error) bool {
	t.Helper()
	if err != nil && !errors.Is(err, errValue) && !errors.Is(err, ErrNewerSchema) {
		t.Fatalf("another kind of error: %v", err)
	}
	return err == nil
}

// sealedAs makes a value that passes the checksum.
func sealedAs(key, payload []byte) []byte {
	return seal(key, append(unsealed(len(payload)), payload...))
}

// decodesAgain wants a record that decodes to be written again to one that decodes alike.
func decodesAgain[T any](t *testing.T, b table[T], key, payload []byte) {
	t.Helper()
	_, err := b.decode(key, payload)
	decodes(t, err)
	v, err := b.decode(key, sealedAs(key, payload))
	if !decodes(t, err) {
		return
	}
	value, err := b.encode(key, v)
	if err != nil {
		t.Fatalf("%s: %+v cannot be written again: %v", b.name, v, err)
	}
	again, err := b.decode(key, value)
	if err != nil {
		t.Fatalf("%s: %+v cannot be read again: %v", b.name, v, err)
	}
	if rewritten, err := b.encode(key, again); err != nil || !bytes.Equal(rewritten, value) {
		t.Fatalf("%s: %+v came back as %+v, %v", b.name, v, again, err)
	}
}

func FuzzRecords(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	add := func(key []byte, v any) {
		value, err := sealJSON(key, v)
		must(f, err)
		f.Add(key, value[headLen:])
	}
	for range 20 {
		i := randomItem(r)
		add(itemKey(&i), &i)
	}
	one := byPush(2, "a")
	h := subscription.Hash{1}
	add(one.ID[:], one)
	add(threadKey("a", idOf(1)), &alert.Delivered{Alerts: []alert.DeliveredAlert{{At: testHour, Level: 2}}, Sent: []time.Time{testHour}, Until: testHour})
	add(seqKey(7), &subscription.Request{Address: "a@b.cl", Preferences: one.Preferences})
	add(h[:], &subscription.Pending{Address: "a@b.cl", Preferences: one.Preferences})
	add(endpointKey(one.Target.Endpoint), &subscription.Proof{Target: *one.Target, Preferences: one.Preferences})
	add([]byte("a"), decidedMark{1, 2})
	add(keyOutage, &Outage{Since: testHour})
	add(one.ID[:], testHour)
	f.Add([]byte{}, []byte{})
	f.Add(h[:], []byte(`{"email":"a@b.cl","preferencias":{"nivel_minimo":1,"idioma":255}}`))
	f.Add(seqKey(7), []byte(`null`))
	f.Add(itemKey(&Item{}), []byte(`{"tipo":1,"avisos":[],"desde":"2026-07-04T15:01:00Z"}`))
	f.Fuzz(func(t *testing.T, key, payload []byte) {
		decodesAgain(t, items, key, payload)
		decodesAgain(t, outcomes, key, payload)
		decodesAgain(t, threads, key, payload)
		decodesAgain(t, subscriptions, key, payload)
		decodesAgain(t, erased, key, payload)
		decodesAgain(t, requests, key, payload)
		decodesAgain(t, pendings, key, payload)
		decodesAgain(t, proofs, key, payload)
		decodesAgain(t, marks, key, payload)
		decodesAgain(t, outages, key, payload)
	})
}
