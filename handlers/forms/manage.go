package forms

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

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

// manage shows a subscription, and changes nothing.
func (c call) manage() answer { return c.shown(managePage{}) }

// change gives a subscription the preferences of the form, which hold at once.
func (c call) change() answer {
	held, err := c.Subscriptions.Show(c.token)
	if err != nil {
		return c.failed(err, unknownManagement)
	}
	in, fault := c.fields()
	switch {
	case fault != nil:
		return *fault
	case in.Get(moreField) != "":
		return c.managePage(http.StatusOK, held, managePage{Open: true}, in, nil)
	}
	sent := formOf(in)
	wanted, faults := sent.CheckPreferences(c.Catalogue, c.Now)
	if len(faults) == 0 {
		err = c.Subscriptions.Change(c.token, wanted)
	}
	if errors.Is(err, subscription.ErrOver) {
		faults, err = []subscription.FormFault{{Field: "viaje"}}, nil
	}
	switch {
	case err != nil:
		return c.failed(err, unknownManagement)
	case len(faults) > 0:
		return c.managePage(http.StatusUnprocessableEntity, held, managePage{Open: true}, in, c.faults(sent, faults))
	}
	return c.shown(managePage{Saved: true})
}

// shown returns the page of a subscription with its form as it stands.
func (c call) shown(view managePage) answer {
	held, err := c.Subscriptions.Show(c.token)
	if err != nil {
		return c.failed(err, unknownManagement)
	}
	return c.managePage(http.StatusOK, held, view, valuesOf(&held.Preferences), nil)
}

// managePage returns the page of a subscription, with its form as it was filled in
// and what is wrong with it.
func (c call) managePage(status int, held *subscription.Subscription, view managePage, in url.Values, faults []fieldFault) answer {
	view.Preferences, view.Form = c.preferences(&held.Preferences), c.form(in, faults)
	view.Preferences.Held = c.held(held)
	view.Change, view.Cancel = c.Path("/gestionar/"+c.token), c.Path("/baja/"+c.token)
	view.Download = api.Prefix + "/suscriptores/" + c.token
	return c.tokenPage(status, "/gestionar/", "gestionar", view)
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
	for _, h := range p.Hazards.Named() {
		in.Add("amenazas", h.String())
	}
	if p.Quiet != nil {
		hours := p.Quiet.Span()
		in.Set("silencio_desde", hours.From)
		in.Set("silencio_hasta", hours.To)
	}
	if t := p.Trip; t != nil {
		in.Set("viaje_desde", string(t.From))
		in.Set("viaje_hasta", string(t.To))
	}
	return in
}
