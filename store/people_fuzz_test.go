package store

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"vigia/store/subscription"
)

// Every decoder of what is about people takes any bytes: sealed rightly, they are
// refused as a value that does not decode or read to something that can be used.
// What is read is written again to the same bytes where the form is our own.

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
	return sealFor(key, append(unsealed(len(payload)), payload...))
}

func FuzzItem(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		i := randomItem(r)
		key := itemKey(&i)
		f.Add(key, sealedItem(key, &i)[headLen:])
	}
	f.Add([]byte{}, []byte{})
	f.Add(make([]byte, itemKeyLen), bytes.Repeat([]byte{0xff}, 80))
	f.Fuzz(func(t *testing.T, key, payload []byte) {
		_, err := decodeItem(key, payload)
		decodes(t, err)
		i, err := decodeItem(key, sealedAs(key, payload))
		if !decodes(t, err) {
			return
		}
		if checkItem(&i) != nil || len(i.News) > len(payload) {
			t.Fatalf("%+v", i)
		}
		again, err := decodeItem(itemKey(&i), sealedItem(itemKey(&i), &i))
		if err != nil || again.Seq != i.Seq || !again.Due.Equal(i.Due) || len(again.News) != len(i.News) {
			t.Fatalf("%+v came back as %+v, %v", i, again, err)
		}
	})
}

func FuzzTold(f *testing.F) {
	key := toldKey("a/viento", idOf(1))
	f.Add(key, sealedTold(key, &Told{At: testHour, Level: 2, Start: testHour, Until: testHour, Over: true})[headLen:])
	f.Add([]byte{0}, []byte{4, 9})
	f.Fuzz(func(t *testing.T, key, payload []byte) {
		if _, _, err := splitTold(key); !decodes(t, err) {
			return
		}
		told, err := decodeTold(key, sealedAs(key, payload))
		if !decodes(t, err) {
			return
		}
		if again, err := decodeTold(key, sealedTold(key, &told)); err != nil || again != told {
			t.Fatalf("%+v came back as %+v, %v", told, again, err)
		}
	})
}

func FuzzFollower(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 20 {
		one := randomSubscription(r, n, []string{"a"})
		f.Add([]byte("a\x00"), appendFollower(nil, one.Channel, &one.Preferences.Conditions))
	}
	f.Fuzz(func(t *testing.T, key, payload []byte) {
		room := followerRoom{}
		if !decodes(t, room.decode(key, sealedAs(key, payload))) {
			return
		}
		_ = room.Channel.String() + room.MinLevel.String()
		second := followerRoom{}
		if err := second.decode(key, sealedAs(key, appendFollower(nil, room.Channel, &room.Conditions))); err != nil {
			t.Fatalf("%+v: %v", room, err)
		}
	})
}

// FuzzSmall is of the small forms and the JSON ones.
func FuzzSmall(f *testing.F) {
	one := byPush(2, "a")
	for _, v := range []any{
		one, byMail(1, []string{"a"}), &subscription.Request{Address: "a@b.cl", Preferences: one.Preferences},
		&subscription.Pending{Address: "a@b.cl", Preferences: one.Preferences}, &Outage{Since: testHour},
	} {
		value, err := sealedJSON(one.ID[:], v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(one.ID[:], value[headLen:])
	}
	h := subscription.Hash{1}
	f.Add(h[:], []byte(`{"email":"a@b.cl","preferencias":{"nivel_minimo":1,"idioma":255}}`))
	f.Add(seqKey(7), []byte(`null`))
	f.Add([]byte("a"), sealedMark([]byte("a"), decidedMark{1, 2})[headLen:])
	f.Add(appendInstant(nil, testHour), appendMoment(appendMoment(nil, testHour), testHour))
	f.Fuzz(func(t *testing.T, key, payload []byte) {
		value := sealedAs(key, payload)
		if s, err := decodeSubscription(key, value); decodes(t, err) {
			_, _ = s.Channel.String()+s.Preferences.Language.String(), indexEntries(s)
		}
		if p, err := decodePending(key, value); decodes(t, err) {
			_ = p.Preferences.MinLevel.String()
		}
		r, err := decodeRequest(key, value)
		if decodes(t, err) && r.Address == "" {
			t.Fatalf("%+v", r)
		}
		_, err = decodeMailed(key, value)
		decodes(t, err)
		_, err = decodeMark(key, value)
		decodes(t, err)
		_, err = decodeID(key, value)
		decodes(t, err)
		_, err = decodeEnding(key, value)
		decodes(t, err)
		_, _, _, err = decodeOutcome(key, value)
		decodes(t, err)
		_, err = decodeOutage(seal(append(unsealed(len(payload)), payload...)))
		decodes(t, err)
	})
}
