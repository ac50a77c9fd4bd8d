package push

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"vigia/notify/message"
)

const (
	// Bounds of Retry-After, and what stands for one that is missing or unreadable
	// in a 429.
	shortestPause = time.Second
	longestPause  = time.Hour
	usualPause    = time.Minute
	// refusedWait is for an endpoint that is refused.
	refusedWait = 15 * time.Minute
	// A service that refuses severalRefused endpoints which were reached before, and has
	// taken nothing for acceptedLately, refuses our keys or our clock. It is paused for
	// refusedPause, no longer than the queue waits before it tries others.
	severalRefused = 8
	acceptedLately = 15 * time.Minute
	refusedPause   = 5 * time.Minute

	maxAnswer = 4 << 10 // bytes read of an answer
)

// judge returns the verdict of a push service's answer.
func (s *Sender) judge(to *address, r *http.Response) message.Result {
	err := fmt.Errorf("push to %s: answered %d", to.url.Hostname(), r.StatusCode)
	now := s.o.Clock.Now().Round(0)
	switch code := r.StatusCode; {
	case code >= 200 && code < 300:
		s.took(to.origin, now)
		return message.Result{Verdict: message.Delivered}
	case code == http.StatusNotFound, code == http.StatusGone:
		return message.Result{Verdict: message.Gone, Err: err}
	case code == http.StatusTooManyRequests:
		after := usualPause
		if said, ok := retryAfter(r.Header, now); ok {
			after = said
		}
		if to.asked {
			return message.Result{Verdict: message.Retry, After: after, Err: err}
		}
		return s.pause(to.origin, now, after, err)
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return s.refuse(to, now, err)
	case code < 400, code >= 500, code == http.StatusRequestTimeout, code == http.StatusTooEarly,
		code == http.StatusMisdirectedRequest, code == http.StatusProxyAuthRequired:
		after, _ := retryAfter(r.Header, now)
		return message.Result{Verdict: message.Retry, After: after, Err: err}
	default: // 400 and 413, and those that mean no more than 400 here
		return message.Result{Verdict: message.Unsendable, Err: err}
	}
}

// took notes that a service accepts what we send: its pause for our keys, set by a
// message that was under way at the same time, is over.
func (s *Sender) took(origin string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.service(origin, now)
	v.acceptedAt, v.refused = now, nil
	if v.ours {
		v.until, v.ours, v.reason = time.Time{}, false, nil
	}
}

// pause leaves a service alone for a while, or longer if it is paused already.
func (s *Sender) pause(origin string, now time.Time, after time.Duration, reason error) message.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.service(origin, now)
	if until := now.Add(after); until.After(v.until) {
		v.until, v.reason, v.ours = until, reason, false
	}
	return message.Result{Verdict: message.Retry, After: v.until.Sub(now), Err: reason}
}

// refuse has an endpoint that a service refuses wait. One that never took a message
// shows nothing about our keys: its owner may have made it under another key, or made it
// up. Only when several that were reached before are refused, and nobody is accepted,
// the service is paused, with one alarm for each pause.
func (s *Sender) refuse(to *address, now time.Time, reason error) message.Result {
	if s.refusesAll(to, now, reason) {
		s.o.Log.Error("a push service refuses our VAPID keys or our clock: nothing is sent to it for a while",
			"service", to.url.Hostname(), "pause", refusedPause, "error", reason)
	}
	return message.Result{Verdict: message.Retry, After: refusedWait, Err: reason}
}

// refusesAll notes that a service refuses an endpoint, and reports whether that begins a
// pause.
func (s *Sender) refusesAll(to *address, now time.Time, reason error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.service(to.origin, now)
	if !to.target.Reached || slices.Contains(v.refused, to.target.Endpoint) {
		return false
	}
	if v.refused = append(v.refused, to.target.Endpoint); len(v.refused) < severalRefused || now.Sub(v.acceptedAt).Abs() < acceptedLately {
		v.refused = v.refused[max(0, len(v.refused)-severalRefused):]
		return false
	}
	v.refused = nil
	if until := now.Add(refusedPause); until.After(v.until) {
		v.until, v.reason, v.ours = until, reason, true
	}
	return true
}

// retryAfter reads a Retry-After in seconds or as a date, within bounds; ok is false
// when there is none that can be read.
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

// drain reads an answer up to maxAnswer, so that its connection can be used again.
func drain(body io.ReadCloser) {
	io.Copy(io.Discard, io.LimitReader(body, maxAnswer)) // the verdict stands in the status
	body.Close()
}

// withoutEndpoint keeps of an error what cannot hold anything that a server sent,
// which might be the endpoint.
func withoutEndpoint(err error) error {
	var network net.Error // of a look-up, a dial, a read or a write: names addresses at the most
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("no answer in time: %w", context.DeadlineExceeded)
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.As(err, &certificate):
		return certificate
	case errors.As(err, &network):
		return network
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return io.ErrUnexpectedEOF
	default:
		return fmt.Errorf("the connection or the answer is broken (%T)", err)
	}
}
