package openmeteo

import (
	"context"
	"net/url"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// ArchiveModel is the reanalysis that the archive is asked for: ERA5 of the
// ECMWF (https://open-meteo.com/en/docs/historical-weather-api), a model run
// afterwards over the observations of the whole world. It has no vote in any
// estimate.
const ArchiveModel = "era5"

// ArchiveDelay is how late the archive is: a day is complete five days after it
// ended.
const ArchiveDelay = 5 * 24 * time.Hour

// archiveVariables are those that the reanalysis has. Visibility, CAPE, the
// freezing level and the UV index it does not have, and a hazard that rests on
// them cannot be verified against it.
var archiveVariables = []hazard.Variable{
	hazard.Temperature, hazard.Humidity, hazard.Precipitation, hazard.Snowfall, hazard.SnowDepth,
	hazard.WindSpeed, hazard.WindGust, hazard.WeatherCode,
}

// MaxSpanDays is the longest span of days that can be asked at once. A longer
// answer would weigh more than its points.
const MaxSpanDays = 14

// Archive asks the reanalysis at all places for the UTC days from first to last,
// both included, at most [MaxSpanDays]. The client's base must be that of the
// archive. Hours that it does not have yet are missing. The error is an *Error:
// of kind HeldBack, before anything is asked, when the ledger has no room within
// a few minutes.
func (c *Client) Archive(ctx context.Context, places []catalogue.Location, first, last time.Time) (*Answer, error) {
	return c.askSpan(ctx, places, first, last, &question{
		op: "archive", path: "/v1/archive", model: ArchiveModel, groups: []Group{everywhere(archiveVariables, len(places))}, reachKm: archiveReachKm,
	})
}

// askSpan puts a question for the UTC days from first to last.
func (c *Client) askSpan(ctx context.Context, places []catalogue.Location, first, last time.Time, q *question) (*Answer, error) {
	const day = 24 * time.Hour
	first, last = first.UTC().Truncate(day), last.UTC().Truncate(day)
	q.days = int(last.Sub(first)/day) + 1
	if q.days < 1 || q.days > MaxSpanDays {
		return nil, &Error{Op: q.op, Model: q.model, Kind: Refused, Reason: "a span of days that cannot be asked", unsent: true}
	}
	q.span = url.Values{"start_date": {first.Format(time.DateOnly)}, "end_date": {last.Format(time.DateOnly)}}
	q.check = func(c *hazard.Columns) *Error {
		if !c.Start.Equal(first) || c.Hours != 24*q.days {
			return errorf(Mismatch, "the answer begins at %s with %d hours, not at %s with %d",
				c.Start.Format(time.DateTime), c.Hours, first.Format(time.DateTime), 24*q.days)
		}
		return nil
	}
	return c.ask(ctx, places, q)
}

// ruleVariables are those that the rules use.
var ruleVariables = []hazard.Variable{
	hazard.Temperature, hazard.Humidity, hazard.Precipitation, hazard.Snowfall, hazard.SnowDepth, hazard.WindSpeed, hazard.WindGust,
	hazard.CAPE, hazard.WeatherCode, hazard.SightRange, hazard.FreezingLevel, hazard.UVIndex,
}

// History asks a model, by its id or an alias, what its runs predicted for the UTC days
// from first to last, both included, at most [MaxSpanDays]: the first hours of each
// run, put together (https://open-meteo.com/en/docs/historical-forecast-api). The
// client's base must be that of the archived forecasts. Errors are as of
// [Client.Archive].
func (c *Client) History(ctx context.Context, model string, places []catalogue.Location, first, last time.Time) (*Answer, error) {
	return c.history(ctx, "archived forecast", model, places, ruleVariables, first, last)
}

func (c *Client) history(ctx context.Context, op, model string, places []catalogue.Location, asked []hazard.Variable, first, last time.Time) (*Answer, error) {
	m, unknown := lookUp(op, model)
	if unknown != nil {
		return nil, unknown
	}
	return c.askSpan(ctx, places, first, last, &question{
		op: op, path: "/v1/forecast", model: m.id, groups: []Group{everywhere(asked, len(places))}, reachKm: cellReachKm,
	})
}
