package mail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"vigia/notify/message"
)

// Send hands the mail of a message to the relay, for one person. It waits for a
// connection, takes at most the timeout from then on, and ends at once with
// its context. An error in the result names neither the person nor a link.
func (s *Sender) Send(ctx context.Context, m *message.Message, to string) message.Result {
	l, err := s.Compose(m, to)
	if err != nil {
		return message.Result{Verdict: message.Unsendable, Err: err}
	}
	select {
	case s.places <- struct{}{}:
	case <-ctx.Done():
		return message.Result{Verdict: message.Retry, Err: fmt.Errorf("waiting for a connection: %w", context.Cause(ctx))}
	}
	defer func() { <-s.places }()
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeout)
	defer cancel()
	delivered, err := s.deliver(ctx, l)
	if delivered {
		if err != nil {
			s.options.Log.Debug("a mail was accepted, then its connection failed", slog.Any("error", scrubbed(err, to)))
		}
		return message.Result{Verdict: message.Delivered}
	}
	return result(err, to)
}

// result returns the result of a failure to deliver to an address, "" for none.
func result(err error, to string) message.Result {
	verdict, advice := judge(err)
	r := message.Result{Verdict: verdict, Err: scrubbed(err, to)}
	if advice != "" {
		r.Err = fmt.Errorf("%w; %s", r.Err, advice)
	}
	var dialing *dialError
	r.Unreached = verdict == message.Retry && errors.As(err, &dialing)
	return r
}

// deliver sends a mail over an idle connection or a new one. An idle connection
// may have died since: if it turns out so before the relay took anything of the
// message, a new one is tried, once.
func (s *Sender) deliver(ctx context.Context, l *Mail) (delivered bool, err error) {
	if s.closed.Load() {
		return false, errClosed
	}
	c := s.take()
	if c != nil {
		delivered, err = s.use(ctx, c, l)
		if delivered || !diedIdle(err) || ctx.Err() != nil {
			return delivered, err
		}
	}
	if c, err = s.dial(ctx); err != nil {
		return false, &dialError{err}
	}
	return s.use(ctx, c, l)
}

// use sends a mail over a connection and keeps the connection if it can.
func (s *Sender) use(ctx context.Context, c *connection, l *Mail) (delivered bool, err error) {
	delivered, usable, err := s.send(ctx, c, l)
	if usable {
		s.put(c)
	} else {
		c.raw.Close()
	}
	return delivered, err
}

// Check connects to the relay, logs in and sends NOOP. Its errors are those of Send;
// nothing is sent.
func (s *Sender) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeout)
	defer cancel()
	c, err := s.dial(ctx)
	if err != nil {
		return fmt.Errorf("relay %s, port %d: %w", s.options.Host, s.options.Port, result(&dialError{err}, "").Err)
	}
	defer c.quit()
	if err := c.smtp.Noop(); err != nil {
		return fmt.Errorf("relay %s, port %d: NOOP: %w", s.options.Host, s.options.Port, result(err, "").Err)
	}
	return nil
}

// Close ends the idle connections. Messages on their way end as they would; later
// ones are not sent.
func (s *Sender) Close() error {
	s.closed.Store(true)
	s.endIdle()
	return nil
}
