package notify

import (
	"errors"
	"path/filepath"

	"vigia/notify/mail"
	"vigia/notify/push"
	"vigia/store"
	"vigia/store/subscription"
)

// Setup is what Open makes a notifier of: Options whose keys and senders Open fills in,
// and what these are made of.
type Setup struct {
	Options                          // Clock and Log are those of the senders too
	Folder    string                 // of the data, with the keys
	Relay     mail.Options           // without a Host no mail is sent
	PushHosts subscription.PushHosts // push services that the operator named
	Capture   Capture                // the demo's: captures what is sent, about made-up weather; else nil
}

// Capture captures what senders compose, in place of a relay and of push services.
type Capture interface {
	Mailer(*mail.Sender) Mailer
	Pusher(*push.Sender) Pusher
}

// Open returns the notifier with the keys of the folder: e-mail where a relay is named,
// Web Push where the public address is known. It sends nothing before it runs.
func Open(s Setup) (*Notifier, error) {
	open := OpenKeys
	if errors.Is(s.Store.Err(), store.ErrNoFile) {
		open = KeysWithoutStore
	}
	var err error
	if s.Keys, err = open(filepath.Join(s.Folder, store.KeyFile), s.Clock); err != nil {
		return nil, err
	}
	s.Simulated = s.Capture != nil
	if s.Relay.Host != "" {
		if s.Mail, err = s.mailer(0); err != nil {
			return nil, err
		}
		if s.ConfirmMail, err = s.mailer(ConfirmConnections); err != nil {
			return nil, err
		}
	}
	if s.BaseURL != "" {
		if s.Push, err = s.pusher(s.Keys); err != nil {
			return nil, err
		}
		for _, old := range s.Keys.Before {
			by, err := s.pusher(old)
			if err != nil {
				return nil, err
			}
			s.PushBefore = append(s.PushBefore, by)
		}
	}
	return New(s.Options)
}

// mailer returns a sender by the relay with so many connections at the most; 0 is the
// default.
func (s *Setup) mailer(connections int) (Mailer, error) {
	o := s.Relay
	o.Connections, o.Clock, o.Log = connections, s.Clock, s.Log
	sender, err := mail.New(o)
	if err != nil || s.Capture == nil {
		return sender, err
	}
	return s.Capture.Mailer(sender), nil
}

// pusher returns the sender of pushes by some keys. Each judges the push services for
// itself: refusals of what older keys sign hold up nobody else. The demo has no older keys.
func (s *Setup) pusher(by *Keys) (Pusher, error) {
	sender, err := push.New(push.Options{
		Public: by.VAPIDPublic, Private: by.VAPIDPrivate, Subject: s.Contact, AsWritten: s.PushHosts.AsWritten, Clock: s.Clock, Log: s.Log,
	})
	if err != nil || s.Capture == nil {
		return sender, err
	}
	return s.Capture.Pusher(sender), nil
}
