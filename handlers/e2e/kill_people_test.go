//go:build trials

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	stdmail "net/mail"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vigia/handlers/cli/clitest"
)

// crowds is how many people at a time are about; each person belongs to one crowd.
const crowds = 4

// crowdSize is beyond which a crowd grows no more: half of it stays, and the more there
// are the more of them leave.
const crowdSize = 100

// mark is when something was first tried, and when it was acknowledged; zero when
// it was not.
type mark struct{ tried, known time.Time }

func (m *mark) try(now time.Time) {
	if m.tried.IsZero() {
		m.tried = now
	}
}

// person is one of those who subscribe, with what they asked for and were told.
type person struct {
	mail                string // "" for a browser
	endpoint, key, auth string
	crowd, park         int
	asked               mark // to subscribe
	active              mark // the confirmation
	left                mark
	wishes              []string    // levels that may hold: the last acknowledged and those tried since
	token               string      // that changes and cancels, "" before it is known
	lapsed              bool        // he confirmed too late
	picky               bool        // he wished at some time to be told of dangers alone
	changed             []time.Time // when he tried to change his wishes
	seen                string      // what the last life says of the subscription: its level, "" for none
}

// who is how messages name him.
func (w *person) who() string { return w.mail + w.endpoint }

// parcel is a message that arrived.
type parcel struct {
	at        time.Time
	who, name string // name is the Message-ID; of a push the Topic with the title
	thread    string // what it is about: the mail that it answers, "" for none; of a push the Topic
	what      string // confirmation, proof, welcome, caution, danger, over or other

	park int // -1 when it names none
}

// killed is the end of a life with what was under way.
type killed struct {
	at, ended                    time.Time
	cycle, subscription, sending bool
	settled                      bool // its cycle was carried to its end, and everybody told
}

// notes are all that is known from outside.
type notes struct {
	mu       sync.Mutex
	people   [crowds][]*person // each list is its crowd's alone while that is about
	left     [crowds]int       // how many of them have left
	parcels  []parcel
	arrived  []time.Time       // of parcels, by the machine's clock
	links    map[string]string // to confirm, by address
	promised map[string]bool   // the addresses that a mail was promised to
	kills    []killed
	looked   atomic.Int64 // parks read
	unknown  atomic.Int64 // parks without an estimate
	refused  atomic.Int64 // requests that were answered with 503

	taken           map[string]bool // the messages that were taken in
	letters, pushes int             // how many of them there are
}

// since counts the messages of the last instants.
func (n *notes) since(d time.Duration) (count int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i := len(n.arrived) - 1; i >= 0 && time.Since(n.arrived[i]) < d; i-- {
		count++
	}
	return count
}

// waiting counts those who were promised a mail and have none.
func (n *notes) waiting() (count int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for mail := range n.promised {
		if n.links[mail] == "" {
			count++
		}
	}
	return count
}

// promise notes that somebody's request was acknowledged.
func (n *notes) promise(w *person, now time.Time) {
	w.asked.known = now
	n.mu.Lock()
	defer n.mu.Unlock()
	if w.mail != "" {
		n.promised[w.mail] = true
	}
}

// collecting takes in what arrives until it is stopped.
func (tr *trial) collecting() (stop func()) {
	ctx, cancel := context.WithCancel(tr.t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		for ctx.Err() == nil {
			tr.collect()
			pause(ctx, 5*time.Millisecond)
		}
	})
	return func() {
		cancel()
		done.Wait()
	}
}

var (
	confirmLink = regexp.MustCompile(`https://vigia\.example\.cl(/confirmar/\S+)`)
	leaveLink   = regexp.MustCompile(`/baja/([A-Za-z0-9_-]{20,})`)
	parkName    = regexp.MustCompile(`[Cc]umbre.(\d+)`)
)

// take tells whether a message is new. More may come while they are listed, and not
// quite in the order of their times.
func (n *notes) take(which string) bool {
	if n.taken[which] {
		return false
	}
	n.taken[which] = true
	return true
}

// collect takes in the messages that are new.
func (tr *trial) collect() {
	n := &tr.notes
	n.mu.Lock()
	defer n.mu.Unlock()
	fresh := 0
	if tr.mailbox.Received() != n.letters {
		known := 0
		for _, l := range tr.mailbox.Mails() {
			if known > 256 {
				break
			}
			if !n.take(fmt.Sprint(l.To, l.At.UnixNano())) {
				known++
				continue
			}
			n.letters++
			fresh++
			m, err := stdmail.ReadMessage(strings.NewReader(string(l.Raw)))
			if err != nil {
				tr.t.Errorf("a letter that cannot be read: %v", err)
				continue
			}
			p := parcel{at: l.At, who: l.To, name: m.Header.Get("Message-Id"), thread: m.Header.Get("In-Reply-To"), what: kindOf(l.Subject), park: parkOf(l.Subject)}
			if link := confirmLink.FindStringSubmatch(l.Text); link != nil && p.what == "confirmation" {
				n.links[l.To] = link[1]
			}
			n.parcels = append(n.parcels, p)
		}
	}
	if tr.browsers.Requests() != n.pushes {
		known := 0
		for _, note := range tr.browsers.Pushes() {
			if known > 256 {
				break
			}
			if !n.take(fmt.Sprint(note.Endpoint, note.At.UnixNano())) {
				known++
				continue
			}
			n.pushes++
			fresh++
			var said struct{ Titulo, Cuerpo, URL string }
			if err := json.Unmarshal(note.Payload, &said); err != nil {
				tr.t.Errorf("a push that cannot be read: %v", err)
			}
			if proof := note.Proof(); proof != "" {
				n.links[note.Endpoint] = proof
			}
			n.parcels = append(n.parcels, parcel{at: note.At, who: note.Endpoint, name: note.Topic + said.Titulo, thread: note.Topic, what: kindOf(said.Titulo), park: parkOf(said.URL)})
		}
	}
	for range fresh {
		n.arrived = append(n.arrived, time.Now())
	}
}

// kindOf tells what a subject or a title is about.
func kindOf(text string) string {
	for _, k := range []struct{ part, kind string }{
		{"Confirme", "confirmation"}, {"Activando", "proof"}, {"Notificaciones activadas", "welcome"}, {"Ya no", "over"}, {"ya no", "over"}, {"eligro", "danger"}, {"recauci", "caution"},
	} {
		if strings.Contains(text, k.part) {
			return k.kind
		}
	}
	return "other"
}

func parkOf(text string) (park int) {
	if found := parkName.FindStringSubmatch(text); found != nil {
		fmt.Sscan(found[1], &park)
		return park
	}
	return -1
}

// crowd is people who do one thing after another until the life ends.
func (tr *trial) crowd(l *life, number int) {
	r := rand.New(rand.NewPCG(rand.Uint64(), 0))
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	newcomers := 2
	for l.ctx.Err() == nil {
		people := tr.notes.people[number]
		switch {
		case len(people) == 0 || newcomers > 0 && r.IntN(4) == 0:
			newcomers--
			tr.come(l, number, r)
			people = tr.notes.people[number]
			tr.step(l, client, people[len(people)-1], r)
		default:
			// Those who came lately have more to do.
			at := len(people) - 1
			if at -= min(at, int(r.ExpFloat64()*8)); r.IntN(2) == 0 {
				at = r.IntN(len(people))
			}
			tr.step(l, client, people[at], r)
		}
		pause(l.ctx, time.Duration(r.IntN(8))*time.Millisecond)
	}
}

// come adds somebody who has yet to ask.
func (tr *trial) come(l *life, crowd int, r *rand.Rand) {
	w := &person{crowd: crowd, park: r.IntN(stormParks), wishes: []string{"precaucion"}}
	if r.IntN(3) == 0 {
		w.wishes[0], w.picky = "peligro", true
	}
	n := len(tr.notes.people[crowd])
	if r.IntN(2) == 0 {
		w.mail = fmt.Sprintf("p%d@c%dn%d.cl", n, crowd, n%500)
	} else {
		w.endpoint, w.key, w.auth = tr.browsers.NewBrowser()
	}
	tr.notes.mu.Lock()
	defer tr.notes.mu.Unlock()
	tr.notes.people[crowd] = append(tr.notes.people[crowd], w)
}

// step has somebody do what he has to do next.
func (tr *trial) step(l *life, client *http.Client, w *person, r *rand.Rand) {
	switch {
	case w.lapsed, !w.left.known.IsZero():
	case w.asked.known.IsZero():
		tr.ask(l, client, w)
	case w.active.known.IsZero():
		tr.confirm(l, client, w)
	case !w.left.tried.IsZero(), r.IntN(crowdSize) < len(tr.notes.people[w.crowd])-tr.notes.left[w.crowd]-crowdSize/2, r.IntN(250) == 0:
		tr.leave(l, client, w)
	case len(w.wishes) > 1, r.IntN(40) == 0:
		tr.change(l, client, w)
	}
}

// do makes one of a person's requests.
func (tr *trial) do(l *life, client *http.Client, method, path, kind, body string) (status int, said string, known bool) {
	tr.asked.Add(1)
	defer tr.asked.Add(-1)
	if l.requests.Add(1) == l.askedEnough {
		l.asking.give()
	}
	status, said, known = tr.send(l.ctx, client, method, l.program.URL+path, kind, body)
	if known && status == http.StatusServiceUnavailable {
		tr.notes.refused.Add(1)
		return status, said, false
	}
	return status, said, known
}

const (
	jsonKind = "application/json"
	formKind = "application/x-www-form-urlencoded"
)

func (tr *trial) ask(l *life, client *http.Client, w *person) {
	w.asked.try(tr.clock.Now())
	body := w.wish("")
	if tr.careless && w.mail != "" {
		tr.notes.promise(w, tr.clock.Now())
		l.about.Go(func() {
			pause(l.ctx, 300*time.Millisecond)
			tr.do(l, client, "POST", "/api/v1/suscriptores", jsonKind, body)
		})
		return
	}
	status, said, known := tr.do(l, client, "POST", "/api/v1/suscriptores", jsonKind, body)
	if !known {
		return
	}
	if status != 202 {
		tr.t.Errorf("life %d: asking: %d %s", l.number, status, said)
		return
	}
	tr.notes.promise(w, tr.clock.Now())
}

// wish is what a person asks for; a browser with what it proves itself by, if it has
// that.
func (w *person) wish(proof string) string {
	park := fmt.Sprintf("cumbre-%d", w.park)
	if w.mail != "" {
		return fmt.Sprintf(`{"canal":"email","email":%q,"parques":[%q],"nivel_minimo":%q,"consentimiento":true}`, w.mail, park, w.wishes[0])
	}
	return clitest.PushWish(w.endpoint, w.key, w.auth, proof, fmt.Sprintf(`"parques":[%q],"nivel_minimo":%q`, park, w.wishes[0]))
}

// prove sends back what was pushed to a browser. Where the answer to an earlier proof
// was lost another one is pushed.
func (tr *trial) prove(l *life, client *http.Client, w *person, proof string) {
	w.active.try(tr.clock.Now())
	status, said, known := tr.do(l, client, "POST", "/api/v1/suscriptores", jsonKind, w.wish(proof))
	switch token := clitest.TokenIn.FindStringSubmatch(said); {
	case !known, status == 202:
	case status != 201 || token == nil:
		tr.t.Errorf("life %d: proving what was asked for at %v: %d %s", l.number, w.asked.known, status, said)
	default:
		w.active.known, w.token = tr.clock.Now(), token[1]
	}
}

func (tr *trial) confirm(l *life, client *http.Client, w *person) {
	tr.notes.mu.Lock()
	link := tr.notes.links[w.who()]
	tr.notes.mu.Unlock()
	switch {
	case link == "":
		return
	case w.mail == "":
		tr.prove(l, client, w, link)
		return
	}
	w.active.try(tr.clock.Now())
	status, said, known := tr.do(l, client, "POST", link, formKind, "")
	switch {
	case !known:
	case status == 404 && tr.clock.Now().Sub(w.asked.tried) > 47*time.Hour:
		w.lapsed = true
	case status != 200:
		tr.t.Errorf("life %d: confirming what was asked for at %v: %d", l.number, w.asked.known, status)
	default:
		token := leaveLink.FindStringSubmatch(said)
		if token == nil {
			tr.t.Errorf("life %d: the page of the confirmation has no link to leave", l.number)
			return
		}
		w.active.known, w.token = tr.clock.Now(), token[1]
	}
}

func (tr *trial) change(l *life, client *http.Client, w *person) {
	wish := "peligro"
	if w.wishes[len(w.wishes)-1] == wish {
		wish = "precaucion"
	}
	w.wishes, w.picky, w.changed = append(w.wishes, wish), true, append(w.changed, tr.clock.Now())
	status, _, known := tr.do(l, client, "POST", "/gestionar/"+w.token, formKind, fmt.Sprintf("parques=cumbre-%d&nivel_minimo=%s&idioma=es", w.park, wish))
	switch {
	case !known:
	case status != 200:
		tr.t.Errorf("life %d: changing what was confirmed at %v: %d", l.number, w.active.known, status)
	default:
		w.wishes = []string{wish}
	}
}

func (tr *trial) leave(l *life, client *http.Client, w *person) {
	w.left.try(tr.clock.Now())
	status, _, known := tr.do(l, client, "DELETE", "/api/v1/suscriptores/"+w.token, "", "")
	switch {
	case !known:
	case status != 200:
		tr.t.Errorf("life %d: leaving: %d", l.number, status)
	default:
		w.left.known = tr.clock.Now()
		tr.notes.left[w.crowd]++
	}
}

// finish asks the last life of everybody whose token is known.
func (tr *trial) finish(l *life) {
	client := &http.Client{Timeout: 10 * time.Second}
	for _, crowd := range tr.notes.people {
		for _, w := range crowd {
			if w.token == "" {
				continue
			}
			status, said, known := tr.send(tr.t.Context(), client, "GET", l.program.URL+"/api/v1/suscriptores/"+w.token, "", "")
			var held struct {
				Data struct {
					Level string `json:"nivel_minimo"`
				}
			}
			switch {
			case !known, status != 200 && status != 404:
				tr.t.Errorf("somebody at the end: %d %s", status, said)
			case status == 200:
				if err := json.Unmarshal([]byte(said), &held); err != nil {
					tr.t.Error(err)
				}
				w.seen = held.Data.Level
			}
		}
	}
}

// serveLoopback serves on a free port of this machine.
func serveLoopback(t testing.TB, handler http.Handler) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: handler}}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}
