// Package calibration counts how often the rules would have given which state in past
// weather, trail by trail.
//
// Data passes through it so: what each model's runs predicted is asked from the provider's
// archive, some days at a time ([Calibrate]) → every trail is assessed for every hour of
// those days → its hours by day, and its days, are counted ([TrailRates]) → a table for people or a CSV for
// programs shows where the rates pass the aims.
package calibration

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/store/catalogue"
)

// PastForecasts returns what a model's runs predicted for whole days past. [openmeteo.Client] is
// the real one, with the archive's address as its base.
type PastForecasts interface {
	History(ctx context.Context, model string, places []catalogue.Location, first, last time.Time) (*openmeteo.Answer, error)
	HistoryAloft(ctx context.Context, model string, places []catalogue.Location, first, last time.Time) (*openmeteo.Answer, error)
}

// Calibration is a question about the base rates of the rules: how often they would
// have given which state. All but Progress are required.
type Calibration struct {
	Archive     PastForecasts
	Catalogue   *catalogue.Catalogue
	Rules       *hazard.Rules
	Models      []string
	First, Last time.Time // days, as their midnight in UTC, both included
	Clock       clockwork.Clock
	WindAloft   bool // it is asked for
	// Progress, when set, is called with how many of the questions to the archive are done
	// and what comes next.
	Progress func(done, total int, what string)
}

const (
	archiveDay = 24 * time.Hour
	// leadIn is the days before the first that the longest sum, of 72 h, needs.
	leadIn = 3
	// firstRetry is half of the wait after the first failure; each wait is twice as long as
	// the one before.
	firstRetry = 5 * time.Second
	// archiveTries is how often a question that fails for no lasting reason is put.
	archiveTries = 6
)

// calibrator is a calibration under way: it goes through the days in order, and
// holds for each model the hours that the days to come still need.
type calibrator struct {
	Calibration
	sites []hazard.Site
	held  []*hazard.Columns // by model; nil before the first answer
	aloft *windAloft
	next  time.Time // first day not counted yet
	asked int
	rates *BaseRates
}

// Calibrate runs the rules over archived forecasts, day by day, with each hour seen
// from the day's own start, so that nothing is softened for being far ahead. It
// waits as long as the provider's limits demand. A model that cannot be had ends it.
func Calibrate(ctx context.Context, o Calibration) (*BaseRates, error) {
	c := &calibrator{
		Calibration: o, sites: o.Catalogue.Sites(), held: make([]*hazard.Columns, len(o.Models)), next: o.First,
		aloft: newWindAloft(&o), rates: newBaseRates(o),
	}
	for from := o.First.AddDate(0, 0, -leadIn); !from.After(o.Last); from = from.AddDate(0, 0, openmeteo.MaxSpanDays) {
		to := from.AddDate(0, 0, openmeteo.MaxSpanDays-1)
		if to.After(o.Last) {
			to = o.Last
		}
		for m := range o.Models {
			if err := c.fetch(ctx, m, from, to); err != nil {
				return nil, fmt.Errorf("archived forecasts of %s from %s to %s: %w", o.Models[m], from.Format(time.DateOnly), to.Format(time.DateOnly), err)
			}
			c.fetchAloft(ctx, m, from, to)
		}
		c.count(to)
	}
	for i := range c.rates.Trails {
		c.rates.Trails[i].endDay()
		c.rates.Aloft[i].endDay()
	}
	c.logProgress("")
	return c.rates, nil
}

// days is how many days are asked for.
func (o *Calibration) days() int { return int(o.Last.Sub(o.First)/archiveDay) + 1 + leadIn }

// spans is how many spans of days are asked for, one after the other.
func (o *Calibration) spans() int {
	return (o.days() + openmeteo.MaxSpanDays - 1) / openmeteo.MaxSpanDays
}

// Weight is what the calibration costs by the provider's count.
func (o *Calibration) Weight() float64 {
	const most = openmeteo.MaxSpanDays
	points := len(o.Catalogue.Locations)
	weight := float64(o.days()/most) * openmeteo.HistoryWeight(points, most)
	if rest := o.days() % most; rest > 0 {
		weight += openmeteo.HistoryWeight(points, rest)
	}
	aloft := newWindAloft(o)
	return weight*float64(len(o.Models)) + float64(o.spans()*aloft.models(o.Models)*len(aloft.places))
}

func (c *calibrator) logProgress(what string) {
	if c.Progress != nil {
		c.Progress(c.asked, c.spans()*(len(c.Models)+c.aloft.models(c.Models)), what)
	}
}

// fetch asks for a model's days.
func (c *calibrator) fetch(ctx context.Context, m int, from, to time.Time) error {
	what := fmt.Sprintf("%s %s", c.Models[m], from.Format(time.DateOnly))
	answer, err := c.ask(ctx, what, func() (*openmeteo.Answer, error) {
		return c.Archive.History(ctx, c.Models[m], c.Catalogue.Locations, from, to)
	})
	if err == nil {
		c.held[m] = joined(c.held[m], answer.Columns, c.next.AddDate(0, 0, -leadIn))
	}
	return err
}

// ask puts a question to the archive, and again after a failure that may pass.
func (c *calibrator) ask(ctx context.Context, what string, question func() (*openmeteo.Answer, error)) (*openmeteo.Answer, error) {
	defer func() { c.asked++ }()
	for try := 1; ; try++ {
		c.logProgress(what)
		answer, err := question()
		if err == nil {
			return answer, nil
		}
		until, plain, again := c.retryAt(err, try)
		if !again {
			return nil, err
		}
		c.logProgress(fmt.Sprintf("%s: espera hasta las %s UTC (%s)", what, until.UTC().Format("15:04"), plain))
		timer := c.Clock.NewTimer(until.Sub(c.Clock.Now()))
		select {
		case <-timer.Chan():
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
	}
}

// retryAt returns when a question that failed is worth putting again, and what went wrong
// in Spanish. The provider's
// limits are waited for however long it takes.
func (c *calibrator) retryAt(err error, try int) (at time.Time, plain string, again bool) {
	failure, ok := errors.AsType[*openmeteo.Error](err)
	if !ok {
		return at, "", false
	}
	switch failure.Kind {
	case openmeteo.HeldBack, openmeteo.RateLimited:
		at, again = failure.RetryAt, !failure.RetryAt.IsZero()
	case openmeteo.Refused, openmeteo.Mismatch, openmeteo.Interrupted:
	default:
		at, again = c.Clock.Now().Add(firstRetry<<try), try < archiveTries
	}
	return at, failure.Plain(), again
}

// joined puts the hours held and those that follow them together, from an instant
// on.
func joined(held, next *hazard.Columns, from time.Time) *hazard.Columns {
	if held == nil {
		return next
	}
	end := next.Start.Add(time.Duration(next.Hours) * time.Hour)
	all := hazard.NewColumns(from, next.Points, int(end.Sub(from)/time.Hour))
	for p := range all.Points {
		all.Copy(p, held, p)
		all.Copy(p, next, p)
	}
	return all
}

// count assesses the days that have come in. The last of them waits for the hour
// after it, which has a say in its last hour, unless it is the last of all.
func (c *calibrator) count(to time.Time) {
	until := to
	if to.Equal(c.Last) {
		until = to.Add(archiveDay)
	}
	runs := make([]hazard.Run, len(c.Models))
	for m, columns := range c.held {
		runs[m] = hazard.Run{Model: c.Models[m], Columns: columns}
	}
	workers := min(runtime.GOMAXPROCS(0), len(c.sites))
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for from := c.next; from.Before(until); from = from.Add(archiveDay) {
				assessor := c.Rules.NewAssessor(runs, len(c.Models), from, int(archiveDay/time.Hour))
				for i := w; i < len(c.sites); i += workers {
					c.rates.Trails[i].add(assessor.Assess(c.sites[i]), c.sites[i].TimeZone)
				}
			}
		})
	}
	wait.Wait()
	c.countAloft(until)
	if until.After(c.next) {
		c.next = until
	}
}
