package subscription

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// Limits of what one subscription may name.
const (
	mostPlaces  = 64 // parks; as many trails
	longestTrip = 60 // days
	tripWithin  = 1  // years from today
)

// Form is a request for a subscription as a person sent it, to the API or by a page of the
// site, before it is checked. "" and nil stand for what was left out.
type Form struct {
	Channel     string
	Email       string
	Push        *PushForm
	Parks       []string
	Trails      []string // "park/trail", or the trail's slug where only one park has it
	MinLevel    string
	Hazards     []string // nil is all of them
	Quiet, Trip *Span
	Language    string
	Consent     bool

	Simulated bool        // in the demo an address is taken to which no mail can go
	Unread    []FormFault // of fields that had the wrong kind: they are not also missing
}

// PushForm is what a browser gave to be reached by Web Push, and what proves that it is;
// Proof is "" for none.
type PushForm struct{ Endpoint, P256dh, Auth, Proof string }

// Span is a span of hours, HH:MM, or of days, YYYY-MM-DD, as it was written.
type Span struct{ From, To string }

// FormFault is what is wrong with a field, by its name in the API and in Spanish. It never
// repeats an address.
type FormFault struct{ Field, Text string }

// CheckedForm is a form without faults: whom to write to, and about what.
type CheckedForm struct {
	Channel     Channel
	Address     string  // Email
	Target      *Target // WebPush
	Proof       string  // WebPush, "" for none
	Preferences Preferences
}

// formCheck is the state of checking one form.
type formCheck struct {
	*Form
	catalogue *catalogue.Catalogue
	hosts     PushHosts
	now       time.Time
	checked   CheckedForm
	faults    []FormFault
}

// Check checks a form against a catalogue. It returns every fault, by field; the checked
// form is complete when there is none.
func (f *Form) Check(c *catalogue.Catalogue, hosts PushHosts, now time.Time) (*CheckedForm, []FormFault) {
	check := &formCheck{Form: f, catalogue: c, hosts: hosts, now: now, faults: slices.Clone(f.Unread)}
	check.channel()
	check.preferences()
	if !f.Consent {
		check.addFault("consentimiento", "debe ser true: sin su consentimiento no se guarda ningún dato")
	}
	return &check.checked, check.faults
}

// CheckPreferences is Check of a form without address and consent, which changes the
// preferences of a subscription.
func (f *Form) CheckPreferences(c *catalogue.Catalogue, now time.Time) (*Preferences, []FormFault) {
	check := &formCheck{Form: f, catalogue: c, now: now}
	check.preferences()
	return &check.checked.Preferences, check.faults
}

func (c *formCheck) preferences() {
	p := &c.checked.Preferences
	c.places()
	p.MinLevel = choice(c, "nivel_minimo", c.MinLevel, alert.Caution, alert.Danger)
	p.Hazards = c.hazards()
	if c.Quiet != nil {
		p.Quiet = c.quiet()
	}
	if c.Trip != nil {
		p.Trip = c.trip()
	}
	p.Language = choice(c, "idioma", c.Language, Spanish, English)
}

// choice reads one of two words; "" is the first of them.
func choice[T fmt.Stringer](c *formCheck, field, word string, first, second T) T {
	switch word {
	case "", first.String():
		return first
	case second.String():
		return second
	}
	c.addFault(field, "los valores son "+first.String()+" y "+second.String())
	return first
}

// addFault notes a fault, unless there is one of the field.
func (c *formCheck) addFault(field, text string) {
	if !c.hasFault(field) {
		c.faults = append(c.faults, FormFault{field, text})
	}
}

func (c *formCheck) hasFault(field string) bool {
	return slices.ContainsFunc(c.faults, func(known FormFault) bool {
		return known.Field == field || strings.HasPrefix(field, known.Field+".")
	})
}

func (c *formCheck) channel() {
	switch c.Channel {
	case Email.String():
		c.address()
		if c.Push != nil {
			c.addFault("webpush", "sobra: el canal es email")
		}
		return
	case WebPush.String():
		c.checked.Channel = WebPush
		c.target()
		if c.Email != "" {
			c.addFault("email", "sobra: el canal es webpush")
		}
		return
	case "":
		c.addFault("canal", "falta; los valores son email y webpush")
	default:
		c.addFault("canal", "los valores son email y webpush")
	}
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
	parse := ParseAddress
	if c.Simulated {
		parse = ParseAnyAddress
	}
	address, err := parse(c.Email)
	if err != nil {
		c.addFault("email", err.Error())
	}
	c.checked.Address = address
}

func (c *formCheck) target() {
	if c.Push == nil {
		c.addFault("webpush", "falta la suscripción que entrega el navegador, con endpoint y keys (p256dh y auth)")
		return
	}
	target, err := ParseTarget(c.Push.Endpoint, c.Push.P256dh, c.Push.Auth, c.hosts)
	if wrong := (TargetError)(nil); errors.As(err, &wrong) {
		for _, f := range wrong {
			c.addFault(f.Field, f.Text)
		}
	}
	c.checked.Target, c.checked.Proof = target, c.Push.Proof
}

func (c *formCheck) hazards() (set HazardSet) {
	if c.Hazards != nil && len(c.Hazards) == 0 {
		c.addFault("amenazas", "no puede ser una lista vacía; envíe null para que se avise de todas")
	}
	for _, name := range c.Hazards {
		h, err := hazard.ParseHazard(name)
		if err != nil {
			c.addFault("amenazas", "los valores son "+strings.Join(hazardNames(), ", "))
			break
		}
		set = set.With(h)
	}
	return set
}

func hazardNames() (names []string) {
	for h := range hazard.Hazard(hazard.NumHazards) {
		names = append(names, h.String())
	}
	return names
}

func (c *formCheck) quiet() *Quiet {
	from, okFrom := c.minute("silencio.desde", c.Quiet.From)
	to, okTo := c.minute("silencio.hasta", c.Quiet.To)
	if okFrom && okTo && from == to {
		c.addFault("silencio", "«desde» y «hasta» deben ser distintos")
	}
	return &Quiet{From: from, To: to}
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

func (c *formCheck) trip() *Trip {
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
	return &Trip{From: Date(c.Trip.From), To: Date(c.Trip.To)}
}

func (c *formCheck) date(field, text string) (time.Time, bool) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		c.addFault(field, "debe ser una fecha AAAA-MM-DD que exista")
	}
	return t, err == nil
}

// today is the date in the westernmost of the parks' zones, as midnight UTC: a
// day is over when it is over everywhere.
func (c *formCheck) today() time.Time {
	first := DateOf(c.now, time.UTC)
	for i := range c.catalogue.Parks {
		first = min(first, DateOf(c.now, c.catalogue.Parks[i].TimeZone))
	}
	return first.Start(time.UTC)
}
