package site

import (
	"cmp"
	"crypto/sha1" // #nosec G505 -- for names by RFC 9562 alone
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/handlers/api"
	"vigia/handlers/prepared"
)

const atomType = "application/atom+xml; charset=utf-8"

// atomFeed is a feed by RFC 4287, in the order that its schema shows.
type atomFeed struct {
	XMLName   xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Lang      string      `xml:"xml:lang,attr"`
	ID        string      `xml:"id"`
	Title     string      `xml:"title"`
	Subtitle  string      `xml:"subtitle"`
	Updated   string      `xml:"updated"`
	Author    atomAuthor  `xml:"author"`
	Links     []atomLink  `xml:"link"`
	Generator string      `xml:"generator"`
	Rights    string      `xml:"rights"`
	Entries   []atomEntry `xml:"entry"`
}

type atomAuthor struct {
	Name  string `xml:"name"`
	URI   string `xml:"uri,omitempty"`
	Email string `xml:"email,omitempty"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
	Lang string `xml:"hreflang,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID        string         `xml:"id"`
	Title     string         `xml:"title"`
	Updated   string         `xml:"updated"`
	Published string         `xml:"published,omitempty"`
	Links     []atomLink     `xml:"link"`
	Category  []atomCategory `xml:"category"`
	Content   atomContent    `xml:"content"`
	updated   time.Time
}

type atomCategory struct {
	Term string `xml:"term,attr"`
}

// atomContent is paragraphs of plain text: nothing in them is markup.
type atomContent struct {
	Type string `xml:"type,attr"`
	Div  struct {
		Space string   `xml:"xmlns,attr"`
		Lines []string `xml:"p"`
	} `xml:"div"`
}

func paragraphs(lines ...string) (c atomContent) {
	c.Type, c.Div.Space, c.Div.Lines = "xhtml", "http://www.w3.org/1999/xhtml", lines
	return c
}

// noPark stands for all parks.
const noPark = -1

// putFeeds adds the alerts of all parks, and of each, as feeds.
func (p *printing) putFeeds() {
	add := func(path string, park int) {
		p.shelf.lend(p.path(path), func() *prepared.Body {
			document, err := xml.MarshalIndent(p.feed(path, park), "", " ")
			if err != nil { // texts and times are all that a feed has
				panic(fmt.Sprintf("site: writing %s: %v", path, err))
			}
			return prepared.Static(atomType, slices.Concat([]byte(xml.Header), document, []byte("\n")))
		})
	}
	add("/alertas.atom", noPark)
	for i, park := range p.Catalogue.Parks {
		add("/parques/"+park.Slug+"/alertas.atom", i)
	}
}

// feed makes the feed at a path: that of a park, or of all. Alerts come with the
// newest change first; before them stands where it is not known whether there are
// more, for an empty feed reads as calm.
func (p *printing) feed(path string, park int) atomFeed {
	title, page, slug := p.say("atom.titulo"), "/alertas", ""
	if park != noPark {
		here := p.Catalogue.Parks[park]
		slug, page = here.Slug, "/parques/"+here.Slug
		title = p.say("atom.titulo_parque", "parque", here.Name)
	}
	if p.Simulated {
		title = p.say("simulado.marca") + " " + title
	}
	f := atomFeed{
		Lang: p.Tag, ID: p.urn(path), Title: title, Subtitle: p.say("oficial.aviso"), Rights: p.rights(),
		Author:    atomAuthor{p.say("sitio.nombre"), p.options.BaseURL, p.options.Contact},
		Links:     []atomLink{p.link("self", strings.TrimSuffix(atomType, "; charset=utf-8"), path), p.link("alternate", "text/html", page)},
		Generator: strings.TrimSpace(p.say("sitio.nombre") + " " + p.options.Version),
	}
	for i := range p.Alerts {
		if a := &p.Alerts[i]; a.Level != alert.NoLevel && (slug == "" || a.Park == slug) {
			f.Entries = append(f.Entries, p.alertEntry(a, page))
		}
	}
	slices.SortStableFunc(f.Entries, func(x, y atomEntry) int {
		return cmp.Or(y.updated.Compare(x.updated), strings.Compare(x.ID, y.ID))
	})
	if e, ok := p.unknownEntry(path, page, park); ok {
		f.Entries = slices.Insert(f.Entries, 0, e)
	}
	updated := firstKnown(p.IssuedAt, p.StartedAt, p.now)
	for i := range f.Entries {
		if f.Entries[i].updated.After(updated) {
			updated = f.Entries[i].updated
		}
	}
	f.Updated = rfc3339(updated)
	return f
}

// alertEntry tells an alert in words that stay true: with dates, and without how
// far off they are.
func (p *printing) alertEntry(al *alert.Alert, page string) atomEntry {
	here, parkName := p.country, al.Park
	if i, ok := p.Catalogue.ParkBySlug(al.Park); ok {
		park := &p.Catalogue.Parks[i]
		here, parkName, page = here.in(park.TimeZone), park.Name, "/parques/"+park.Slug
	}
	if own := "/alertas/" + al.ID; p.shelf.Page(p.path(own)) != nil {
		page = own
	}
	view := here.alert(al, p.moment)
	title := p.say("atom.alerta", "titulo", view.Title, "parque", parkName)
	updated := lastChange(al)
	switch over := al.PhaseAt(p.now) == alert.Finished; {
	case over && !al.Cancelled && al.End.After(updated):
		updated = al.End
		fallthrough
	case over:
		title = p.say("atom.terminada", "titulo", title)
	case view.Unproven:
		title = p.say("atom.sin_confirmar", "titulo", title)
		if p.ValidUntil.After(updated) && !p.ValidUntil.After(p.now) {
			updated = p.ValidUntil
		}
	}
	if p.Simulated {
		title = p.say("simulado.marca") + " " + title
	}
	return atomEntry{
		ID: p.urn("/alertas/" + al.ID), Title: title, Updated: rfc3339(updated), Published: rfc3339(firstKnown(al.IssuedAt, updated)),
		Links:    []atomLink{p.link("alternate", "text/html", page)},
		Category: []atomCategory{{al.Level.String()}, {al.Hazard.String()}},
		Content:  paragraphs(p.alertText(here, view, al)...), updated: updated,
	}
}

func (p *printing) alertText(here almanac, view alertView, al *alert.Alert) []string {
	over := al.PhaseAt(p.now) == alert.Finished
	parts := []string{p.say("atom.horas", "desde", view.Start.Text, "hasta", view.End.Text, "zona", here.zoneName())}
	if view.Unproven && !over {
		parts = append(parts, p.say("alerta.sin_confirmar"))
	}
	if view.Votes != "" {
		parts = append(parts, p.say("atom.votos", "votos", view.Votes, "confianza", view.Confidence))
	}
	for _, c := range view.Causes {
		parts = append(parts, p.say("atom.causa", "nombre", c.Name, "valor", c.Value, "umbral", c.Threshold))
	}
	if len(view.Trails) > 0 {
		parts = append(parts, p.say("atom.senderos", "nombres", strings.Join(view.Trails, "; ")))
	}
	for _, c := range view.Changes {
		parts = append(parts, p.say("atom.cambio", "cuando", c.At.Text, "que", c.Text))
	}
	if !over {
		parts = append(parts, p.say("alerta.consejo."+view.Level.Key))
	}
	return append(parts, p.say("oficial.aviso"))
}

// unknownEntry says that it is not known whether there are alerts, why, and since
// when or in which parks. ok is false when it is known.
func (p *printing) unknownEntry(path, page string, park int) (e atomEntry, ok bool) {
	here := p.country
	if park != noPark {
		here = here.in(p.Catalogue.Parks[park].TimeZone)
	}
	about, title, why, at := path+"#sin-datos", p.say("atom.desconocidas"), p.reason, firstKnown(p.IssuedAt, p.StartedAt, p.now)
	from := "atom.segun"
	if silent := p.silentParks(park); p.reason == hazard.NoReason && len(silent) == 0 {
		return e, false
	} else if p.reason == hazard.NoReason {
		why, title = hazard.PartialData, p.say("atom.desconocidas_en", "parques", strings.Join(silent, ", "))
	} else {
		if !p.ValidUntil.IsZero() && !p.ValidUntil.After(p.now) {
			at = p.ValidUntil
		}
		about, from = path+"#"+rfc3339(at), "atom.desde" // each time without estimates is one of its own
	}
	if p.Simulated {
		title = p.say("simulado.marca") + " " + title
	}
	return atomEntry{
		ID: p.urn(about), Title: title, Updated: rfc3339(at), Published: rfc3339(at),
		Links: []atomLink{p.link("alternate", "text/html", page)}, Category: []atomCategory{{hazard.NoData.String()}},
		Content: paragraphs(p.say("motivo."+string(why)), p.say(from, "desde", here.instant(at).Text, "zona", here.zoneName()),
			p.say("sin_datos.consejo"), p.say("oficial.aviso")),
		updated: at,
	}, true
}

// silentParks names the parks of a feed of which no trail has a state now.
func (p *printing) silentParks(park int) (names []string) {
	reading := api.Read(p.Edition, p.now)
	for i := range p.Catalogue.Parks {
		if (park == noPark || i == park) && !reading.Known(i) {
			names = append(names, p.Catalogue.Parks[i].Name)
		}
	}
	return names
}

// rights says whose the data are.
func (p *printing) rights() string {
	if p.Simulated {
		return p.say("simulado.texto")
	}
	return p.say("geojson.atribucion") + " " + p.say("geojson.licencia")
}

func (p *printing) link(rel, kind, path string) atomLink {
	return atomLink{rel, kind, p.Tag, p.options.BaseURL + p.path(path)}
}

// urn names a thing of the site in a language for good: a UUID made of its address
// (RFC 9562, version 5 in the name space of addresses).
func (p *printing) urn(path string) string {
	const addresses = "\x6b\xa7\xb8\x11\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8"
	u := sha1.Sum([]byte(addresses + p.options.BaseURL + p.path(path))) // #nosec G401 -- a name, as RFC 9562 makes it; it proves nothing
	u[6], u[8] = u[6]&0x0f|0x50, u[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:16])
}

// lastChange is when an alert last became another.
func lastChange(al *alert.Alert) time.Time {
	last := firstKnown(al.UpdatedAt, al.IssuedAt, al.Start)
	for i := range al.Changes {
		if al.Changes[i].At.After(last) {
			last = al.Changes[i].At
		}
	}
	return last
}

// firstKnown gives the first instant that is one.
func firstKnown(instants ...time.Time) time.Time {
	for _, t := range instants {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }
