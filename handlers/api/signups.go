package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"vigia/handlers/httpcache"
	"vigia/store"
	"vigia/store/subscription"
)

// storeRetry is when a write that could not be made may be tried again, in seconds.
const storeRetry = 120

// Signups answer the routes of subscriptions. All is required.
type Signups struct {
	Subscriptions SubscriptionService
	Hosts         subscription.PushHosts
	Policy        string // version of the privacy page, which a consent names
	// Admit counts a request for a subscription against its client's caps. It is called
	// when nothing else is wrong with the request, and not for one that proves itself.
	Admit func(r *http.Request, now time.Time) (retryAfter int, ok bool)
	// Network returns the network that a request came from.
	Network func(r *http.Request) netip.Prefix
	// Origins refuses what a browser sends for a page of another site.
	Origins *http.CrossOriginProtection
	Log     *slog.Logger
}

// routes returns those of subscriptions. All their answers are for the caller alone.
func (s *Signups) routes() []route {
	return []route{
		{http.MethodPost, "/suscriptores", nil, s.create},
		{http.MethodGet, "/suscriptores/:token", nil, s.show},
		{http.MethodDelete, "/suscriptores/:token", nil, s.cancel},
		{http.MethodGet, "/vapid", nil, s.publicKey},
	}
}

// private returns an answer that nobody may keep.
func (c call) private(status int, data any) (answer, *Fault) {
	return answer{httpcache.Passing(encode(data)), httpcache.Terms{Status: status, Now: c.now, CacheControl: httpcache.NoStore}}, nil
}

// create answers POST /suscriptores.
func (s *Signups) create(c call) (answer, *Fault) {
	if s.Origins.Check(c.Request) != nil {
		return answer{}, foreignOrigin
	}
	form, fault := readForm(c.Request)
	if fault != nil {
		return answer{}, fault
	}
	form.Simulated = c.simulated
	checked, faults := form.Check(c.catalogue, s.Hosts, c.now)
	if len(faults) > 0 {
		return answer{}, invalid(faults)
	}
	if !s.Subscriptions.Open(checked.Channel) {
		return answer{}, s.closed(checked.Channel)
	}
	consent := subscription.Consent{At: c.now.UTC(), Policy: s.Policy}
	if checked.Proof != "" {
		a, fault := s.activate(c, checked, consent)
		if a.body != nil || fault != nil {
			return a, fault
		}
	}
	if wait, ok := s.Admit(c.Request, c.now); !ok {
		return answer{}, tooManyRequests(wait)
	}
	if checked.Channel == subscription.Email {
		return s.askByMail(c, checked, consent)
	}
	return s.askByPush(c, checked, consent)
}

const mailMessage = "Si todo está en orden, en unos minutos llegará un correo con un enlace: ábralo y pulse el botón para confirmar. " +
	"Si no llega, revise el correo no deseado; a cada dirección se le envía como máximo un correo de confirmación al día."

const pushMessage = "En unos segundos llegará al navegador una notificación con el dato «prueba»: envíe esta misma solicitud " +
	"con ese valor en webpush.prueba para activar la suscripción. La página de este sitio lo hace sola."

// askByMail takes a request by e-mail. Nothing of the answer depends on the address.
func (s *Signups) askByMail(c call, form *subscription.CheckedForm, consent subscription.Consent) (answer, *Fault) {
	until := c.now.Add(subscription.ConfirmationLife).UTC()
	err := s.Subscriptions.Ask(&subscription.Request{
		Address: form.Address, Preferences: form.Preferences, Consent: consent, Until: until, From: s.Network(c.Request),
	})
	return s.pending(c, form.Channel, mailMessage, until, err)
}

// pending answers that a request waits for its confirmation, or what was wrong with it.
func (s *Signups) pending(c call, channel subscription.Channel, message string, until time.Time, err error) (answer, *Fault) {
	if err != nil {
		return answer{}, s.failed(err)
	}
	return c.private(http.StatusAccepted, PendingSubscription{"pendiente_de_confirmacion", channel.String(), message, instant(until)})
}

// askByPush takes a request by Web Push that proves nothing. Nothing of the answer depends
// on the endpoint.
func (s *Signups) askByPush(c call, form *subscription.CheckedForm, consent subscription.Consent) (answer, *Fault) {
	until, err := s.Subscriptions.AskBrowser(pushSubscription(form, consent))
	return s.pending(c, form.Channel, pushMessage, until, err)
}

func pushSubscription(form *subscription.CheckedForm, consent subscription.Consent) *subscription.Subscription {
	return &subscription.Subscription{
		Channel: subscription.WebPush, Target: form.Target, Preferences: form.Preferences, Consent: consent,
	}
}

// activate makes a subscription by Web Push active. It returns no answer when the proof
// proves nothing.
func (s *Signups) activate(c call, form *subscription.CheckedForm, consent subscription.Consent) (answer, *Fault) {
	made := pushSubscription(form, consent)
	token, err := s.Subscriptions.Subscribe(made, form.Proof)
	switch {
	case errors.Is(err, subscription.ErrUnknownToken):
		return answer{}, nil
	case err != nil:
		return answer{}, s.failed(err)
	}
	return c.private(http.StatusCreated, ActiveSubscription{"activa", token, instantOrNull(made.Ends)})
}

// show answers GET /suscriptores/:token.
func (s *Signups) show(c call) (answer, *Fault) {
	held, err := s.Subscriptions.Show(c.name)
	if err != nil {
		return answer{}, s.failed(err)
	}
	return c.private(http.StatusOK, subscriptionOf(held))
}

// cancel answers DELETE /suscriptores/:token.
func (s *Signups) cancel(c call) (answer, *Fault) {
	if s.Origins.Check(c.Request) != nil {
		return answer{}, foreignOrigin
	}
	if err := s.Subscriptions.Cancel(c.name); err != nil {
		return answer{}, s.failed(err)
	}
	return c.private(http.StatusOK, CancelledSubscription{"cancelada"})
}

// publicKey answers GET /vapid.
func (s *Signups) publicKey(c call) (answer, *Fault) {
	if !s.Subscriptions.Open(subscription.WebPush) {
		return answer{}, s.closed(subscription.WebPush)
	}
	return c.private(http.StatusOK, PublicKey{s.Subscriptions.PublicKey()})
}

// closed returns the fault of a channel that is not set up. It offers the other if that is.
func (s *Signups) closed(c subscription.Channel) *Fault {
	f := &Fault{Status: http.StatusServiceUnavailable, Code: "correo_no_disponible", Text: "este servicio no envía avisos por correo"}
	other, offer := subscription.WebPush, "; puede recibirlos como notificaciones del navegador (canal webpush)"
	if c == subscription.WebPush {
		f.Code, f.Text = "webpush_no_disponible", "este servicio no envía notificaciones al navegador"
		other, offer = subscription.Email, "; puede recibir los avisos por correo (canal email)"
	}
	if s.Subscriptions.Open(other) {
		f.Text += offer
	}
	return f
}

// failed returns the fault of an error of the service. What is not about the request is
// logged here, once.
func (s *Signups) failed(err error) *Fault {
	switch {
	case errors.Is(err, subscription.ErrUnknownToken):
		return unknownSubscription
	case errors.Is(err, subscription.ErrTooMany):
		s.Log.Warn("a request for a subscription was refused", "error", err)
	default:
		s.Log.Log(context.Background(), store.LogLevel(err), "a request about a subscription failed", "error", err)
	}
	return unavailable
}

func tooManyRequests(wait int) *Fault {
	return &Fault{
		Status: http.StatusTooManyRequests, Code: "demasiadas_solicitudes", RetryAfter: wait,
		Text: "ya pidió varias suscripciones desde esta conexión; espere los segundos que indica Retry-After",
	}
}
