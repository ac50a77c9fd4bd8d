package site

import (
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/handlers/api"
	"vigia/store"
	"vigia/store/subscription"
)

var _ api.Desk = (*fakeDesk)(nil)

// fakeDesk keeps subscriptions in memory and counts what changes them.
type fakeDesk struct {
	mu         sync.Mutex
	closed     [subscription.NumChannels]bool
	err        error // what every change fails with
	key        string
	asked      []subscription.Request
	pending    map[string]*subscription.Pending // by token
	active     map[string]*subscription.Subscription
	cancelled  map[string]bool
	disowned   map[string]bool
	changes    int
	cancelling int // calls of Cancel
}

func newFakeDesk() *fakeDesk {
	return &fakeDesk{pending: map[string]*subscription.Pending{}, active: map[string]*subscription.Subscription{},
		cancelled: map[string]bool{}, disowned: map[string]bool{}}
}

func (d *fakeDesk) Open(c subscription.Channel) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.closed[c]
}

func (d *fakeDesk) PublicKey() string { return d.key }

// change counts a change, and fails when all do.
func (d *fakeDesk) change() error {
	d.changes++
	return d.err
}

func (d *fakeDesk) Ask(r *subscription.Request) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.change(); err != nil {
		return err
	}
	d.asked = append(d.asked, *r)
	return nil
}

func (d *fakeDesk) Subscribe(s *subscription.Subscription) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.change(); err != nil {
		return "", err
	}
	s.CreatedAt, s.ConfirmedAt = now, now
	token := "push-" + hex.EncodeToString(s.Target.Auth[:4])
	d.active[token] = s
	return token, nil
}

func (d *fakeDesk) Show(token string) (*subscription.Subscription, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.active[token]; s != nil {
		return s, nil
	}
	return nil, subscription.ErrUnknownToken
}

func (d *fakeDesk) Change(token string, p *subscription.Preferences) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.active[token]
	if s == nil {
		return subscription.ErrUnknownToken
	}
	if err := d.change(); err != nil {
		return err
	}
	s.Preferences = *p
	return nil
}

func (d *fakeDesk) Cancel(token string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cancelling++
	if d.active[token] == nil && !d.cancelled[token] {
		return subscription.ErrUnknownToken
	}
	if err := d.change(); err != nil {
		return err
	}
	delete(d.active, token)
	d.cancelled[token] = true
	return nil
}

func (d *fakeDesk) Pending(token string) (*subscription.Pending, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p := d.pending[token]; p != nil {
		return p, nil
	}
	return nil, subscription.ErrUnknownToken
}

func (d *fakeDesk) Confirm(token string) (string, bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.pending[token]
	if p == nil {
		return "", false, subscription.ErrUnknownToken
	}
	if err := d.change(); err != nil {
		return "", false, err
	}
	management, again := "baja-"+token, p.Used != nil
	if !again {
		id := subscription.NewID()
		address := p.Address
		p.Used, p.Address = &id, ""
		d.active[management] = &subscription.Subscription{ID: id, Address: address, Consent: subscription.Consent{At: now, Policy: "2026-11-21"}, Preferences: p.Preferences, CreatedAt: now, ConfirmedAt: now}
	}
	return management, again, nil
}

func (d *fakeDesk) Disown(token string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.pending[token] == nil {
		return subscription.ErrUnknownToken
	}
	if err := d.change(); err != nil {
		return err
	}
	delete(d.pending, token)
	d.disowned[token] = true
	return nil
}

func (d *fakeDesk) Outbox(subscription.Channel) (string, int) { return "ok", 0 }

// counted gives how often something was changed.
func (d *fakeDesk) counted() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changes + d.cancelling
}

var errDisk = errors.New("writing: no space left on device")

// Tokens of the fixture's desk.
const (
	pendingToken = "AbC-pendiente_0123456789abcdefghijklmnopqrs"
	usedToken    = "AbC-usada_0123456789abcdefghijklmnopqrstuvw"
	activeToken  = "AbC-activa_0123456789abcdefghijklmnopqrstuv"
	managedToken = "AbC-gestionada_0123456789abcdefghijklmnopqr"
	unknownToken = "AbC-desconocida_0123456789abcdefghijklmnopq"
)

// wanted are preferences with everything in them.
func wanted() subscription.Preferences {
	p := subscription.Preferences{Parks: []string{"torres-del-paine", "ya-no-existe"}, Trails: []string{"conguillio/sierra-nevada", "conguillio/otro"},
		Language: subscription.English}
	p.MinLevel = alert.Danger
	p.Hazards = p.Hazards.With(hazard.Wind).With(hazard.Snow)
	p.Quiet = &subscription.Quiet{From: 22 * 60, To: 6*60 + 30}
	p.Trip = &subscription.Trip{From: "2026-12-01", To: "2027-01-09"}
	return p
}

// filledDesk is a desk with a subscription in each state.
func filledDesk() *fakeDesk {
	d := newFakeDesk()
	id := subscription.NewID()
	d.pending[pendingToken] = &subscription.Pending{Address: "ana@correo.cl", Preferences: wanted(), Until: now.Add(40 * time.Hour)}
	d.pending[usedToken] = &subscription.Pending{Preferences: wanted(), Until: now.Add(time.Hour), Used: &id}
	d.active[activeToken] = &subscription.Subscription{ID: id, Address: "ana@correo.cl", Preferences: wanted(), ConfirmedAt: now.Add(-48 * time.Hour),
		Ends: now.Add(50 * 24 * time.Hour), Consent: subscription.Consent{At: now.Add(-49 * time.Hour), Policy: "2026-11-21"}}
	return d
}

// front is the pages that are made for one request, with what is behind them.
type front struct {
	t      testing.TB
	desk   *fakeDesk
	site   *Site
	wait   int // seconds that a client has to wait, 0 for none
	log    strings.Builder
	router http.Handler
}

func newFront(t testing.TB, change func(*Options)) *front {
	f := &front{t: t, desk: filledDesk()}
	o := newSite(t).options
	o.Desk = f.desk
	if change != nil {
		change(&o)
	}
	var err error
	if f.site, err = New(o); err != nil {
		t.Fatal(err)
	}
	e := edition(t)
	e.Simulated = o.Demo != nil
	f.router = f.site.Router(Around{
		Shown:   func() (*store.Edition, time.Time) { return e, now },
		Admit:   func(*http.Request, time.Time) (int, bool) { return f.wait, f.wait == 0 },
		Origins: http.NewCrossOriginProtection(), Log: slog.New(slog.NewTextHandler(&f.log, nil)),
		Rest: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }),
	})
	return f
}

// said is an answer as it is read.
type said struct {
	status int
	header http.Header
	page   string // as it is
	text   string // as people read it
}

func (f *front) do(method, path, body string, headers ...string) said {
	f.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", formType)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	f.router.ServeHTTP(w, r)
	all, err := io.ReadAll(w.Result().Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return said{w.Code, w.Result().Header, string(all), readable(string(all))}
}

func (f *front) get(path string) said { f.t.Helper(); return f.do("GET", path, "") }

// post sends a form as a page of this site does.
func (f *front) post(path string, fields url.Values) said {
	f.t.Helper()
	return f.do("POST", path, fields.Encode(), "Sec-Fetch-Site", "same-origin", "Content-Type", formType)
}
