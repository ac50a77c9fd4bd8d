package push

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"vigia/forecast/alert"
	"vigia/notify/message"
	"vigia/web/wording"
)

// maxPayload is what every payload stays below, in bytes.
const maxPayload = 600

// nameBudgets are the bytes that a name of a place may take, from what is wanted to
// what always fits.
var nameBudgets = [...]int{80, 40, 16}

// officialBudget is the bytes that an official notice may take.
const officialBudget = 120

// Push is a notification as its browser opens it, with the headers of its way there.
type Push struct {
	Topic, Urgency string
	TTL            int // seconds
	Payload        []byte
}

// Compose returns the push of a message, without sending it. The error is ErrExpired for
// one that has expired.
func (s *Sender) Compose(m *message.Message) (*Push, error) {
	if !s.o.Clock.Now().Round(0).Before(m.Expires) {
		return nil, ErrExpired
	}
	n, err := newNotification(m)
	if err != nil {
		return nil, err
	}
	o := s.options(n, fullRecord, nil)
	return &Push{Topic: o.Topic, Urgency: string(o.Urgency), TTL: o.TTL, Payload: n.long}, nil
}

// notification is a message ready to be encrypted.
type notification struct {
	long    []byte  // JSON
	brief   payload // for a service that refuses the long one: the least that makes sense
	topic   string
	urgent  bool
	expires time.Time
}

// payload is what the service worker reads.
type payload struct {
	Title    string  `json:"titulo"`
	Body     string  `json:"cuerpo"`
	Tag      string  `json:"etiqueta"` // the Topic
	URL      string  `json:"url"`      // path on the site
	Level    *string `json:"nivel"`    // the highest of the alerts that hold, null when there is none
	Expires  string  `json:"caduca_en"`
	Language string  `json:"idioma"`
	Proof    string  `json:"prueba,omitempty"` // what the service worker sends back
}

// text is a notification's words.
type text struct {
	title    string
	place    string   // the sentence that says where and when, or all there is to say
	details  []string // left out from the last on where there is no room
	more     []string
	official string // that it is not
}

// newNotification returns a message's payloads and headers.
func newNotification(m *message.Message) (*notification, error) {
	level := highest(m.Entries)
	n := &notification{urgent: level == alert.Danger, expires: m.Expires, topic: topicOf(m)}
	p := payload{Tag: n.topic, URL: m.Language.Root() + "/", Expires: m.Expires.UTC().Format("2006-01-02T15:04:05Z"), Language: m.Language.String(), Proof: m.Proof}
	if level != alert.NoLevel {
		key := level.String()
		p.Level = &key
	}
	if len(m.Entries) > 0 {
		p.URL += "parques/" + m.Entries[message.Lead(m.Entries)].Park.Slug
	}
	for _, budget := range nameBudgets {
		t, err := textOf(m, budget)
		if err != nil {
			return nil, err
		}
		p.Title, p.Body = t.title, t.official
		n.brief = p
		if n.long, err = t.fill(p); err != nil || n.long != nil {
			return n, err
		}
	}
	return nil, fmt.Errorf("a notification of %d alerts does not fit into %d bytes", len(m.Entries), maxPayload)
}

// highest returns the highest level among the alerts that hold.
func highest(entries []message.Entry) (level alert.Level) {
	for i := range entries {
		if e := &entries[i]; !e.Over() {
			level = max(level, e.Alert.Level)
		}
	}
	return level
}

// topicOf names the subject of a message: one about the same alerts replaces an earlier
// one that waits at the push service or is shown. That data are back replaces that they
// are missing.
func topicOf(m *message.Message) string {
	switch {
	case m.Kind == message.NoData || m.Kind == message.DataBack:
		return topic("datos")
	case len(m.Entries) == 0:
		return topic("bienvenida")
	}
	ids := make([]string, len(m.Entries))
	for i := range m.Entries {
		ids[i] = m.Entries[i].Alert.ID
	}
	slices.Sort(ids)
	return topic(ids...)
}

func topic(names ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(names, "\n")))
	return base64.RawURLEncoding.EncodeToString(sum[:18])
}

// textOf returns a message in the words of its language.
func textOf(m *message.Message, budget int) (*text, error) {
	l := m.Localizer(wording.ByNearness)
	t := &text{official: l.Text("notificacion.no_oficial")}
	switch m.Kind {
	case message.Confirm:
		if m.Proof == "" {
			return nil, fmt.Errorf("a confirmation without a proof")
		}
		t.title, t.place = titled(l, m, budget, "notificacion.confirmar", "notificacion.confirmar.en"), l.Text("notificacion.confirmar.si_no")
	case message.Welcome:
		t.welcome(l, m, budget)
	case message.Alerts:
		if len(m.Entries) == 0 {
			return nil, fmt.Errorf("news without an alert")
		}
		t.alerts(l, m, budget)
	case message.NoData:
		t.title, t.place = l.Text("datos.faltan", "momento", l.Moment(m.Since)), l.Text("datos.a_ciegas")
	case message.DataBack:
		t.title, t.place = l.Text("datos.vuelven", "momento", l.Moment(m.Since)), l.Text("notificacion.ponerse_al_dia")
	default:
		return nil, fmt.Errorf("no notification is made of a message of kind %d", m.Kind)
	}
	if m.Simulated {
		t.title = l.Text("simulado.breve") + " · " + t.title
	}
	return t, nil
}

// alerts writes one alert in full and counts the others.
func (t *text) alerts(l wording.Localizer, m *message.Message, budget int) {
	first := message.Lead(m.Entries)
	e := &m.Entries[first]
	t.title, t.place = l.MessageTitle(e.Alert, e.What), place(l, e, budget)
	for _, said := range l.OfficialSentences(e.Closures, e.Volcanic) {
		t.details = append(t.details, shorten(said, officialBudget))
	}
	t.details = append(t.details, details(l, e, budget)...)
	hold, over := 0, []*alert.Alert(nil)
	for i := range m.Entries {
		switch e := &m.Entries[i]; {
		case i == first:
		case e.Over():
			over = append(over, e.Alert)
		default:
			hold++
		}
	}
	if hold > 0 {
		t.more = append(t.more, l.Text("notificacion.mas", "n", hold))
	}
	switch len(over) {
	case 0:
	case 1:
		t.more = append(t.more, l.MessageTitle(over[0], alert.Ended)+".")
	default:
		t.more = append(t.more, l.Text("notificacion.ya_no_rigen", "n", len(over)))
	}
}

// place returns where and when an alert is.
func place(l wording.Localizer, e *message.Entry, budget int) string {
	l.Zone = e.Park.TimeZone
	key, when := "notificacion.donde", l.Window(e.Alert.Start, e.Alert.End)
	switch {
	case e.Over():
		when = l.Span(e.Alert.Start, e.Alert.End)
	case e.What == alert.Moved:
		key = "notificacion.antes"
	}
	return l.Text(key, "parque", shorten(e.Park.Name, budget), "cuando", when)
}

// details returns the rest of an alert, a sentence each, the most
// useful first: the first cause of its worst hazard without the place, else how many models
// agree, the other hazards with their hours, and the trails; of one that is over, why. The models' spread is included where no more than half
// of them agree: their median may then be on the side of the threshold that raises
// nothing.
func details(l wording.Localizer, e *message.Entry, budget int) (sentences []string) {
	a := e.Alert
	if e.Over() {
		return []string{l.Change(&alert.Change{What: e.What})}
	}
	ahead := a.Ahead()
	worst := &ahead[0]
	if cause, ok := l.FirstCause(worst); ok {
		cause.Place = ""
		if 2*worst.Agree > worst.Total {
			cause.Range = ""
		}
		sentences = append(sentences, cause.Sentence(l.Language))
	} else if worst.Total > 0 {
		sentences = append(sentences, l.Votes(worst.Agree, worst.Total)+".")
	}
	l.Zone = e.Park.TimeZone
	for _, p := range ahead[1:] {
		sentences = append(sentences, l.Text("notificacion.tambien", "amenaza", l.Hazard(p.Hazard), "cuando", l.Window(p.Start, p.End)))
	}
	if len(e.Trails) > 0 {
		trails := make([]string, len(e.Trails))
		for i, name := range e.Trails {
			trails[i] = shorten(name, budget)
		}
		sentences = append(sentences, l.Trails(trails))
	}
	return sentences
}

// welcome writes for which places notifications are on, and the alerts that are
// active there.
func (t *text) welcome(l wording.Localizer, m *message.Message, budget int) {
	if len(m.Entries) == 0 {
		t.place = l.Text("notificacion.esperar")
	} else {
		t.alerts(l, m, budget)
		t.place = t.title + ". " + t.place
	}
	t.title = titled(l, m, budget, "notificacion.activadas", "notificacion.activadas.en")
}

// titled returns a text about the places of a subscription, of which the first is
// named; key is that of the text without any.
func titled(l wording.Localizer, m *message.Message, budget int, key, keyWithPlace string) string {
	places := slices.Concat(m.Parks, m.Trails)
	if len(places) == 0 {
		return l.Text(key)
	}
	return l.Text(keyWithPlace, "lugar", l.AndMore(shorten(places[0], budget), len(places)-1))
}

// fill writes the payload with as many details as there is room for, nil when there
// is no room for what is never left out.
func (t *text) fill(p payload) ([]byte, error) {
	for n := len(t.details); n >= 0; n-- {
		p.Body = strings.Join(slices.Concat([]string{t.place}, t.details[:n], t.more, []string{t.official}), " ")
		if long, err := encode(&p); err != nil || len(long) < maxPayload {
			return long, err
		}
	}
	return nil, nil
}

// encode writes JSON without escapes that only a page of HTML would need: they
// take six bytes for one.
func encode(p *payload) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(p); err != nil {
		return nil, fmt.Errorf("write a payload: %w", err)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// shorten cuts a name to a budget of bytes, between characters.
func shorten(name string, budget int) string {
	const mark = "…"
	if len(name) <= budget {
		return name
	}
	cut := 0
	for i := range name {
		if i <= budget-len(mark) {
			cut = i
		}
	}
	return strings.TrimRight(name[:cut], " ") + mark
}
