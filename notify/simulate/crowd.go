package simulate

import (
	"errors"

	"github.com/jonboulle/clockwork"
)

// Crowd is those who are told in the demo: one mailbox for every address, and
// browsers made on demand.
type Crowd struct {
	Mailbox  *Mailbox
	Browsers *Receiver
}

// Gather opens the mailbox and the push service of a crowd. Whoever gathers it
// closes it.
func Gather(clock clockwork.Clock) (*Crowd, error) {
	mailbox, err := ListenMail(MailboxOptions{Clock: clock})
	if err != nil {
		return nil, err
	}
	browsers, err := ListenPush(ReceiverOptions{Clock: clock})
	if err != nil {
		return nil, errors.Join(err, mailbox.Close())
	}
	return &Crowd{mailbox, browsers}, nil
}

// Close ends both.
func (c *Crowd) Close() error { return errors.Join(c.Mailbox.Close(), c.Browsers.Close()) }
