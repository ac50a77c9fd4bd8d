package store

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"vigia/store/notices"
)

func volcanicBatch(level notices.Level) notices.Batch {
	return notices.Batch{Kind: notices.Volcanoes, ObtainedAt: testHour, Volcanic: []notices.Volcanic{{
		Volcano: "villarrica", Level: level, Source: "SERNAGEOMIN", SourceURL: "https://x.cl", PublishedAt: testHour, ObtainedAt: testHour,
	}}}
}

var closureBatch = notices.Batch{Kind: notices.Closures, ObtainedAt: testHour.Add(time.Hour), Closures: []notices.Closure{
	{Park: "a", Trail: "b", Situation: "cerrado", Detail: "ñ", From: testHour, Source: "CONAF", SourceURL: "https://x.cl", ObtainedAt: testHour},
}}

func TestNoticesReplaceTheirKindAndNoOther(t *testing.T) {
	path := newPath(t)
	s := openStore(t, path)
	if set, err := s.Notices(); err != nil || !set[0].ObtainedAt.IsZero() || set[notices.Closures].Kind != notices.Closures {
		t.Fatalf("before any: %+v, %v", set, err)
	}
	must(t, s.SaveNotices(volcanicBatch(notices.Red), closureBatch))
	must(t, s.SaveNotices(volcanicBatch(notices.Green)))
	want := notices.Set{volcanicBatch(notices.Green), closureBatch}
	if set, err := s.Notices(); err != nil || !reflect.DeepEqual(set, want) {
		t.Errorf("got %+v, %v\nwant %+v", set, err, want)
	}
	empty := notices.Batch{Kind: notices.Closures, ObtainedAt: testHour}
	must(t, s.SaveNotices(empty))
	checkAndClose(t, s)
	again := openStore(t, path)
	want[notices.Closures] = empty
	if set, err := again.Notices(); err != nil || !reflect.DeepEqual(set, want) {
		t.Errorf("after a restart: %+v, %v", set, err)
	}
}

// A notice whose bytes turned over on the disk is unknown, never another level, and
// costs the other kind nothing.
func TestDamagedNoticesAreUnknown(t *testing.T) {
	s := openStore(t, newPath(t))
	must(t, s.SaveNotices(volcanicBatch(notices.Red), closureBatch))
	for name, damage := range map[string]func(value []byte) []byte{
		"a bit":         func(v []byte) []byte { v[len(v)/2] ^= 4; return v },
		"cut short":     func(v []byte) []byte { return v[:len(v)-3] },
		"no JSON":       func([]byte) []byte { return sealedAs([]byte("volcanes"), []byte("{x}")) },
		"unknown level": func([]byte) []byte { return sealedAs([]byte("volcanes"), []byte(`{"volcanes":[{"nivel":9}]}`)) },
	} {
		err := s.update("damage", func(tx *Tx) error {
			bucket := tx.bucket(batches.name)
			value := damage(append([]byte(nil), bucket.Get([]byte("volcanes"))...))
			return bucket.Put([]byte("volcanes"), value)
		})
		must(t, err)
		set, err := s.Notices()
		if damaged := (*DamagedError)(nil); !errors.As(err, &damaged) {
			t.Errorf("%s: %v", name, err)
		}
		if set[notices.Volcanoes].Len() != 0 || !set[notices.Volcanoes].ObtainedAt.IsZero() || !reflect.DeepEqual(set[notices.Closures], closureBatch) {
			t.Errorf("%s: %+v", name, set)
		}
		if err := s.Check(t.Context()); err == nil {
			t.Errorf("%s: the check finds nothing", name)
		}
		must(t, s.SaveNotices(volcanicBatch(notices.Red)))
	}
}
