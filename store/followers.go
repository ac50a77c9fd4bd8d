package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// The parts of a follower that are not always there.
const (
	hasQuiet = 1 << iota
	hasTrip
)

// appendFollower appends what decides whether a subscriber is told.
func appendFollower(b []byte, channel subscription.Channel, c *subscription.Conditions) []byte {
	parts := byte(0)
	if c.Quiet != nil {
		parts |= hasQuiet
	}
	if c.Trip != nil {
		parts |= hasTrip
	}
	b = append(b, byte(channel), byte(c.MinLevel), parts)
	b = binary.BigEndian.AppendUint16(b, uint16(c.Hazards))
	if c.Quiet != nil {
		b = binary.BigEndian.AppendUint16(b, c.Quiet.From)
		b = binary.BigEndian.AppendUint16(b, c.Quiet.To)
	}
	if c.Trip != nil {
		b = appendText(appendText(b, string(c.Trip.From)), string(c.Trip.To))
	}
	return b
}

// followerRoom is a follower with room for its parts, filled again for each one.
type followerRoom struct {
	Follower
	quiet subscription.Quiet
	trip  subscription.Trip
}

// decode fills in all of a follower but its ID.
func (f *followerRoom) decode(key, value []byte) error {
	payload, err := unsealFor(key, value)
	if err != nil {
		return err
	}
	r := reader{b: payload}
	f.Channel = subscription.Channel(r.byte())
	f.Conditions = subscription.Conditions{MinLevel: alert.Level(r.byte())}
	parts := r.byte()
	f.Hazards = subscription.HazardSet(r.uint16())
	if parts&hasQuiet != 0 {
		f.quiet = subscription.Quiet{From: r.uint16(), To: r.uint16()}
		f.Quiet = &f.quiet
	}
	if parts&hasTrip != 0 {
		f.trip = subscription.Trip{From: subscription.Date(r.text()), To: subscription.Date(r.text())}
		f.Trip = &f.trip
	}
	if err := r.end(); err != nil {
		return err
	}
	if err := errors.Join(checkChannel(f.Channel), checkConditions(&f.Conditions)); err != nil || parts > hasQuiet|hasTrip {
		return fmt.Errorf("%w: not a follower: %w", errValue, err)
	}
	return nil
}

func (r *reader) uint16() uint16 { return binary.BigEndian.Uint16(r.take(2)) }

// place is the followers of one place, the first not yet given at hand.
type place struct {
	*stream
	id          []byte // nil at the end
	key, record []byte
}

func (p *place) advance() {
	p.key, p.record = p.next()
	p.id = nil
	if p.key != nil {
		p.id = p.key[len(p.prefix):]
	}
}

// EachFollower gives every subscriber who follows one of the places (slugs of parks,
// "park/trail" of trails) once, in the order of ids, with the indexes of the places
// that he follows. The arguments of do are good until it returns.
func (t *Tx) EachFollower(places []string, do func(f *Follower, at []int) error) error {
	bucket := t.tx.Bucket(bucketFollowers)
	open := make([]place, len(places))
	for i, name := range places {
		open[i].stream = newStream(bucket, appendPrefix(nil, name))
		open[i].advance()
	}
	room, at, first := followerRoom{}, make([]int, 0, len(places)), []byte(nil)
	for {
		if first = lowest(open, first[:0]); first == nil {
			return nil
		}
		at = at[:0]
		for i := range open {
			p := &open[i]
			if p.id == nil || !bytes.Equal(p.id, first) {
				continue
			}
			if t.followerAt(p, &room) {
				at = append(at, i)
			}
			p.advance()
		}
		if len(at) == 0 {
			continue
		}
		if err := do(&room.Follower, at); err != nil {
			return err
		}
	}
}

// lowest copies the lowest id at hand into b, nil when all places are at their end.
func lowest(open []place, b []byte) []byte {
	first := []byte(nil)
	for i := range open {
		if id := open[i].id; id != nil && (first == nil || bytes.Compare(id, first) < 0) {
			first = id
		}
	}
	if first == nil {
		return nil
	}
	return append(b, first...)
}

// followerAt reads the follower at hand. An index that is damaged does not keep
// anybody from being told: his subscription says the same.
func (t *Tx) followerAt(p *place, room *followerRoom) bool {
	key := reader{b: p.id}
	id := key.id()
	err := key.end()
	if err == nil {
		if err = room.decode(p.key, p.record); err == nil {
			room.ID = id
			return true
		}
	}
	t.leaveOut(bucketFollowers, p.key, err)
	return t.followerOf(id, string(p.prefix[:len(p.prefix)-1]), room)
}

// followerOf makes a follower of a subscription that follows a place.
func (t *Tx) followerOf(id subscription.ID, place string, room *followerRoom) bool {
	s, err := t.Subscription(id)
	if err != nil {
		return false
	}
	for _, places := range [][]string{s.Preferences.Parks, s.Preferences.Trails} {
		for _, name := range places {
			if name == place {
				room.Follower = Follower{ID: id, Channel: s.Channel, Conditions: s.Preferences.Conditions}
				return true
			}
		}
	}
	return false
}

// EachWithTrip gives every subscriber who has a trip.
func (t *Tx) EachWithTrip(do func(f *Follower) error) error {
	room := followerRoom{}
	return each(t.tx.Bucket(bucketTrips), nil, func(k, v []byte) error {
		if err := room.decode(k, v); err != nil || len(k) != len(room.ID) {
			t.leaveOut(bucketTrips, k, err)
			return nil
		}
		copy(room.ID[:], k)
		return do(&room.Follower)
	})
}
