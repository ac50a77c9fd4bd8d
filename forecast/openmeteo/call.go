package openmeteo

import (
	"compress/flate"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Limits on the phases of a call, for a slow link and a busy provider.
const (
	dialTimeout   = 10 * time.Second
	headerTimeout = 60 * time.Second
	callTimeout   = 2 * time.Minute

	maxRefusal = 8 * 1024 // bytes read of an answer that is not 200
)

// newHTTPClient makes a client with limits on every phase of a call.
func newHTTPClient(dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Client {
	if dial == nil {
		dial = (&net.Dialer{Timeout: dialTimeout}).DialContext
	}
	return &http.Client{
		Timeout:       callTimeout,
		CheckRedirect: sameHostOnly,
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           dial,
			TLSHandshakeTimeout:   dialTimeout,
			ResponseHeaderTimeout: headerTimeout,
			IdleConnTimeout:       30 * time.Second, // shorter than servers', so none is closed on us
			MaxIdleConnsPerHost:   1,
			ForceAttemptHTTP2:     true,
		},
	}
}

// sameHostOnly hands a redirect to another host back as the answer: following
// it would give the key and the places to a stranger.
func sameHostOnly(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	if len(via) > 3 || req.URL.Host != first.Host || req.URL.Scheme != first.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

// do makes a call and has the body of a good answer read. A refusal for too many
// calls is heeded from then on.
func (c *Client) do(ctx context.Context, req *http.Request, read func(io.Reader) *Error) *Error {
	fault := c.exchange(ctx, req, read)
	if fault != nil && fault.Kind == RateLimited {
		fault.RetryAt = c.ledger.Learn(fault.Scope)
	}
	return fault
}

func (c *Client) exchange(ctx context.Context, req *http.Request, read func(io.Reader) *Error) *Error {
	resp, err := c.http.Do(req)
	if err != nil {
		return c.connectionError(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return c.refusal(resp)
	}
	fault := read(resp.Body)
	if fault == nil {
		return nil
	}
	if cause := fault.Err; cause != nil && !brokenBody(cause) {
		fault = c.connectionError(ctx, cause)
	}
	fault.Status = resp.StatusCode
	fault.Reason = cleanReason(fault.Reason, c.key)
	return fault
}

// connectionError turns an error of the transport, whose text has the address
// with places and key in it, into one of ours.
func (c *Client) connectionError(ctx context.Context, err error) *Error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return &Error{Kind: Interrupted, Reason: "cancelled by the caller", Err: context.Canceled}
	}
	fault := &Error{Kind: Unreachable, Reason: "the connection failed"}
	timeout, isNet := errors.AsType[net.Error](err)
	switch {
	case isNet && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		fault.Kind, fault.Reason, fault.Err = Timeout, "no complete answer in time", context.DeadlineExceeded
		return fault
	case errors.Is(err, errTooLong):
		return malformed("the answer is longer than it can be")
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		fault.Reason, fault.unsent = "the provider's name is not found", true
		fault.Err = errors.New(dns.Err)
	} else if op, ok := errors.AsType[*net.OpError](err); ok {
		// Below the outermost part, which repeats the addresses.
		fault.unsent = op.Op == "dial" || op.Op == "proxyconnect"
		for inner, ok := op, true; ok; inner, ok = errors.AsType[*net.OpError](op.Err) {
			op = inner
		}
		fault.Reason, fault.Err = op.Err.Error(), op.Err
	} else if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		fault.Reason, fault.Err = "the connection was closed without an answer", io.ErrUnexpectedEOF
	} else if outer, ok := errors.AsType[*url.Error](err); ok {
		fault.Reason, fault.Err = outer.Err.Error(), outer.Err
	}
	fault.Reason = cleanReason(fault.Reason, c.key)
	return fault
}

// brokenBody tells whether an error of reading means that the provider ended
// its answer early or spoiled it, rather than that the connection broke.
func brokenBody(err error) bool {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	return corrupt || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum)
}

// refusal reads an answer other than 200.
func (c *Client) refusal(resp *http.Response) *Error {
	fault := &Error{Kind: Refused, Status: resp.StatusCode}
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // what came of it is enough
	reason, given := reasonIn(text)
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		fault.Kind, fault.Reason = ServerFault, "redirected to another address, which is not followed"
		return fault
	case resp.StatusCode == http.StatusTooManyRequests:
		fault.Kind, fault.Scope = RateLimited, scopeIn(reason)
	case resp.StatusCode < 400 || resp.StatusCode >= 500:
		fault.Kind = ServerFault
	}
	if !given {
		reason = "no reason given"
		if looksLikePage(text) {
			reason = "a web page instead of data"
		}
	}
	fault.Reason = cleanReason(reason, c.key)
	return fault
}

// reasonIn finds the provider's reason in {"error":true,"reason":"…"}. Where
// there is another text, short of a page, that is the reason.
func reasonIn(body []byte) (string, bool) {
	var said struct {
		Error  bool   `json:"error"`
		Reason string `json:"reason"`
	}
	if json.Unmarshal(body, &said) == nil {
		return said.Reason, said.Reason != ""
	}
	text := strings.TrimSpace(string(body))
	return text, text != "" && !looksLikePage(body)
}

// errorSaid makes the error for {"error":true} in an answer with status 200.
func errorSaid(reason string) *Error {
	text := strings.ToLower(reason)
	switch {
	case strings.Contains(text, "limit exceeded"), strings.Contains(text, "too many concurrent"):
		return &Error{Kind: RateLimited, Scope: scopeIn(reason), Reason: reason}
	case strings.Contains(reason, streamingFault):
		return &Error{Kind: Malformed, Reason: reason}
	}
	return &Error{Kind: Refused, Reason: reason}
}

// scopeIn tells which limit a text is about. One that names none is taken for
// the shortest: the next refusal will say more.
func scopeIn(reason string) Scope {
	text := strings.ToLower(reason)
	switch {
	case strings.Contains(text, "concurrent"):
		return Concurrent
	case strings.Contains(text, "hourly"):
		return Hour
	case strings.Contains(text, "daily"):
		return Day
	case strings.Contains(text, "monthly"):
		return Month
	}
	return Minute
}

func looksLikePage(body []byte) bool {
	return strings.HasPrefix(strings.TrimSpace(string(body)), "<")
}

// outcomeOf tells what a finished call costs. See [Outcome].
func outcomeOf(err *Error) Outcome {
	if err == nil {
		return Served
	}
	switch err.Kind {
	case Mismatch:
		return Served
	case Refused, RateLimited, ServerFault:
		return Refusal
	}
	if err.unsent {
		return Refusal
	}
	return Unclear
}
