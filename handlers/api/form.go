package api

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store/catalogue"
	"vigia/store/subscription"
)

// Limits of what one subscription may name.
const (
	mostPlaces  = 64 // parks; as many trails
	longestTrip = 60 // days
	tripWithin  = 1  // years from today
)

// FieldFault is what is wrong with a field, in Spanish. It never repeats an address.
type FieldFault struct{ Field, Text string }

// CheckedForm is a form without faults: whom to write to, and about what.
type CheckedForm struct {
	Channel     subscription.Channel
	Address     string               // Email
	Target      *subscription.Target // WebPush
	Proof       string               // WebPush, "" for none
	Preferences subscription.Preferences
}

// formCheck is the state of checking one form.
type formCheck struct {
	*Form
	catalogue *catalogue.Catalogue
	hosts     subscription.PushHosts
	now       time.Time
	checked   CheckedForm
}

// Check checks a form against a catalogue. It returns every fault, by field; the checked
// form is complete when there is none.
func (f *Form) Check(c *catalogue.Catalogue, hosts subscription.PushHosts, now time.Time) (*CheckedForm, []FieldFault) {
	check := f.newCheck(c, now)
	check.hosts = hosts
	check.channel()
	check.preferences()
	if !f.Consent {
		check.addFault("consentimiento", "debe ser true: sin su consentimiento no se guarda ningún dato")
	}
	return &check.checked, check.faults
}

// CheckPreferences is Check of a form without address and consent, which changes the
// preferences of a subscription.
func (f *Form) CheckPreferences(c *catalogue.Catalogue, now time.Time) (*subscription.Preferences, []FieldFault) {
	check := f.newCheck(c, now)
	check.preferences()
	return &check.checked.Preferences, check.faults
}

// newCheck returns a check of a copy of the form.
func (f *Form) newCheck(c *catalogue.Catalogue, now time.Time) *formCheck {
	own := *f
	own.faults = slices.Clone(f.faults)
	return &formCheck{Form: &own, catalogue: c, now: now}
}

func (c *formCheck) preferences() {
	c.places()
	c.conditions()
	c.language()
}

// addFault notes a fault, unless there is one of the field: what could not be read is not
// also missing.
func (f *Form) addFault(field, text string) {
	if !f.hasFault(field) {
		f.faults = append(f.faults, FieldFault{field, text})
	}
}

func (f *Form) hasFault(field string) bool {
	return slices.ContainsFunc(f.faults, func(known FieldFault) bool {
		return known.Field == field || strings.HasPrefix(field, known.Field+".")
	})
}

func (c *formCheck) channel() {
	switch c.Channel {
	case subscription.Email.String():
		c.checked.Channel = subscription.Email
		c.address()
		if c.Push != nil {
			c.addFault("webpush", "sobra: el canal es email")
		}
	case subscription.WebPush.String():
		c.checked.Channel = subscription.WebPush
		c.target()
		if c.Email != "" {
			c.addFault("email", "sobra: el canal es webpush")
		}
	case "":
		c.addFault("canal", "falta; los valores son email y webpush")
		c.anyAddress()
	default:
		c.addFault("canal", "los valores son email y webpush")
		c.anyAddress()
	}
}

// anyAddress checks the addresses of a form without a channel.
func (c *formCheck) anyAddress() {
	if c.Email != "" {
		c.address()
	}
	if c.Push != nil {
		c.target()
	}
}

func (c *formCheck) address() {
	if c.Email == "" {
		c.addFault("email", "falta la dirección de correo a la que avisar")
		return
	}
	parse := subscription.ParseAddress
	if c.Simulated {
		parse = subscription.ParseAnyAddress
	}
	address, err := parse(c.Email)
	if err != nil {
		c.addFault("email", err.Error())
		return
	}
	c.checked.Address = address
}

func (c *formCheck) target() {
	if c.Push == nil {
		c.addFault("webpush", "falta la suscripción que entrega el navegador, con endpoint y keys (p256dh y auth)")
		return
	}
	target, err := subscription.ParseTarget(c.Push.Endpoint, c.Push.Keys.P256dh, c.Push.Keys.Auth, c.hosts)
	parts := (*subscription.TargetError)(nil)
	if errors.As(err, &parts) {
		for _, part := range []struct {
			field string
			err   error
		}{{"webpush.endpoint", parts.Endpoint}, {"webpush.keys.p256dh", parts.Key}, {"webpush.keys.auth", parts.Auth}} {
			if part.err != nil {
				c.addFault(part.field, part.err.Error())
			}
		}
	}
	c.checked.Target, c.checked.Proof = target, c.Push.Proof
}

func (c *formCheck) conditions() {
	p := &c.checked.Preferences
	switch c.MinLevel {
	case "", alert.Caution.String():
		p.MinLevel = alert.Caution
	case alert.Danger.String():
		p.MinLevel = alert.Danger
	default:
		c.addFault("nivel_minimo", "los valores son precaucion y peligro")
	}
	if c.Hazards != nil && len(c.Hazards) == 0 {
		c.addFault("amenazas", "no puede ser una lista vacía; envíe null para que se avise de todas")
	}
	for _, key := range c.Hazards {
		h, err := hazard.ParseHazard(key)
		if err != nil {
			c.addFault("amenazas", "los valores son "+strings.Join(hazardKeys(), ", "))
			break
		}
		p.Hazards = p.Hazards.With(h)
	}
	if c.Quiet != nil {
		p.Quiet = c.quiet()
	}
	if c.Trip != nil {
		p.Trip = c.trip()
	}
}

func hazardKeys() []string {
	keys := make([]string, hazard.NumHazards)
	for h := range keys {
		keys[h] = hazard.Hazard(h).String()
	}
	return keys
}

func (c *formCheck) quiet() *subscription.Quiet {
	from, okFrom := c.minute("silencio.desde", c.Quiet.From)
	to, okTo := c.minute("silencio.hasta", c.Quiet.To)
	if okFrom && okTo && from == to {
		c.addFault("silencio", "«desde» y «hasta» deben ser distintos")
	}
	return &subscription.Quiet{From: from, To: to}
}

// minute reads an hour of the day as minutes since midnight.
func (c *formCheck) minute(field, text string) (uint16, bool) {
	t, err := time.Parse("15:04", text)
	if err != nil || len(text) != len("15:04") {
		c.addFault(field, "debe ser una hora local HH:MM, entre 00:00 y 23:59")
		return 0, false
	}
	return uint16(t.Hour()*60 + t.Minute()), true
}

func (c *formCheck) trip() *subscription.Trip {
	from, okFrom := c.date("viaje.desde", c.Trip.From)
	to, okTo := c.date("viaje.hasta", c.Trip.To)
	if !okFrom || !okTo {
		return nil
	}
	today := c.today()
	switch {
	case to.Before(from):
		c.addFault("viaje", "«hasta» no puede ser anterior a «desde»")
	case to.Before(today):
		c.addFault("viaje.hasta", "esa fecha ya pasó")
	case to.After(today.AddDate(tripWithin, 0, 0)):
		c.addFault("viaje.hasta", "debe estar dentro de un año desde hoy")
	case to.After(from.AddDate(0, 0, longestTrip-1)):
		c.addFault("viaje", fmt.Sprintf("puede durar como máximo %d días", longestTrip))
	}
	return &subscription.Trip{From: subscription.Date(c.Trip.From), To: subscription.Date(c.Trip.To)}
}

func (c *formCheck) date(field, text string) (time.Time, bool) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		c.addFault(field, "debe ser una fecha AAAA-MM-DD que exista")
		return time.Time{}, false
	}
	return t, true
}

// today is the date in the westernmost of the parks' zones, as midnight UTC: a
// day is over when it is over everywhere.
func (c *formCheck) today() time.Time {
	first := subscription.DateOf(c.now, time.UTC)
	for i := range c.catalogue.Parks {
		first = min(first, subscription.DateOf(c.now, c.catalogue.Parks[i].TimeZone))
	}
	return first.Start(time.UTC)
}

func (c *formCheck) language() {
	switch c.Language {
	case "", subscription.Spanish.String():
		c.checked.Preferences.Language = subscription.Spanish
	case subscription.English.String():
		c.checked.Preferences.Language = subscription.English
	default:
		c.addFault("idioma", "los valores son es y en")
	}
}
