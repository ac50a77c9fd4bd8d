package mail

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"vigia/forecast/alert"
	"vigia/notify/message"
	"vigia/store/catalogue"
	"vigia/store/subscription"
	"vigia/web/wording"
)

// document is the content of a mail, from which both text and HTML are rendered, so that
// they say the same.
type document struct {
	Language string // code
	Subject  string
	Banner   string // that the data are made up, "" when they are not
	Title    string
	Intro    []line
	Cards    []card
	Action   link // the one thing to do, if there is one
	After    []line
	Foot     []line
	Links    []link
}

// line is a sentence, after a label if it has one.
type line struct{ Label, Text string }

// link is an address with its words.
type link struct{ Text, URL string }

// card is an alert.
type card struct {
	Mark  mark
	Level string // in words
	Place string
	Title string
	When  string
	Lines []line
	Page  link
}

// mark is how a card's level looks: shape, edge and colour.
type mark string

const (
	caution mark = "caution"
	danger  mark = "danger"
	over    mark = "over"
)

// writer writes the document of a message.
type writer struct {
	wording.Localizer
	m   *message.Message
	doc document
}

// write returns the document of a message in its reader's language.
func write(m *message.Message) (*document, error) {
	w := writer{m: m, doc: document{Language: m.Language.String()}, Localizer: m.Localizer(wording.ByDate)}
	switch m.Kind {
	case message.Confirm:
		w.confirm()
	case message.Alerts:
		if err := w.alerts(); err != nil {
			return nil, err
		}
	case message.NoData, message.DataBack:
		w.outage()
	case message.Test:
		w.test()
	default:
		return nil, fmt.Errorf("no mail for messages of kind %d", m.Kind)
	}
	w.simulated()
	w.footer()
	return &w.doc, nil
}

func (w *writer) intro(key string, pairs ...any) {
	w.doc.Intro = append(w.doc.Intro, line{Text: w.Text(key, pairs...)})
}

func (w *writer) confirm() {
	w.doc.Subject = w.Text("correo.confirmar.asunto")
	w.intro("correo.confirmar.texto")
	for _, places := range []struct {
		key   string
		names []string
	}{{"campo.parques", w.m.Parks}, {"campo.senderos", w.m.Trails}} {
		if len(places.names) > 0 {
			w.doc.Intro = append(w.doc.Intro, line{w.Text(places.key), strings.Join(places.names, ", ")})
		}
	}
	w.doc.Action = link{w.Text("correo.confirmar.boton"), w.m.Links.Confirm}
	w.doc.After = []line{
		{Text: w.Text("correo.confirmar.como")},
		{Text: w.Text("correo.confirmar.plazo", "hora", w.FullInstant(w.m.Expires))},
		{Text: w.Text("correo.confirmar.no_fui")},
	}
}

// news adds the alerts. The subject is that of the first which holds: the worst.
func (w *writer) alerts() error {
	if len(w.m.Entries) == 0 {
		return errors.New("news without an alert")
	}
	for i := range w.m.Entries {
		if e := &w.m.Entries[i]; e.Alert == nil || e.Park == nil || e.Park.TimeZone == nil || e.Alert.Level == alert.NoLevel || e.Alert.Check() != nil {
			return fmt.Errorf("entry %d of the news is not a complete alert", i)
		}
		w.doc.Cards = append(w.doc.Cards, w.card(&w.m.Entries[i]))
	}
	e := &w.m.Entries[message.Lead(w.m.Entries)]
	here := w.at(e)
	w.doc.Subject = w.AndMore(w.Text("correo.asunto", "nivel", w.level(e), "amenaza", wording.Capital(w.AlertHazards(e.Alert)),
		"parque", shortName(e.Park), "cuando", here.Span(e.Alert.Start, e.Alert.End)), len(w.m.Entries)-1)
	w.doc.Title = w.Count("correo.titulo", len(w.m.Entries))
	return nil
}

// at returns the localizer with the hours of an alert's park.
func (w *writer) at(e *message.Entry) wording.Localizer {
	here := w.Localizer
	here.Zone = e.Park.TimeZone
	return here
}

// level names an alert's level, or that it holds no longer.
func (w *writer) level(e *message.Entry) string {
	if e.Over() {
		return w.Text("alerta.ya_no_rige")
	}
	return wording.Capital(w.Level(e.Alert.Level))
}

// change describes the change of an alert since its reader was told of it.
func (w *writer) change(e *message.Entry) string {
	a, here := e.Alert, w.at(e)
	if e.What == alert.Moved { // told of only when it begins sooner
		return w.Text("cambio.antes", "cuando", here.Span(a.Start, a.End))
	}
	return here.Change(&alert.Change{What: e.What, Level: a.Level, Start: a.Start, End: a.End})
}

func (w *writer) card(e *message.Entry) card {
	a, here := e.Alert, w.at(e)
	c := card{
		Mark: over, Level: w.level(e), Place: shortName(e.Park), Title: wording.Capital(w.AlertHazards(a)),
		When: w.Text("correo.cuando", "cuando", here.Span(a.Start, a.End), "zona", here.Offset(a.Start)),
		Page: link{w.Text("correo.pagina", "parque", shortName(e.Park)), w.m.Links.Home + "/parques/" + url.PathEscape(e.Park.Slug)},
	}
	for _, said := range w.OfficialSentences(e.Closures, e.Volcanic) {
		c.Lines = append(c.Lines, line{Text: said})
	}
	if e.What != alert.Opened {
		c.Lines = append(c.Lines, line{Text: w.change(e)})
	}
	if e.Over() {
		c.Lines = append(c.Lines, line{Text: w.Text("correo.termina.ojo")})
	} else {
		c.Mark = map[alert.Level]mark{alert.Caution: caution, alert.Danger: danger}[a.Level]
		c.Lines = append(c.Lines, w.hazards(e)...)
		c.Lines = append(c.Lines, line{w.Text("alerta.considerar"), w.Advice(a.Hazards()...)})
		if said := here.Sun(e.Sun); said != "" {
			c.Lines = append(c.Lines, line{Text: said})
		}
	}
	if len(e.Trails) > 0 {
		c.Lines = append(c.Lines, line{w.Text("parque.senderos"), strings.Join(e.Trails, ", ")})
	}
	c.Lines = append(c.Lines, line{w.Text("correo.estimacion"), here.FullInstant(a.UpdatedAt)})
	if e.Park.Administrator != "" {
		c.Lines = append(c.Lines, line{w.Text("correo.administra"), e.Park.Administrator})
	}
	return c
}

// hazards lists the hazards of an alert; where there are several, each with its own hours
// and, where they are not all of the alert's, its trails.
func (w *writer) hazards(e *message.Entry) (lines []line) {
	here, ahead := w.at(e), e.Alert.Ahead()
	if len(ahead) == 1 {
		return []line{{Text: here.AlertSummary(e.Alert, nil)}}
	}
	for i := range ahead {
		p := &ahead[i]
		text := here.Part(p)
		if names := e.TrailNames(p.Trails); len(names) < len(e.Trails) {
			text += " " + w.Text("alerta.lista_senderos", "nombres", strings.Join(names, ", "))
		}
		lines = append(lines, line{w.PartName(p), text})
	}
	return lines
}

// shortName returns a park's name as people say it: a subject has no room for its kind.
func shortName(p *catalogue.Park) string {
	name := p.Name
	for _, kind := range []string{"Parque Nacional ", "Reserva Nacional ", "Monumento Natural "} {
		name = strings.TrimPrefix(name, kind)
	}
	return name
}

// outage writes that there are no data, or that there are again.
func (w *writer) outage() {
	hour, moment := w.FullAt(w.m.Since), w.FullMoment(w.m.Since)
	if w.m.Kind == message.DataBack {
		w.doc.Subject = w.Text("datos.vuelven", "momento", hour)
		w.doc.Intro = append(w.doc.Intro, line{Text: w.Text("datos.vuelven", "momento", moment) + "."})
		w.intro("correo.hay_datos.luego")
		return
	}
	w.doc.Subject = w.Text("datos.faltan", "momento", hour)
	w.doc.Intro = append(w.doc.Intro, line{Text: w.Text("datos.faltan", "momento", moment) + ". " + w.Text("datos.a_ciegas")})
	w.intro("correo.sin_datos.ojo")
	w.intro("correo.sin_datos.luego")
}

func (w *writer) test() {
	w.doc.Subject = w.Text("correo.prueba.asunto")
	w.intro("correo.prueba.texto")
	w.intro("correo.prueba.hora", "hora", w.FullInstant(w.m.Now))
	w.intro("correo.prueba.mire")
}

// simulated marks a mail whose weather is made up, in its subject too.
func (w *writer) simulated() {
	if w.doc.Title == "" {
		w.doc.Title = w.doc.Subject
	}
	if w.m.Simulated {
		w.doc.Subject = w.Marked(w.doc.Subject)
		w.doc.Banner = w.Text("simulado.titulo") + ". " + w.Text("simulado.texto")
	}
}

// footer writes that the mail is not official, whom to call, and how to leave.
func (w *writer) footer() {
	foot := []line{{Text: w.Disclaimer()}, {Text: w.Text("correo.oficial")}}
	if len(w.m.Emergency) > 0 {
		foot = append(foot, line{w.Text("parque.emergencia"), w.emergency()})
	}
	source := "correo.fuente"
	if w.m.Simulated {
		source = "correo.fuente_simulada"
	}
	foot = append(foot, line{Text: w.Text(source)})
	links := w.m.Links
	if links.Unsubscribe != "" {
		foot = append(foot, line{Text: w.Text("correo.por_que")})
		w.doc.Links = append(w.doc.Links, link{w.Text("correo.gestionar"), links.Manage}, link{w.Text("baja.titulo"), links.Unsubscribe})
	}
	if w.m.Contact != "" {
		foot = append(foot, line{Text: w.Text("correo.contacto", "contacto", w.m.Contact)})
	}
	if links.Privacy != "" {
		w.doc.Links = append(w.doc.Links, link{w.Text("nav.privacidad"), links.Privacy})
	}
	if links.Home != "" {
		w.doc.Links = append(w.doc.Links, link{w.Text("sitio.nombre"), links.Home + "/"})
	}
	w.doc.Foot = foot
}

// emergency lists telephone numbers. A note that all of them share is in our own words
// too; the catalogue has other notes in Spanish alone.
func (w *writer) emergency() string {
	numbers := w.m.Emergency
	differ := slices.ContainsFunc(numbers, func(n catalogue.EmergencyNumber) bool { return n.Note != numbers[0].Note })
	var list []string
	for _, n := range numbers {
		text := n.Number + " " + n.Name
		if n.Note != "" && differ && w.m.Language == subscription.Spanish {
			text += " (" + n.Note + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, " · ") + ". " + w.Text("parque.emergencia_nota")
}
