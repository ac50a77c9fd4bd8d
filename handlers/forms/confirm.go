package forms

import (
	"net/http"

	"github.com/julienschmidt/httprouter"

	"vigia/handlers/site"
)

// confirmPage asks whether a subscription is wanted.
type confirmPage struct {
	Preferences preferences
	Confirm     string // path to which the buttons post
	Until       site.Instant
	Zone        string
}

const unknownConfirmation, unknownManagement = "enlace_desconocido", "gestion_desconocida"

// askToConfirm shows what a confirmation link is of, and changes nothing:
// programs that look after mail follow its links.
func (d *dispatcher) askToConfirm(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
	path := "/confirmar/" + params.ByName("token")
	pending, err := d.Subscriptions.Pending(params.ByName("token"))
	switch {
	case err != nil:
		d.refuseToken(w, r, err, unknownConfirmation)
		return
	case pending.Used != nil:
		d.answerResult(w, r, http.StatusOK, "ya_confirmada")
		return
	}
	p := d.page(r)
	d.answer(w, r, http.StatusOK, "confirmar", p.tokenFrame(path, "confirmar", confirmPage{
		Preferences: p.preferences(&pending.Preferences), Confirm: p.Path(path), Until: p.Instant(pending.Until), Zone: p.ZoneName(),
	}))
}

// confirm makes a subscription active.
func (d *dispatcher) confirm(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
	management, again, err := d.Subscriptions.Confirm(params.ByName("token"))
	if err != nil {
		d.refuseToken(w, r, err, unknownConfirmation)
		return
	}
	p := d.page(r)
	done := result{Manage: p.Path("/gestionar/" + management), Cancel: p.Path("/baja/" + management), Preferences: d.shown(p, management)}
	if again {
		d.answerWith(w, r, http.StatusOK, "ya_confirmada", done)
		return
	}
	d.answerWith(w, r, http.StatusOK, "confirmada", done)
}

// shown returns the preferences of a subscription by its management token, nil when
// it has ended.
func (d *dispatcher) shown(p page, management string) *preferences {
	active, err := d.Subscriptions.Show(management)
	if err != nil {
		return nil
	}
	asked := p.preferences(&active.Preferences)
	return &asked
}

// disown erases a subscription that its address did not ask for.
func (d *dispatcher) disown(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
	if err := d.Subscriptions.Disown(params.ByName("token")); err != nil {
		d.refuseToken(w, r, err, unknownConfirmation)
		return
	}
	d.answerResult(w, r, http.StatusOK, "no_fui_yo")
}
