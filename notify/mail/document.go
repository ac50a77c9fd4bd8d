package mail

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"vigia/forecast/alert"
	"vigia/notify/bulletin"
	"vigia/store/catalogue"
	"vigia/store/subscription"
	"vigia/web/wording"
)

// document is what a mail says, before it is a text or HTML: both are made of it,
// so that they say the same.
type document struct {
	language string // code
	subject  string
	banner   string // that the data are made up, "" when they are not
	title    string
	intro    []line
	cards    []card
	action   link // the one thing to do, if there is one
	after    []line
	foot     []line
	links    []link
}

// line is a sentence, after a label if it has one.
type line struct{ label, text string }

// link is an address with its words.
type link struct{ text, url string }

// card is an alert.
type card struct {
	mark  mark
	level string // in words
	place string
	title string
	when  string
	lines []line
	page  link
}

// mark is how a card's level looks: shape, edge and colour, in that order.
type mark uint8

const (
	noMark mark = iota
	caution
	danger
	over
)

var languages = map[subscription.Language]*wording.Language{
	subscription.Spanish: wording.Spanish, subscription.English: wording.English,
}

// author writes the document of a bulletin.
type author struct {
	*wording.Language
	b    *bulletin.Bulletin
	zone *time.Location // of hours that belong to no alert
	doc  document
}

// write says a bulletin in its reader's language.
func write(b *bulletin.Bulletin) (*document, error) {
	l := languages[b.Language]
	if l == nil {
		return nil, fmt.Errorf("no language %d", b.Language)
	}
	if err := checkLinks(b); err != nil {
		return nil, err
	}
	w := author{Language: l, b: b, zone: b.Zone, doc: document{language: b.Language.String()}}
	if w.zone == nil {
		w.zone = time.UTC
	}
	switch b.Kind {
	case bulletin.Confirm:
		w.confirm()
	case bulletin.News:
		if err := w.news(); err != nil {
			return nil, err
		}
	case bulletin.NoData, bulletin.DataBack:
		w.outage()
	case bulletin.Test:
		w.test()
	default:
		return nil, fmt.Errorf("no mail for messages of kind %d", b.Kind)
	}
	w.simulated()
	w.footer()
	return &w.doc, nil
}

func (w *author) say(text string) { w.doc.intro = append(w.doc.intro, line{text: text}) }

func (w *author) confirm() {
	w.doc.subject = w.Mail("confirmar.asunto")
	w.say(w.Mail("confirmar.texto"))
	for _, places := range []struct {
		key   string
		names []string
	}{{"confirmar.parques", w.b.Parks}, {"confirmar.senderos", w.b.Trails}} {
		if len(places.names) > 0 {
			w.doc.intro = append(w.doc.intro, line{w.Mail(places.key), strings.Join(places.names, ", ")})
		}
	}
	w.doc.action = link{w.Mail("confirmar.boton"), w.b.Links.Confirm}
	w.doc.after = []line{
		{text: w.Mail("confirmar.como")},
		{text: w.Mail("confirmar.plazo", "hora", w.MailInstant(w.b.Expires, w.zone))},
		{text: w.Mail("confirmar.no_fui")},
	}
}

// news tells alerts. The subject is that of the first which holds: the worst.
func (w *author) news() error {
	if len(w.b.Entries) == 0 {
		return errors.New("news without an alert")
	}
	for i := range w.b.Entries {
		if e := &w.b.Entries[i]; e.Alert == nil || e.Park == nil || e.Park.TimeZone == nil || e.Alert.Level == alert.NoLevel || e.Alert.Check() != nil {
			return fmt.Errorf("entry %d of the news is not a complete alert", i)
		}
		w.doc.cards = append(w.doc.cards, w.card(&w.b.Entries[i]))
	}
	e := worst(w.b.Entries)
	w.doc.subject = w.MailSubject(e.Alert, e.Over(), shortName(e.Park), e.Park.TimeZone)
	switch n := len(w.b.Entries); n {
	case 1:
		w.doc.title = w.Mail("titulo.una")
	default:
		w.doc.subject = w.Mail("asunto.mas", "asunto", w.doc.subject, "n", strconv.Itoa(n-1))
		w.doc.title = w.Mail("titulo.varias", "n", strconv.Itoa(n))
	}
	return nil
}

// worst gives the first alert that still holds, the first of all where none does.
func worst(entries []bulletin.Entry) *bulletin.Entry {
	return &entries[max(0, slices.IndexFunc(entries, func(e bulletin.Entry) bool { return !e.Over() }))]
}

func (w *author) card(e *bulletin.Entry) card {
	a, zone := e.Alert, e.Park.TimeZone
	c := card{
		mark: over, level: w.MailLevel(a, e.Over()), place: shortName(e.Park), title: w.MailHazard(a), when: w.MailWindow(a, zone),
		page: link{w.Mail("pagina", "parque", shortName(e.Park)), w.b.Links.Home + "/parques/" + url.PathEscape(e.Park.Slug)},
	}
	if e.What != alert.Opened {
		c.lines = append(c.lines, line{text: w.MailChange(a, e.What, zone)})
	}
	if e.Over() {
		c.lines = append(c.lines, line{text: w.Mail("termina.ojo")})
	} else {
		c.mark = map[alert.Level]mark{alert.Caution: caution, alert.Danger: danger}[a.Level]
		c.lines = append(c.lines, line{text: w.MailSummary(a, zone)}, line{w.Mail("que_considerar"), w.AlertAdvice(a)})
	}
	if len(e.Trails) > 0 {
		c.lines = append(c.lines, line{w.Mail("senderos"), strings.Join(e.Trails, ", ")})
	}
	c.lines = append(c.lines, line{w.Mail("estimacion"), w.MailInstant(a.UpdatedAt, zone)})
	if e.Park.Administrator != "" {
		c.lines = append(c.lines, line{w.Mail("administra"), e.Park.Administrator})
	}
	return c
}

// shortName gives a park's name as people say it: a subject has no room for its kind.
func shortName(p *catalogue.Park) string {
	name := oneLine(p.Name)
	for _, kind := range []string{"Parque Nacional ", "Reserva Nacional ", "Monumento Natural "} {
		name = strings.TrimPrefix(name, kind)
	}
	return name
}

// outage tells that there are no data, or that there are again.
func (w *author) outage() {
	hour, moment := w.MailHour(w.b.Since, w.zone), w.MailMoment(w.b.Since, w.zone)
	if w.b.Kind == bulletin.DataBack {
		w.doc.subject = w.Mail("hay_datos.asunto", "las", hour)
		w.say(w.Mail("hay_datos.texto", "momento", moment))
		w.say(w.Mail("hay_datos.luego"))
	} else {
		w.doc.subject = w.Mail("sin_datos.asunto", "las", hour)
		w.say(w.Mail("sin_datos.texto", "momento", moment))
		w.say(w.Mail("sin_datos.ojo"))
		w.say(w.Mail("sin_datos.luego"))
	}
}

func (w *author) test() {
	w.doc.subject = w.Mail("prueba.asunto")
	w.say(w.Mail("prueba.texto"))
	w.say(w.Mail("prueba.hora", "hora", w.MailInstant(w.b.Now, w.zone)))
	w.say(w.Mail("prueba.mire"))
}

// simulated marks a mail whose weather is made up, in its subject too.
func (w *author) simulated() {
	if w.doc.title == "" {
		w.doc.title = w.doc.subject
	}
	if w.b.Simulated {
		w.doc.subject = w.Mail("simulado") + " " + w.doc.subject
		w.doc.banner = w.Mail("simulado.texto")
	}
}

// footer says whose words these are and are not, whom to call, and how to leave.
func (w *author) footer() {
	foot := []line{{text: w.Disclaimer}, {text: w.Mail("oficial")}}
	if len(w.b.Emergency) > 0 {
		foot = append(foot, line{w.Mail("emergencias"), w.emergency()})
	}
	source := "fuente"
	if w.b.Simulated {
		source = "fuente.simulada"
	}
	foot = append(foot, line{text: w.Mail(source)})
	links := w.b.Links
	if links.Unsubscribe != "" {
		foot = append(foot, line{text: w.Mail("por_que")})
		w.doc.links = append(w.doc.links, link{w.Mail("gestionar"), links.Manage}, link{w.Mail("cancelar"), links.Unsubscribe})
	}
	if w.b.Contact != "" {
		foot = append(foot, line{text: w.Mail("contacto", "contacto", w.b.Contact)})
	}
	for _, l := range []link{{w.Mail("privacidad"), links.Privacy}, {w.Mail("sitio"), rooted(links.Home)}} {
		if l.url != "" {
			w.doc.links = append(w.doc.links, l)
		}
	}
	w.doc.foot = foot
}

// rooted gives the address of the first page below one, "" for none.
func rooted(home string) string {
	if home == "" {
		return ""
	}
	return home + "/"
}

// emergency lists telephone numbers. A note that all of them share says what we
// say in the reader's own language; of others, the catalogue has Spanish alone.
func (w *author) emergency() string {
	numbers := w.b.Emergency
	differ := slices.ContainsFunc(numbers, func(n catalogue.EmergencyNumber) bool { return n.Note != numbers[0].Note })
	var list []string
	for _, n := range numbers {
		text := n.Number + " " + n.Name
		if n.Note != "" && differ && w.b.Language == subscription.Spanish {
			text += " (" + n.Note + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, " · ") + ". " + w.Mail("sin_cobertura")
}

// checkLinks refuses what a mail must not carry, and a mail without the links that
// its kind needs.
func checkLinks(b *bulletin.Bulletin) error {
	links := b.Links
	switch {
	case b.Kind == bulletin.Confirm && links.Confirm == "":
		return errors.New("a request to confirm without its link")
	case b.Kind != bulletin.Confirm && b.Kind != bulletin.Test && (links.Unsubscribe == "" || links.Manage == "" || links.Home == ""):
		return errors.New("a mail without its links to change and to cancel, or its site")
	}
	for name, address := range map[string]string{"home": links.Home, "manage": links.Manage, "unsubscribe": links.Unsubscribe, "confirm": links.Confirm, "privacy": links.Privacy} {
		if address != "" && !isLink(address) {
			return fmt.Errorf("the link %s is not a plain http address", name)
		}
	}
	return nil
}

// isLink tells whether an address can go as it is into a header and a page.
func isLink(address string) bool {
	for i := range len(address) {
		if c := address[i]; c <= ' ' || c > '~' || strings.IndexByte("<>\"'`\\,", c) >= 0 {
			return false
		}
	}
	u, err := url.Parse(address)
	return err == nil && len(address) <= 500 && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}

func hasControl(text string) bool { return strings.ContainsFunc(text, unicode.IsControl) }
