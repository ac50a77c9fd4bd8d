package mail

import (
	"context"
	"fmt"
	"io"
	"time"

	"vigia/notify/message"
)

// Check tries to log in at the relay of o, where there is one, and reports it to out.
func Check(ctx context.Context, o Options, out io.Writer) error {
	if o.Host == "" {
		return nil
	}
	sender, err := New(o)
	if err != nil {
		return err
	}
	defer sender.Close()
	if err := sender.Check(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "mail: %s is there and takes the login\n", o.Host)
	return nil
}

// SendTest sends one message to an address by the relay of o, whose Clock is required, and
// reports the relay's answer to out.
func SendTest(ctx context.Context, o Options, home, contact, address string, out io.Writer) error {
	sender, err := New(o)
	if err != nil {
		return err
	}
	defer sender.Close()
	now := o.Clock.Now()
	result := sender.Send(ctx, &message.Message{
		Kind: message.Test, Now: now, Ref: message.NewRef(), Zone: time.UTC, Expires: now.Add(time.Hour),
		Links: message.Links{Home: home}, Contact: contact,
	}, address)
	if result.Verdict != message.Delivered {
		return fmt.Errorf("%s, port %d, did not take the message: %w", o.Host, o.Port, result.Err)
	}
	fmt.Fprintf(out, "%s took the message for %s; whether it arrives is told by its mailbox (look among the unwanted mail too)\n", o.Host, address)
	return nil
}
