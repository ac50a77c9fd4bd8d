package openmeteo

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// question is what one model is asked for, in as many calls as the limits demand.
type question struct {
	op        string // for errors
	path      string // below the client's base
	model     string // id
	variables []hazard.Variable
	days      int        // that the answer holds
	span      url.Values // the fields that name these days
	reachKm   float64    // from a place to its grid cell, at most
	// check refuses the answer to a call that holds other hours than asked.
	check func(*hazard.Columns) *Error
}

// allVariables are those of the rules, all of which a forecast is asked for.
func allVariables() []hazard.Variable {
	all := make([]hazard.Variable, hazard.NumVariables)
	for v := range all {
		all[v] = hazard.Variable(v)
	}
	return all
}

// weight returns what the question costs by the provider's rule: for each point 1, or V/10
// for V variables, or V/10 × days/14, whichever is most.
func (q *question) weight(points int) float64 {
	tenths := float64(len(q.variables)) / 10
	return float64(points) * max(1, tenths, tenths*float64(q.days)/14)
}

// ask puts a question for all places. It may wait some minutes on the clock between calls.
func (c *Client) ask(ctx context.Context, places []catalogue.Location, q *question) (*Answer, error) {
	if err := checkPlaces(places); err != nil {
		return nil, err.of(q.op, q.model)
	}
	if err := c.ledger.room(q.weight(len(places))); err != nil {
		return nil, err.of(q.op, q.model)
	}
	assembled := newAssembly(len(places), q.reachKm)
	first := 0
	for part := range slices.Chunk(places, callSize(len(places), c.ledger.mostPoints(q))) {
		if err := c.askPart(ctx, q, part, first, assembled); err != nil {
			return nil, err.of(q.op, q.model)
		}
		first += len(part)
	}
	answer, err := assembled.answer()
	if err != nil {
		return nil, err.of(q.op, q.model)
	}
	answer.Weight = q.weight(len(places))
	c.logImplausible(q.model, assembled)
	return answer, nil
}

// askPart makes one call, for a part of the places, the first of which is that of an index.
func (c *Client) askPart(ctx context.Context, q *question, asked []catalogue.Location, first int, into *assembly) *Error {
	req, err := c.questionRequest(ctx, q, asked)
	if err != nil {
		return err
	}
	if err = c.weighted(ctx, q.weight(len(asked)), req, newDecoder(asked, first, into).decode); err == nil {
		err = q.check(into.columns)
	}
	return err
}

// weighted makes a call of some weight and reads the body of a good answer.
func (c *Client) weighted(ctx context.Context, weight float64, req *http.Request, read func(io.Reader) *Error) *Error {
	if err := c.takeTurn(ctx); err != nil {
		return err
	}
	defer c.endTurn()
	// Booked only when it is our turn, so that the call goes out at the very
	// minute in which the ledger counts it.
	booked, err := c.ledger.wait(ctx, weight)
	if err != nil {
		return err
	}
	err = c.do(ctx, req, read)
	c.ledger.settle(booked, outcomeOf(err))
	return err
}

// questionRequest makes the call for the places: a GET where the query is short enough,
// else a POST of the same fields as a form.
func (c *Client) questionRequest(ctx context.Context, q *question, places []catalogue.Location) (*http.Request, *Error) {
	target := c.base + q.path
	query := c.query(q, places)
	if len(target)+1+len(query) <= maxQuery {
		return c.request(ctx, http.MethodGet, target+"?"+query, "")
	}
	return c.request(ctx, http.MethodPost, target, query)
}

func (c *Client) takeTurn(ctx context.Context) *Error {
	select {
	case c.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return interrupted(ctx.Err())
	}
}

func (c *Client) endTurn() { <-c.turn }
