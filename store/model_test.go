package store

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// model is what the store must say, kept in plain maps.
type model struct {
	hours     map[time.Time]map[string]HistoryRow // by trail key
	alerts    map[string]alert.Alert
	confirmed map[string]time.Time
	last      time.Time
	runs      map[string]*Run
	ledger    string
}

// trial is a random walk over store and model side by side.
type trial struct {
	t     *testing.T
	r     *rand.Rand
	path  string
	store *Store
	want  model
	now   time.Time
	cat   *catalogue.Catalogue
}

func TestStoreDoesWhatMapsDo(t *testing.T) {
	for range 4 {
		seed := rand.Uint64()
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { walkRandomly(t, seed, 250) })
	}
}

func walkRandomly(t *testing.T, seed uint64, steps int) {
	w := &trial{
		t: t, r: rand.New(rand.NewPCG(seed, 0)), path: newPath(t), now: testHour, cat: makeCatalogue(upTo(15)...),
		want: model{
			hours: map[time.Time]map[string]HistoryRow{}, alerts: map[string]alert.Alert{},
			confirmed: map[string]time.Time{}, runs: map[string]*Run{},
		},
	}
	w.open()
	defer func() { checkAndClose(t, w.store) }()
	moves := []func(){
		w.commit, w.commit, w.commit, w.commit, w.changeCatalogue, w.saveRun, w.saveLedger,
		w.reopen, w.compareHistory, w.compareSmall, w.compareRuns, w.backUp,
	}
	for range steps {
		moves[w.r.IntN(len(moves))]()
		if t.Failed() {
			return
		}
	}
	w.compareHistory()
	w.compareSmall()
	w.compareRuns()
}

func (w *trial) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *trial) open() {
	o := testOptions()
	o.NoSync = true
	s, err := Open(w.path, o)
	w.must(err)
	w.store = s
}

func (w *trial) reopen() {
	checkAndClose(w.t, w.store)
	w.open()
}

// changeCatalogue takes trails out, puts others in and changes the order.
func (w *trial) changeCatalogue() {
	names := w.r.Perm(40)[:w.r.IntN(30)]
	w.cat = makeCatalogue(names...)
}

func (w *trial) commit() {
	w.now = w.now.Add(time.Duration(w.r.IntN(20)) * time.Hour) // the same hour again, gaps
	cycle := testCycle(w.cat, w.now, randomRows(w.r, len(w.cat.Trails)))
	rows := map[string]HistoryRow{}
	for i, row := range cycle.Rows {
		rows[indexTrails(w.cat).names[i]] = row
	}
	w.want.alerts = map[string]alert.Alert{}
	for i := range w.r.IntN(6) {
		a := alert.Alert{
			ID: fmt.Sprint("a", i), Version: w.r.IntN(9), Level: alert.Caution, Start: w.now, End: w.now.Add(time.Hour),
			Changes: []alert.Change{{What: alert.Raised, At: w.now}}, Tracks: []alert.Track{{}},
		}
		cycle.Alerts = append(cycle.Alerts, a)
		w.want.alerts[a.ID] = a
	}
	cycle.ConfirmedAt = map[string]time.Time{fmt.Sprint("model", w.r.IntN(4)): w.now.Add(time.Duration(w.r.IntN(1e9)))}
	w.must(w.store.Commit(cycle))
	for name, at := range cycle.ConfirmedAt {
		w.want.confirmed[name] = at
	}
	w.want.last = cycle.IssuedAt
	w.want.hours[w.now] = rows
	for hour := range w.want.hours {
		if w.now.Sub(hour) > historyKept {
			delete(w.want.hours, hour)
		}
	}
}

func (w *trial) saveRun() {
	run := randomRun(w.r, fmt.Sprint("model", w.r.IntN(4)), w.r.IntN(12), w.r.IntN(80))
	run.Columns.Values[w.r.IntN(hazard.NumVariables)] = nil
	w.must(w.store.SaveRun(run))
	w.want.runs[run.Model] = run
}

func (w *trial) saveLedger() {
	w.want.ledger = strings.Repeat("x", 1+w.r.IntN(20_000))
	w.must(w.store.SaveLedger([]byte(w.want.ledger)))
}

func (w *trial) backUp() {
	copied := w.path + ".copy"
	w.must(w.store.Backup(w.t.Context(), copied))
	live := w.store
	other, err := Open(copied, testOptions())
	w.must(err)
	w.store = other
	w.compareHistory()
	w.compareSmall()
	checkAndClose(w.t, other)
	w.store = live
}

func (w *trial) compareHistory() {
	hours := 1 + w.r.IntN(200)
	newest := w.now.Add(time.Duration(w.r.IntN(20)-10)*time.Hour + time.Duration(w.r.IntN(3600))*time.Second)
	got, err := w.store.History(w.cat, newest, hours)
	w.must(err)
	oldest := newest.Truncate(time.Hour).Add(-time.Duration(hours-1) * time.Hour)
	var want []time.Time
	for hour := range w.want.hours {
		if !hour.After(newest) && !hour.Before(oldest) {
			want = append(want, hour)
		}
	}
	slices.SortFunc(want, func(a, b time.Time) int { return b.Compare(a) })
	if len(got.Hours) != len(want) {
		w.t.Fatalf("%d hours of %d up to %v, want %d", len(got.Hours), hours, newest, len(want))
	}
	names := indexTrails(w.cat).names
	for i, hour := range got.Hours {
		if !hour.Hour.Equal(want[i]) || len(hour.Rows) != len(w.cat.Trails) {
			w.t.Fatalf("hour %v with %d rows, want %v with %d", hour.Hour, len(hour.Rows), want[i], len(w.cat.Trails))
		}
		for k, row := range hour.Rows {
			wanted, ok := w.want.hours[want[i]][names[k]]
			if !ok {
				wanted = noRow()
			}
			if !sameRow(row, wanted) {
				w.t.Fatalf("%v, %s: %+v, want %+v", hour.Hour, names[k], row, wanted)
			}
		}
	}
}

func (w *trial) compareSmall() {
	alerts, err := w.store.Alerts()
	w.must(err)
	if len(alerts) != len(w.want.alerts) {
		w.t.Fatalf("%d alerts, want %d", len(alerts), len(w.want.alerts))
	}
	for _, a := range alerts {
		if !reflect.DeepEqual(a, w.want.alerts[a.ID]) {
			w.t.Fatalf("alert %+v, want %+v", a, w.want.alerts[a.ID])
		}
	}
	confirmed, err := w.store.Confirmed()
	w.must(err)
	if !reflect.DeepEqual(confirmed, w.want.confirmed) {
		w.t.Fatalf("confirmed %v, want %v", confirmed, w.want.confirmed)
	}
	if last, err := keptTime(w.store); err != nil || !last.Equal(w.want.last) {
		w.t.Fatalf("last time %v, %v, want %v", last, err, w.want.last)
	}
	if ledger, err := w.store.Ledger(); (err != nil) != (w.want.ledger == "") || string(ledger) != w.want.ledger {
		w.t.Fatalf("ledger of %d bytes, %v, want %d", len(ledger), err, len(w.want.ledger))
	}
}

func (w *trial) compareRuns() {
	for name, want := range w.want.runs {
		got, err := w.store.Run(name, want.Places)
		w.must(err)
		if err := sameColumns(want.Columns, got.Columns); err != nil {
			w.t.Fatal(err)
		}
		if !got.Init.Equal(want.Init) || !got.FetchedAt.Equal(want.FetchedAt) || got.Interval != want.Interval {
			w.t.Fatalf("%+v, want %+v", got, want)
		}
	}
}
