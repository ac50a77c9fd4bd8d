package store

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/store/subscription"
)

// peopleModel is what the store must say of people and messages, in plain maps.
type peopleModel struct {
	subscriptions map[subscription.ID]*subscription.Subscription
	requests      map[uint64]subscription.Request
	pending       map[subscription.Hash]subscription.Pending
	mailed        map[subscription.AddressKey][]time.Time
	suppressed    map[subscription.AddressKey]bool
	items         map[uint64]Item
	outcomes      map[uint64]Outcome
	told          map[string]map[subscription.ID]alert.Delivered
	decided       map[string]string // alert id → version and notices
	erased        bool
}

// peopleTrial is a random walk over store and model side by side.
type peopleTrial struct {
	trial
	places []string
	alerts map[string]alert.Alert
	want   peopleModel
}

func TestPeopleAreKeptAsMapsKeepThem(t *testing.T) {
	for range 4 {
		seed := rand.Uint64()
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { walkAmongPeople(t, seed, 400) })
	}
}

func walkAmongPeople(t *testing.T, seed uint64, steps int) {
	w := &peopleTrial{
		trial:  trial{t: t, r: rand.New(rand.NewPCG(seed, 1)), path: newPath(t), now: testHour},
		places: []string{"a", "a-b", "b", "c"}, alerts: map[string]alert.Alert{},
		want: peopleModel{
			subscriptions: map[subscription.ID]*subscription.Subscription{}, requests: map[uint64]subscription.Request{},
			pending: map[subscription.Hash]subscription.Pending{}, mailed: map[subscription.AddressKey][]time.Time{},
			suppressed: map[subscription.AddressKey]bool{}, items: map[uint64]Item{}, outcomes: map[uint64]Outcome{},
			told: map[string]map[subscription.ID]alert.Delivered{}, decided: map[string]string{},
		},
	}
	w.open()
	defer func() { checkAndClose(t, w.store) }()
	moves := []func(*Tx){
		w.subscribe, w.subscribe, w.subscribe, w.erase, w.request, w.dropRequest, w.putPending, w.dropPending,
		w.mail, w.enqueue, w.enqueue, w.settle, w.postpone, w.tell, w.tell, w.prune, w.expire,
	}
	for n := range steps {
		switch w.r.IntN(12) {
		case 0:
			w.cycle()
		case 1:
			w.reopen()
		case 2:
			must(t, w.store.Compact())
			w.want.erased = false
		case 3:
			w.lose()
		default:
			must(t, w.store.Update("several", func(tx *Tx) error {
				for range 1 + w.r.IntN(5) {
					moves[w.r.IntN(len(moves))](tx)
				}
				return nil
			}))
		}
		w.now = w.now.Add(time.Duration(w.r.IntN(20)) * time.Minute)
		if n%10 == 0 {
			w.compare()
		}
		if t.Failed() {
			return
		}
	}
	w.compare()
}

// lose does things in a transaction that is not kept.
func (w *peopleTrial) lose() {
	seq, _ := some(w.r, w.want.items)
	waits := w.want.items[seq] // one that is not in the outbox when nothing is
	err := w.store.Update("lost", func(tx *Tx) error {
		id := idOf(w.r.IntN(30))
		one := byMail(100, w.places)
		_ = tx.Settle(&waits, GoneOutcome, w.now) // none when nothing waits
		_, err := tx.Erase(id)
		must(w.t, errors.Join(err, tx.PutSubscription(one), tx.Enqueue(&Item{}), tx.PutDelivered("x", id, alert.Delivered{})))
		if w.r.IntN(2) == 0 {
			panic("not kept")
		}
		return errors.New("not kept")
	})
	if err == nil || !strings.Contains(err.Error(), "not kept") {
		w.t.Fatal(err)
	}
}

// some gives a random key of a map, in an order that the seed decides.
func some[K comparable, V any](r *rand.Rand, m map[K]V) (key K, ok bool) {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return key, false
	}
	slices.SortFunc(keys, func(a, b K) int { return bytes.Compare(fmt.Append(nil, a), fmt.Append(nil, b)) })
	return keys[r.IntN(len(keys))], true
}

func (w *peopleTrial) subscribe(tx *Tx) {
	one := randomSubscription(w.r, w.r.IntN(30), w.places)
	if one.Channel == subscription.Email && w.r.IntN(4) == 0 {
		one.Address = "otra." + one.Address
	}
	must(w.t, tx.PutSubscription(one))
	if old := w.want.subscriptions[one.ID]; old != nil && old.Address != one.Address {
		w.want.erased = true
	}
	w.want.subscriptions[one.ID] = one
}

func (w *peopleTrial) erase(tx *Tx) {
	id := idOf(w.r.IntN(30))
	was, err := tx.Erase(id)
	must(w.t, err)
	if known := w.want.subscriptions[id] != nil; was != known {
		w.t.Fatalf("erased %v, known %v", was, known)
	}
	if !was {
		return
	}
	w.gone(id)
}

// expire erases up to two of those whose trip is over, or who confirmed nothing.
func (w *peopleTrial) expire(tx *Tx) {
	ids := slices.SortedFunc(maps.Keys(w.want.subscriptions), func(a, b subscription.ID) int { return bytes.Compare(a[:], b[:]) })
	want := 0
	for _, id := range ids {
		if end := w.want.subscriptions[id].Ends; want < 2 && !end.IsZero() && !end.After(w.now) {
			w.gone(id)
			want++
		}
	}
	for _, h := range slices.SortedFunc(maps.Keys(w.want.pending), func(a, b subscription.Hash) int { return bytes.Compare(a[:], b[:]) }) {
		if want < 2 && !w.want.pending[h].Until.After(w.now) {
			delete(w.want.pending, h)
			w.want.erased = true
			want++
		}
	}
	if n, err := tx.EraseExpired(w.now, 2); err != nil || n != want {
		w.t.Fatalf("%d expired, %v; want %d", n, err, want)
	}
}

// gone notes that a subscription is erased.
func (w *peopleTrial) gone(id subscription.ID) {
	w.want.erased = true
	delete(w.want.subscriptions, id)
	for story, told := range w.want.told {
		if delete(told, id); len(told) == 0 {
			delete(w.want.told, story)
		}
	}
}

func (w *peopleTrial) request(tx *Tx) {
	n := w.r.IntN(30)
	request := subscription.Request{Address: addressOf(n), Preferences: byMail(n, w.places).Preferences, Until: w.now, Trap: n == 3}
	must(w.t, tx.PutRequest(&request))
	if _, again := w.want.requests[request.Seq]; again {
		w.t.Fatal("a seq given twice")
	}
	w.want.requests[request.Seq] = request
}

func (w *peopleTrial) dropRequest(tx *Tx) {
	seq, ok := some(w.r, w.want.requests)
	must(w.t, tx.DropRequest(seq))
	delete(w.want.requests, seq)
	w.want.erased = w.want.erased || ok
}

func (w *peopleTrial) putPending(tx *Tx) {
	h := subscription.Hash{byte(w.r.IntN(9))}
	pending := subscription.Pending{Address: addressOf(1), Preferences: byMail(1, w.places).Preferences, Until: w.now.Add(time.Duration(w.r.IntN(600)) * time.Minute)}
	if w.r.IntN(3) == 0 {
		used := idOf(4)
		pending.Used, pending.Address = &used, ""
	}
	must(w.t, tx.PutPending(h, &pending))
	if old, known := w.want.pending[h]; known && old.Address != pending.Address {
		w.want.erased = true
	}
	w.want.pending[h] = pending
}

func (w *peopleTrial) dropPending(tx *Tx) {
	h, ok := some(w.r, w.want.pending)
	must(w.t, tx.DropPending(h))
	delete(w.want.pending, h)
	w.want.erased = w.want.erased || ok
}

func (w *peopleTrial) mail(tx *Tx) {
	key := subscription.AddressKey{byte(w.r.IntN(6))}
	at, err := tx.Mailed(key)
	when := w.now.Add(-monthKept - time.Hour + time.Duration(w.r.IntN(120))*time.Minute)
	must(w.t, errors.Join(err, tx.PutMailed(key, append(at, when))))
	w.want.mailed[key] = append(slices.Clone(w.want.mailed[key]), when)
	switch w.r.IntN(8) {
	case 0, 1:
		must(w.t, tx.Suppress(key, testHour))
		w.want.suppressed[key] = true
	case 2:
		must(w.t, tx.PutMailed(key, nil))
		delete(w.want.mailed, key)
	}
}

func (w *peopleTrial) enqueue(tx *Tx) {
	i := randomItem(w.r)
	must(w.t, tx.Enqueue(&i))
	_, queued := w.want.items[i.Seq]
	if _, done := w.want.outcomes[i.Seq]; queued || done {
		w.t.Fatalf("seq %d given twice", i.Seq)
	}
	w.want.items[i.Seq] = i
}

func (w *peopleTrial) settle(tx *Tx) {
	seq, ok := some(w.r, w.want.items)
	if !ok {
		return
	}
	i, o := w.want.items[seq], Outcome(w.r.IntN(int(FailedOutcome)+1))
	must(w.t, tx.Settle(&i, o, w.now))
	delete(w.want.items, seq)
	w.want.outcomes[seq] = o
}

func (w *peopleTrial) postpone(tx *Tx) {
	seq, ok := some(w.r, w.want.items)
	if !ok {
		return
	}
	i := w.want.items[seq]
	i.Due = i.Due.Add(time.Duration(w.r.IntN(100)) * time.Minute)
	before := w.want.items[seq]
	must(w.t, tx.Postpone(&before, i.Due))
	i.Attempts++
	w.want.items[seq] = i
}

func (w *peopleTrial) tell(tx *Tx) {
	id, ok := some(w.r, w.want.subscriptions)
	if !ok {
		return
	}
	story := w.places[w.r.IntN(len(w.places))]
	told := alert.Delivered{
		Alerts: []alert.DeliveredAlert{{At: w.now, Level: alert.Level(w.r.IntN(3))}}, Until: w.now.Add(time.Duration(w.r.IntN(20)) * time.Hour),
	}
	must(w.t, tx.PutDelivered(story, id, told))
	if w.want.told[story] == nil {
		w.want.told[story] = map[subscription.ID]alert.Delivered{}
	}
	w.want.told[story][id] = told
}

func (w *peopleTrial) prune(tx *Tx) {
	must(w.t, tx.Forget(w.now))
	for story, told := range w.want.told {
		for id, one := range told {
			if one.Until.Before(w.now) {
				delete(told, id)
			}
		}
		if len(told) == 0 {
			delete(w.want.told, story)
		}
	}
	for key, at := range w.want.mailed {
		if at[len(at)-1].Before(w.now.Add(-monthKept)) {
			delete(w.want.mailed, key)
		}
	}
}

// cycle commits one whose decision must be of just what changed, and sometimes fails.
func (w *peopleTrial) cycle() {
	for range w.r.IntN(4) {
		id := fmt.Sprint("a", w.r.IntN(8))
		if w.r.IntN(4) == 0 {
			delete(w.alerts, id)
		} else {
			w.alerts[id] = changed(id, w.alerts[id].Version+w.r.IntN(2), w.r.IntN(3))
		}
	}
	c := testCycle(makeCatalogue(), w.now.Truncate(time.Hour), nil)
	c.IssuedAt = w.now
	want := map[string]string{}
	for id, a := range w.alerts {
		c.Alerts = append(c.Alerts, a)
		want[id] = fmt.Sprint(a.Version, " ", len(a.Tracks))
	}
	fails := w.r.IntN(3) == 0
	c.Decide = func(tx *Tx, _ *Cycle, alerts []*alert.Alert) error {
		seen := map[string]string{}
		for id, mark := range w.want.decided {
			if _, still := want[id]; still {
				seen[id] = mark
			}
		}
		for _, change := range alerts {
			mark := want[change.ID]
			if w.want.decided[change.ID] == mark {
				w.t.Errorf("%s is decided again", change.ID)
			}
			seen[change.ID] = mark
		}
		if !reflect.DeepEqual(seen, want) {
			w.t.Errorf("decided are %v, want %v", seen, want)
		}
		if fails {
			must(w.t, tx.Enqueue(&Item{}))
			return errors.New("on purpose")
		}
		return nil
	}
	must(w.t, w.store.Commit(c))
	if !fails {
		w.want.decided = want
	}
}

func (w *peopleTrial) compare() {
	if _, erased := w.store.ErasedSince(); erased != w.want.erased {
		w.t.Errorf("erased %v, want %v", erased, w.want.erased)
	}
	must(w.t, w.store.View("compare", func(tx *Tx) error {
		w.compareSubscriptions(tx)
		w.compareWaiting(tx)
		w.compareOutbox(tx)
		return nil
	}))
	compareDelivered(w.t, w.store, w.want.told)
}

func (w *peopleTrial) compareSubscriptions(tx *Tx) {
	ids := slices.SortedFunc(maps.Keys(w.want.subscriptions), func(a, b subscription.ID) int { return bytes.Compare(a[:], b[:]) })
	n := 0
	must(w.t, tx.EachSubscription(func(s *subscription.Subscription) error {
		if n >= len(ids) || s.ID != ids[n] || !reflect.DeepEqual(s, w.want.subscriptions[s.ID]) {
			w.t.Fatalf("subscription %d: %+v", n, s)
		}
		n++
		return nil
	}))
	if n != len(ids) {
		w.t.Fatalf("%d subscriptions, want %d", n, len(ids))
	}
	for id, want := range w.want.subscriptions {
		if got, err := tx.Subscription(id); err != nil || !reflect.DeepEqual(got, want) {
			w.t.Fatalf("%+v, %v; want %+v", got, err, want)
		}
		found, ok := tx.ByAddress(subscription.Identity(want.Address))
		if want.Channel == subscription.WebPush {
			found, ok = tx.ByEndpoint(want.Target.Endpoint)
		}
		if !ok || found != id {
			w.t.Fatalf("%x found as %x, %v", id, found, ok)
		}
	}
}

func (w *peopleTrial) compareWaiting(tx *Tx) {
	requests, err := tx.WaitingAfter(0)
	must(w.t, err)
	for n, waiting := range requests {
		later, err := tx.WaitingAfter(waiting.Seq)
		if err != nil || !slices.Equal(later, requests[n+1:]) {
			w.t.Fatalf("after request %d: %v, %v", waiting.Seq, later, err)
		}
		got, err := tx.Request(waiting.Seq)
		must(w.t, err)
		if !reflect.DeepEqual(*got, w.want.requests[got.Seq]) {
			w.t.Fatalf("request %+v, want %+v", got, w.want.requests[got.Seq])
		}
	}
	pending := 0
	must(w.t, tx.EachPending(func(h subscription.Hash, p *subscription.Pending) error {
		if !reflect.DeepEqual(*p, w.want.pending[h]) {
			w.t.Fatalf("pending %+v, want %+v", p, w.want.pending[h])
		}
		pending++
		return nil
	}))
	if waiting := len(w.want.requests) + len(w.want.pending); len(requests)+pending != waiting || w.store.memory.counted(counter{kind: countWaiting}) != waiting {
		w.t.Fatalf("%d requests, %d pending, %d counted, want %d", len(requests), pending, w.store.memory.counted(counter{kind: countWaiting}), waiting)
	}
	if kept := tx.bucket(mailed.name).Stats().KeyN; kept != len(w.want.mailed) {
		w.t.Fatalf("%d addresses were mailed, want %d", kept, len(w.want.mailed))
	}
	for n := range 6 {
		key := subscription.AddressKey{byte(n)}
		if at, err := tx.Mailed(key); err != nil || !reflect.DeepEqual(at, w.want.mailed[key]) || tx.Suppressed(key, testHour.Add(-time.Second)) != w.want.suppressed[key] {
			w.t.Fatalf("mailed %v, %v, suppressed %v", at, err, tx.Suppressed(key, testHour.Add(-time.Second)))
		}
	}
}

func (w *peopleTrial) compareOutbox(tx *Tx) {
	n := 0
	for c := range subscription.Channel(subscription.NumChannels) {
		queued, confirming := 0, 0
		must(w.t, tx.EachItem(c, func(i *Item) error {
			if !reflect.DeepEqual(*i, w.want.items[i.Seq]) {
				w.t.Fatalf("item %+v, want %+v", i, w.want.items[i.Seq])
			}
			queued++
			if i.Kind == ConfirmItem {
				confirming++
			}
			return nil
		}))
		if w.store.Queued(c) != queued {
			w.t.Fatalf("%d counted, %d queued", w.store.Queued(c), queued)
		}
		if w.store.Confirming(c) != confirming {
			w.t.Fatalf("%d counted that ask to confirm, %d queued", w.store.Confirming(c), confirming)
		}
		n += queued
	}
	if n != len(w.want.items) {
		w.t.Fatalf("%d items, want %d", n, len(w.want.items))
	}
	outcomes := map[uint64]Outcome{}
	must(w.t, tx.EachOutcome(func(seq uint64, o Outcome, _ time.Time) error {
		if _, twice := outcomes[seq]; twice {
			w.t.Fatalf("two outcomes of %d", seq)
		}
		outcomes[seq] = o
		return nil
	}))
	if !reflect.DeepEqual(outcomes, w.want.outcomes) {
		w.t.Fatalf("%d outcomes, want %d", len(outcomes), len(w.want.outcomes))
	}
}
