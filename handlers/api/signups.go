package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/julienschmidt/httprouter"

	"vigia/handlers/prepared"
	"vigia/store"
	"vigia/store/subscription"
)

// ConfirmationLife is how long a request by e-mail may be confirmed.
const ConfirmationLife = 48 * time.Hour

// storeRetry is when a write that could not be made may be tried again, in seconds.
const storeRetry = 120

// Signups are what the routes of subscriptions work with. Log is required where
// Desk is given.
type Signups struct {
	Desk   Desk // nil is a service without subscriptions
	Hosts  subscription.PushHosts
	Policy string // version of the privacy page, which a consent names
	// Admit counts a request for a subscription against its client's caps; nil is no
	// cap. It is asked when nothing else is wrong with the request.
	Admit func(r *http.Request, now time.Time) (retryAfter int, ok bool)
	// Origins refuses what a browser sends for a page of another site.
	Origins *http.CrossOriginProtection
	Log     *slog.Logger
}

// signupRoute answers one method of one route of subscriptions.
type signupRoute struct {
	method, path string
	serve        func(s *Signups, v *Snapshot, w http.ResponseWriter, r *http.Request, token string, now time.Time) *Fault
}

// signupRoutes are the routes of subscriptions, under Prefix like the others.
var signupRoutes = []signupRoute{
	{http.MethodPost, "/suscriptores", (*Signups).serveCreate},
	{http.MethodGet, "/suscriptores/:token", (*Signups).serveShow},
	{http.MethodHead, "/suscriptores/:token", (*Signups).serveShow},
	{http.MethodDelete, "/suscriptores/:token", (*Signups).serveCancel},
	{http.MethodGet, "/vapid", (*Signups).serveKey},
	{http.MethodHead, "/vapid", (*Signups).serveKey},
}

// register adds the routes of subscriptions. None takes a parameter, all answers
// are for who asked alone, and those that a token leads to are for no index.
func (s *Signups) register(router *httprouter.Router, view View) {
	for _, route := range signupRoutes {
		full := Prefix + route.path
		router.Handle(route.method, full, func(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
			prepared.Mark(w, full)
			v, now := view()
			token := p.ByName("token")
			if token != "" {
				w.Header()["X-Robots-Tag"] = noIndex
			}
			_, fault := parseQuery(r.URL.RawQuery)
			if fault == nil {
				fault = s.foreign(r)
			}
			if fault == nil {
				fault = route.serve(s, v, w, r, token, now)
			}
			if fault != nil {
				Refuse(w, r, now, fault)
			}
		})
	}
}

var noIndex = []string{"noindex"}

// foreign refuses a change that a browser asks for on behalf of another site's page.
func (s *Signups) foreign(r *http.Request) *Fault {
	if s.Origins == nil || s.Origins.Check(r) == nil {
		return nil
	}
	return &Fault{
		Status: http.StatusForbidden, Code: "origen_no_permitido",
		Text: "un navegador envió esta solicitud desde la página de otro sitio; hágala desde este sitio, o desde un programa",
	}
}

// answer sends what is for who asked alone.
func answer(w http.ResponseWriter, r *http.Request, now time.Time, status int, payload []byte) {
	prepared.Passing(payload).Serve(w, r, prepared.Terms{Status: status, Now: now, CacheControl: prepared.NoStore})
}

// serveCreate answers POST /suscriptores.
func (s *Signups) serveCreate(v *Snapshot, w http.ResponseWriter, r *http.Request, _ string, now time.Time) *Fault {
	form, fault := readForm(r)
	if fault != nil {
		return fault
	}
	wish, faults := form.Check(v.catalogue, s.Hosts, now)
	if len(faults) > 0 {
		return invalid(faults)
	}
	if s.Desk == nil || !s.Desk.Open(wish.Channel) {
		return s.closed(wish.Channel)
	}
	if s.Admit != nil {
		if wait, ok := s.Admit(r, now); !ok {
			return &Fault{
				Status: http.StatusTooManyRequests, Code: "demasiadas_solicitudes", RetryAfter: wait,
				Text: "ya pidió varias suscripciones desde esta conexión; espere los segundos que indica Retry-After",
			}
		}
	}
	consent := subscription.Consent{At: now.UTC(), Policy: s.Policy}
	if wish.Channel == subscription.Email {
		return s.ask(w, r, wish, consent, now)
	}
	return s.subscribe(w, r, wish, consent, now)
}

// ask takes a wish by e-mail. Nothing of the answer depends on the address.
func (s *Signups) ask(w http.ResponseWriter, r *http.Request, wish *Wish, consent subscription.Consent, now time.Time) *Fault {
	until := now.Add(ConfirmationLife).UTC()
	err := s.Desk.Ask(&subscription.Request{
		Address: wish.Address, Preferences: wish.Preferences, Consent: consent, Until: until,
	})
	if err != nil {
		return s.refused(err, wish.Channel)
	}
	o := writer{}
	o.open('{')
	o.textAt("situacion", "pendiente_de_confirmacion")
	o.textAt("canal", subscription.Email.String())
	o.textAt("mensaje", "Si todo está en orden, en unos minutos llegará un correo con un enlace: ábralo y pulse el botón para confirmar. "+
		"Si no llega, revise el correo no deseado; a cada dirección se le envía como máximo un correo de confirmación al día.")
	o.instantAt("confirmar_antes_de", until)
	o.close('}')
	answer(w, r, now, http.StatusAccepted, o.b)
	return nil
}

// subscribe makes a wish by Web Push active.
func (s *Signups) subscribe(w http.ResponseWriter, r *http.Request, wish *Wish, consent subscription.Consent, now time.Time) *Fault {
	made := &subscription.Subscription{
		Channel: subscription.WebPush, Target: wish.Target, Preferences: wish.Preferences, Consent: consent,
	}
	token, err := s.Desk.Subscribe(made)
	if err != nil {
		return s.refused(err, wish.Channel)
	}
	o := writer{}
	o.open('{')
	o.textAt("situacion", "activa")
	o.textAt("token", token)
	o.instantAt("caduca_en", made.Ends)
	o.close('}')
	answer(w, r, now, http.StatusCreated, o.b)
	return nil
}

// serveShow answers GET /suscriptores/:token.
func (s *Signups) serveShow(_ *Snapshot, w http.ResponseWriter, r *http.Request, token string, now time.Time) *Fault {
	if s.Desk == nil {
		return unknownSubscription()
	}
	held, err := s.Desk.Show(token)
	if err != nil {
		return s.failed(err)
	}
	answer(w, r, now, http.StatusOK, subscriptionJSON(held))
	return nil
}

// serveCancel answers DELETE /suscriptores/:token.
func (s *Signups) serveCancel(_ *Snapshot, w http.ResponseWriter, r *http.Request, token string, now time.Time) *Fault {
	if s.Desk == nil {
		return unknownSubscription()
	}
	if err := s.Desk.Cancel(token); err != nil {
		return s.failed(err)
	}
	answer(w, r, now, http.StatusOK, []byte(`{"situacion":"cancelada"}`))
	return nil
}

// serveKey answers GET /vapid.
func (s *Signups) serveKey(_ *Snapshot, w http.ResponseWriter, r *http.Request, _ string, now time.Time) *Fault {
	if s.Desk == nil || !s.Desk.Open(subscription.WebPush) {
		return s.closed(subscription.WebPush)
	}
	o := writer{}
	o.open('{')
	o.textAt("clave_publica", s.Desk.PublicKey())
	o.close('}')
	answer(w, r, now, http.StatusOK, o.b)
	return nil
}

func unknownSubscription() *Fault {
	return &Fault{
		Status: http.StatusNotFound, Code: "suscripcion_no_encontrada",
		Text: "no hay ninguna suscripción con ese código; puede que ya se haya cancelado o haya terminado",
	}
}

// closed says that a channel is not set up, and offers the other if that is.
func (s *Signups) closed(c subscription.Channel) *Fault {
	f := &Fault{Status: http.StatusServiceUnavailable, Code: "correo_no_disponible", Text: "este servicio no envía avisos por correo"}
	other, offer := subscription.WebPush, "; puede recibirlos como notificaciones del navegador (canal webpush)"
	if c == subscription.WebPush {
		f.Code, f.Text = "webpush_no_disponible", "este servicio no envía notificaciones al navegador"
		other, offer = subscription.Email, "; puede recibir los avisos por correo (canal email)"
	}
	if s.Desk != nil && s.Desk.Open(other) {
		f.Text += offer
	}
	return f
}

// refused turns what the desk says of a new subscription into a fault.
func (s *Signups) refused(err error, c subscription.Channel) *Fault {
	if errors.Is(err, subscription.ErrNoChannel) {
		return s.closed(c)
	}
	return s.failed(err)
}

// failed turns an error of the desk into a fault. What is not about the request is
// logged here, once.
func (s *Signups) failed(err error) *Fault {
	switch {
	case errors.Is(err, subscription.ErrUnknownToken):
		return unknownSubscription()
	case errors.Is(err, subscription.ErrTooMany):
		s.Log.Warn("a request for a subscription was refused", "error", err)
	default:
		s.Log.Log(context.Background(), store.LogLevel(err), "a request about a subscription failed", "error", err)
	}
	return &Fault{
		Status: http.StatusServiceUnavailable, Code: "no_disponible", RetryAfter: storeRetry,
		Text: "en este momento no se puede atender la solicitud y no se guardó nada; vuelva a intentarlo en unos minutos",
	}
}
