package openmeteo

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// question is what one model is asked for, in as many calls as the groups and the limits
// demand.
type question struct {
	op      string // for errors
	path    string // below the client's base
	model   string // id
	groups  []Group
	days    int        // that the answer holds
	span    url.Values // the fields that name these days
	reachKm float64    // from a place to its grid cell, at most
	// check refuses the answer to a call that holds other hours than asked.
	check func(*hazard.Columns) *Error
}

// ask puts a question: all of its groups are answered, or it fails. It may wait some
// minutes on the clock between calls.
func (c *Client) ask(ctx context.Context, places []catalogue.Location, q *question) (*Answer, error) {
	if err := cmp.Or(checkPlaces(places), checkGroups(q.groups, len(places))); err != nil {
		return nil, err.of(q.op, q.model)
	}
	weight := weightOf(q.groups, q.days)
	if err := c.ledger.room(weight); err != nil {
		return nil, err.of(q.op, q.model)
	}
	assembled := newAssembly(places, q.reachKm)
	for _, group := range q.groups {
		most := c.ledger.mostPoints(pointWeight(group.Variables, q.days))
		for part := range slices.Chunk(group.Places, callSize(len(group.Places), most)) {
			if err := c.askPart(ctx, q, Group{group.Variables, part}, assembled); err != nil {
				return nil, err.of(q.op, q.model)
			}
		}
	}
	answer, err := assembled.answer()
	if err != nil {
		return nil, err.of(q.op, q.model)
	}
	answer.Weight = weight
	c.logImplausible(q.model, assembled)
	return answer, nil
}

// askPart makes one call, for a group or a part of one.
func (c *Client) askPart(ctx context.Context, q *question, asked Group, into *assembly) *Error {
	req, err := c.questionRequest(ctx, q, asked.Variables, into.placesAt(asked.Places))
	if err != nil {
		return err
	}
	if err = c.weighted(ctx, weightOf([]Group{asked}, q.days), req, newDecoder(asked.Places, into).decode); err == nil {
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
func (c *Client) questionRequest(ctx context.Context, q *question, variables []hazard.Variable, places []catalogue.Location) (*http.Request, *Error) {
	target := c.base + q.path
	query := c.query(q, variables, places)
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
