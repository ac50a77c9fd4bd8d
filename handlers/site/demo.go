package site

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

	"vigia/handlers/prepared"
)

// Caught is everything that the demo sent, the newest first.
type Caught struct {
	Mails  []CaughtMail
	Pushes []CaughtPush
}

// CaughtMail is a mail as it arrived. Its fields are those of the mailbox that
// caught it, in their order, so that one converts to the other.
type CaughtMail struct {
	At         time.Time
	Sender     string // of the envelope
	From, To   string
	Subject    string
	Text, HTML string // its two forms, "" for none
	Raw        []byte // with all its headers
}

// CaughtPush is a push as it came to the simulated browser, with the fields of
// what caught it, in their order.
type CaughtPush struct {
	At             time.Time
	Endpoint       string
	Topic, Urgency string // "" when it has none
	TTL            int    // seconds
	Payload        []byte // decrypted
	Size           int    // of the body as it came, in bytes
}

// payload is what a push says, of what the service worker reads.
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
	When   instant
	Frame  string // path of its HTML form, "" for none
	Header string
}

// id names a mail as long as it is kept, however many come after it.
func (m *CaughtMail) id() string {
	sum := sha256.Sum256(m.Raw)
	return hex.EncodeToString(sum[:8])
}

// header gives a mail's header as it arrived.
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

func (d *desk) serveCaughtMail(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	p := d.draft(r)
	var views []mailView
	for _, mail := range d.options.Demo().Mails {
		view := mailView{CaughtMail: mail, When: p.words.instant(mail.At), Header: mail.header()}
		if mail.HTML != "" {
			view.Frame = "/demo/correo/" + mail.id() + "/html"
		}
		views = append(views, view)
	}
	h := w.Header()
	h.Set("Content-Security-Policy", h.Get("Content-Security-Policy")+mailFramePolicy)
	f := d.frame(p, "", "demo_correo", views)
	f.NoIndex = true
	d.answer(w, r, http.StatusOK, p, "demo_correo", f)
}

func (d *desk) serveCaughtHTML(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
	mails := d.options.Demo().Mails
	i := slices.IndexFunc(mails, func(m CaughtMail) bool { return m.HTML != "" && m.id() == params.ByName("id") })
	if i < 0 {
		d.Rest.ServeHTTP(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", mailPolicy)
	h.Set("X-Frame-Options", "SAMEORIGIN")
	html := strings.Replace(mails[i].HTML, "<head>", `<head><base target="_blank">`, 1)
	_, now := d.Shown()
	prepared.Static(htmlType, []byte(html)).Serve(w, r, prepared.Terms{Status: http.StatusOK, Now: now, CacheControl: prepared.NoStore})
}

// pushPage is every push that was caught, and the form that makes a browser.
type pushPage struct {
	Pushes []pushView
	Parks  []choice
	Fault  string // why no browser was made, "" when none was asked for or it was
	Made   bool
}

// pushView is a push as it is shown.
type pushView struct {
	CaughtPush
	Says          payload
	When, Expires instant
	Minutes       int // of its life
}

func (d *desk) serveCaughtPush(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	d.answerCaughtPush(w, r, http.StatusOK, pushPage{})
}

func (d *desk) answerCaughtPush(w http.ResponseWriter, r *http.Request, status int, view pushPage) {
	p := d.draft(r)
	for _, push := range d.options.Demo().Pushes {
		var says payload
		if err := json.Unmarshal(push.Payload, &says); err != nil {
			says.Body = err.Error() // for who is changing what pushes say
		}
		view.Pushes = append(view.Pushes, pushView{
			CaughtPush: push, Says: says, When: p.words.instant(push.At), Expires: p.words.instant(says.Expires), Minutes: push.TTL / 60,
		})
	}
	for _, i := range northToSouth(p.Catalogue.Parks) {
		view.Parks = append(view.Parks, choice{Value: p.Catalogue.Parks[i].Slug, Name: p.Catalogue.Parks[i].Name})
	}
	w.Header()["Referrer-Policy"] = sameOrigin // see answerForm
	f := d.frame(p, "", "demo_push", view)
	f.NoIndex = true
	d.answer(w, r, status, p, "demo_push", f)
}

// subscribeInDemo makes a simulated browser that follows a park.
func (d *desk) subscribeInDemo(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	p := d.draft(r)
	slug := r.PostFormValue("parque")
	if _, ok := p.Catalogue.ParkBySlug(slug); !ok {
		d.answerCaughtPush(w, r, http.StatusUnprocessableEntity, pushPage{Fault: p.say("demo.sin_parque")})
		return
	}
	if err := d.options.DemoSubscribe(slug, p.subscriber()); err != nil {
		d.answerCaughtPush(w, r, http.StatusServiceUnavailable, pushPage{Fault: p.say("demo.no_se_pudo")})
		return
	}
	d.answerCaughtPush(w, r, http.StatusOK, pushPage{Made: true})
}
