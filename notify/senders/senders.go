// Package senders puts together what tells people, as the settings have it: by
// e-mail where a relay is named, by Web Push where the public address is known. It
// also has the commands that try the relay.
package senders

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/alert"
	"vigia/notify"
	"vigia/notify/bulletin"
	"vigia/notify/mail"
	"vigia/notify/push"
	"vigia/notify/simulate"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/settings"
	"vigia/store/subscription"
)

// Terminal is where a command speaks.
type Terminal struct {
	Out   io.Writer
	Log   *slog.Logger
	Clock clockwork.Clock
}

// Parts are what a notifier works with beside the settings. All are required.
type Parts struct {
	Store     *store.Store
	Catalogue *catalogue.Catalogue
	Hosts     subscription.PushHosts // those of --push-hosts
	Simulated bool                   // messages say that they are about made-up weather
}

// Notifier makes who tells people. Nobody is told before it runs.
func Notifier(s *settings.Settings, t Terminal, p Parts) (*notify.Notifier, error) {
	keys, err := notify.OpenKeys(filepath.Join(s.Data, "vigia.key"))
	if err != nil {
		return nil, err
	}
	o := notify.Options{
		Store: p.Store, Keys: keys, Catalogue: p.Catalogue, Clock: t.Clock, Log: t.Log,
		BaseURL: s.BaseURL, Contact: s.Contact, Simulated: p.Simulated,
	}
	if s.SMTPHost != "" {
		if o.Mail, err = mailSender(s, t); err != nil {
			return nil, err
		}
	}
	if s.BaseURL != "" {
		o.Push, err = push.New(push.Options{
			Public: keys.VAPIDPublic, Private: keys.VAPIDPrivate, Subject: s.Contact, AsWritten: p.Hosts.AsWritten, Clock: t.Clock, Log: t.Log,
		})
		if err != nil {
			return nil, err
		}
	}
	return notify.New(o)
}

// Join subscribes a new browser of the demo's crowd to a park, to be told in a
// language from caution on.
func Join(n *notify.Notifier, crowd *simulate.Crowd, hosts subscription.PushHosts, park string, in subscription.Language, consent subscription.Consent) error {
	endpoint, key, auth := crowd.Browsers.NewBrowser()
	target, err := subscription.ParseTarget(endpoint, key, auth, hosts)
	if err != nil {
		return fmt.Errorf("subscribe a browser of the demo: %w", err)
	}
	_, err = n.Subscribe(&subscription.Subscription{
		Channel: subscription.WebPush, Target: target, Consent: consent,
		Preferences: subscription.Preferences{
			Parks: []string{park}, Conditions: subscription.Conditions{MinLevel: alert.Caution}, Language: in,
		},
	})
	return err
}

// mailSender makes the sender of the settings, which must name a relay. It connects
// to nobody yet.
func mailSender(s *settings.Settings, t Terminal) (*mail.Sender, error) {
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
	sender, err := mailSender(s, t)
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
	sender, err := mailSender(s, t)
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
