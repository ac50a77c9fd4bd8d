package site

import (
	"errors"
	"net/http"

	"github.com/julienschmidt/httprouter"

	"vigia/store/subscription"
)

// confirmPage asks whether a subscription is wanted.
type confirmPage struct {
	Wishes  wishes
	Confirm string // path to which the buttons post
	Until   instant
	Zone    string
}

// askToConfirm shows what a confirmation link is of, and changes nothing:
// programs that look after mail follow its links.
func (d *desk) askToConfirm(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
	token := params.ByName("token")
	pending, err := d.options.Desk.Pending(token)
	switch {
	case err != nil:
		d.refuseToken(w, r, err)
		return
	case pending.Used != nil:
		d.say(w, r, http.StatusOK, "ya_confirmada")
		return
	}
	p := d.draft(r)
	f := d.tokenFrame(p, "/confirmar/"+token, "confirmar", confirmPage{
		Wishes: p.words.wishes(p.Catalogue, &pending.Preferences), Confirm: p.path("/confirmar/" + token), Until: p.words.instant(pending.Until), Zone: p.words.zoneName(),
	})
	d.answer(w, r, http.StatusOK, p, "confirmar", f)
}

// confirm makes a subscription active.
func (d *desk) confirm(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
	management, again, err := d.options.Desk.Confirm(params.ByName("token"))
	if err != nil {
		d.refuseToken(w, r, err)
		return
	}
	p := d.draft(r)
	done := result{Manage: p.path("/gestionar/" + management), Cancel: p.path("/baja/" + management)}
	if active, err := d.options.Desk.Show(management); err == nil { // else it has ended between the two
		asked := p.words.wishes(p.Catalogue, &active.Preferences)
		done.Wishes = &asked
	}
	if again {
		d.sayMore(w, r, http.StatusOK, "ya_confirmada", done)
		return
	}
	d.sayMore(w, r, http.StatusOK, "confirmada", done)
}

// disown erases a subscription that its address did not ask for.
func (d *desk) disown(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
	if err := d.options.Desk.Disown(params.ByName("token")); err != nil {
		d.refuseToken(w, r, err)
		return
	}
	d.say(w, r, http.StatusOK, "no_fui_yo")
}

// refuseToken answers for a confirmation token that leads nowhere. One answer
// for those that were never given, are not whole or have ended.
func (d *desk) refuseToken(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, subscription.ErrUnknownToken) {
		d.say(w, r, http.StatusNotFound, "enlace_desconocido")
		return
	}
	d.failed(w, r, err)
}
