package verification

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/store"
	"vigia/store/catalogue"
)

// Archive returns weather as an analysis saw it afterwards. [openmeteo.Client] is the real
// one.
type Archive interface {
	Archive(ctx context.Context, places []catalogue.Location, first, last time.Time) (*openmeteo.Answer, error)
}

const (
	// verifyAfter is how long after midnight UTC the day before is verified: its
	// last hour has been estimated by then, on Rapa Nui too.
	verifyAfter = 4*time.Hour + 30*time.Minute
	// archiveTimeout bounds a question to the archive, the waiting for the provider's
	// limits included.
	archiveTimeout = 5 * time.Minute
	// archiveRetry is when the archive is asked again after it failed.
	archiveRetry = time.Hour
	// sumsBack is how many days before a day its sums reach (72 h of rain).
	sumsBack = 3
	// archiveDays is how many days one question verifies at most: with the days of
	// the sums before and the hour after, it weighs no more than for one.
	archiveDays = openmeteo.MaxSpanDays - sumsBack - 1
	// givenUp is the age from which a day without any truth is closed: the archive
	// has a hole there.
	givenUp = 20 * day
)

// Options are what a Daily needs. All but Archive are required.
type Options struct {
	Store     *store.Store
	Catalogue *catalogue.Catalogue
	Rules     *hazard.Rules
	Clock     clockwork.Clock
	Log       *slog.Logger
	// Archive, when set, is asked once a day for the weather that came.
	Archive Archive
	// Step is called before each step of an update.
	Step func()
}

// Daily keeps the verification up to date, once a day. Update is for one goroutine; the
// other methods may be called at any time.
type Daily struct {
	verifier *verifier
	archive  Archive
	clock    clockwork.Clock
	step     func()
	dueAt    time.Time // no update before this

	mu      sync.Mutex
	summary *store.Verification // nil before it was computed first
}

// Open takes up the summary that is kept. One that cannot be read is computed anew.
func Open(o Options) *Daily {
	d := &Daily{verifier: newVerifier(o.Store, o.Catalogue, o.Rules, o.Log), archive: o.Archive, clock: o.Clock, step: o.Step}
	kept, err := o.Store.Verification()
	if err != nil && !errors.Is(err, store.ErrNoFile) {
		o.Log.Error("summary of the verification not read; it is computed anew", "error", err)
	}
	if kept == nil || kept.Rules != o.Rules.Version() {
		return d
	}
	if kept.Pairs, err = d.verifier.recentPairs(kept.CalculatedAt); err != nil {
		o.Log.Error("pairs of the verification not read", "error", err)
	}
	d.summary, d.dueAt = kept, nextUpdate(kept.CalculatedAt)
	return d
}

// nextUpdate returns the first update after an instant.
func nextUpdate(now time.Time) time.Time {
	at := now.UTC().Truncate(day).Add(verifyAfter)
	if !at.After(now) {
		at = at.Add(day)
	}
	return at
}

// Summary returns the summary computed last, nil before the first.
func (d *Daily) Summary() *store.Verification {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.summary
}

// show replaces the summary, unless a later one is there already: that of an import while
// this one was computed.
func (d *Daily) show(s *store.Verification) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.summary != nil && d.summary.CalculatedAt.After(s.CalculatedAt) && !d.summary.CalculatedAt.After(d.clock.Now()) {
		return
	}
	d.summary = s
}

// Import takes in a file of observations: see [Observations.Import].
func (d *Daily) Import(name string, data []byte) (Imported, error) {
	v := d.verifier
	report, summary, err := Observations{
		Store: v.store, Catalogue: v.catalogue, Rules: v.rules, Log: v.log, Now: d.clock.Now().Round(0), Name: name, Data: data,
	}.importRows()
	if err == nil {
		d.show(summary)
	}
	return report, err
}

// Update brings the verification up to date when a day has passed: the days that are
// over are compared with our own later estimates, those that the archive has by now with
// it, and the summary is computed anew. What fails is tried again an hour later.
func (d *Daily) Update(ctx context.Context) {
	now := d.clock.Now().Round(0)
	early := now.Before(d.dueAt) && d.dueAt.Sub(now) <= day // a later time is that of a wrong clock
	if ctx.Err() != nil || early {
		return
	}
	v := d.verifier
	d.dueAt = nextUpdate(now)
	d.step()
	if err := v.compareRuns(now); err != nil {
		v.log.Log(ctx, store.LogLevel(err), "estimates not compared with later ones", "error", err)
	}
	if d.archive != nil {
		d.step()
		if err := d.askArchive(ctx, now); err != nil && ctx.Err() == nil {
			d.dueAt = minTime(d.dueAt, now.Add(archiveRetry))
			v.log.Warn("archive not asked; tried again later", "error", err, "next_try", d.dueAt.UTC())
		}
	}
	d.step()
	summary, err := v.summarize(d.clock.Now().Round(0))
	if err == nil {
		d.show(summary)
		err = v.store.SaveVerification(summary)
	}
	if err != nil {
		v.log.Log(ctx, store.LogLevel(err), "summary of the verification not computed or not kept", "error", err)
	}
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// askArchive verifies the oldest days that the archive should have by now, and as
// many after them as one question of the same weight holds.
func (d *Daily) askArchive(ctx context.Context, now time.Time) error {
	v := d.verifier
	last := v.lastDay(now.Add(-openmeteo.ArchiveDelay - time.Hour)) // its last hour takes in the next
	due, err := v.dueDays(store.Reanalysis, last, archiveLead)
	if err != nil || len(due) == 0 {
		return err
	}
	first := due[0]
	for len(due) > 0 && due[len(due)-1].Sub(first) >= archiveDays*day {
		due = due[:len(due)-1]
	}
	bounded, cancel := context.WithTimeout(ctx, archiveTimeout)
	defer cancel()
	answer, err := d.archive.Archive(bounded, v.catalogue.Locations, first.Add(-sumsBack*day), due[len(due)-1].Add(day))
	if err != nil {
		return err
	}
	compared, missing := 0, 0
	for _, date := range due {
		truth := v.assessTruth(date, answer.Columns)
		if truth.known == 0 && now.Sub(date) < givenUp {
			missing++
			continue
		}
		pairs, err := v.pairs(store.Reanalysis, truth, archiveLead)
		if err == nil {
			err = v.store.SavePairs(v.catalogue, []*store.DayPairs{pairs}, nil)
		}
		if err != nil {
			return err
		}
		compared++
	}
	v.log.Info("estimates verified against the archive", "from", first, "days", compared, "without_data", missing, "weight", answer.Weight)
	if missing > 0 {
		return fmt.Errorf("the archive has nothing yet for %d of %d days", missing, len(due))
	}
	return nil
}
