package site

import (
	"errors"
	"net/http"

	"github.com/julienschmidt/httprouter"

	"vigia/store/subscription"
)

// cancelPage asks whether a subscription shall end.
type cancelPage struct {
	Wishes *wishes // what it is of, nil when there is none to show
	Cancel string  // path to which the button posts
	Manage string  // path of the page that changes it
}

// askToCancel shows the button that ends a subscription, also for a token that
// leads nowhere: whoever finds no button would think that mail goes on.
func (d *desk) askToCancel(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
	token := params.ByName("token")
	p := d.draft(r)
	view := cancelPage{Cancel: p.path("/baja/" + token), Manage: p.path("/gestionar/" + token)}
	if active, err := d.options.Desk.Show(token); err == nil { // else there is nothing to show
		asked := p.words.wishes(p.Catalogue, &active.Preferences)
		view.Wishes = &asked
	}
	d.answer(w, r, http.StatusOK, p, "baja", d.tokenFrame(p, "/baja/"+token, "baja", view))
}

// cancel ends a subscription: by the button, or by the one click of a mail
// program (RFC 8058), whose body says nothing more. The answer is the same
// whether there was one.
func (d *desk) cancel(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
	err := d.options.Desk.Cancel(params.ByName("token"))
	if err != nil && !errors.Is(err, subscription.ErrUnknownToken) {
		d.failed(w, r, err)
		return
	}
	d.say(w, r, http.StatusOK, "cancelada")
}
