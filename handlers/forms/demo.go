package forms

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"vigia/handlers/httpcache"
	"vigia/handlers/site"
)

// Caught is everything that the demo sent, the newest first.
type Caught struct {
	Mails  []CaughtMail
	Pushes []CaughtPush
}

// CaughtMail is a mail as it was sent. Its fields are those of what captured it, in
// their order, so that one converts to the other.
type CaughtMail struct {
	At         time.Time
	From, To   string
	Subject    string
	Text, HTML string // its two forms, "" for none
	Raw        []byte // with all its headers
}

// CaughtPush is a push as it came to the simulated browser, with the fields of
// what caught it, in their order.
type CaughtPush struct {
	At             time.Time
	Topic, Urgency string // "" when it has none
	TTL            int    // seconds
	Payload        []byte
}

// payload is what the service worker reads of a push.
type payload struct {
	Title    string    `json:"titulo"`
	Body     string    `json:"cuerpo"`
	Path     string    `json:"url"` // the page that a press opens
	Expires  time.Time `json:"caduca_en"`
	Language string    `json:"idioma"`
}

// mailView is a mail as it is shown.
type mailView struct {
	CaughtMail
	When   site.Instant
	Frame  string // path of its HTML form, "" for none
	Header string
}

// id names a mail as long as it is kept, however many come after it.
func (m *CaughtMail) id() string {
	sum := sha256.Sum256(m.Raw)
	return hex.EncodeToString(sum[:8])
}

// header returns a mail's header as it arrived.
func (m *CaughtMail) header() string {
	raw, _, _ := bytes.Cut(bytes.ReplaceAll(m.Raw, []byte("\r\n"), []byte("\n")), []byte("\n\n"))
	return string(raw)
}

// mailFramePolicy lets a page hold the mails that this site caught.
const mailFramePolicy = "; frame-src 'self'"

// mailPolicy is that of a mail's HTML: its own style and nothing else, in a
// sandbox, from which links open in a window of their own.
const mailPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; " +
	"frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox"

// demoPage returns a page of the demo, which is for no index.
func (c call) demoPage(status int, template string, content any, header map[string]string) answer {
	f := c.Frame("", template, content)
	f.NoIndex = true
	return answer{status: status, template: template, frame: f, header: header}
}

func (c call) caughtMail() answer {
	var views []mailView
	for _, mail := range c.demo.Caught().Mails {
		view := mailView{CaughtMail: mail, When: c.Instant(mail.At), Header: mail.header()}
		if mail.HTML != "" {
			view.Frame = "/demo/correo/" + mail.id() + "/html"
		}
		views = append(views, view)
	}
	return c.demoPage(http.StatusOK, "demo_correo", views, map[string]string{"Content-Security-Policy": site.ContentPolicy + mailFramePolicy})
}

func (f *Forms) serveCaughtHTML(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
	mails := f.demo.Caught().Mails
	i := slices.IndexFunc(mails, func(m CaughtMail) bool { return m.HTML != "" && m.id() == params.ByName("id") })
	if i < 0 {
		f.Deps.NotFound(w, r)
		return
	}
	_, now := f.Shown()
	html := strings.Replace(mails[i].HTML, "<head>", `<head><base target="_blank">`, 1)
	f.send(w, r, now, answer{status: http.StatusOK, body: httpcache.Static(site.HTMLType, []byte(html)),
		header: map[string]string{"Content-Security-Policy": mailPolicy, "X-Frame-Options": "SAMEORIGIN"}})
}

// pushPage is every push that was caught, and the form that makes a browser.
type pushPage struct {
	Pushes []pushView
	Parks  []site.Choice
	Fault  string // why no browser was made, "" when none was asked for or it was
	Made   bool
}

// pushView is a push as it is shown.
type pushView struct {
	CaughtPush
	Content       payload
	When, Expires site.Instant
	Minutes       int // of its life
}

func (c call) caughtPush() answer { return c.pushPage(http.StatusOK, pushPage{}) }

func (c call) pushPage(status int, view pushPage) answer {
	for _, push := range c.demo.Caught().Pushes {
		var content payload
		if err := json.Unmarshal(push.Payload, &content); err != nil {
			content.Body = err.Error() // for who is changing what pushes say
		}
		view.Pushes = append(view.Pushes, pushView{
			CaughtPush: push, Content: content, When: c.Instant(push.At), Expires: c.Instant(content.Expires), Minutes: push.TTL / 60,
		})
	}
	for _, i := range site.NorthToSouth(c.Catalogue.Parks) {
		view.Parks = append(view.Parks, site.Choice{Value: c.Catalogue.Parks[i].Slug, Name: c.Catalogue.Parks[i].Name})
	}
	return c.demoPage(status, "demo_push", view, sameOrigin) // see formPage
}

// joinDemo makes a simulated browser that follows a park.
func (c call) joinDemo() answer {
	slug := c.PostFormValue("parque")
	if _, ok := c.Catalogue.ParkBySlug(slug); !ok {
		return c.pushPage(http.StatusUnprocessableEntity, pushPage{Fault: c.Text("demo.sin_parque")})
	}
	if err := c.demo.Join(slug, c.Subscriber()); err != nil {
		return c.pushPage(http.StatusServiceUnavailable, pushPage{Fault: c.Text("demo.no_se_pudo")})
	}
	return c.pushPage(http.StatusOK, pushPage{Made: true})
}
