// Package relay has what the settings say of the mail relay: the sender that the
// service mails by, and the commands that try it.
package relay

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/notify/bulletin"
	"vigia/notify/mail"
	"vigia/store/settings"
)

// Terminal is where a command speaks.
type Terminal struct {
	Out   io.Writer
	Log   *slog.Logger
	Clock clockwork.Clock
}

// Open makes the sender of the settings, which must name a relay. It connects to
// nobody yet.
func Open(s *settings.Settings, t Terminal) (*mail.Sender, error) {
	o := mail.Options{
		Host: s.SMTPHost, Port: s.SMTPPort, User: s.SMTPUser, Password: s.SMTPPassword, From: s.SMTPFrom, TLS: s.SMTPTLS,
		DKIMSelector: s.DKIMSelector, Clock: t.Clock, Log: t.Log,
	}
	if s.DKIMKey != "" {
		pem, err := os.ReadFile(s.DKIMKey)
		if err != nil {
			return nil, fmt.Errorf("--dkim-key: %w", err)
		}
		o.DKIMKey = string(pem)
	}
	return mail.New(o)
}

// Check tries to log in at the relay, where the settings name one.
func Check(ctx context.Context, s *settings.Settings, t Terminal) error {
	if s.SMTPHost == "" {
		return nil
	}
	sender, err := Open(s, t)
	if err != nil {
		return err
	}
	defer sender.Close()
	if err := sender.Check(ctx); err != nil {
		return err
	}
	fmt.Fprintf(t.Out, "mail: %s is there and takes the login\n", s.SMTPHost)
	return nil
}

// Test sends one message to the address of the command and says what the relay
// answered.
func Test(ctx context.Context, s *settings.Settings, t Terminal) error {
	sender, err := Open(s, t)
	if err != nil {
		return err
	}
	defer sender.Close()
	now := t.Clock.Now()
	result := sender.Send(ctx, &bulletin.Bulletin{
		Kind: bulletin.Test, Now: now, Ref: bulletin.NewRef(), Zone: time.UTC, Expires: now.Add(time.Hour),
		Links: bulletin.Links{Home: s.BaseURL}, Contact: s.Contact,
	}, s.Args[0])
	if result.Verdict != bulletin.Delivered {
		return fmt.Errorf("%s, port %d, did not take the message: %w", s.SMTPHost, s.SMTPPort, result.Err)
	}
	fmt.Fprintf(t.Out, "%s took the message for %s; whether it arrives is told by its mailbox (look among the unwanted mail too)\n", s.SMTPHost, s.Args[0])
	return nil
}
