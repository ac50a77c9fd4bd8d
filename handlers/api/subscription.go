package api

import (
	"encoding/base64"

	"vigia/store/subscription"
)

// subscriptionOf returns everything held of a subscription.
func subscriptionOf(s *subscription.Subscription) Subscription {
	p := &s.Preferences
	made := Subscription{
		Situation: "activa", Channel: s.Channel.String(), Email: orNull(s.Address), WebPush: pushTarget(s.Target),
		Parks: named[Slug](p.Parks), Trails: named[TrailName](p.Trails), MinLevel: Level(p.MinLevel.String()),
		Language:  p.Language.String(),
		CreatedAt: instant(s.CreatedAt), ConfirmedAt: instant(s.ConfirmedAt), Ends: instantOrNull(s.Erased()),
		RefusedOn: orNull(string(s.RefusedOn())),
	}
	for _, h := range p.Hazards.Named() {
		made.Hazards = append(made.Hazards, Hazard(h.String()))
	}
	if !s.SuspendedAt.IsZero() {
		made.Situation = "suspendida"
	}
	made.Consent.At, made.Consent.Policy = instant(s.Consent.At), orNull(s.Consent.Policy)
	if p.Quiet != nil {
		made.Quiet = new(ClockSpan(p.Quiet.Span()))
	}
	if p.Trip != nil {
		made.Trip = &DateSpan{string(p.Trip.From), string(p.Trip.To)}
	}
	return made
}

func pushTarget(t *subscription.Target) *PushTarget {
	if t == nil {
		return nil
	}
	return &PushTarget{t.Endpoint, PushKeys{
		P256dh: base64.RawURLEncoding.EncodeToString(t.Key[:]),
		Auth:   base64.RawURLEncoding.EncodeToString(t.Auth[:]),
	}}
}
