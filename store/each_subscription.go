package store

import "vigia/store/subscription"

// EachSubscription calls do with every subscription, in the order of ids.
func (t *Tx) EachSubscription(do func(*subscription.Subscription) error) error {
	return t.eachSubscription(do)
}
