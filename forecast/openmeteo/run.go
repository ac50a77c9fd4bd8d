package openmeteo

import (
	"context"
	"io"
	"math"
	"net/http"
	"net/url"
	"time"
)

// RunInfo is the provider's metadata of the newest run of a model
// (https://open-meteo.com/en/docs/model-updates). All times are UTC.
type RunInfo struct {
	Init      time.Time     // the analysis from which the run starts
	Available time.Time     // when the provider had it complete
	Interval  time.Duration // between two runs
}

const (
	// settling is how long to wait after a run became available: the provider's
	// servers receive it one after the other.
	settling = 10 * time.Minute
	// maxDelay is the longest time from a run's start to its availability that
	// is taken as normal. A run put up again days later is still an old one.
	maxDelay = 12 * time.Hour
	// clockSkew is how far ahead of our clock the metadata may be.
	clockSkew = time.Hour

	minInterval = time.Hour
	maxInterval = 24 * time.Hour
)

// ReadyAt is when every server of the provider has the run.
func (r RunInfo) ReadyAt() time.Time { return r.Available.Add(settling) }

// Frozen reports whether the model stands still: its run is older than twice the
// interval between runs. The age counts from when the run became available, for
// a healthy run is some hours old by then already.
func (r RunInfo) Frozen(now time.Time) bool { return now.After(r.FrozenAt()) }

// FrozenAt returns the instant after which the run counts as frozen.
func (r RunInfo) FrozenAt() time.Time {
	delay := min(max(r.Available.Sub(r.Init), 0), maxDelay)
	return r.Init.Add(delay + 2*r.Interval)
}

// LatestRun asks for the newest run of a model, by its id or an alias. It has no
// weight. The error is an *Error.
func (c *Client) LatestRun(ctx context.Context, model string) (RunInfo, error) {
	const op = "metadata"
	m, unknown := lookUp(op, model)
	if unknown != nil {
		return RunInfo{}, unknown
	}
	if err := c.takeTurn(ctx); err != nil {
		return RunInfo{}, err.of(op, m.id)
	}
	defer c.endTurn()
	target := c.base + "/data/" + m.metaID + "/static/meta.json"
	if c.key != "" {
		target += "?apikey=" + url.QueryEscape(c.key)
	}
	req, err := c.request(ctx, http.MethodGet, target, "")
	if err != nil {
		return RunInfo{}, err.of(op, m.id)
	}
	var run RunInfo
	err = c.do(ctx, req, func(body io.Reader) (err *Error) {
		run, err = readMetadata(body, c.clock.Now())
		return err
	})
	if err != nil {
		return RunInfo{}, err.of(op, m.id)
	}
	return run, nil
}

// readMetadata reads and judges a metadata file.
func readMetadata(body io.Reader, now time.Time) (RunInfo, *Error) {
	var meta struct {
		Init      *float64 `json:"last_run_initialisation_time"`
		Available *float64 `json:"last_run_availability_time"`
		Interval  *float64 `json:"update_interval_seconds"`
		refusalText
	}
	if err := readSmall(body, "metadata", &meta, &meta.refusalText); err != nil {
		return RunInfo{}, err
	}
	if meta.Init == nil || meta.Available == nil || meta.Interval == nil {
		return RunInfo{}, errorf(Mismatch, "the metadata lack the run's times")
	}
	began, ok1 := unixTime(*meta.Init)
	available, ok2 := unixTime(*meta.Available)
	if !ok1 || !ok2 {
		return RunInfo{}, errorf(Mismatch, "the metadata have a time out of all range")
	}
	run := RunInfo{Init: began, Available: available, Interval: time.Duration(min(*meta.Interval, 1e6) * float64(time.Second))}
	return run, run.judge(now)
}

// judge refuses metadata that cannot be true.
func (r RunInfo) judge(now time.Time) *Error {
	switch {
	case r.Available.Before(r.Init):
		return errorf(Mismatch, "the run was available before it started")
	case r.Available.After(now.Add(clockSkew)):
		return errorf(Mismatch, "the run is from the future, or this machine's clock is wrong")
	case r.Interval < minInterval || r.Interval > maxInterval:
		return errorf(Mismatch, "runs every %v", r.Interval)
	}
	return nil
}

// unixTime returns the instant of seconds since 1970, for this century and the last
// years of the one before.
func unixTime(seconds float64) (time.Time, bool) {
	if !(seconds >= minUnix && seconds <= maxUnix) || seconds != math.Trunc(seconds) {
		return time.Time{}, false
	}
	return time.Unix(int64(seconds), 0).UTC(), true
}
