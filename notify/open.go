package notify

import (
	"errors"
	"path/filepath"

	"vigia/notify/mail"
	"vigia/notify/push"
	"vigia/store"
)

// Capture captures what senders compose, in place of a relay and of push services.
type Capture interface {
	Mailer(*mail.Sender) Mailer
	Pusher(*push.Sender) Pusher
}

// Open returns the notifier with the keys of the folder: e-mail where a relay is named,
// Web Push where the public address is known. It sends nothing before it runs.
func Open(o Options) (*Notifier, error) {
	open := OpenKeys
	if errors.Is(o.Store.Err(), store.ErrNoFile) {
		open = KeysWithoutStore
	}
	var err error
	if o.Keys, err = open(filepath.Join(o.Folder, store.KeyFile), o.Clock); err != nil {
		return nil, err
	}
	if o.Relay.Host != "" {
		if o.Mail, err = o.mailer(0); err != nil {
			return nil, err
		}
		if o.ConfirmMail, err = o.mailer(confirmConnections); err != nil {
			return nil, err
		}
	}
	if o.BaseURL != "" {
		for _, keys := range append([]*Keys{o.Keys}, o.Keys.Before...) {
			by, err := o.pusher(keys)
			if err != nil {
				return nil, err
			}
			o.Push = append(o.Push, by)
		}
	}
	return New(o)
}

// mailer returns a sender by the relay with so many connections at the most; 0 is the
// default.
func (o *Options) mailer(connections int) (Mailer, error) {
	relay := o.Relay
	relay.Connections, relay.Clock, relay.Log = connections, o.Clock, o.Log
	sender, err := mail.New(relay)
	if err != nil || o.Capture == nil {
		return sender, err
	}
	return o.Capture.Mailer(sender), nil
}

// pusher returns the sender of pushes by some keys. Each judges the push services for
// itself: refusals of what older keys sign hold up nobody else. The demo has no older keys.
func (o *Options) pusher(by *Keys) (Pusher, error) {
	sender, err := push.New(push.Options{
		Public: by.VAPIDPublic, Private: by.VAPIDPrivate, Subject: o.Contact, AsWritten: o.PushHosts.AsWritten, Clock: o.Clock, Log: o.Log,
	})
	if err != nil || o.Capture == nil {
		return sender, err
	}
	return o.Capture.Pusher(sender), nil
}
