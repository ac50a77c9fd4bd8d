package forms

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"vigia/handlers/site"
	"vigia/store/subscription"
)

// preferences are the preferences of a subscription in words.
type preferences struct {
	Places   []place
	Level    string
	Hazards  string // "" for all
	Quiet    string // "" for no such hours
	Trip     string // "" for no trip
	Language string
	Held     *held // what else is kept of a subscription, nil for what is only asked for
}

// held is what is kept of a subscription besides its preferences.
type held struct {
	Channel string // with the address, masked
	Since   site.Instant
	Ends    site.Instant // its Text is "" for never
	Consent string
	Zone    string
	Refused string // what to know when the address refuses mails, "" when it does not
}

// place is a park that is followed, or the trails of one.
type place struct {
	Name, Path string // Path is "" for what the catalogue no longer has
	Trails     []string
}

func (p page) preferences(of *subscription.Preferences) preferences {
	words := preferences{
		Level:    p.Text("nivel_minimo." + of.MinLevel.String()),
		Language: p.Text("idioma." + of.Language.String()),
	}
	for _, slug := range of.Parks {
		words.Places = append(words.Places, p.placeOf(slug))
	}
	for _, id := range of.Trails {
		words.Places = p.addTrail(words.Places, id)
	}
	var hazards []string
	for _, h := range of.Hazards.Named() {
		hazards = append(hazards, p.Hazard(h))
	}
	words.Hazards = strings.Join(hazards, ", ")
	if of.Quiet != nil {
		hours := of.Quiet.Span()
		words.Quiet = p.Text("deseos.silencio_de", "desde", hours.From, "hasta", hours.To)
	}
	if t := of.Trip; t != nil {
		words.Trip = p.Text("deseos.viaje_de", "desde", p.tripDay(t.From), "hasta", p.tripDay(t.To))
	}
	return words
}

// held returns what is kept of a subscription besides its preferences. The page may be
// seen by others than its reader, so that of an address no more is shown than its
// owner knows it by.
func (p page) held(s *subscription.Subscription) *held {
	h := &held{Since: p.Instant(s.ConfirmedAt), Zone: p.ZoneName(),
		Consent: p.Text("deseos.consentimiento_de", "version", s.Consent.Policy, "cuando", p.Instant(s.Consent.At).Text)}
	if end := s.Erased(); !end.IsZero() {
		h.Ends = p.Instant(end)
	}
	switch {
	case !s.SuspendedAt.IsZero():
		h.Refused = p.Text("deseos.suspendida", "cuando", p.Instant(s.SuspendedAt).Text)
	case len(s.Refusals) > 0:
		h.Refused = p.Text("deseos.rechazado", "cuando", p.Instant(s.Refusals[len(s.Refusals)-1]).Text)
	}
	if s.Channel == subscription.WebPush {
		h.Channel = p.Text("deseos.navegador", "servidor", hostOf(s.Target))
	} else {
		h.Channel = p.Text("deseos.correo", "direccion", masked(s.Address))
	}
	return h
}

// hostOf names the server by which a browser is reached.
func hostOf(t *subscription.Target) string {
	u, err := url.Parse(t.Endpoint)
	if err != nil {
		return ""
	}
	return u.Host
}

// masked returns of an address its first letter and its domain.
func masked(address string) string {
	local, domain, _ := strings.Cut(address, "@")
	return local[:min(1, len(local))] + "•••@" + subscription.WrittenDomain(domain)
}

func (p page) placeOf(slug string) place {
	if i, ok := p.Catalogue.ParkBySlug(slug); ok {
		return place{Name: p.Catalogue.Parks[i].Name, Path: p.Path("/parques/" + slug)}
	}
	return place{Name: slug}
}

// addTrail adds a trail, "park/trail", to its park.
func (p page) addTrail(places []place, id string) []place {
	slug, name, _ := strings.Cut(id, "/")
	of := p.placeOf(slug)
	if i, ok := p.Catalogue.ParkBySlug(slug); ok {
		for _, trail := range p.Catalogue.TrailsOf(i) {
			if trail.Slug == name {
				name = trail.Name
			}
		}
	}
	at := slices.IndexFunc(places, func(p place) bool { return p.Name == of.Name && len(p.Trails) > 0 })
	if at < 0 {
		at, places = len(places), append(places, of)
	}
	places[at].Trails = append(places[at].Trails, name)
	return places
}

// tripDay is a day of the calendar in words.
func (p page) tripDay(d subscription.Date) string {
	day := d.Start(time.UTC)
	if day.IsZero() {
		return string(d)
	}
	return p.In(time.UTC).LongDate(day)
}
