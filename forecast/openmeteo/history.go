package openmeteo

import (
	"context"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// History asks a model, by its id or an alias, what its runs said of the UTC days
// from first to last, both included, at most [MaxSpanDays]: the first hours of each
// run, put together (https://open-meteo.com/en/docs/historical-forecast-api). The
// client's base must be that of the archived forecasts. Errors are as of
// [Client.Archive].
func (c *Client) History(ctx context.Context, model string, places []catalogue.Location, first, last time.Time) (*Answer, error) {
	const op = "archived forecast"
	m, ok := lookUp(model)
	if !ok {
		return nil, &Error{Op: op, Model: model, Kind: Refused, Reason: "unknown model"}
	}
	all := make([]hazard.Variable, hazard.NumVariables)
	for v := range all {
		all[v] = hazard.Variable(v)
	}
	return c.askSpan(ctx, places, &spanQuestion{op: op, path: "/v1/forecast", model: m.id, variables: all, first: first, last: last})
}
