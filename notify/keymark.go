package notify

import (
	"slices"

	"vigia/store"
)

// checkKeys logs what an operator must know about the keys: whether they are those that
// the store was used with before.
func (n *Notifier) checkKeys() error {
	keys := n.o.Keys
	if keys.Tightened {
		n.o.Log.Warn("the file of keys was open to other users of this machine; it is closed to them now")
	}
	if keys.unread != nil {
		n.o.Log.Error("the keys before cannot be read: what they made no longer works, and browsers that subscribed with them are not reached", "error", keys.unread)
	}
	mark, kept := keys.mark(), ""
	err := n.o.Store.View("read the mark of the keys", func(tx *store.Tx) error {
		kept = tx.KeyMark()
		return nil
	})
	if err != nil || kept == mark {
		return err
	}
	at := slices.IndexFunc(keys.Before, func(old *Keys) bool { return old.mark() == kept })
	switch {
	case at < 0:
		if n.o.Store.HasPeople() && (kept != "" || keys.Fresh) {
			n.logLostKeys()
			return nil // every start says so until the right file is back
		}
	case keys.Before[at].leaked:
		n.o.Log.Warn("the keys were replaced because they leaked: the links in mails sent before no longer work; browsers are still reached")
	default:
		n.o.Log.Info("the keys were rotated: the links in mails sent before work for a while", "until", keys.Made.Add(previousLife))
	}
	err = n.o.Store.Update("keep the mark of the keys", func(tx *store.Tx) error { return tx.PutKeyMark(mark) })
	if err != nil {
		n.o.Log.Warn("the mark of the keys cannot be kept; it is tried again at the next start", "error", err)
	}
	return nil
}

// logLostKeys logs that there are subscriptions made with keys that are not here.
func (n *Notifier) logLostKeys() {
	what := "is another one than before"
	if n.o.Keys.Fresh {
		what = "was missing and a new one was made"
	}
	n.o.Log.Error("the file of keys " + what + ", but there are subscriptions: the links in mails sent before " +
		"no longer work, and push subscriptions made with the old key will be refused; stop, restore vigia.key from a copy, and start again")
}
