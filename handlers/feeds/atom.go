package feeds

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
	"vigia/handlers/httpcache"
	"vigia/handlers/site"
	"vigia/store/notices"
	"vigia/web/wording"
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

// putAlerts adds the alerts of a park, or of all, as a feed.
func (v feed) putAlerts(path string, park int) {
	v.pages.PutOpen(v.Path(path), func() *httpcache.Body { return site.XMLBody(atomType, v.alerts(path, park)) })
}

// alerts returns the feed at a path: that of a park, or of all. Alerts come with the
// newest change first; before them stands where it is not known whether there are
// more, for an empty feed reads as calm.
func (v feed) alerts(path string, park int) atomFeed {
	title, page, slug := v.Text("atom.titulo"), "/alertas", ""
	if park != noPark {
		here := v.Catalogue.Parks[park]
		slug, page = here.Slug, "/parques/"+here.Slug
		title = v.Text("atom.titulo_parque", "parque", here.Name)
	}
	f := atomFeed{
		Lang: v.Tag, ID: v.urn(path), Title: v.marked(title), Subtitle: v.Text("oficial.aviso"), Rights: v.rights(),
		Author:    atomAuthor{v.Text("sitio.nombre"), v.BaseURL, v.Contact},
		Links:     []atomLink{v.link("self", strings.TrimSuffix(atomType, "; charset=utf-8"), path), v.link("alternate", "text/html", page)},
		Generator: strings.TrimSpace(v.Text("sitio.nombre") + " " + v.Version),
	}
	for i := range v.Alerts {
		if a := &v.Alerts[i]; a.Level != alert.NoLevel && (slug == "" || a.Park == slug) {
			f.Entries = append(f.Entries, v.alertEntry(a, page))
		}
	}
	slices.SortStableFunc(f.Entries, func(x, y atomEntry) int {
		return cmp.Or(y.updated.Compare(x.updated), strings.Compare(x.ID, y.ID))
	})
	if e, ok := v.unknownEntry(path, page, park); ok {
		f.Entries = slices.Insert(f.Entries, 0, e)
	}
	if park != noPark {
		f.Entries = slices.Insert(f.Entries, 0, v.officialEntries(path, page, park)...)
	}
	updated := cmp.Or(v.IssuedAt, v.StartedAt, v.Now)
	for i := range f.Entries {
		updated = later(updated, f.Entries[i].updated)
	}
	f.Updated = rfc3339(updated)
	return f
}

// alertEntry returns an alert in words that stay true: with dates, and without how
// far off they are.
func (v feed) alertEntry(al *alert.Alert, page string) atomEntry {
	here, parkName := v.View, al.Park
	if i, ok := v.Catalogue.ParkBySlug(al.Park); ok {
		park := &v.Catalogue.Parks[i]
		here, parkName, page = here.In(park.TimeZone), park.Name, "/parques/"+park.Slug
	}
	if own := "/alertas/" + al.ID; v.pages.Page(v.Path(own)) != nil {
		page = own
	}
	view := here.Alert(al)
	title := v.Text("atom.alerta", "titulo", v.AlertName(al), "parque", parkName)
	updated := lastChange(al)
	switch over := al.PhaseAt(v.Now) == alert.Finished; {
	case over && !al.Cancelled && al.End.After(updated):
		updated = al.End
		fallthrough
	case over:
		title = v.Text("atom.terminada", "titulo", title)
	case view.Unproven:
		title = v.Text("atom.sin_confirmar", "titulo", title)
		if v.ValidUntil.After(updated) && !v.ValidUntil.After(v.Now) {
			updated = v.ValidUntil
		}
	}
	e := v.entry("/alertas/"+al.ID, title, page, updated, v.alertText(here, view, al)...)
	e.Published, e.Category = rfc3339(cmp.Or(al.IssuedAt, updated)), []atomCategory{{al.Level.String()}}
	for _, h := range al.Hazards() {
		e.Category = append(e.Category, atomCategory{h.String()})
	}
	return e
}

// entry returns an entry of an instant. about names it, and page is where more is said.
func (v feed) entry(about, title, page string, at time.Time, lines ...string) atomEntry {
	return atomEntry{
		ID: v.urn(about), Title: v.marked(title), Updated: rfc3339(at), Published: rfc3339(at),
		Links: []atomLink{v.link("alternate", "text/html", page)}, Content: paragraphs(lines...), updated: at,
	}
}

// marked marks a text about weather that is made up.
func (v feed) marked(text string) string {
	if v.Simulated {
		return v.Marked(text)
	}
	return text
}

func (v feed) alertText(here site.View, view site.AlertView, al *alert.Alert) []string {
	over := al.PhaseAt(v.Now) == alert.Finished
	parts := slices.Clone(view.Official)
	parts = append(parts, v.Text("atom.horas", "desde", here.Instant(al.Start).Text, "hasta", here.Instant(al.End).Text, "zona", here.ZoneName()))
	if view.Unproven && !over {
		parts = append(parts, v.Text("alerta.sin_confirmar"))
	}
	dated := here.Localizer // what was tomorrow then is not tomorrow now
	dated.Days = wording.ByDate
	for _, h := range view.Hazards {
		if len(view.Hazards) > 1 {
			parts = append(parts, v.PartName(h.Part)+": "+dated.Span(h.Start, h.End)+".")
		}
		if h.Votes != "" {
			parts = append(parts, v.Text("alerta.acuerdo", "votos", h.Votes))
		}
		for _, c := range h.Causes {
			parts = append(parts, c.Sentence(v.Language))
		}
	}
	if len(view.Trails) > 0 {
		parts = append(parts, v.Text("alerta.lista_senderos", "nombres", strings.Join(view.TrailNames(), "; ")))
	}
	for i := range al.Changes {
		c := &al.Changes[i]
		parts = append(parts, v.Text("atom.cambio", "cuando", here.Instant(c.At).Text, "que", here.Change(c)))
	}
	if !over {
		parts = append(parts, v.Advice(al.Hazards()...))
	}
	return append(parts, v.Text("oficial.aviso"))
}

// officialEntries are the notices of official bodies on a park now. Each is one of its own
// from when it was published, or began, on.
func (v feed) officialEntries(path, page string, park int) (entries []atomEntry) {
	here, of := v.In(v.Catalogue.Parks[park].TimeZone), v.InForce(park)
	add := func(one site.Notices, name string, at, obtained time.Time, detail, source, url string) {
		at = cmp.Or(at, obtained)
		lines := []string{v.Text("oficial.fuente") + " " + source + ", " + url,
			v.Text("oficial.obtenido") + " " + here.Instant(obtained).Text + " (" + here.ZoneName() + ")", v.Text("oficial.explica")}
		if detail != "" {
			lines = slices.Insert(lines, 0, detail)
		}
		e := v.entry(path+"#"+name+"/"+source+"/"+rfc3339(at), v.Text("oficial.dicho", "que", v.OfficialLines(one)[0]), page, at, lines...)
		e.Category = []atomCategory{{"oficial"}}
		entries = append(entries, e)
	}
	for _, c := range of.Closures {
		add(site.Notices{Closures: []notices.Holding{c}}, c.Trail+"/"+c.Situation, cmp.Or(c.PublishedAt, c.From), c.ObtainedAt, c.Detail, c.Source, c.SourceURL)
	}
	for _, volcano := range of.Volcanic {
		add(site.Notices{Volcanic: []notices.Nearby{volcano}}, volcano.Volcano+"/"+volcano.Level.String(), volcano.PublishedAt, volcano.ObtainedAt, "", volcano.Source, volcano.SourceURL)
	}
	return entries
}

// unknownEntry returns the entry for when it is not known whether there are alerts, why, and since
// when or in which parks. ok is false when it is known.
func (v feed) unknownEntry(path, page string, park int) (e atomEntry, ok bool) {
	here := v.View
	if park != noPark {
		here = here.In(v.Catalogue.Parks[park].TimeZone)
	}
	about, title, why, at := path+"#sin-datos", v.Text("atom.desconocidas"), v.WhyNone(), cmp.Or(v.IssuedAt, v.StartedAt, v.Now)
	from := "atom.segun"
	if silent := v.silentParks(park); v.WhyNone() == hazard.NoReason && len(silent) == 0 {
		return e, false
	} else if v.WhyNone() == hazard.NoReason {
		why, title = hazard.PartialData, v.Text("atom.desconocidas_en", "parques", strings.Join(silent, ", "))
		if park != noPark {
			why = v.Park(park, 0).Reason
		}
	} else {
		if !v.ValidUntil.IsZero() && !v.ValidUntil.After(v.Now) {
			at = v.ValidUntil
		}
		about, from = path+"#"+rfc3339(at), "atom.desde" // each time without estimates is one of its own
	}
	e = v.entry(about, title, page, at, v.Localizer.Reason(why), v.Text(from, "desde", here.Instant(at).Text, "zona", here.ZoneName()),
		v.Text("sin_datos.consejo"), v.Text("oficial.aviso"))
	e.Category = []atomCategory{{hazard.NoData.String()}}
	return e, true
}

// silentParks names the parks of a feed of which no trail has a state now.
func (v feed) silentParks(park int) (names []string) {
	for i := range v.Catalogue.Parks {
		if state := v.Park(i, 0); (park == noPark || i == park) && !state.Known() {
			names = append(names, v.Catalogue.Parks[i].Name)
		}
	}
	return names
}

// rights names whose the data are.
func (v feed) rights() string {
	if v.Simulated {
		return v.Text("simulado.texto")
	}
	return v.Text("geojson.atribucion") + " " + v.Text("obligacion.propios")
}

func (v feed) link(rel, kind, path string) atomLink {
	return atomLink{rel, kind, v.Tag, v.BaseURL + v.Path(path)}
}

// urn names a thing of the site in a language for good: a UUID made of its address
// (RFC 9562, version 5 in the name space of addresses).
func (v feed) urn(path string) string {
	const addresses = "\x6b\xa7\xb8\x11\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8"
	u := sha1.Sum([]byte(addresses + v.BaseURL + v.Path(path))) // #nosec G401 -- a name, as RFC 9562 makes it; it proves nothing
	u[6], u[8] = u[6]&0x0f|0x50, u[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:16])
}

// lastChange is when an alert last became another.
func lastChange(al *alert.Alert) time.Time {
	last := cmp.Or(al.UpdatedAt, al.IssuedAt, al.Start)
	for i := range al.Changes {
		last = later(last, al.Changes[i].At)
	}
	return last
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
