package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

var testHour = time.Date(2026, 7, 4, 15, 0, 0, 0, time.UTC)

func testOptions() Options { return Options{Clock: clockwork.NewFakeClockAt(testHour)} }

// openStore opens a store that is checked as a whole when the test ends.
func openStore(t testing.TB, path string) *Store {
	t.Helper()
	o := testOptions()
	o.NoSync = true // durability is tested by those that open the store themselves
	s, err := Open(path, o)
	must(t, err)
	t.Cleanup(func() { checkAndClose(t, s) })
	return s
}

func checkAndClose(t testing.TB, s *Store) {
	t.Helper()
	if n := s.Stats().OpenTxN; n != 0 {
		t.Errorf("%d transactions left open", n)
	}
	if err := s.Check(context.Background()); err != nil && !errors.Is(err, ErrClosed) {
		t.Errorf("check at the end: %v", err)
	}
	// The library's own check finds what ours does not look for.
	_ = s.View("check", func(tx *Tx) error {
		for err := range tx.tx.Check() {
			t.Errorf("bbolt at the end: %v", err)
		}
		return nil
	})
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "data", "vigia.db") }

// makeCatalogue makes a catalogue of trails named by number, ten to a park.
func makeCatalogue(names ...int) *catalogue.Catalogue {
	c := &catalogue.Catalogue{}
	parks := map[int]int{}
	for _, name := range names {
		park, ok := parks[name/10]
		if !ok {
			park = len(c.Parks)
			parks[name/10] = park
			c.Parks = append(c.Parks, catalogue.Park{Slug: fmt.Sprintf("park-%d", name/10), TimeZone: time.UTC})
		}
		c.Trails = append(c.Trails, catalogue.Trail{Slug: fmt.Sprintf("trail-%d", name%10), Park: park})
	}
	return c
}

func upTo(n int) []int {
	names := make([]int, n)
	for i := range names {
		names[i] = i
	}
	return names
}

// randomRow is a row whose medians are already what is shown, or missing.
func randomRow(r *rand.Rand) HistoryRow {
	row := HistoryRow{
		State:      hazard.State(r.IntN(4)),
		Quality:    hazard.Quality(r.IntN(4)),
		Confidence: hazard.Confidence(r.IntN(4)),
		Main:       hazard.Hazard(r.IntN(hazard.NumHazards)),
	}
	if r.IntN(3) == 0 {
		row.Main = hazard.NoHazard
	}
	for i, field := range fields(&row.Medians) {
		*field = float32(float64(r.IntN(60_000)-30_000) / steps[i])
		if r.IntN(8) == 0 {
			*field = float32(math.NaN())
		}
	}
	return row
}

func randomRows(r *rand.Rand, n int) []HistoryRow {
	rows := make([]HistoryRow, n)
	for i := range rows {
		rows[i] = randomRow(r)
	}
	return rows
}

// sameRow compares rows with missing values equal to each other.
func sameRow(a, b HistoryRow) bool {
	am, bm := fields(&a.Medians), fields(&b.Medians)
	for i := range am {
		if !sameFloat(*am[i], *bm[i]) {
			return false
		}
	}
	a.Medians, b.Medians = hazard.Medians{}, hazard.Medians{}
	return a == b
}

func sameFloat(a, b float32) bool { return a == b || (a != a && b != b) }

func sameColumns(a, b *hazard.Columns) error {
	if !a.Start.Equal(b.Start) || a.Points != b.Points || a.Hours != b.Hours {
		return fmt.Errorf("shape %v %d×%d and %v %d×%d", a.Start, a.Points, a.Hours, b.Start, b.Points, b.Hours)
	}
	for v := range a.Values {
		if (a.Values[v] == nil) != (b.Values[v] == nil) {
			return fmt.Errorf("column %d: nil only in one", v)
		}
		if !slices.Equal(a.Values[v], b.Values[v]) {
			return fmt.Errorf("column %d differs", v)
		}
	}
	return nil
}

func testCycle(c *catalogue.Catalogue, hour time.Time, rows []HistoryRow) *Cycle {
	return &Cycle{Catalogue: c, Hour: hour, IssuedAt: hour.Add(5 * time.Minute), Rows: rows}
}

func TestANewStoreHasNothing(t *testing.T) {
	s := openStore(t, newPath(t))
	if _, err := s.Run("gfs", nil); !errors.Is(err, ErrNotFound) {
		t.Errorf("run: %v", err)
	}
	if _, err := s.Ledger(); !errors.Is(err, ErrNotFound) {
		t.Errorf("ledger: %v", err)
	}
	if last, err := keptTime(s); err != nil || !last.IsZero() {
		t.Errorf("last time: %v, %v", last, err)
	}
	history, err := s.History(makeCatalogue(1), testHour, 168)
	if err != nil || len(history.Hours) != 0 {
		t.Errorf("history: %v, %v", history, err)
	}
	alerts, err := s.Alerts()
	if err != nil || len(alerts) != 0 {
		t.Errorf("alerts: %v, %v", alerts, err)
	}
	if confirmed, err := s.Confirmed(); err != nil || len(confirmed) != 0 {
		t.Errorf("confirmed: %v, %v", confirmed, err)
	}
	if s.Size() < 4*pageSize || s.Err() != nil {
		t.Errorf("size %d, error %v", s.Size(), s.Err())
	}
}

func TestFileAndFolderAreClosedToOthers(t *testing.T) {
	path := newPath(t)
	openStore(t, path)
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, %v", name, info.Mode(), err)
		}
	}
}

func TestAFileOpenToOthersIsClosedToThem(t *testing.T) {
	path := newPath(t)
	s := openStore(t, path)
	checkAndClose(t, s)
	must(t, os.Chmod(path, 0o644))
	openStore(t, path)
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestCommitRefusesWhatDoesNotFit(t *testing.T) {
	s := openStore(t, newPath(t))
	c := makeCatalogue(1, 2)
	rows := make([]HistoryRow, 2)
	for name, cycle := range map[string]*Cycle{
		"no catalogue":       {Hour: testHour, Rows: rows},
		"too few rows":       testCycle(c, testHour, rows[:1]),
		"not on the hour":    testCycle(c, testHour.Add(time.Minute), rows),
		"before 1970":        testCycle(c, time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC), rows),
		"alert without id":   {Catalogue: c, Hour: testHour, IssuedAt: testHour, Rows: rows, Alerts: []alert.Alert{{End: testHour}}},
		"a model of no name": {Catalogue: c, Hour: testHour, IssuedAt: testHour, Rows: rows, ConfirmedAt: map[string]time.Time{"": testHour}},
	} {
		if err := s.Commit(cycle); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if history, err := s.History(c, testHour, 168); err != nil || len(history.Hours) > 0 {
		t.Errorf("a refused cycle left %d hours, %v", len(history.Hours), err)
	}
	if err := s.Commit(testCycle(c, testHour, rows)); err != nil {
		t.Errorf("a refused cycle closed the store: %v", err)
	}
}

func TestFinishedAlertsAreKeptThirtyDays(t *testing.T) {
	s := openStore(t, newPath(t))
	cycle := testCycle(makeCatalogue(), testHour, nil)
	day := 24 * time.Hour
	cycle.Alerts = []alert.Alert{
		{ID: "old", End: testHour.Add(-31 * day)},
		{ID: "withdrawn", End: testHour.Add(day), Cancelled: true, UpdatedAt: testHour.Add(-31 * day)},
		{ID: "recent", End: testHour.Add(-29 * day)},
		{ID: "open", End: testHour.Add(day), Trails: []string{"a"}, Tracks: because(alert.Cause{Trail: "a", Cause: hazard.Cause{Value: 71.3, Point: 2}})},
	}
	must(t, s.Commit(cycle))
	alerts, err := s.Alerts()
	if err != nil || len(alerts) != 2 || alerts[0].ID != "open" || alerts[1].ID != "recent" {
		t.Fatalf("%+v, %v", alerts, err)
	}
	if c := alerts[0].Tracks[0].Reason.Causes[0]; c.Value != 71.3 || c.Point != 2 || c.Trail != "a" {
		t.Errorf("cause %+v", c)
	}
	cycle.Alerts = cycle.Alerts[3:]
	must(t, s.Commit(cycle))
	if alerts, _ := s.Alerts(); len(alerts) != 1 {
		t.Errorf("%d alerts after one was left out", len(alerts))
	}
}

// because are the tracks of an alert with one cause.
func because(cause alert.Cause) []alert.Track {
	return []alert.Track{{Reason: alert.Reason{Causes: []alert.Cause{cause}}}}
}

func TestAnAlertWithoutANumberIsRefusedNotZeroed(t *testing.T) {
	s := openStore(t, newPath(t))
	cycle := testCycle(makeCatalogue(), testHour, nil)
	cycle.Alerts = []alert.Alert{{ID: "a", End: testHour, Tracks: because(alert.Cause{Cause: hazard.Cause{Value: float32(math.NaN())}})}}
	if err := s.Commit(cycle); err == nil {
		t.Error("accepted")
	}
}

func TestHistoryIsPrunedButNotByAClockThatJumps(t *testing.T) {
	s := openStore(t, newPath(t))
	c := makeCatalogue(1)
	rows := make([]HistoryRow, 1)
	hoursAfter := func(hour time.Time) int {
		t.Helper()
		must(t, s.Commit(testCycle(c, hour, rows)))
		history, err := s.History(c, testHour.AddDate(5, 0, 0), 24*366*10)
		must(t, err)
		return len(history.Hours)
	}
	for i := range 200 {
		if got, want := hoursAfter(testHour.Add(time.Duration(i)*time.Hour)), min(i+1, 169); got != want {
			t.Fatalf("%d hours after %d cycles, want %d", got, i+1, want)
		}
	}
	last := testHour.Add(199 * time.Hour)
	if got := hoursAfter(last.AddDate(1, 0, 0)); got != 170 {
		t.Errorf("a jump of a year left %d hours", got)
	}
	if got := hoursAfter(last.AddDate(1, 0, 0).Add(time.Hour)); got != 171 {
		t.Errorf("a clock that stays a year ahead left %d hours", got)
	}
	if got := hoursAfter(last.Add(time.Hour)); got != 169 {
		t.Errorf("%d hours once the clock is believed again", got)
	}
}

func TestClosedStore(t *testing.T) {
	s := openStore(t, newPath(t))
	checkAndClose(t, s)
	if err := s.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
	if _, err := s.Alerts(); !errors.Is(err, ErrClosed) {
		t.Errorf("read: %v", err)
	}
	if err := s.SaveLedger(nil); !errors.Is(err, ErrClosed) {
		t.Errorf("write: %v", err)
	}
}

func TestReadersAndWritersTogether(t *testing.T) {
	t.Parallel()
	s := openStore(t, newPath(t))
	c := makeCatalogue(upTo(50)...)
	const hours = 30
	var wg sync.WaitGroup
	done := make(chan struct{})
	wg.Go(func() {
		defer close(done)
		r := rand.New(rand.NewPCG(1, 1))
		for i := range hours {
			cycle := testCycle(c, testHour.Add(time.Duration(i)*time.Hour), randomRows(r, 50))
			cycle.ConfirmedAt = map[string]time.Time{"gfs": cycle.IssuedAt}
			if err := s.Commit(cycle); err != nil {
				t.Error(err)
			}
		}
	})
	readers := []func() error{
		func() error { _, err := s.History(c, testHour.Add(hours*time.Hour), 168); return err },
		func() error { _, err := s.Confirmed(); return err },
		func() error { return s.Check(t.Context()) },
		func() error { return s.SaveLedger([]byte("x")) },
		func() error { return s.Backup(t.Context(), s.path+".copy") },
		func() error { return s.Compact() },
		func() error { _, _ = s.Size(), s.Stats(); _, _ = s.ErasedSince(); return s.Err() },
	}
	for _, read := range readers {
		wg.Go(func() {
			for {
				if err := read(); err != nil {
					t.Error(err)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	wg.Wait()
	if history, err := s.History(c, testHour.Add(hours*time.Hour), 168); err != nil || len(history.Hours) != hours {
		t.Errorf("%d hours, %v", len(history.Hours), err)
	}
}

func TestCheckEndsWithItsContext(t *testing.T) {
	s := openStore(t, newPath(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Check(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// logged collects log lines.
func logged(t *testing.T) (*slog.Logger, func() string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	file, err := os.Create(path)
	must(t, err)
	t.Cleanup(func() { _ = file.Close() })
	return slog.New(slog.NewTextHandler(file, nil)), func() string {
		b, _ := os.ReadFile(path)
		return string(b)
	}
}
