package handlers

import "vigia/handlers/site/sitetest"

// newFakeSubscriptions returns a subscription service in memory that takes both channels.
func newFakeSubscriptions() *sitetest.Subscriptions {
	subs := sitetest.NewSubscriptions(now)
	subs.Key = exampleKey
	return subs
}
