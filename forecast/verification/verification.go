// Package verification compares the estimates that were issued with what came, and
// computes the scores that are published with them.
//
// Data passes through it once a day ([Daily.Update]): each cycle logs what it issued
// ([Issued]) → days that are over are judged by the same rules from a source of truth: our
// own later estimates, a reanalysis ([Archive]), stations and park records that an operator
// imports ([Observations]) → what was issued and what came are paired and kept → the pairs
// are counted into a [Table] for each tier of truth, level, hazard, lead and stratum of like
// climate → scores of the table, each with the interval in which it lies ([Wilson]), what a
// forecast without skill would have scored ([BaseRate], [AlwaysGreen]), and what the forecast
// is worth ([Table.Value]). Beside the levels the weather of each model at the critical
// points is verified ([CRPS], [Rank]).
//
// A score that is not defined (its denominator is 0, or a value is missing) is ok = false,
// never 0 and never 100 %. There is no accuracy on purpose: for rare events never warning
// scores best by it (Finley's tornadoes, 1884: 96.6 % "right", and 98.2 % for never saying
// tornado; Murphy 1996).
//
// The formulas are those of Jolliffe & Stephenson, Forecast Verification (2nd ed. 2012) and
// of the WWRP/WGNE Joint Working Group on Forecast Verification Research
// (https://www.cawcr.gov.au/projects/verification/).
package verification

import (
	"log/slog"
	"time"

	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/catalogue"
)

// day is a day of 24 hours. Those that are verified are named by midnight UTC of their local
// date ([hazard.Site.DayOf]).
const day = 24 * time.Hour

// verifier pairs what was issued with what came, and counts the pairs.
type verifier struct {
	store     *store.Store
	catalogue *catalogue.Catalogue
	rules     *hazard.Rules
	sites     []hazard.Site // as Catalogue.Trails
	byZone    [][]int       // the trails of each time zone
	climates  []int         // of the trails, see climateOf
	log       *slog.Logger
}

func newVerifier(s *store.Store, c *catalogue.Catalogue, rules *hazard.Rules, log *slog.Logger) *verifier {
	v := &verifier{store: s, catalogue: c, rules: rules, sites: c.Sites(), log: log}
	zones := map[string]int{}
	for i := range v.sites {
		name := v.sites[i].TimeZone.String()
		at, known := zones[name]
		if !known {
			at = len(v.byZone)
			zones[name] = at
			v.byZone = append(v.byZone, nil)
		}
		v.byZone[at] = append(v.byZone[at], i)
		v.climates = append(v.climates, climateOf(&v.sites[i]))
	}
	return v
}

// compareRuns compares the days that are over, and not compared yet, with the
// estimates of their own hour.
func (v *verifier) compareRuns(now time.Time) error {
	due, err := v.dueDays(store.OwnLaterRuns, v.lastDay(now), 0)
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
	done, err := v.store.HasPairs(tier, logged.First.Truncate(day).Add(-day))
	if err != nil {
		return nil, err
	}
	has := map[time.Time]bool{}
	for _, hour := range logged.Kept {
		for _, l := range store.LoggedLeads[1:] {
			if l >= lead {
				v.noteDays(has, hour.Add(time.Duration(l)*time.Hour))
			}
		}
	}
	var due []time.Time
	for d := logged.First.Truncate(day).Add(-day); !d.After(last); d = d.Add(day) {
		if has[d] && !done[d] {
			due = append(due, d)
		}
	}
	return due, nil
}

// noteDays notes the days of which an hour is one on any trail.
func (v *verifier) noteDays(days map[time.Time]bool, hour time.Time) {
	for _, trails := range v.byZone {
		if date, _, walked := v.sites[trails[0]].DayOf(hour); walked {
			days[date] = true
		}
	}
}

// walkedAt counts the trails on which an hour is one of a day.
func (v *verifier) walkedAt(hour time.Time) (n int) {
	for _, trails := range v.byZone {
		if _, _, walked := v.sites[trails[0]].DayOf(hour); walked {
			n += len(trails)
		}
	}
	return n
}
