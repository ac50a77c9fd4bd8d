package openmeteo

import (
	"context"
	"net/http"
	"net/url"
	"strings"
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

// spanQuestion asks one model for whole UTC days, first and last included.
type spanQuestion struct {
	op          string // for errors
	path        string // below the client's base
	model       string
	variables   []hazard.Variable
	first, last time.Time
}

func (q *spanQuestion) days() int { return int(q.last.Sub(q.first)/(24*time.Hour)) + 1 }

// weight is what the question costs for so many points.
func (q *spanQuestion) weight(points int) float64 {
	tenths := float64(len(q.variables)) / 10
	return float64(points) * max(1, tenths, tenths*float64(q.days())/14)
}

// Archive asks the reanalysis at all places for the UTC days from first to last,
// both included, at most [MaxSpanDays]. The client's base must be that of the
// archive. Hours that it does not have yet are missing. The error is an *Error:
// of kind HeldBack, before anything is asked, when the ledger has no room within
// a few minutes.
func (c *Client) Archive(ctx context.Context, places []catalogue.Location, first, last time.Time) (*Answer, error) {
	return c.askSpan(ctx, places, &spanQuestion{
		op: "archive", path: "/v1/archive", model: ArchiveModel, variables: archiveVariables, first: first, last: last,
	})
}

// askSpan asks in as many calls as the limits demand, and demands just the hours
// asked for.
func (c *Client) askSpan(ctx context.Context, places []catalogue.Location, q *spanQuestion) (*Answer, error) {
	q.first, q.last = q.first.UTC().Truncate(24*time.Hour), q.last.UTC().Truncate(24*time.Hour)
	if q.last.Before(q.first) || q.days() > MaxSpanDays {
		return nil, &Error{Op: q.op, Model: q.model, Kind: Refused, Reason: "a span of days that cannot be asked", unsent: true}
	}
	if err := checkPlaces(places); err != nil {
		return nil, err.of(q.op, q.model)
	}
	if err := c.ledger.room(q.weight(len(places))); err != nil {
		return nil, err.of(q.op, q.model)
	}
	assembled := newAssembly(len(places))
	for _, part := range chunks(len(places), c.ledger.pointsPerCall(q.days())) {
		if err := c.askSpanPart(ctx, places, q, part, assembled); err != nil {
			return nil, err.of(q.op, q.model)
		}
	}
	answer := assembled.answer()
	answer.Weight = q.weight(len(places))
	c.logImplausible(q.model, assembled)
	return answer, nil
}

// askSpanPart makes one call, for places[part.first:part.end].
func (c *Client) askSpanPart(ctx context.Context, places []catalogue.Location, q *spanQuestion, part span, into *assembly) *Error {
	asked := places[part.first:part.end]
	if err := c.takeTurn(ctx); err != nil {
		return err
	}
	defer c.endTurn()
	booked, err := c.ledger.wait(ctx, q.weight(len(asked)))
	if err != nil {
		return err
	}
	req, err := c.spanRequest(ctx, q, asked)
	if err != nil {
		booked.Settle(Refusal)
		return err
	}
	d := newDecoder(asked, part.first, into)
	err = c.do(ctx, req, d.decode)
	booked.Settle(outcomeOf(err))
	if err == nil && (!into.columns.Start.Equal(q.first) || into.columns.Hours != 24*q.days()) {
		err = mismatch("the answer begins at %s with %d hours, not at %s with %d",
			into.columns.Start.Format(time.DateTime), into.columns.Hours, q.first.Format(time.DateTime), 24*q.days())
	}
	return err
}

// spanRequest makes the call: a GET where the query is short enough, else a POST
// of the same fields.
func (c *Client) spanRequest(ctx context.Context, q *spanQuestion, places []catalogue.Location) (*http.Request, *Error) {
	fields, err := url.ParseQuery(c.forecastQuery(q.model, places))
	if err != nil {
		return nil, &Error{Kind: Refused, Reason: "the fields of the call cannot be made", unsent: true}
	}
	names := make([]string, len(q.variables))
	for i, v := range q.variables {
		names[i] = variables[v].name
	}
	fields.Set("hourly", strings.Join(names, ","))
	fields.Del("past_days")
	fields.Del("forecast_days")
	fields.Set("start_date", q.first.Format(time.DateOnly))
	fields.Set("end_date", q.last.Format(time.DateOnly))
	query := strings.ReplaceAll(fields.Encode(), "%2C", ",")
	target := c.base + q.path
	if len(target)+1+len(query) <= maxQuery {
		return c.request(ctx, http.MethodGet, target+"?"+query, "")
	}
	return c.request(ctx, http.MethodPost, target, query)
}
