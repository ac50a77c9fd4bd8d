package noticefeed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"vigia/store/notices"
)

// feedTimeout bounds one question to a feed, its whole answer included.
const feedTimeout = 30 * time.Second

// feed is a source of one kind of notices.
type feed struct {
	kind   notices.Kind
	url    string
	agent  string
	client *http.Client
	dueAt  time.Time  // no question before this
	last   feedAnswer // the last that could be read
}

// feedAnswer is a body with what the source calls this state of it.
type feedAnswer struct {
	body           []byte
	etag, modified string
}

// feedError is a question to a feed that failed. It names no address.
type feedError struct {
	plain string // for people, in Spanish
	cause error  // nil when there is no more to say
}

// Error returns what went wrong.
func (e *feedError) Error() string {
	if e.cause == nil {
		return e.plain
	}
	return e.plain + ": " + e.cause.Error()
}

// Unwrap returns the cause.
func (e *feedError) Unwrap() error { return e.cause }

func newFeed(kind notices.Kind, address, agent string) *feed {
	return &feed{kind: kind, url: address, agent: agent, client: &http.Client{Timeout: feedTimeout, CheckRedirect: stayWithHost}}
}

// stayWithHost hands a redirect to another host back as the answer: who may say
// what is official was named by the operator.
func stayWithHost(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	if len(via) > 3 || req.URL.Host != first.Host || req.URL.Scheme != first.Scheme || req.URL.User != nil {
		return http.ErrUseLastResponse
	}
	return nil
}

// fetch asks the source, and gives its answer: the last one when it says that
// nothing changed since.
func (f *feed) fetch(ctx context.Context) (feedAnswer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url, nil)
	if err != nil {
		return feedAnswer{}, &feedError{plain: "la dirección de la fuente no sirve"}
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", f.agent)
	if f.last.etag != "" {
		req.Header.Set("If-None-Match", f.last.etag)
	}
	if f.last.modified != "" {
		req.Header.Set("If-Modified-Since", f.last.modified)
	}
	resp, err := f.client.Do(req)
	if err != nil {
		return feedAnswer{}, connectionError(err)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotModified && f.last.body != nil:
		return f.last, nil
	case resp.StatusCode >= 300 && resp.StatusCode < 400 && resp.StatusCode != http.StatusNotModified:
		return feedAnswer{}, &feedError{plain: "la fuente envía a otra dirección, que no se sigue"}
	case resp.StatusCode != http.StatusOK:
		return feedAnswer{}, &feedError{plain: fmt.Sprintf("la fuente respondió con el estado %d", resp.StatusCode)}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, notices.MaxBytes+1))
	switch {
	case err != nil:
		return feedAnswer{}, connectionError(err)
	case len(body) > notices.MaxBytes:
		return feedAnswer{}, &feedError{plain: "la respuesta de la fuente pasa de 1 MB"}
	}
	return feedAnswer{body: body, etag: resp.Header.Get("ETag"), modified: resp.Header.Get("Last-Modified")}, nil
}

// connectionError turns an error of the transport, whose text has the address in
// it, into one of ours.
func connectionError(err error) error {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		return &feedError{plain: "la fuente no respondió a tiempo"}
	}
	if outer := (*url.Error)(nil); errors.As(err, &outer) {
		err = outer.Err
	}
	failure := &feedError{plain: "no se pudo leer la fuente", cause: err}
	if op := (*net.OpError)(nil); errors.As(err, &op) {
		failure.plain, failure.cause = "no se pudo conectar con la fuente", op.Err
	}
	if dns := (*net.DNSError)(nil); errors.As(err, &dns) {
		failure.cause = errors.New(dns.Err) // without the name
	}
	return failure
}
