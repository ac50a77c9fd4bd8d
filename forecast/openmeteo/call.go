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
	"strings"
	"time"
)

// Limits on the phases of a call, for a slow link and a busy provider.
const (
	dialTimeout   = 10 * time.Second
	silentTimeout = 30 * time.Second // without a byte of the answer
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
			ResponseHeaderTimeout: silentTimeout,
			IdleConnTimeout:       30 * time.Second, // shorter than servers', so none is closed on us
			MaxIdleConnsPerHost:   1,
			ForceAttemptHTTP2:     true,
		},
	}
}

// sameHostOnly hands a redirect to another host back as the answer: following
// it would send the key and the places to a stranger.
func sameHostOnly(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	if len(via) > 3 || req.URL.Host != first.Host || req.URL.Scheme != first.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

// do makes a call and reads the body of a good answer. After a refusal for too many calls
// the ledger holds back the next ones.
func (c *Client) do(ctx context.Context, req *http.Request, read func(io.Reader) *Error) *Error {
	fault := c.exchange(ctx, req, read)
	if fault != nil && fault.Kind == RateLimited {
		fault.RetryAt = c.ledger.Learn(fault.Scope)
	}
	return fault
}

func (c *Client) exchange(ctx context.Context, req *http.Request, read func(io.Reader) *Error) *Error {
	reading, cancel := context.WithCancel(req.Context())
	defer cancel()
	resp, err := c.http.Do(req.WithContext(reading))
	if err != nil {
		return c.connectionError(ctx, err)
	}
	resp.Body = newTimedBody(resp.Body, cancel)
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

// timedBody is a body that is cancelled when nothing of it comes for silentTimeout.
type timedBody struct {
	io.ReadCloser
	silence *time.Timer
}

func newTimedBody(body io.ReadCloser, cancel func()) *timedBody {
	return &timedBody{ReadCloser: body, silence: time.AfterFunc(silentTimeout, cancel)}
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if waiting := b.silence.Reset(silentTimeout); !waiting && err != nil {
		err = context.DeadlineExceeded
	}
	return n, err
}

func (b *timedBody) Close() error {
	b.silence.Stop()
	return b.ReadCloser.Close()
}

// connectionError turns an error of the transport, whose text has the address
// with places and key in it, into one of ours.
func (c *Client) connectionError(ctx context.Context, err error) *Error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return &Error{Kind: Interrupted, Reason: "cancelled by the caller", Err: context.Canceled}
	}
	timeout, isNet := errors.AsType[net.Error](err)
	switch {
	case isNet && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return &Error{Kind: Timeout, Reason: "no complete answer in time", Err: context.DeadlineExceeded}
	case errors.Is(err, errTooLong):
		return errorf(Malformed, "the answer is longer than it can be")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Kind: Unreachable, Reason: "the connection was closed without an answer", Err: io.ErrUnexpectedEOF}
	}
	fault := &Error{Kind: Unreachable}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		fault.unsent = op.Op == "dial" || op.Op == "proxyconnect"
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		fault.Reason, fault.Err, fault.unsent = "the provider's name is not found", errors.New(dns.Err), true
		return fault
	}
	// The innermost error repeats no address.
	for fault.Err = err; errors.Unwrap(fault.Err) != nil; {
		fault.Err = errors.Unwrap(fault.Err)
	}
	fault.Reason = cleanReason(fault.Err.Error(), c.key)
	return fault
}

// brokenBody reports whether an error of reading means that the provider ended
// its answer early or spoiled it, rather than that the connection broke.
func brokenBody(err error) bool {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	return corrupt || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum)
}

// refusal reads an answer other than 200.
func (c *Client) refusal(resp *http.Response) *Error {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // what came of it is enough
	fault := refusalError(resp.StatusCode, reasonIn(text))
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		fault.Reason = "redirected to another address, which is not followed"
	case looksLikePage(text):
		fault.Reason = "a web page instead of data"
	case fault.Reason == "":
		fault.Reason = "no reason given"
	}
	fault.Reason = cleanReason(fault.Reason, c.key)
	return fault
}

// reasonIn returns the provider's reason in {"error":true,"reason":"…"}, and any other
// text as it is.
func reasonIn(body []byte) string {
	var refusal struct{ Reason string }
	if json.Unmarshal(body, &refusal) == nil {
		return refusal.Reason
	}
	return strings.TrimSpace(string(body))
}

func looksLikePage(body []byte) bool {
	return strings.HasPrefix(strings.TrimSpace(string(body)), "<")
}
