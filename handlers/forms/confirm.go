package forms

import (
	"errors"
	"net/http"

	"vigia/handlers/site"
	"vigia/store/subscription"
)

// confirmPage asks whether a subscription is wanted.
type confirmPage struct {
	Preferences preferences
	Confirm     string // path to which the buttons post
	Until       site.Instant
	Zone        string
}

const unknownConfirmation, unknownManagement = "enlace_desconocido", "gestion_desconocida"

// askToConfirm shows what a confirmation link is of, and changes nothing:
// programs that look after mail follow its links.
func (c call) askToConfirm() answer {
	pending, err := c.Subscriptions.Pending(c.token)
	switch {
	case err != nil:
		return c.failed(err, unknownConfirmation)
	case pending.Used != nil:
		return c.outcome(http.StatusOK, "ya_confirmada")
	}
	return c.tokenPage(http.StatusOK, "/confirmar/", "confirmar", confirmPage{
		Preferences: c.preferences(&pending.Preferences), Confirm: c.Path("/confirmar/" + c.token), Until: c.Instant(pending.Until), Zone: c.ZoneName(),
	})
}

// confirm makes a subscription active.
func (c call) confirm() answer {
	management, again, err := c.Subscriptions.Confirm(c.token)
	if err != nil {
		return c.failed(err, unknownConfirmation)
	}
	name := "confirmada"
	if again {
		name = "ya_confirmada"
	}
	return c.outcomeWith(http.StatusOK, name, result{
		Manage: c.Path("/gestionar/" + management), Cancel: c.Path("/baja/" + management), Preferences: c.heldBy(management),
	})
}

// heldBy returns the preferences of a subscription by its management token, nil when it
// has ended.
func (c call) heldBy(management string) *preferences {
	active, err := c.Subscriptions.Show(management)
	if err != nil {
		return nil
	}
	return new(c.preferences(&active.Preferences))
}

// disown erases a subscription that its address did not ask for.
func (c call) disown() answer {
	if err := c.Subscriptions.Disown(c.token); err != nil {
		return c.failed(err, unknownConfirmation)
	}
	return c.outcome(http.StatusOK, "no_fui_yo")
}

// cancelPage asks whether a subscription shall end.
type cancelPage struct {
	Preferences *preferences // what it is of, nil when there is none to show
	Cancel      string       // path to which the button posts
	Manage      string       // path of the page that changes it
}

// askToCancel shows the button that ends a subscription, also for a token that
// leads nowhere: whoever finds no button would think that mail goes on.
func (c call) askToCancel() answer {
	return c.tokenPage(http.StatusOK, "/baja/", "baja", cancelPage{
		Preferences: c.heldBy(c.token), Cancel: c.Path("/baja/" + c.token), Manage: c.Path("/gestionar/" + c.token),
	})
}

// cancel ends a subscription: by the button, or by the one click of a mail
// program (RFC 8058), whose body says nothing more. The answer is the same
// whether there was one.
func (c call) cancel() answer {
	if err := c.Subscriptions.Cancel(c.token); err != nil && !errors.Is(err, subscription.ErrUnknownToken) {
		return c.failed(err, "")
	}
	return c.outcome(http.StatusOK, "cancelada")
}
