package api

import (
	"encoding/base64"
	"fmt"

	"vigia/forecast/hazard"
	"vigia/store/subscription"
)

// subscriptionOf returns everything held of a subscription.
func subscriptionOf(s *subscription.Subscription) Subscription {
	p := &s.Preferences
	made := Subscription{
		Situation: "activa", Channel: s.Channel.String(), Email: orNull(s.Address), WebPush: pushTarget(s.Target),
		Parks: named[Slug](p.Parks), Trails: named[TrailName](p.Trails), MinLevel: Level(p.MinLevel.String()),
		Hazards: hazards(p.Hazards), Language: p.Language.String(),
		CreatedAt: instant(s.CreatedAt), ConfirmedAt: instant(s.ConfirmedAt), Ends: instantOrNull(s.Erased()),
		RefusedOn: orNull(string(s.RefusedOn())),
	}
	if !s.SuspendedAt.IsZero() {
		made.Situation = "suspendida"
	}
	made.Consent.At, made.Consent.Policy = instant(s.Consent.At), orNull(s.Consent.Policy)
	if p.Quiet != nil {
		made.Quiet = &ClockSpan{clockText(p.Quiet.From), clockText(p.Quiet.To)}
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

// hazards returns the hazards of a set, nil for the empty set, which stands for all.
func hazards(set subscription.HazardSet) []Hazard {
	if set == 0 {
		return nil
	}
	var list []Hazard
	for h := range hazard.Hazard(hazard.NumHazards) {
		if set.Has(h) {
			list = append(list, Hazard(h.String()))
		}
	}
	return list
}

// clockText writes minutes since midnight as HH:MM.
func clockText(minute uint16) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }
