//go:build trials

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/handlers"
	"vigia/handlers/cli/clitest"
	"vigia/handlers/cli/settings"
	"vigia/handlers/feeds"
	"vigia/handlers/forms"
	"vigia/handlers/site"
	"vigia/notify"
	"vigia/notify/mail"
	"vigia/notify/mail/mailtest"
	"vigia/notify/push/pushtest"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/web"
)

// One attacker with 2,000 networks, 300 domains and a push service of his own asks for
// subscriptions for simulated hours, beside 50 people who are subscribed and others
// who sign up meanwhile. File, handlers, limits, mail relay and push services are real;
// the clock is turned in steps, each once nothing happens any more.

const (
	trialStep     = 5 * time.Second
	trialNetworks = 2000
	trialDomains  = 300
	alertLimit    = 2 * time.Minute
	signupLimit   = 5 * time.Minute
)

// trialHours is how long the attack goes on: two hours in the gate, six with
// VIGIA_STRANGER_HOURS=6.
var trialHours = func() int {
	if hours, err := strconv.Atoi(os.Getenv("VIGIA_STRANGER_HOURS")); err == nil && hours > 0 {
		return hours
	}
	return 2
}()

// attackTrial is a service with those around it.
type attackTrial struct {
	*testing.T
	clock    *clockwork.FakeClock
	parks    *catalogue.Catalogue
	file     *store.Store
	notifier *notify.Notifier
	web      http.Handler
	mailbox  *mailtest.Mailbox
	browsers *pushtest.Service
	hostile  *hostilePush
	alerts   []alert.Alert
	decided  []time.Time
	told     []string           // addresses and endpoints of the 50
	signups  map[string]*signup // by address or endpoint
	refused  int                // honest requests that were not taken
	answers  map[int]int        // to the attacker, by status
}

// signup is an honest person's request, and when its mail or proof came.
type signup struct {
	kind      string
	at, heard time.Time
}

// hostilePush is a push service that answers what its owner likes.
type hostilePush struct {
	*httptest.Server
	clock    clockwork.Clock
	requests atomic.Int64
	ended    chan struct{}
}

func newHostilePush(clock clockwork.Clock) *hostilePush {
	h := &hostilePush{clock: clock, ended: make(chan struct{})}
	h.Server = httptest.NewServer(h)
	return h
}

func (h *hostilePush) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.requests.Add(1)
	_ = r.ParseForm() // reads what came, so that the end of the connection shows
	number, _ := strconv.Atoi(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:])
	switch number % 5 {
	case 0:
		w.WriteHeader(http.StatusForbidden)
	case 1:
		w.WriteHeader(http.StatusNotFound)
	case 2:
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	case 3: // hangs for as long as a sender waits
		select {
		case <-h.clock.After(10 * time.Second):
		case <-h.ended:
		}
		panic(http.ErrAbortHandler)
	default:
		w.WriteHeader(http.StatusCreated)
	}
}

func newAttackTrial(t *testing.T) *attackTrial {
	x := &attackTrial{T: t, clock: clockwork.NewFakeClockAt(time.Now().Truncate(time.Hour)), signups: map[string]*signup{}, answers: map[int]int{}, parks: catalogue.Default()}
	var err error
	if x.mailbox, err = mailtest.Listen(mailtest.Options{Clock: x.clock}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.mailbox.Close() })
	if x.browsers, err = pushtest.Listen(pushtest.Options{Clock: x.clock, TokenClock: clockwork.NewRealClock()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.browsers.Close() })
	x.hostile = newHostilePush(x.clock)
	t.Cleanup(func() { close(x.hostile.ended); x.hostile.Close() })
	s, err := settings.Parse("serve", []string{"--listen", "127.0.0.1:0", "--contact", "operador@example.cl", "--data", t.TempDir(), "--base-url", publicURL,
		"--smtp-host", x.mailbox.Host(), "--smtp-port", strconv.Itoa(x.mailbox.Port()), "--smtp-tls", "none", "--smtp-from", "avisos@example.cl",
		"--push-hosts", x.browsers.Origin() + "," + x.hostile.URL, "--trusted-proxies", "127.0.0.1/32"}, nil, nil, openmeteo.CanonicalModel)
	if err != nil {
		t.Fatal(err)
	}
	s.PushRate = 0 // paced by a clock that is turned in steps, one message a step would go
	x.serve(s)
	return x
}

// serve puts the service together without its weather: the alerts are the trial's.
func (x *attackTrial) serve(s *settings.Settings) {
	x.Helper()
	log := slog.New(slog.DiscardHandler)
	var err error
	if x.file, err = store.Open(filepath.Join(s.Data, "vigia.db"), store.Options{Clock: x.clock, Log: log}); err != nil {
		x.Fatal(err)
	}
	x.Cleanup(func() { x.file.Close() })
	if x.notifier, err = notify.Open(notify.Options{
		Folder: s.Data, PushHosts: s.PushHosts, Relay: mail.Options{Host: s.SMTPHost, Port: s.SMTPPort, TLS: s.SMTPTLS, From: s.SMTPFrom},
		Store: x.file, Catalogue: x.parks, BaseURL: s.BaseURL, Contact: s.Contact, PushRate: s.PushRate, Log: log, Clock: x.clock,
	}); err != nil {
		x.Fatal(err)
	}
	pages, err := site.New(site.Options{BaseURL: s.BaseURL, Contact: s.Contact, Location: time.UTC, Subscriptions: x.notifier})
	if err != nil {
		x.Fatal(err)
	}
	server := handlers.New(handlers.Options{
		Clock: x.clock, Log: log, BaseURL: s.BaseURL, Contact: s.Contact, TrustedProxies: s.TrustedProxies, RateLimit: s.RateLimit,
		Subscriptions: x.notifier, FileFault: x.file.Fault, Jobs: func() []store.JobStatus { return nil }, PushHosts: s.PushHosts, Policy: web.PolicyVersion,
		Pages: feeds.Among(pages), Forms: forms.New(pages, forms.Demo{}).AddRoutes, NotFoundPage: pages.NotFound(false), Assets: pages.Assets(),
	})
	server.Publish(&store.Snapshot{Catalogue: x.parks, Rules: hazard.DefaultRules(), Reason: hazard.NoRuns, StartedAt: x.clock.Now()})
	x.web = server
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = x.notifier.Run(ctx)
	}()
	x.Cleanup(func() {
		for cancel(); ; x.clock.Advance(time.Second) {
			select {
			case <-ended:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
}

// post makes a request for a subscription from an address behind the proxy.
func (x *attackTrial) post(from, body string) (status int, answer string) {
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, publicURL+"/api/v1/suscriptores", strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:4000"
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Forwarded-For", from)
	w := httptest.NewRecorder()
	x.web.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// activity counts what happened so far.
func (x *attackTrial) activity() int64 {
	stats := x.file.Stats()
	return x.hostile.requests.Load() + int64(x.browsers.Requests()) + int64(x.mailbox.Received()) + stats.TxStats.GetWrite() + int64(stats.TxN)
}

// settle waits until nothing happens any more without a turn of the clock.
func (x *attackTrial) settle() {
	for before, quiet := x.activity(), 0; quiet < 2; {
		<-time.After(time.Millisecond)
		if now := x.activity(); now != before {
			before, quiet = now, 0
		} else {
			quiet++
		}
	}
}

func (x *attackTrial) turn(by time.Duration) {
	x.clock.Advance(by)
	x.settle()
}

// wish is what everybody asks for: all parks that alerts are of.
func (x *attackTrial) wish() string {
	var slugs []string
	for _, park := range x.parks.Parks[:2*trialHours] {
		slugs = append(slugs, park.Slug)
	}
	text, _ := json.Marshal(slugs)
	return `"parques":` + string(text)
}

func (x *attackTrial) mail(from, address string) int {
	status, _ := x.post(from, fmt.Sprintf(`{"canal":"email","email":%q,%s,"consentimiento":true}`, address, x.wish()))
	return status
}

// browser has a new browser ask, and send back its proof.
func (x *attackTrial) browser(from string, heard func()) (endpoint string, status int) {
	endpoint, key, auth := x.browsers.NewBrowser()
	x.browsers.OnPush(endpoint, func(n pushtest.Push) {
		if proof := n.Proof(); proof != "" {
			heard()
			go x.post(from, clitest.PushWish(endpoint, key, auth, proof, x.wish()))
		}
	})
	status, _ = x.post(from, clitest.PushWish(endpoint, key, auth, "", x.wish()))
	return endpoint, status
}

// settleIn subscribes the 50, some of them in a small domain of their own, and lets two
// days pass.
func (x *attackTrial) settleIn() {
	x.Helper()
	for i := range 25 {
		address := fmt.Sprintf("vecina%d@%s", i, []string{"gmail.com", "hotmail.cl", "clubandino.cl"}[i%3])
		x.told = append(x.told, address)
		if status := x.mail(fmt.Sprintf("190.1.0.%d", i), address); status != http.StatusAccepted {
			x.Fatal(address, status)
		}
		endpoint, status := x.browser(fmt.Sprintf("190.1.1.%d", i), func() {})
		if status != http.StatusAccepted {
			x.Fatal(endpoint, status)
		}
		x.told = append(x.told, endpoint)
	}
	for range 30 {
		x.turn(trialStep)
	}
	token := regexp.MustCompile(`/confirmar/(\S+)`)
	for _, letter := range x.mailbox.Mails() {
		if _, _, err := x.notifier.Confirm(token.FindStringSubmatch(letter.Text)[1]); err != nil {
			x.Fatal(letter.To, err)
		}
	}
	for range 48 * 4 {
		x.turn(15 * time.Minute)
	}
}

// open issues an alert of danger for the next park and has it told.
func (x *attackTrial) open() {
	x.Helper()
	now, park := x.clock.Now().UTC(), x.parks.Parks[len(x.alerts)].Slug
	a := alert.Alert{
		ID: "storm-" + park, Park: park, Version: 1, IssuedAt: now, UpdatedAt: now,
	}
	a.SetTracks([]alert.Track{{
		Trail: x.parks.TrailsOf(len(x.alerts))[0].Slug, Hazard: hazard.Wind, Level: alert.Danger, From: now.Add(7 * time.Hour), To: now.Add(17 * time.Hour),
	}})
	a.Changes = []alert.Change{{Version: 1, At: now, What: alert.Opened, Level: a.Level, Start: a.Start, End: a.End}}
	x.alerts, x.decided = append(x.alerts, a), append(x.decided, now)
	rows := make([]store.HistoryRow, len(x.parks.Trails))
	for i := range rows {
		rows[i] = store.HistoryRow{Main: hazard.NoHazard, Medians: hazard.MissingMedians()}
	}
	sorted := slices.SortedFunc(slices.Values(x.alerts), func(a, b alert.Alert) int { return strings.Compare(a.ID, b.ID) })
	if err := x.file.Commit(&store.Cycle{
		Catalogue: x.parks, Hour: now.Truncate(time.Hour), IssuedAt: now, Rows: rows, Alerts: sorted, Estimates: true, Decide: x.notifier.Decide,
	}); err != nil {
		x.Fatal(err)
	}
	x.notifier.Wake()
}

// sign has an honest person ask, in turn at a large domain, at the small one of the 50, and
// with a browser.
func (x *attackTrial) sign(number int) {
	from := fmt.Sprintf("191.2.%d.%d", number/250, number%250)
	if number%2 == 0 {
		from = fmt.Sprintf("2800:300:%x::1", number)
	}
	one, status, who := &signup{at: x.clock.Now()}, 0, ""
	switch number % 3 {
	case 0:
		one.kind, who = "large domain", fmt.Sprintf("nueva%d@gmail.com", number)
		status = x.mail(from, who)
	case 1:
		one.kind, who = "small domain", fmt.Sprintf("nueva%d@clubandino.cl", number)
		status = x.mail(from, who)
	default:
		one.kind = "push"
		var once sync.Once
		who, status = x.browser(from, func() { once.Do(func() { one.heard = x.clock.Now() }) })
	}
	x.signups[who] = one
	if status != http.StatusAccepted {
		x.refused++
		x.Logf("an honest request (%s) was refused: %d", one.kind, status)
	}
}

// attack is what the attacker does in a step: asks by mail and by push from his networks.
type attack struct {
	domain   func(n int) string
	endpoint [2]string // keys of a browser of his
}

func (x *attackTrial) strike(a *attack, step int) {
	mails := 0
	switch {
	case step < 125: // all networks at once
		mails = 16
	case step%4 == 0:
		mails = 1
	}
	network := func(n int) string { return fmt.Sprintf("2a0e:97c0:%x:%x::1", n%trialNetworks, n/trialNetworks) }
	for range mails {
		n := x.answers[0]
		x.answers[0]++
		address := fmt.Sprintf("x%d@%s", n, a.domain(n))
		switch n % 4 { // the relay takes the others
		case 1:
			x.mailbox.Fail(mailtest.Fault{At: mailtest.AtRecipient, To: address, Answer: "550 5.1.1 No such user"})
		case 2:
			x.mailbox.Fail(mailtest.Fault{At: mailtest.AtRecipient, To: address, Answer: "451 4.2.1 Later"})
		case 3:
			x.mailbox.Fail(mailtest.Fault{At: mailtest.AtRecipient, To: address, Delay: 30 * time.Millisecond, Answer: "550 5.7.1 Not from you"})
		}
		x.answers[x.mail(network(n), address)]++
	}
	if step%2 == 0 {
		n := x.answers[1]
		x.answers[1]++
		status, _ := x.post(network(n), clitest.PushWish(fmt.Sprintf("%s/push/%d", x.hostile.URL, n%(2*trialNetworks)), a.endpoint[0], a.endpoint[1], "", x.wish()))
		x.answers[status]++
	}
}

func (x *attackTrial) perHour() int { return int(time.Hour / trialStep) }

// run lets the hours pass, with an attack or without.
func (x *attackTrial) run(a *attack, hours int) {
	x.settleIn()
	perHour := x.perHour()
	for step := range hours * perHour {
		if step%(perHour/2) == perHour/4 {
			x.open()
		}
		if step%48 == 47 {
			x.sign(step / 48)
		}
		if a != nil {
			x.strike(a, step)
		}
		x.turn(trialStep)
	}
	for range perHour / 10 {
		x.turn(trialStep)
	}
}

// lateAlerts counts the alerts of the 50 that were not told in time.
func (x *attackTrial) lateAlerts() (late, all int, longest time.Duration) {
	heard := map[string]time.Time{}
	note := func(who, text string, at time.Time) {
		for i := range x.alerts {
			key := who + " " + x.alerts[i].Park
			if _, known := heard[key]; !known && !at.Before(x.decided[i]) && strings.Contains(text, "parques/"+x.alerts[i].Park) {
				heard[key] = at
			}
		}
	}
	letters, notes := x.mailbox.Mails(), x.browsers.Pushes()
	slices.Reverse(letters)
	slices.Reverse(notes)
	for _, l := range letters {
		note(l.To, l.Text, l.At)
	}
	for _, n := range notes {
		note(n.Endpoint, string(n.Payload), n.At)
	}
	for i := range x.alerts {
		for _, who := range x.told {
			at, known := heard[who+" "+x.alerts[i].Park]
			if took := at.Sub(x.decided[i]); !known || took > alertLimit {
				late++
			} else {
				longest = max(longest, took)
			}
			all++
		}
	}
	return late, all, longest
}

// lateSignups counts the honest requests whose mail or proof was not in time.
func (x *attackTrial) lateSignups() (late int) {
	letters := x.mailbox.Mails()
	slices.Reverse(letters)
	for _, l := range letters {
		if one := x.signups[l.To]; one != nil && one.heard.IsZero() {
			one.heard = l.At
		}
	}
	in, all, longest := map[string]int{}, map[string]int{}, map[string]time.Duration{}
	for _, one := range x.signups {
		all[one.kind]++
		took := one.heard.Sub(one.at)
		if one.heard.IsZero() {
			took = 0
		} else {
			longest[one.kind] = max(longest[one.kind], took)
		}
		if one.heard.IsZero() || took > signupLimit {
			late++
			continue
		}
		in[one.kind]++
	}
	for kind := range all {
		x.Logf("%s: %d of %d had their mail or proof within %v, the longest of those that came took %v", kind, in[kind], all[kind], signupLimit, longest[kind])
	}
	return late
}

func ownDomain(n int) string { return fmt.Sprintf("d%d.cl", n%trialDomains) }

func TestAStrangerHurtsNobody(t *testing.T) {
	for _, c := range []struct {
		name   string
		domain func(int) string // of the attacker's addresses, nil for no attack
		hours  int
		late   bool // sign-ups by mail are, as SECURITY.md says
	}{
		{"nobody attacks, the control", nil, trialHours, false},
		{"2000 networks, 300 domains, a push service", ownDomain, trialHours, false},
		{"addresses at a large domain, the control that it can fail", func(int) string { return "gmail.com" }, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newAttackTrial(t)
			var a *attack
			if c.domain != nil {
				_, key, auth := x.browsers.NewBrowser()
				a = &attack{domain: c.domain, endpoint: [2]string{key, auth}}
			}
			began := time.Now()
			x.run(a, c.hours)
			late, all, longest := x.lateAlerts()
			t.Logf("%d of %d alerts in time, the slowest of them after %v; the attacker was answered %v; %v", all-late, all, longest, x.answers, time.Since(began).Round(time.Second))
			if late > 0 {
				t.Errorf("%d of %d alerts late or never", late, all)
			}
			if late := x.lateSignups(); (late > 0) != c.late {
				t.Errorf("%d of %d honest sign-ups late, %d refused", late, len(x.signups), x.refused)
			}
		})
	}
}
