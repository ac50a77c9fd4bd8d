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

// Form is a wish to be told as a person sent it, in JSON to the API or by a page of
// the site, before it is checked. "" and nil stand for what was left out.
type Form struct {
	Channel  string
	Email    string
	Push     *PushForm
	Parks    []string // slugs
	Trails   []string // "park/trail", or the trail's slug where only one park has it
	MinLevel string
	Hazards  []string // nil is all of them
	Quiet    *SpanForm
	Trip     *SpanForm
	Language string
	Consent  bool

	faults []FieldFault // found while reading
}

// PushForm is what a browser gives to be reached.
type PushForm struct{ Endpoint, Key, Auth string }

// SpanForm is a span of hours or of dates, both ends as text.
type SpanForm struct{ From, To string }

// FieldFault says what is wrong with a field, in Spanish. It never repeats an
// address.
type FieldFault struct{ Field, Text string }

// Wish is a form that was checked: who is to be told, and of what.
type Wish struct {
	Channel     subscription.Channel
	Address     string               // Email
	Target      *subscription.Target // WebPush
	Preferences subscription.Preferences
}

// formCheck is the state of checking one form.
type formCheck struct {
	*Form
	catalogue *catalogue.Catalogue
	hosts     subscription.PushHosts
	now       time.Time
	wish      Wish
}

// Check reads a form against a catalogue. It gives every fault there is, by field;
// the wish holds when there is none.
func (f *Form) Check(c *catalogue.Catalogue, hosts subscription.PushHosts, now time.Time) (*Wish, []FieldFault) {
	check := f.begin(c, now)
	check.hosts = hosts
	check.channel()
	check.preferences()
	if !f.Consent {
		check.wrong("consentimiento", "debe ser true: sin su consentimiento no se guarda ningún dato")
	}
	return &check.wish, check.faults
}

// CheckPreferences is Check of a form that changes of what a person is told, and
// says neither where nor on what consent.
func (f *Form) CheckPreferences(c *catalogue.Catalogue, now time.Time) (*subscription.Preferences, []FieldFault) {
	check := f.begin(c, now)
	check.preferences()
	return &check.wish.Preferences, check.faults
}

// begin makes ready to check a copy of the form.
func (f *Form) begin(c *catalogue.Catalogue, now time.Time) *formCheck {
	own := *f
	own.faults = slices.Clone(f.faults)
	return &formCheck{Form: &own, catalogue: c, now: now}
}

func (c *formCheck) preferences() {
	c.places()
	c.conditions()
	c.language()
}

// wrong notes a fault, unless one of the field is known: what could not be read is
// not also left out.
func (f *Form) wrong(field, text string) {
	if !f.isWrong(field) {
		f.faults = append(f.faults, FieldFault{field, text})
	}
}

func (f *Form) isWrong(field string) bool {
	return slices.ContainsFunc(f.faults, func(known FieldFault) bool {
		return known.Field == field || strings.HasPrefix(field, known.Field+".")
	})
}

func (c *formCheck) channel() {
	switch c.Channel {
	case subscription.Email.String():
		c.wish.Channel = subscription.Email
		c.address()
		if c.Push != nil {
			c.wrong("webpush", "sobra: el canal es email")
		}
	case subscription.WebPush.String():
		c.wish.Channel = subscription.WebPush
		c.target()
		if c.Email != "" {
			c.wrong("email", "sobra: el canal es webpush")
		}
	case "":
		c.wrong("canal", "falta; los valores son email y webpush")
		c.given()
	default:
		c.wrong("canal", "los valores son email y webpush")
		c.given()
	}
}

// given checks the addresses of a form that does not say which of them counts.
func (c *formCheck) given() {
	if c.Email != "" {
		c.address()
	}
	if c.Push != nil {
		c.target()
	}
}

func (c *formCheck) address() {
	if c.Email == "" {
		c.wrong("email", "falta la dirección de correo a la que avisar")
		return
	}
	address, err := subscription.ParseAddress(c.Email)
	if err != nil {
		c.wrong("email", err.Error())
		return
	}
	c.wish.Address = address
}

func (c *formCheck) target() {
	if c.Push == nil {
		c.wrong("webpush", "falta la suscripción que entrega el navegador, con endpoint y keys (p256dh y auth)")
		return
	}
	target, err := subscription.ParseTarget(c.Push.Endpoint, c.Push.Key, c.Push.Auth, c.hosts)
	parts := (*subscription.TargetError)(nil)
	if errors.As(err, &parts) {
		for _, part := range []struct {
			field string
			err   error
		}{{"webpush.endpoint", parts.Endpoint}, {"webpush.keys.p256dh", parts.Key}, {"webpush.keys.auth", parts.Auth}} {
			if part.err != nil {
				c.wrong(part.field, part.err.Error())
			}
		}
	}
	c.wish.Target = target
}

func (c *formCheck) conditions() {
	p := &c.wish.Preferences
	switch c.MinLevel {
	case "", alert.Caution.String():
		p.MinLevel = alert.Caution
	case alert.Danger.String():
		p.MinLevel = alert.Danger
	default:
		c.wrong("nivel_minimo", "los valores son precaucion y peligro")
	}
	if c.Hazards != nil && len(c.Hazards) == 0 {
		c.wrong("amenazas", "no puede ser una lista vacía; envíe null para que se avise de todas")
	}
	for _, key := range c.Hazards {
		h, err := hazard.ParseHazard(key)
		if err != nil {
			c.wrong("amenazas", "los valores son "+strings.Join(hazardKeys(), ", "))
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
		c.wrong("silencio", "«desde» y «hasta» deben ser distintos")
	}
	return &subscription.Quiet{From: from, To: to}
}

// minute reads an hour of the day as minutes since midnight.
func (c *formCheck) minute(field, text string) (uint16, bool) {
	t, err := time.Parse("15:04", text)
	if err != nil || len(text) != len("15:04") {
		c.wrong(field, "debe ser una hora local HH:MM, entre 00:00 y 23:59")
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
		c.wrong("viaje", "«hasta» no puede ser anterior a «desde»")
	case to.Before(today):
		c.wrong("viaje.hasta", "esa fecha ya pasó")
	case to.After(today.AddDate(tripWithin, 0, 0)):
		c.wrong("viaje.hasta", "debe estar dentro de un año desde hoy")
	case to.After(from.AddDate(0, 0, longestTrip-1)):
		c.wrong("viaje", fmt.Sprintf("puede durar como máximo %d días", longestTrip))
	}
	return &subscription.Trip{From: subscription.Date(c.Trip.From), To: subscription.Date(c.Trip.To)}
}

func (c *formCheck) date(field, text string) (time.Time, bool) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		c.wrong(field, "debe ser una fecha AAAA-MM-DD que exista")
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
		c.wish.Preferences.Language = subscription.Spanish
	case subscription.English.String():
		c.wish.Preferences.Language = subscription.English
	default:
		c.wrong("idioma", "los valores son es y en")
	}
}
