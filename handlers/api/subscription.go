package api

import (
	"encoding/base64"
	"fmt"

	"vigia/forecast/hazard"
	"vigia/store/subscription"
)

// subscriptionJSON writes everything held of a subscription, with the keys by which
// it was asked for.
func subscriptionJSON(s *subscription.Subscription) []byte {
	w := writer{}
	w.open('{')
	w.textAt("situacion", "activa")
	w.textAt("canal", s.Channel.String())
	w.textOrNullAt("email", s.Address)
	writeTarget(&w, s.Target)
	writePreferences(&w, &s.Preferences)
	w.key("consentimiento")
	w.open('{')
	w.instantAt("en", s.Consent.At)
	w.textOrNullAt("politica", s.Consent.Policy)
	w.close('}')
	w.instantAt("creada_en", s.CreatedAt)
	w.instantAt("confirmada_en", s.ConfirmedAt)
	w.instantAt("caduca_en", s.Ends)
	w.textOrNullAt("rebotada_el", string(s.BouncedOn))
	w.close('}')
	return w.b
}

func writeTarget(w *writer, t *subscription.Target) {
	if t == nil {
		w.nullAt("webpush")
		return
	}
	w.key("webpush")
	w.open('{')
	w.textAt("endpoint", t.Endpoint)
	w.key("keys")
	w.open('{')
	w.textAt("p256dh", base64.RawURLEncoding.EncodeToString(t.Key[:]))
	w.textAt("auth", base64.RawURLEncoding.EncodeToString(t.Auth[:]))
	w.close('}')
	w.close('}')
}

func writePreferences(w *writer, p *subscription.Preferences) {
	w.textsAt("parques", p.Parks)
	w.textsAt("senderos", p.Trails)
	w.textAt("nivel_minimo", p.MinLevel.String())
	if p.Hazards == 0 {
		w.nullAt("amenazas")
	} else {
		var keys []string
		for h := range hazard.Hazard(hazard.NumHazards) {
			if p.Hazards.Has(h) {
				keys = append(keys, h.String())
			}
		}
		w.textsAt("amenazas", keys)
	}
	if p.Quiet == nil {
		w.nullAt("silencio")
	} else {
		w.spanAt("silencio", clockText(p.Quiet.From), clockText(p.Quiet.To))
	}
	if p.Trip == nil {
		w.nullAt("viaje")
	} else {
		w.spanAt("viaje", string(p.Trip.From), string(p.Trip.To))
	}
	w.textAt("idioma", p.Language.String())
}

// clockText writes minutes since midnight as HH:MM.
func clockText(minute uint16) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }

func (w *writer) textsAt(name string, texts []string) {
	w.key(name)
	w.open('[')
	for _, s := range texts {
		w.item()
		w.text(s)
	}
	w.close(']')
}

func (w *writer) spanAt(name, from, to string) {
	w.key(name)
	w.open('{')
	w.textAt("desde", from)
	w.textAt("hasta", to)
	w.close('}')
}
