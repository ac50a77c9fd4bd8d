package push

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vigia/forecast/alert"
	"vigia/notify/bulletin"
	"vigia/store/subscription"
	"vigia/web/wording"
)

// maxPayload is what every payload stays below, in bytes.
const maxPayload = 600

// nameBudgets are the bytes that a name of a place may take, from what is wanted to
// what always fits.
var nameBudgets = [...]int{80, 40, 16}

// notification is a bulletin made ready to be sealed.
type notification struct {
	long    []byte  // JSON
	brief   payload // the least that makes sense
	topic   string
	urgent  bool
	expires time.Time
}

// short gives the payload for a service that refuses the long one.
func (n *notification) short() ([]byte, error) { return encode(&n.brief) }

// payload is what the service worker reads.
type payload struct {
	Title    string  `json:"titulo"`
	Body     string  `json:"cuerpo"`
	Tag      string  `json:"etiqueta"` // the Topic
	URL      string  `json:"url"`      // path on the site
	Level    *string `json:"nivel"`    // the highest of the alerts that hold, null when there is none
	Expires  string  `json:"caduca_en"`
	Language string  `json:"idioma"`
}

// text is a notification's words.
type text struct {
	title    string
	place    string   // the sentence that says where and when, or all there is to say
	details  []string // left out from the last on where there is no room
	more     []string
	official string // that it is not
}

// newNotification makes a bulletin's payloads and headers.
func newNotification(b *bulletin.Bulletin) (*notification, error) {
	level := highest(b.Entries)
	n := &notification{urgent: level == alert.Danger, expires: b.Expires, topic: topicOf(b)}
	p := payload{Tag: n.topic, URL: b.Language.Root() + "/", Expires: b.Expires.UTC().Format("2006-01-02T15:04:05Z"), Language: b.Language.String()}
	if level != alert.NoLevel {
		key := level.String()
		p.Level = &key
	}
	if len(b.Entries) > 0 {
		p.URL += "parques/" + b.Entries[lead(b.Entries)].Park.Slug
	}
	for _, budget := range nameBudgets {
		t, err := textOf(b, budget)
		if err != nil {
			return nil, err
		}
		p.Title, p.Body = t.title, t.official
		n.brief = p
		if n.long, err = t.fill(p); err != nil || n.long != nil {
			return n, err
		}
	}
	return nil, fmt.Errorf("a notification of %d alerts does not fit into %d bytes", len(b.Entries), maxPayload)
}

// highest gives the highest level among the alerts that hold.
func highest(entries []bulletin.Entry) (level alert.Level) {
	for i := range entries {
		if e := &entries[i]; !e.Over() {
			level = max(level, e.Alert.Level)
		}
	}
	return level
}

// topicOf names what a message is about: one about the same alerts takes the place
// of an earlier one that waits at the push service or is shown. That data are back
// takes the place of their being away.
func topicOf(b *bulletin.Bulletin) string {
	switch {
	case b.Kind == bulletin.NoData || b.Kind == bulletin.DataBack:
		return topic("datos")
	case len(b.Entries) == 0:
		return topic("bienvenida")
	}
	ids := make([]string, len(b.Entries))
	for i := range b.Entries {
		ids[i] = b.Entries[i].Alert.ID
	}
	slices.Sort(ids)
	return topic(ids...)
}

func topic(names ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(names, "\n")))
	return base64.RawURLEncoding.EncodeToString(sum[:18])
}

// textOf puts a bulletin into the words of its language.
func textOf(b *bulletin.Bulletin, budget int) (*text, error) {
	l := wording.Spanish
	if b.Language == subscription.English {
		l = wording.English
	}
	t := &text{official: l.PushUnofficial()}
	switch b.Kind {
	case bulletin.Welcome:
		t.welcome(l, b, budget)
	case bulletin.News:
		if len(b.Entries) == 0 {
			return nil, fmt.Errorf("news without an alert")
		}
		t.news(l, b, budget)
	case bulletin.NoData:
		t.title, t.place = l.PushNoData(b.Since, b.Now, cmp.Or(b.Zone, time.UTC))
	case bulletin.DataBack:
		t.title, t.place = l.PushDataBack(b.Since, b.Now, cmp.Or(b.Zone, time.UTC))
	default:
		return nil, fmt.Errorf("no notification is made of a bulletin of kind %d", b.Kind)
	}
	if b.Simulated {
		t.title = l.PushSimulated(t.title)
	}
	return t, nil
}

// lead picks the alert that is told in full: the first, as the worst is, unless it
// is over and another holds.
func lead(entries []bulletin.Entry) int {
	return max(0, slices.IndexFunc(entries, func(e bulletin.Entry) bool { return !e.Over() }))
}

// news tells one alert in full and counts the others.
func (t *text) news(l *wording.Language, b *bulletin.Bulletin, budget int) {
	first := lead(b.Entries)
	e := &b.Entries[first]
	t.title = l.PushTitle(e.Alert, e.What)
	t.place = l.PushPlace(e.Alert, e.What, shorten(e.Park.Name, budget), b.Now, e.Park.TimeZone)
	trails := make([]string, len(e.Trails))
	for i, name := range e.Trails {
		trails[i] = shorten(name, budget)
	}
	t.details = l.PushDetails(e.Alert, e.What, trails)
	hold, over := 0, []*alert.Alert(nil)
	for i := range b.Entries {
		switch e := &b.Entries[i]; {
		case i == first:
		case e.Over():
			over = append(over, e.Alert)
		default:
			hold++
		}
	}
	t.more = l.PushMore(hold, over)
}

// welcome says for which places notifications are on, and the alerts that are
// active there.
func (t *text) welcome(l *wording.Language, b *bulletin.Bulletin, budget int) {
	if len(b.Entries) == 0 {
		t.place = l.PushWaiting()
	} else {
		t.news(l, b, budget)
		t.place = t.title + ". " + t.place
	}
	places := slices.Concat(b.Parks, b.Trails)
	name := ""
	if len(places) > 0 {
		name = shorten(places[0], budget)
	}
	t.title = l.PushWelcome(name, len(places))
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

// shorten cuts a name to a budget of bytes of JSON, between characters.
func shorten(name string, budget int) string {
	const mark = "…"
	size, cut := 0, 0
	for i, c := range name {
		if size <= budget-len(mark) {
			cut = i
		}
		size += encodedSize(c)
	}
	if size <= budget {
		return name
	}
	return strings.TrimRight(name[:cut], " ") + mark
}

// encodedSize is how many bytes a character takes in JSON.
func encodedSize(c rune) int {
	switch {
	case c == '"' || c == '\\':
		return 2
	case c < ' ' || c == utf8.RuneError || c == '\u2028' || c == '\u2029':
		return 6
	default:
		return utf8.RuneLen(c)
	}
}
