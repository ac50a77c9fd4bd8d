package forms

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"vigia/handlers/api"
	"vigia/handlers/site"
	"vigia/store/subscription"
	"vigia/web"
)

// formType is how the form is sent.
const formType = "application/x-www-form-urlencoded"

// subscribe takes the form. Nothing of its answer depends on whether the address
// is known.
func (d *dispatcher) subscribe(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	in, ok := d.fields(w, r)
	switch {
	case !ok:
		return
	case in.Get(moreField) != "":
		d.answerForm(w, r, http.StatusOK, in, nil)
		return
	}
	if !d.Opens(subscription.Email) {
		d.mailIsOff(w, r)
		return
	}
	p, sent := d.page(r), formOf(in)
	sent.Simulated = p.Simulated
	wanted, faults := sent.Check(p.Catalogue, subscription.PushHosts{}, p.Now)
	if len(faults) > 0 {
		d.answerForm(w, r, http.StatusUnprocessableEntity, in, p.faults(sent, faults))
		return
	}
	if wait, ok := d.Admit(r, p.Now); !ok {
		d.answerLater(w, r, http.StatusTooManyRequests, "demasiadas", wait)
		return
	}
	err := d.Subscriptions.Ask(&subscription.Request{
		Address: wanted.Address, Preferences: wanted.Preferences,
		Consent: subscription.Consent{At: p.Now.UTC(), Policy: web.PolicyVersion},
		Until:   p.Now.Add(api.ConfirmationLife).UTC(), Trap: in.Get(site.TrapField) != "", From: d.Network(r),
	})
	switch {
	case err == nil:
		d.answerResult(w, r, http.StatusAccepted, "pendiente")
	case errors.Is(err, subscription.ErrNoChannel):
		d.mailIsOff(w, r)
	default:
		d.failed(w, r, err)
	}
}

// fields reads a form that was sent. Where it is none that has been answered.
func (d *dispatcher) fields(w http.ResponseWriter, r *http.Request) (in url.Values, ok bool) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != formType {
		d.answerResult(w, r, http.StatusUnsupportedMediaType, "forma")
		return nil, false
	}
	if err := r.ParseForm(); err != nil {
		d.answerResult(w, r, http.StatusBadRequest, "forma")
		return nil, false
	}
	return r.PostForm, true
}

// mailIsOff answers that there is no mail, and offers the other way if there is.
func (d *dispatcher) mailIsOff(w http.ResponseWriter, r *http.Request) {
	d.answerWith(w, r, http.StatusServiceUnavailable, "correo_apagado", result{Push: d.Opens(subscription.WebPush)})
}

// formOf reads what was filled in. A trail that is ticked stands for its park,
// which the form ticks with it.
func formOf(in url.Values) *api.Form {
	f := &api.Form{
		Channel: subscription.Email.String(), Email: strings.TrimSpace(in.Get("email")), Trails: in["senderos"],
		MinLevel: in.Get("nivel_minimo"), Hazards: in["amenazas"], Language: in.Get("idioma"), Consent: in.Get("consentimiento") != "",
		Quiet: spanOf(in, "silencio"), Trip: (*api.DateSpan)(spanOf(in, "viaje")),
	}
	for _, park := range in["parques"] {
		if !slices.ContainsFunc(f.Trails, func(trail string) bool { return strings.HasPrefix(trail, park+"/") }) {
			f.Parks = append(f.Parks, park)
		}
	}
	return f
}

// spanOf reads a span of two fields, nil when both were left empty.
func spanOf(in url.Values, name string) *api.ClockSpan {
	span := api.ClockSpan{From: in.Get(name + "_desde"), To: in.Get(name + "_hasta")}
	if span == (api.ClockSpan{}) {
		return nil
	}
	return &span
}

// formFields are the fields of the form as people know them, in its order.
var formFields = []string{"parques", "senderos", "nivel_minimo", "idioma", "viaje", "silencio", "amenazas", "consentimiento", "email"}

// faults puts what is wrong into the words and the order of the form, one fault a
// field.
func (p page) faults(f *api.Form, found []api.FieldFault) (faults []fieldFault) {
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
