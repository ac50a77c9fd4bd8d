// Package openmeteo asks Open-Meteo (https://open-meteo.com/en/docs), or a server
// with the same grammar, for the weather of many places out of one model at a time.
//
// Data passes through it in this order: the [Client] cuts the places into calls
// that the provider allows, books the weight of each in the [Ledger] before it
// goes out, and reads the answer as a stream (tokens → decoder → assembly) into
// [hazard.Columns]. On the way every series is checked against what was asked
// (length, hours, units, place and order of places) and every value against what is
// physically plausible.
//
// Nothing is guessed. A null, an absurd value and a variable that the model does
// not have are missing (NaN, or a nil column), never zero; an answer that breaks
// off or does not fit the question is an [Error], never a partial result.
package openmeteo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// Options are the settings of a Client.
type Options struct {
	// BaseURL is the provider's root, such as https://api.open-meteo.com;
	// /v1/forecast and /data/<meta id>/static/meta.json are appended.
	BaseURL string
	// Key is a paying customer's key, sent as apikey. It is in no error and no log.
	Key string
	// UserAgent is sent with every call; empty means "vigia".
	UserAgent string
	// Dial opens a connection to an address of the provider; nil does it over the
	// network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Clock returns the time against which answers are judged. Required.
	Clock clockwork.Clock
	// Ledger keeps the weight within the provider's limits. Required.
	Ledger *Ledger
	// Log takes one line for an answer with implausible values; nil means none.
	Log *slog.Logger
}

// Client asks the provider. It may be used from several goroutines; it runs one
// call at a time, as the provider's free service demands.
type Client struct {
	base   string
	key    string
	agent  string
	http   *http.Client
	clock  clockwork.Clock
	ledger *Ledger
	log    *slog.Logger
	turn   chan struct{} // holds a token while a call runs
}

// New makes a client. It fails when the base address is not an http or https
// address, or when the clock or the ledger is missing.
func New(o Options) (*Client, error) {
	base, err := checkBase(o.BaseURL)
	if err != nil {
		return nil, err
	}
	if o.Clock == nil || o.Ledger == nil {
		return nil, errors.New("openmeteo: a clock and a ledger are required")
	}
	c := &Client{
		base: base, key: o.Key, agent: o.UserAgent, http: newHTTPClient(o.Dial),
		clock: o.Clock, ledger: o.Ledger, log: o.Log,
		turn: make(chan struct{}, 1),
	}
	if c.agent == "" {
		c.agent = "vigia"
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

func checkBase(base string) (string, error) {
	u, err := url.Parse(base)
	if err != nil {
		// The error of url.Parse repeats the address, which may hold a password.
		return "", errors.New("openmeteo: the base address cannot be read")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("openmeteo: the base address must begin with http or https, not %q", u.Scheme)
	case u.Host == "":
		return "", errors.New("openmeteo: the base address has no host")
	case u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("openmeteo: the base address must have no query and no fragment")
	}
	return strings.TrimRight(base, "/"), nil
}

// Answer is the weather that a model predicts for all the places asked.
type Answer struct {
	Columns     *hazard.Columns
	Spread      *hazard.Columns // of an ensemble, as Columns; nil where none is known
	Implausible int             // values dropped because they cannot be true
	Weight      float64         // what the calls weighed
}

// Forecast asks a model, by its id or an alias, for the variables of each group at its
// places, from three days back to nine days ahead. Every place must be in a
// group ([Groups]). It takes as many calls as the groups and the limits demand and may
// wait some minutes on the clock between them: all of them are answered, or it fails. The
// answer has the places in the order given.
//
// The error is an *Error: of kind HeldBack, before anything is asked, when the
// ledger has no room for all of the calls within a few minutes.
func (c *Client) Forecast(ctx context.Context, model string, places []catalogue.Location, groups []Group) (*Answer, error) {
	return c.forecast(ctx, "forecast", model, places, groups)
}

func (c *Client) forecast(ctx context.Context, op, model string, places []catalogue.Location, groups []Group) (*Answer, error) {
	m, unknown := lookUp(op, model)
	if unknown != nil {
		return nil, unknown
	}
	return c.ask(ctx, places, &question{
		op: op, path: "/v1/forecast", model: m.id, groups: groups, days: forecastDays, reachKm: cellReachKm,
		span:  url.Values{"past_days": {strconv.Itoa(pastDays)}, "forecast_days": {strconv.Itoa(futureDays)}},
		check: c.checkPresent,
	})
}

// checkPresent demands that the answer holds the present hour: one for other days comes
// from a cache, or from a clock that is wrong, here or there.
func (c *Client) checkPresent(columns *hazard.Columns) *Error {
	start, now := columns.Start, c.clock.Now()
	end := start.Add(time.Duration(columns.Hours) * time.Hour)
	if now.Before(start) || !now.Before(end) {
		return errorf(Mismatch, "the answer is for %s to %s, not for now", start.Format(time.DateTime), end.Format(time.DateTime))
	}
	return nil
}

func (c *Client) logImplausible(model string, a *assembly) {
	if a.implausible == 0 {
		return
	}
	fields := []any{"model", model, "values", a.implausible}
	for v, n := range a.implausibleBy {
		if n > 0 {
			fields = append(fields, variables[v].name, n)
		}
	}
	c.log.Warn("implausible weather values dropped", fields...)
}
