package site

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
	Wishes   wishes
	Form     formPage
	Open     bool   // the form is open
	Saved    bool   // what is shown was just changed
	Change   string // path to which the form posts
	Cancel   string // path to which the button that ends it posts
	Download string // path of everything that is kept of it
}

// serveManage shows a subscription, and changes nothing.
func (d *desk) serveManage(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
	token := params.ByName("token")
	held, err := d.options.Desk.Show(token)
	if err != nil {
		d.refuseManagement(w, r, err)
		return
	}
	d.answerManage(w, r, http.StatusOK, token, held, managePage{}, valuesOf(&held.Preferences), nil)
}

// change gives a subscription the preferences of the form, which hold at once.
func (d *desk) change(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
	token := params.ByName("token")
	held, err := d.options.Desk.Show(token)
	if err != nil {
		d.refuseManagement(w, r, err)
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
	e, now := d.Shown()
	form := formOf(in)
	wanted, faults := form.CheckPreferences(e.Catalogue, now)
	if len(faults) == 0 {
		err = d.options.Desk.Change(token, wanted)
	}
	if errors.Is(err, subscription.ErrOver) {
		faults, err = []api.FieldFault{{Field: "viaje"}}, nil
	}
	switch {
	case err != nil:
		d.refuseManagement(w, r, err)
	case len(faults) > 0:
		d.answerManage(w, r, http.StatusUnprocessableEntity, token, held, managePage{Open: true}, in, d.languageOf(r.URL.Path).faults(form, faults))
	default:
		if held, err = d.options.Desk.Show(token); err != nil {
			d.refuseManagement(w, r, err)
			return
		}
		d.answerManage(w, r, http.StatusOK, token, held, managePage{Saved: true}, valuesOf(&held.Preferences), nil)
	}
}

// answerManage sends the page of a subscription, with its form as it was filled in
// and what is wrong with it.
func (d *desk) answerManage(w http.ResponseWriter, r *http.Request, status int, token string, held *subscription.Subscription, view managePage, in url.Values, faults []fieldFault) {
	p := d.draft(r)
	view.Wishes, view.Form = p.words.wishes(p.Catalogue, &held.Preferences), p.form(in, faults)
	view.Wishes.Held = p.words.held(held)
	view.Change, view.Cancel = p.path("/gestionar/"+token), p.path("/baja/"+token)
	view.Download = api.Prefix + "/suscriptores/" + token
	d.answer(w, r, status, p, "gestionar", d.tokenFrame(p, "/gestionar/"+token, "gestionar", view))
}

// refuseManagement answers for a management token that leads nowhere, the same
// whatever the reason.
func (d *desk) refuseManagement(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, subscription.ErrUnknownToken) {
		d.say(w, r, http.StatusNotFound, "gestion_desconocida")
		return
	}
	d.failed(w, r, err)
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
