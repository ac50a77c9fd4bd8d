package forms

import (
	"errors"
	"net/http"

	"github.com/julienschmidt/httprouter"

	"vigia/store/subscription"
)

// cancelPage asks whether a subscription shall end.
type cancelPage struct {
	Preferences *preferences // what it is of, nil when there is none to show
	Cancel      string       // path to which the button posts
	Manage      string       // path of the page that changes it
}

// askToCancel shows the button that ends a subscription, also for a token that
// leads nowhere: whoever finds no button would think that mail goes on.
func (d *dispatcher) askToCancel(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
	p, token := d.page(r), params.ByName("token")
	d.answer(w, r, http.StatusOK, "baja", p.tokenFrame("/baja/"+token, "baja", cancelPage{
		Preferences: d.shown(p, token), Cancel: p.Path("/baja/" + token), Manage: p.Path("/gestionar/" + token),
	}))
}

// cancel ends a subscription: by the button, or by the one click of a mail
// program (RFC 8058), whose body says nothing more. The answer is the same
// whether there was one.
func (d *dispatcher) cancel(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
	err := d.Subscriptions.Cancel(params.ByName("token"))
	if err != nil && !errors.Is(err, subscription.ErrUnknownToken) {
		d.failed(w, r, err)
		return
	}
	d.answerResult(w, r, http.StatusOK, "cancelada")
}
