package forms

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"vigia/forecast/hazard"
	"vigia/handlers/api"
	"vigia/store/subscription"
)

// managePage shows a subscription to whoever holds its token, with what there is to
// do about it.
type managePage struct {
	Preferences preferences
	Form        form
	Open        bool   // the form is open
	Saved       bool   // what is shown was just changed
	Change      string // path to which the form posts
	Cancel      string // path to which the button that ends it posts
	Download    string // path of everything that is kept of it
}

// serveManage shows a subscription, and changes nothing.
func (d *dispatcher) serveManage(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
	d.answerSubscription(w, r, params.ByName("token"), managePage{})
}

// change returns a subscription the preferences of the form, which hold at once.
func (d *dispatcher) change(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
	token := params.ByName("token")
	held, err := d.Subscriptions.Show(token)
	if err != nil {
		d.refuseToken(w, r, err, unknownManagement)
		return
	}
	in, ok := d.fields(w, r)
	switch {
	case !ok:
		return
	case in.Get(moreField) != "":
		d.answerManage(w, r, http.StatusOK, token, held, managePage{Open: true}, in, nil)
		return
	}
	p, sent := d.page(r), formOf(in)
	wanted, faults := sent.CheckPreferences(p.Catalogue, p.Now)
	if len(faults) == 0 {
		err = d.Subscriptions.Change(token, wanted)
	}
	if errors.Is(err, subscription.ErrOver) {
		faults, err = []api.FieldFault{{Field: "viaje"}}, nil
	}
	switch {
	case err != nil:
		d.refuseToken(w, r, err, unknownManagement)
	case len(faults) > 0:
		d.answerManage(w, r, http.StatusUnprocessableEntity, token, held, managePage{Open: true}, in, p.faults(sent, faults))
	default:
		d.answerSubscription(w, r, token, managePage{Saved: true})
	}
}

// answerSubscription sends the page of a subscription with its form as it stands.
func (d *dispatcher) answerSubscription(w http.ResponseWriter, r *http.Request, token string, view managePage) {
	held, err := d.Subscriptions.Show(token)
	if err != nil {
		d.refuseToken(w, r, err, unknownManagement)
		return
	}
	d.answerManage(w, r, http.StatusOK, token, held, view, valuesOf(&held.Preferences), nil)
}

// answerManage sends the page of a subscription, with its form as it was filled in
// and what is wrong with it.
func (d *dispatcher) answerManage(w http.ResponseWriter, r *http.Request, status int, token string, held *subscription.Subscription, view managePage, in url.Values, faults []fieldFault) {
	p := d.page(r)
	view.Preferences, view.Form = p.preferences(&held.Preferences), p.form(in, faults)
	view.Preferences.Held = p.held(held)
	view.Change, view.Cancel = p.Path("/gestionar/"+token), p.Path("/baja/"+token)
	view.Download = api.Prefix + "/suscriptores/" + token
	d.answer(w, r, status, "gestionar", p.tokenFrame("/gestionar/"+token, "gestionar", view))
}

// valuesOf fills the form with preferences. A trail whose park is followed as a
// whole says nothing more, and ticked it would stand for its park.
func valuesOf(p *subscription.Preferences) url.Values {
	in := url.Values{"parques": p.Parks, "nivel_minimo": {p.MinLevel.String()}, "idioma": {p.Language.String()}}
	for _, trail := range p.Trails {
		if park, _, _ := strings.Cut(trail, "/"); !slices.Contains(p.Parks, park) {
			in.Add("senderos", trail)
		}
	}
	for h := range hazard.NumHazards {
		if p.Hazards != 0 && p.Hazards.Has(hazard.Hazard(h)) {
			in.Add("amenazas", hazard.Hazard(h).String())
		}
	}
	if q := p.Quiet; q != nil {
		in.Set("silencio_desde", minuteOfDay(q.From))
		in.Set("silencio_hasta", minuteOfDay(q.To))
	}
	if t := p.Trip; t != nil {
		in.Set("viaje_desde", string(t.From))
		in.Set("viaje_hasta", string(t.To))
	}
	return in
}
