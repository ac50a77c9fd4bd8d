package store

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/store/catalogue"
)

// night is just past the hour of the daily copy.
var night = time.Date(2026, 7, 4, 7, 31, 0, 0, time.UTC)

// keeping is the backups of a file in a new folder, with what is logged.
type keeping struct {
	*Backups
	file  *Store
	clock *clockwork.FakeClock
	log   *bytes.Buffer
	data  string
}

func newKeeping(t *testing.T, now time.Time) *keeping {
	t.Helper()
	return keepingIn(t, t.TempDir(), now)
}

func keepingIn(t *testing.T, data string, now time.Time) *keeping {
	t.Helper()
	k := &keeping{clock: clockwork.NewFakeClockAt(now), log: &bytes.Buffer{}, data: data}
	file, err := Open(filepath.Join(k.data, "vigia.db"), Options{Clock: k.clock, NoSync: true, Log: slog.New(slog.NewTextHandler(k.log, nil))})
	must(t, err)
	k.file = file
	t.Cleanup(func() { must(t, file.Close()) })
	k.again()
	return k
}

// again looks at the folder anew, as a restart does.
func (k *keeping) again() {
	k.Backups = NewBackups(k.file)
}

// cycle keeps a cycle of the clock's time, by which a later clock is believed.
func (k *keeping) cycle(t *testing.T) {
	t.Helper()
	now := k.clock.Now().UTC()
	must(t, k.file.Commit(&Cycle{Catalogue: &catalogue.Catalogue{}, Hour: now.Truncate(time.Hour), IssuedAt: now, Estimates: true}))
}

func (k *keeping) days(t *testing.T) (days []string) {
	t.Helper()
	copies, err := Copies(k.data)
	must(t, err)
	for _, c := range copies {
		if c.Daily {
			days = append(days, c.At.Format("0102T1504"))
		}
	}
	return days
}

func (k *keeping) wantDays(t *testing.T, what string, want ...string) {
	t.Helper()
	if got := k.days(t); !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// A month of looks each minute, restarted every seven hours: one copy a day, at that hour, seven of them.
func TestOneCopyADayAndSevenKept(t *testing.T) {
	k := newKeeping(t, time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC))
	made := map[string]bool{}
	for minute := range 12 * 24 * 60 {
		if minute%60 == 0 {
			k.cycle(t)
		}
		if minute%(7*60) == 0 {
			k.again()
		}
		must(t, k.MakeDue(t.Context()))
		if minute%60 == 0 {
			for _, day := range k.days(t) {
				made[day] = true
			}
		}
		k.clock.Advance(time.Minute)
	}
	k.wantDays(t, "after twelve days", "0707T0730", "0708T0730", "0709T0730", "0710T0730", "0711T0730", "0712T0730", "0713T0730")
	if len(made) != 13 || !made["0701T1200"] {
		t.Errorf("%d copies were made: %v", len(made), made)
	}
	if last, failing := k.Last(); failing || !last.Equal(time.Date(2026, 7, 13, 7, 30, 0, 0, time.UTC)) {
		t.Errorf("last %v, failing %v", last, failing)
	}
	for _, day := range k.days(t) {
		file, err := Open(filepath.Join(k.data, "backups", "daily-2026"+day+"00Z.db"), Options{LookOnly: true})
		must(t, err)
		must(t, errors.Join(file.Check(t.Context()), file.Close()))
	}
}

func TestWhenACopyIsDue(t *testing.T) {
	at := func(text string) time.Time {
		at, err := time.Parse("2006-01-02 15:04", text)
		must(t, err)
		return at
	}
	daily := func(text string) Copy { return Copy{At: at(text), Daily: true} }
	for _, c := range []struct {
		now    string
		copies []Copy
		want   bool
	}{
		{"2026-07-04 07:29", nil, true}, // of yesterday's night
		{"2026-07-04 07:29", []Copy{daily("2026-07-03 07:30")}, false},
		{"2026-07-04 07:30", []Copy{daily("2026-07-03 07:30")}, true},
		{"2026-07-04 07:30", []Copy{daily("2026-07-04 07:30")}, false},
		{"2026-07-04 23:00", []Copy{daily("2026-07-03 23:00")}, true},
		{"2026-07-04 23:00", []Copy{daily("2026-07-04 12:00")}, false},
		{"2026-07-04 23:00", []Copy{{At: at("2026-07-04 12:00")}}, true}, // asked for
		{"2026-07-04 08:00", []Copy{daily("2026-07-05 07:30")}, true},    // of a wrong clock
		{"2026-07-04 08:00", []Copy{daily("2026-07-05 07:30"), daily("2026-07-04 07:31")}, false},
	} {
		if got := due(c.copies, at(c.now)); got != c.want {
			t.Errorf("%s with %v: %v", c.now, c.copies, got)
		}
	}
	// At the hour of the daily copy it is night in every zone of Chile, whatever the season.
	for _, zone := range []string{"America/Santiago", "America/Punta_Arenas", "America/Coyhaique", "Pacific/Easter"} {
		place, err := time.LoadLocation(zone)
		if err != nil {
			t.Logf("%s is not known here: %v", zone, err)
			continue
		}
		for month := range 12 {
			local := time.Date(2026, time.Month(month+1), 15, 0, 0, 0, 0, time.UTC).Add(dailyAt).In(place)
			if local.Hour() >= 5 {
				t.Errorf("%s: %v", zone, local)
			}
		}
	}
}

// A machine that starts without knowing the time, or jumps a year, makes and deletes
// nothing; set back by a day it goes on.
func TestAClockThatJumps(t *testing.T) {
	k := newKeeping(t, night)
	k.cycle(t)
	k.makeDue(t.Context(), k.clock.Now())
	k.wantDays(t, "at first", "0704T0731")
	for _, wrong := range []time.Duration{365 * 24 * time.Hour, -365 * 24 * time.Hour, 8 * 24 * time.Hour} {
		k.makeDue(t.Context(), night.Add(wrong))
		k.wantDays(t, wrong.String(), "0704T0731")
	}
	k.makeDue(t.Context(), night.Add(-24*time.Hour))
	k.wantDays(t, "a day back", "0703T0731", "0704T0731")
	k.makeDue(t.Context(), night.Add(time.Hour))
	k.makeDue(t.Context(), night.Add(24*time.Hour))
	k.wantDays(t, "and on", "0703T0731", "0704T0731", "0705T0731")
}

func TestAFailureIsLoggedOnceAndTriedAgain(t *testing.T) {
	k := newKeeping(t, night)
	blocked := filepath.Join(k.data, BackupFolder)
	must(t, os.WriteFile(blocked, nil, 0o600)) // a file where the folder should be
	for range 200 {
		k.makeDue(t.Context(), k.clock.Now())
		k.clock.Advance(time.Minute)
	}
	if n := strings.Count(k.log.String(), "level=ERROR"); n != 1 || !strings.Contains(k.log.String(), "vigia backup FILE") {
		t.Errorf("%d errors logged:\n%s", n, k.log)
	}
	if at, failing := k.Last(); !failing || !at.IsZero() {
		t.Errorf("%v, %v", at, failing)
	}
	must(t, os.Remove(blocked))
	for range 60 {
		k.makeDue(t.Context(), k.clock.Now())
		k.clock.Advance(time.Minute)
	}
	if _, failing := k.Last(); failing || len(k.days(t)) != 1 || !strings.Contains(k.log.String(), "works again") {
		t.Errorf("%v, %v:\n%s", failing, k.days(t), k.log)
	}
}

// What lies in the folder besides is neither counted nor touched, save for what a
// process that was killed left half made.
func TestOtherFilesInTheFolder(t *testing.T) {
	k := newKeeping(t, night)
	folder := filepath.Join(k.data, BackupFolder)
	must(t, os.MkdirAll(filepath.Join(folder, "daily-20260101T000000Z.db"), 0o700))
	names := []string{"mine.db", "daily-.db", "daily-x.db", "daily-20261301T000000Z.db", "vigia-20260101T000000Z.db", "daily-vigia-20260101T000000Z.db", "a.db.new-1"}
	half := []string{"daily-20260703T073000Z.db.new-123", "vigia-20260703T073000Z.db.new-copy1"}
	for _, name := range append(names, half...) {
		must(t, os.WriteFile(filepath.Join(folder, name), []byte("x"), 0o600))
	}
	k.again()
	for day := range 9 {
		k.makeDue(t.Context(), night.Add(time.Duration(day)*24*time.Hour))
	}
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
	for _, name := range half {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	if n := len(k.days(t)); n != dailyKept {
		t.Errorf("%d days kept", n)
	}
}

func TestACopyThatIsGivenUpLeavesNothing(t *testing.T) {
	k := newKeeping(t, night)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := k.Make(ctx, AskedPath(k.data, night)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	k.makeDue(ctx, night)
	if left, _ := filepath.Glob(filepath.Join(k.data, BackupFolder, "*")); len(left) > 0 || k.log.Len() > 0 {
		t.Errorf("left %v, logged %s", left, k.log)
	}
}
