package site

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"vigia/handlers/api"
	"vigia/store/subscription"
	"vigia/web"
)

// formType is how the form is sent.
const formType = "application/x-www-form-urlencoded"

// subscribe takes the form. Nothing of its answer depends on whether the address
// is known.
func (d *desk) subscribe(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	in, ok := d.fields(w, r)
	switch {
	case !ok:
		return
	case in.Get(moreField) != "":
		d.answerForm(w, r, http.StatusOK, in, nil)
		return
	}
	if !d.opens(subscription.Email) {
		d.mailIsOff(w, r)
		return
	}
	e, now := d.Shown()
	form := formOf(in)
	wish, faults := form.Check(e.Catalogue, subscription.PushHosts{}, now)
	if len(faults) > 0 {
		d.answerForm(w, r, http.StatusUnprocessableEntity, in, d.languageOf(r.URL.Path).faults(form, faults))
		return
	}
	if wait, ok := d.Admit(r, now); !ok {
		d.later(w, r, http.StatusTooManyRequests, "demasiadas", wait)
		return
	}
	err := d.options.Desk.Ask(&subscription.Request{
		Address: wish.Address, Preferences: wish.Preferences,
		Consent: subscription.Consent{At: now.UTC(), Policy: web.PolicyVersion},
		Until:   now.Add(api.ConfirmationLife).UTC(), Trap: in.Get(trapField) != "",
	})
	switch {
	case err == nil:
		d.say(w, r, http.StatusAccepted, "pendiente")
	case errors.Is(err, subscription.ErrNoChannel):
		d.mailIsOff(w, r)
	default:
		d.failed(w, r, err)
	}
}

// fields reads a form that was sent. Where it is none that has been answered.
func (d *desk) fields(w http.ResponseWriter, r *http.Request) (in url.Values, ok bool) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != formType {
		d.say(w, r, http.StatusUnsupportedMediaType, "forma")
		return nil, false
	}
	if err := r.ParseForm(); err != nil {
		d.say(w, r, http.StatusBadRequest, "forma")
		return nil, false
	}
	return r.PostForm, true
}

// mailIsOff answers that there is no mail, and offers the other way if there is.
func (d *desk) mailIsOff(w http.ResponseWriter, r *http.Request) {
	d.sayMore(w, r, http.StatusServiceUnavailable, "correo_apagado", result{Push: d.opens(subscription.WebPush)})
}

// formOf reads what was filled in. A trail that is ticked stands for its park,
// which the form ticks with it.
func formOf(in url.Values) *api.Form {
	f := &api.Form{
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
func spanOf(in url.Values, name string) *api.SpanForm {
	span := api.SpanForm{From: in.Get(name + "_desde"), To: in.Get(name + "_hasta")}
	if span == (api.SpanForm{}) {
		return nil
	}
	return &span
}

// formFields are the fields of the form as people know them, in its order.
var formFields = []string{"parques", "senderos", "nivel_minimo", "idioma", "viaje", "silencio", "amenazas", "consentimiento", "email"}

// faults puts what is wrong into the words and the order of the form, one fault a
// field.
func (t texts) faults(f *api.Form, found []api.FieldFault) (faults []fieldFault) {
	said := map[string]string{}
	for _, fault := range found {
		field, _, _ := strings.Cut(fault.Field, ".")
		said[field] = t.say("falta.campo", "campo", t.say("campo."+field), "texto", t.say("norma."+field))
	}
	for field, wrong := range map[string]bool{
		"parques":        len(f.Parks)+len(f.Trails) == 0,
		"email":          said["email"] != "" && f.Email == "",
		"consentimiento": said["consentimiento"] != "",
		"viaje":          f.Trip != nil && (f.Trip.From == "" || f.Trip.To == ""),
		"silencio":       f.Quiet != nil && (f.Quiet.From == "" || f.Quiet.To == ""),
	} {
		if wrong {
			said[field] = t.say("falta." + field)
		}
	}
	for _, field := range formFields {
		if said[field] != "" {
			faults = append(faults, fieldFault{field, said[field]})
		}
	}
	return faults
}
