package push

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vigia/notify/bulletin"
)

const (
	// Bounds of Retry-After, and what stands for one that is missing or unreadable
	// where a service says that it is too much.
	shortestPause = time.Second
	longestPause  = time.Hour
	usualPause    = time.Minute
	// refusedPause is for a service that refuses our keys or our clock.
	refusedPause = 15 * time.Minute
	// maxRefusals in a row from a service that has taken messages before are no longer
	// the fault of single subscriptions.
	maxRefusals = 8

	maxAnswer = 4 << 10 // bytes read of an answer
)

// judge says what an answer of a push service means.
func (s *Sender) judge(to *address, r *http.Response) bulletin.Result {
	err := fmt.Errorf("push to %s: answered %d", to.url.Hostname(), r.StatusCode)
	now := s.clock.Now().Round(0)
	switch code := r.StatusCode; {
	case code >= 200 && code < 300:
		s.took(to.origin, now)
		return bulletin.Result{Verdict: bulletin.Delivered}
	case code == http.StatusNotFound, code == http.StatusGone:
		return bulletin.Result{Verdict: bulletin.Gone, Err: err}
	case code == http.StatusTooManyRequests:
		after := usualPause
		if said, ok := retryAfter(r.Header, now); ok {
			after = said
		}
		return s.pause(to.origin, now, after, err)
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return s.refuse(to, now, err)
	case code < 400, code >= 500, code == http.StatusRequestTimeout, code == http.StatusTooEarly,
		code == http.StatusMisdirectedRequest, code == http.StatusProxyAuthRequired:
		after, _ := retryAfter(r.Header, now)
		return bulletin.Result{Verdict: bulletin.Retry, After: after, Err: err}
	default: // 400 and 413, and those that mean no more than 400 here
		return bulletin.Result{Verdict: bulletin.Unsendable, Err: err}
	}
}

// took notes that a service accepts what we send: its pause for our keys, set by a
// message that was under way at the same time, is over.
func (s *Sender) took(origin string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.service(origin, now)
	v.accepted, v.refused = true, 0
	if v.ours {
		v.until, v.ours, v.reason = time.Time{}, false, nil
	}
}

// pause leaves a service alone for a while, or longer if it is paused already.
func (s *Sender) pause(origin string, now time.Time, after time.Duration, reason error) bulletin.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.service(origin, now)
	if until := now.Add(after); until.After(v.until) {
		v.until, v.reason, v.ours = until, reason, false
	}
	return bulletin.Result{Verdict: bulletin.Retry, After: v.until.Sub(now), Err: reason}
}

// refuse pauses a service that refuses our keys, with one alarm for the pause. One
// that has taken messages under the same keys refuses this subscription rather
// than us: its owner may have made it under another key, and must not be able to
// silence the service for everybody. Only many in a row are a sign of our own
// fault then.
func (s *Sender) refuse(to *address, now time.Time, reason error) bulletin.Result {
	s.mu.Lock()
	v := s.service(to.origin, now)
	v.refused++
	if v.refused >= maxRefusals {
		v.accepted = false
	}
	alarm := !v.accepted && !(v.ours && now.Before(v.until))
	if !v.accepted {
		if until := now.Add(refusedPause); until.After(v.until) {
			v.until, v.reason, v.ours = until, reason, true
		}
		v.authorization = "" // a new one after the pause: the clock may have been put right
	}
	s.mu.Unlock()
	if alarm {
		s.log.Error("a push service refuses our VAPID keys or our clock: nothing is sent to it for a while",
			"service", to.url.Hostname(), "pause", refusedPause, "error", reason)
	}
	return bulletin.Result{Verdict: bulletin.Retry, After: refusedPause, Err: reason}
}

// retryAfter reads a Retry-After in seconds or as a date, within bounds; ok tells
// whether there was a readable one.
func retryAfter(h http.Header, now time.Time) (after time.Duration, ok bool) {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if text == "" {
		return 0, false
	}
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		after = time.Duration(min(seconds, uint64(longestPause/time.Second))) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		after = at.Sub(now)
	} else {
		return 0, false
	}
	return min(max(after, shortestPause), longestPause), true
}

// drain reads what is worth reading of an answer, so that its connection can be
// used again.
func drain(body io.ReadCloser) {
	io.Copy(io.Discard, io.LimitReader(body, maxAnswer)) // the verdict stands in the status
	body.Close()
}

// withoutEndpoint keeps of an error what cannot hold anything that a server sent:
// it might have sent the endpoint back.
func withoutEndpoint(err error) error {
	var (
		operation   *net.OpError
		lookup      *net.DNSError
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		alert       tls.AlertError
	)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("no answer in time: %w", context.DeadlineExceeded)
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.As(err, &certificate):
		return certificate
	case errors.As(err, &record):
		return errors.New("the answer is not TLS")
	case errors.As(err, &alert):
		return alert
	case errors.As(err, &operation):
		return operation
	case errors.As(err, &lookup):
		return lookup
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return io.ErrUnexpectedEOF
	default:
		return fmt.Errorf("the connection or the answer is broken (%T)", err)
	}
}
