package forecast

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/store"
	"vigia/store/catalogue"
)

// Archive gives weather as an analysis saw it afterwards. [openmeteo.Client] is
// the real one.
type Archive interface {
	Archive(ctx context.Context, places []catalogue.Location, first, last time.Time) (*openmeteo.Answer, error)
}

const (
	day = 24 * time.Hour
	// verifyAfter is how long after midnight UTC the day before is verified: its
	// last hour has been estimated by then.
	verifyAfter = 30 * time.Minute
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

// verifier compares what was issued with what came.
type verifier struct {
	store     *store.Store
	catalogue *catalogue.Catalogue
	rules     *hazard.Rules
	sites     []hazard.Site
	log       *slog.Logger
}

func newVerifier(s *store.Store, c *catalogue.Catalogue, rules *hazard.Rules, log *slog.Logger) *verifier {
	return &verifier{store: s, catalogue: c, rules: rules, sites: sites(c), log: log}
}

// log makes the cycle's log; without estimates there is nothing to log.
func (e *Engine) log(now time.Time, trails []store.TrailForecast) *store.IssuedHour {
	if len(trails) == 0 {
		return nil
	}
	return issuedHour(trails, len(e.sites), e.o.Rules.Version(), now)
}

// issuedHour is the log of a cycle: what the trails' estimates say at each of the
// leads that are logged.
func issuedHour(trails []store.TrailForecast, n int, rules string, now time.Time) *store.IssuedHour {
	h := &store.IssuedHour{Hour: now.UTC().Truncate(time.Hour), IssuedAt: now.UTC(), Rules: rules}
	for i, lead := range store.LoggedLeads {
		h.Leads[i] = make([]store.IssuedRow, n)
		for t := range h.Leads[i] {
			row := &h.Leads[i][t]
			row.Main = hazard.NoHazard
			if t < len(trails) && lead < len(trails[t].Hours) {
				fillIssued(row, &trails[t].Hours[lead])
			}
		}
	}
	return h
}

func fillIssued(row *store.IssuedRow, e *hazard.Estimate) {
	row.State, row.Quality, row.Confidence, row.Main = e.State, e.Quality, e.Confidence, e.Main
	for i := range e.Hazards {
		line := &e.Hazards[i]
		z := &row.Hazards[line.Hazard]
		*z = store.IssuedHazard{Applies: true, State: line.State, Total: line.Total, Amber: line.Amber, Red: line.Red}
		if len(line.Causes) > 0 {
			c := &line.Causes[0]
			z.HasCause, z.Quantity, z.Value, z.Min, z.Max, z.Threshold = true, c.Quantity, c.Value, c.Min, c.Max, c.Threshold
		}
	}
}

// openVerification takes up the summary that is kept.
func (e *Engine) openVerification() {
	e.verifier = newVerifier(e.o.Store, e.o.Catalogue, e.o.Rules, e.o.Log)
	kept, err := e.o.Store.Verification()
	if err != nil {
		e.o.Log.Error("summary of the verification not read; it is computed anew", "error", err)
	}
	if kept == nil || kept.Rules != e.o.Rules.Version() {
		return
	}
	e.verification = kept
	if kept.Pairs, err = e.verifier.recentPairs(kept.CalculatedAt); err != nil {
		e.o.Log.Error("pairs of the verification not read", "error", err)
	}
	e.verifyAt = nextVerification(kept.CalculatedAt)
}

// nextVerification is the first half past midnight UTC after an instant.
func nextVerification(now time.Time) time.Time {
	at := now.UTC().Truncate(day).Add(verifyAfter)
	if !at.After(now) {
		at = at.Add(day)
	}
	return at
}

// verify brings the verification log up to date once a day: the days that are
// over are compared with our own later estimates, those that the archive has by
// now with it, and the summary is computed anew. What fails is tried again an hour
// later; nothing of it keeps estimates from being made.
func (e *Engine) verify(ctx context.Context) {
	now := e.now()
	early := now.Before(e.verifyAt) && e.verifyAt.Sub(now) <= day // a later time is that of a wrong clock
	if ctx.Err() != nil || early {
		return
	}
	e.verifyAt = nextVerification(now)
	e.move()
	if err := e.verifier.compareRuns(now); err != nil {
		e.o.Log.Log(ctx, store.LogLevel(err), "estimates not compared with later ones", "error", err)
	}
	if e.o.Archive != nil {
		e.move()
		if err := e.askArchive(ctx, now); err != nil && ctx.Err() == nil {
			e.verifyAt = minTime(e.verifyAt, now.Add(archiveRetry))
			e.o.Log.Warn("archive not asked; tried again later", "error", err, "next_try", e.verifyAt.UTC())
		}
	}
	e.move()
	summary, err := e.verifier.summarize(e.now())
	if err == nil {
		e.verification = summary
		err = e.o.Store.SaveVerification(summary)
	}
	if err != nil {
		e.o.Log.Log(ctx, store.LogLevel(err), "summary of the verification not computed or not kept", "error", err)
	}
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// compareRuns compares the days that are over, and not compared yet, with the
// estimates of their own hour.
func (v *verifier) compareRuns(now time.Time) error {
	today := now.UTC().Truncate(day)
	due, err := v.dueDays(store.OwnLaterRuns, today.Add(-day), 0)
	if err != nil {
		return err
	}
	for _, d := range due {
		truth, flips, err := v.ownTruth(d)
		if err != nil {
			return err
		}
		pairs, err := v.pairs(store.OwnLaterRuns, truth, 0)
		if err != nil {
			return err
		}
		pairs.FlipSum, pairs.FlipN = flips.sum, flips.n
		if err := v.store.SavePairs(v.catalogue, []*store.DayPairs{pairs}, nil); err != nil {
			return err
		}
	}
	return nil
}

// dueDays lists the days up to last that have estimates in the log at a lead of at
// least so many hours, and no pairs of the tier yet, oldest first.
func (v *verifier) dueDays(tier store.Tier, last time.Time, lead int) ([]time.Time, error) {
	logged, err := v.store.Logged()
	if err != nil || len(logged.Kept) == 0 {
		return nil, err
	}
	done, err := v.store.HasPairs(tier, logged.First.Truncate(day))
	if err != nil {
		return nil, err
	}
	has := map[time.Time]bool{}
	for _, hour := range logged.Kept {
		for _, l := range store.LoggedLeads[1:] {
			if l >= lead {
				has[hour.Add(time.Duration(l)*time.Hour).Truncate(day)] = true
			}
		}
	}
	var due []time.Time
	for d := logged.First.Truncate(day); !d.After(last); d = d.Add(day) {
		if has[d] && !done[d] {
			due = append(due, d)
		}
	}
	return due, nil
}

// askArchive verifies the oldest days that the archive should have by now, and as
// many after them as one question of the same weight holds.
func (e *Engine) askArchive(ctx context.Context, now time.Time) error {
	v := e.verifier
	last := now.UTC().Add(-openmeteo.ArchiveDelay).Truncate(day).Add(-day)
	due, err := v.dueDays(store.Reanalysis, last, archiveLead)
	if err != nil || len(due) == 0 {
		return err
	}
	first := due[0]
	for len(due) > 0 && due[len(due)-1].Sub(first) >= archiveDays*day {
		due = due[:len(due)-1]
	}
	bounded, cancel := context.WithTimeout(ctx, modelTimeout)
	defer cancel()
	answer, err := e.o.Archive.Archive(bounded, v.catalogue.Locations, first.Add(-sumsBack*day), due[len(due)-1].Add(day))
	if err != nil {
		return err
	}
	var all []*store.DayPairs
	missing := 0
	for _, d := range due {
		truth := v.assessTruth(d, answer.Columns)
		if truth.known == 0 && now.Sub(d) < givenUp {
			missing++
			continue
		}
		pairs, err := v.pairs(store.Reanalysis, truth, archiveLead)
		if err != nil {
			return err
		}
		all = append(all, pairs)
	}
	e.o.Log.Info("estimates verified against the archive", "from", first, "days", len(all), "without_data", missing, "weight", answer.Weight)
	if err := v.store.SavePairs(v.catalogue, all, nil); err != nil {
		return err
	}
	if missing > 0 {
		return fmt.Errorf("the archive has nothing yet for %d of %d days", missing, len(due))
	}
	return nil
}
