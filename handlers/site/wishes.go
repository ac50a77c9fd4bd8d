package site

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
	"vigia/store/subscription"
)

// wishes are the preferences of a subscription in words.
type wishes struct {
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
	Since   instant
	Ends    instant // its Text is "" for never
	Consent string
	Zone    string
}

// place is a park that is followed, or the trails of one.
type place struct {
	Name, Path string // Path is "" for what the catalogue no longer has
	Trails     []string
}

func (a almanac) wishes(c *catalogue.Catalogue, p *subscription.Preferences) wishes {
	w := wishes{
		Level:    a.texts.say("nivel_minimo." + p.MinLevel.String()),
		Language: a.texts.say("idioma." + p.Language.String()),
	}
	for _, slug := range p.Parks {
		w.Places = append(w.Places, a.texts.placeOf(c, slug))
	}
	for _, id := range p.Trails {
		a.texts.addTrail(&w, c, id)
	}
	if p.Hazards != 0 {
		w.Hazards = strings.Join(a.texts.hazards(p.Hazards), ", ")
	}
	if q := p.Quiet; q != nil {
		w.Quiet = a.texts.say("deseos.silencio_de", "desde", minuteOfDay(q.From), "hasta", minuteOfDay(q.To))
	}
	if t := p.Trip; t != nil {
		w.Trip = a.texts.say("deseos.viaje_de", "desde", a.tripDay(t.From), "hasta", a.tripDay(t.To))
	}
	return w
}

// held says what is kept of a subscription besides its preferences. The page may be
// seen by others than its reader, so that of an address no more is shown than he
// knows it by.
func (a almanac) held(s *subscription.Subscription) *held {
	h := &held{Since: a.instant(s.ConfirmedAt), Zone: a.zoneName(),
		Consent: a.texts.say("deseos.consentimiento_de", "version", s.Consent.Policy, "cuando", a.instant(s.Consent.At).Text)}
	if !s.Ends.IsZero() {
		h.Ends = a.instant(s.Ends)
	}
	if s.Channel == subscription.WebPush {
		h.Channel = a.texts.say("deseos.navegador", "servidor", hostOf(s.Target))
	} else {
		h.Channel = a.texts.say("deseos.correo", "direccion", masked(s.Address))
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

// masked gives of an address its first letter and its domain.
func masked(address string) string {
	local, domain, _ := strings.Cut(address, "@")
	return local[:min(1, len(local))] + "•••@" + subscription.WrittenDomain(domain)
}

func (t texts) placeOf(c *catalogue.Catalogue, slug string) place {
	i, ok := c.ParkBySlug(slug)
	if !ok {
		return place{Name: slug}
	}
	link := t.linkTo(c.Parks[i])
	return place{Name: link.Name, Path: link.Path}
}

// addTrail puts a trail, "park/trail", to its park.
func (t texts) addTrail(w *wishes, c *catalogue.Catalogue, id string) {
	slug, name, _ := strings.Cut(id, "/")
	of := t.placeOf(c, slug)
	if i, ok := c.ParkBySlug(slug); ok {
		for _, trail := range c.TrailsOf(i) {
			if trail.Slug == name {
				name = trail.Name
			}
		}
	}
	at := slices.IndexFunc(w.Places, func(p place) bool { return p.Name == of.Name && len(p.Trails) > 0 })
	if at < 0 {
		at, w.Places = len(w.Places), append(w.Places, of)
	}
	w.Places[at].Trails = append(w.Places[at].Trails, name)
}

// hazards names the hazards of a set that is not empty.
func (t texts) hazards(set subscription.HazardSet) (names []string) {
	for h := range hazard.NumHazards {
		if set.Has(hazard.Hazard(h)) {
			names = append(names, t.say("amenaza."+hazard.Hazard(h).String()))
		}
	}
	return names
}

func minuteOfDay(m uint16) string { return fmt.Sprintf("%02d:%02d", m/60, m%60) }

// tripDay is a day of the calendar in words.
func (a almanac) tripDay(d subscription.Date) string {
	day := d.Start(time.UTC)
	if day.IsZero() {
		return string(d)
	}
	return a.date(day)
}
