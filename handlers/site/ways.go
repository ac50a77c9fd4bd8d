package site

import (
	"strings"

	"vigia/store/subscription"
)

// TrapField is what people leave empty, for they do not see it.
const TrapField = "comentario"

// Choice is one of several things that may be ticked.
type Choice struct {
	Value, Name string
	Ticked      bool
}

// ways are the channels for notices of a park or a trail, for the block by which they
// ask for it right on its page.
type ways struct {
	Place       string // slug of the park, "park/trail" for a trail
	Park, Trail string // slug of the park, and of its trail; Trail is "" for all of the park
	Language    string // code
	Mail, Push  bool   // the service can send by it
	Trap        string // name of the field that people leave empty
	PushStates  []Choice
}

// waysTo returns the channels for a place.
func (p *pageBuilder) waysTo(place string) ways {
	park, trail, _ := strings.Cut(place, "/")
	return ways{
		Place: place, Park: park, Trail: trail, Language: p.Code, Trap: TrapField,
		Mail: p.Opens(subscription.Email), Push: p.Opens(subscription.WebPush), PushStates: p.PushStates(),
	}
}

// pushStates are the states that avisos.js shows.
var pushStates = []string{"no_compatible", "sin_cifrado", "ios", "trabajando", "sin_parques", "sin_consentimiento", "sin_viaje", "sin_silencio", "denegado", "sin_permiso",
	"sin_red", "sin_servicio", "espere", "apagado", "rechazado", "fallo", "sin_prueba", "activado", "cancelado", "no_cancelado"}

// pushStates puts the states that avisos.js shows into words, by its state.
func (v View) PushStates() (states []Choice) {
	for _, state := range pushStates {
		states = append(states, Choice{Value: state, Name: v.Text("push.estado." + state)})
	}
	return states
}
