package forms

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"vigia/handlers/site"
	"vigia/store/subscription"
)

// formType is how the form is sent.
const formType = "application/x-www-form-urlencoded"

// subscribe takes the form. Nothing of its answer depends on whether the address
// is known.
func (c call) subscribe() answer {
	in, fault := c.fields()
	switch {
	case fault != nil:
		return *fault
	case in.Get(moreField) != "":
		return c.formPage(http.StatusOK, in, nil)
	case !c.Opens(subscription.Email):
		return c.mailIsOff()
	}
	sent := formOf(in)
	sent.Simulated = c.Simulated
	wanted, faults := sent.Check(c.Catalogue, subscription.PushHosts{}, c.Now)
	if len(faults) > 0 {
		return c.formPage(http.StatusUnprocessableEntity, in, c.faults(sent, faults))
	}
	if wait, ok := c.Signups.Admit(c.Request, c.Now); !ok {
		return c.later(http.StatusTooManyRequests, "demasiadas", wait)
	}
	err := c.Subscriptions.Ask(&subscription.Request{
		Address: wanted.Address, Preferences: wanted.Preferences,
		Consent: subscription.Consent{At: c.Now.UTC(), Policy: c.Signups.Policy},
		Until:   c.Now.Add(subscription.ConfirmationLife).UTC(), Trap: in.Get(site.TrapField) != "", From: c.Signups.Network(c.Request),
	})
	switch {
	case err == nil:
		return c.outcome(http.StatusAccepted, "pendiente")
	case errors.Is(err, subscription.ErrNoChannel):
		return c.mailIsOff()
	}
	return c.failed(err, "")
}

// fields reads a form that was sent, or returns the page for what is none.
func (c call) fields() (in url.Values, fault *answer) {
	if kind, _, err := mime.ParseMediaType(c.Header.Get("Content-Type")); err != nil || kind != formType {
		return nil, new(c.outcome(http.StatusUnsupportedMediaType, "forma"))
	}
	if err := c.ParseForm(); err != nil {
		return nil, new(c.outcome(http.StatusBadRequest, "forma"))
	}
	return c.PostForm, nil
}

// mailIsOff returns the page for a service without mail, which offers the other way if
// there is one.
func (c call) mailIsOff() answer {
	return c.outcomeWith(http.StatusServiceUnavailable, "correo_apagado", result{Push: c.Opens(subscription.WebPush)})
}

// formOf reads what was filled in. A trail that is ticked stands for its park,
// which the form ticks with it.
func formOf(in url.Values) *subscription.Form {
	f := &subscription.Form{
		Channel: subscription.Email.String(), Email: strings.TrimSpace(in.Get("email")), Trails: in["senderos"],
		MinLevel: in.Get("nivel_minimo"), Hazards: in["amenazas"], Language: in.Get("idioma"), Consent: in.Get("consentimiento") != "",
		Quiet: spanOf(in, "silencio"), Trip: spanOf(in, "viaje"),
	}
	for _, park := range in["parques"] {
		if !slices.ContainsFunc(f.Trails, func(trail string) bool { return strings.HasPrefix(trail, park+"/") }) {
			f.Parks = append(f.Parks, park)
		}
	}
	return f
}

// spanOf reads a span of two fields, nil when both were left empty.
func spanOf(in url.Values, name string) *subscription.Span {
	span := subscription.Span{From: in.Get(name + "_desde"), To: in.Get(name + "_hasta")}
	if span == (subscription.Span{}) {
		return nil
	}
	return &span
}

// formFields are the fields of the form as people know them, in its order.
var formFields = []string{"parques", "senderos", "nivel_minimo", "idioma", "viaje", "silencio", "amenazas", "consentimiento", "email"}

// faults puts what is wrong into the words and the order of the form, one fault a
// field.
func (p page) faults(f *subscription.Form, found []subscription.FormFault) (faults []fieldFault) {
	texts := map[string]string{}
	for _, fault := range found {
		field, _, _ := strings.Cut(fault.Field, ".")
		texts[field] = p.Text("falta.campo", "campo", p.Text("campo."+field), "texto", p.Text("norma."+field))
	}
	for field, wrong := range map[string]bool{
		"parques":        len(f.Parks)+len(f.Trails) == 0,
		"email":          texts["email"] != "" && f.Email == "",
		"consentimiento": texts["consentimiento"] != "",
		"viaje":          f.Trip != nil && (f.Trip.From == "" || f.Trip.To == ""),
		"silencio":       f.Quiet != nil && (f.Quiet.From == "" || f.Quiet.To == ""),
	} {
		if wrong {
			texts[field] = p.Text("falta." + field)
		}
	}
	for _, field := range formFields {
		if texts[field] != "" {
			faults = append(faults, fieldFault{field, texts[field]})
		}
	}
	return faults
}
