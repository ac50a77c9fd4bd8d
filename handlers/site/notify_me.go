package site

import (
	"strings"

	"vigia/store/subscription"
)

// ways are how people can be told of a park or a trail, for the block by which they
// ask for it right on its page.
type ways struct {
	Place       string // slug of the park, "park/trail" for a trail
	Park, Trail string // slug of the park, and of its trail; Trail is "" for all of the park
	Language    string // code
	Mail, Push  bool   // the service can send by it
	Trap        string // name of the field that people leave empty
	PushStates  []choice
}

// waysTo gives the ways to be told of a place.
func (p *printing) waysTo(place string) ways {
	park, trail, _ := strings.Cut(place, "/")
	return ways{
		Place: place, Park: park, Trail: trail, Language: p.Code, Trap: trapField,
		Mail: p.opens(subscription.Email), Push: p.opens(subscription.WebPush), PushStates: p.pushStates(),
	}
}

// pushStates are what avisos.js may have to say.
var pushStates = []string{"no_compatible", "sin_cifrado", "ios", "trabajando", "sin_parques", "sin_consentimiento", "sin_viaje", "sin_silencio", "denegado", "sin_permiso",
	"sin_red", "sin_servicio", "espere", "apagado", "rechazado", "fallo", "activado", "cancelado", "no_cancelado"}

// pushStates puts what avisos.js may have to say into words, by its state.
func (t texts) pushStates() (states []choice) {
	for _, state := range pushStates {
		states = append(states, choice{Value: state, Name: t.say("push.estado." + state)})
	}
	return states
}
