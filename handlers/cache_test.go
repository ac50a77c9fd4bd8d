//go:build trials

package handlers

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vigia/handlers/site"
	"vigia/store"
)

// The tests of this file send many readers through the operator's example of a
// cache, over several publications, and count what is left for the service.

// kind is a group of visits that are alike.
type kind struct {
	name  string
	share int  // of all visits, in the same unit for all kinds
	kept  bool // a cache may keep the answers
	paths []string
}

// visit is what a reader asks for.
type visit struct {
	kind    *kind
	path    string
	object  string // the same for all who get the same answer
	packed  bool
	headers []string
	method  string
}

// readers ask behind a proxy with a cache.
type readers struct {
	t       testing.TB
	s       *stand
	p       *proxy
	client  *http.Client
	kinds   []*kind
	asked   atomic.Int64 // visits
	unkept  atomic.Int64 // of them, of what no cache may keep
	origin  *tally
	shown   atomic.Pointer[showing]
	objects sync.Map // those asked for since then, "" and gzip apart
	tags    sync.Map // by object, what a reader has kept
	faults  atomic.Int64
}

// showing is a snapshot that was published.
type showing struct {
	at   time.Time // when that was done, by the machine's clock
	made time.Time // when it was begun, by the stand's, to the second
}

// tally counts what comes to the service, by route and status.
type tally struct {
	mu  sync.Mutex
	all map[string]int
}

func (c *tally) Answered(route string, status int, _ time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all[cmp.Or(route, "none")+" "+strconv.Itoa(status)]++
}

func (c *tally) sum() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, count := range c.all {
		n += count
	}
	return n
}

// newReaders makes a whole server with a site, nginx in front of it and nobody yet.
func newReaders(t *testing.T, e *store.Snapshot) *readers {
	t.Helper()
	c := &readers{t: t, origin: &tally{all: map[string]int{}}}
	subs := newFakeSubscriptions()
	var pages *site.Site
	c.s = newStand(t, e, func(o *Options) {
		o.Log = slog.New(slog.DiscardHandler)
		o.Meter, o.Subscriptions, o.TrustedProxies = c.origin, subs, []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
		o.Contact = "hola@example.cl"
		pages = addSite(t, o)
	})
	c.p = nginx(t, c.s.url)
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64, TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{},
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // its own certificate
	t.Cleanup(transport.CloseIdleConnections)
	c.client = &http.Client{Transport: transport}
	c.listKinds(pages, e)
	return c
}

// listKinds notes what there is to ask for: about as a site of this sort is read.
func (c *readers) listKinds(pages *site.Site, e *store.Snapshot) {
	shown := slices.Sorted(c.s.server.shown.Load().current.pages.Paths())
	only := func(keep func(string) bool) (list []string) {
		for _, path := range shown {
			if keep(path) {
				list = append(list, path)
			}
		}
		return list
	}
	english := func(path string) bool { return path == "/en" || strings.HasPrefix(path, "/en/") }
	var resources []string
	for i := range e.Catalogue.Parks {
		at := "/api/v1/parques/" + e.Catalogue.Parks[i].Slug
		resources = append(resources, at, at+"/senderos", at+"/pronostico?horas=24", at+"/historial?dias=1", "/api/v1/alertas?parque="+e.Catalogue.Parks[i].Slug)
	}
	resources = slices.DeleteFunc(append(resources, "/api/v1/parques", "/api/v1/alertas", "/api/v1/umbrales", "/api/v1/precision", "/api/v1/openapi.json"), func(path string) bool {
		return fetch(c.s.server, path, "").status >= 400 // nothing is known of some of the parks
	})
	c.kinds = []*kind{
		{"home", 150, true, []string{"/"}},
		{"pages in Spanish", 400, true, only(func(path string) bool { return !english(path) })},
		{"pages in English", 100, true, only(english)},
		{"pages with what does not matter", 60, true, []string{"/?utm_source=%d", shown[len(shown)/2] + "?fbclid=%d&utm_medium=x", "/metodo?%d"}},
		{"API", 150, true, resources},
		{"assets", 100, true, slices.Sorted(maps.Keys(pages.Assets()))},
		{"nothing there", 20, true, []string{"/favicon.ico", "/wp-login.php", "/en/nada", "/api/v1/parques/no-existe"}},
		{"made for each", 10, false, []string{"/api/v1/health", "/suscribirse?parque=lauca", "/en/suscribirse", "/api/v1/vapid"}},
		{"chosen by a query", 10, false, []string{"/comparar?sendero=torres-del-paine/base-torres", "/en/comparar?sendero=lauca/x&sendero=torres-del-paine/base-torres", "/alertas?parque=lauca"}},
		{"refused", 10, false, []string{"/api/v1/parques?utm_source=x", "/api/v1/nada", "/api/v1/alertas?nivel=rojo"}},
	}
	c.origin.all = map[string]int{} // of what was asked for here
}

// accepted are ways to ask for gzip or not.
var accepted = []struct {
	header string
	packed bool
}{{"gzip, deflate, br, zstd", true}, {"gzip, deflate, br", true}, {"gzip", true}, {"", false}, {"gzip;q=0, identity", false}}

// draw gives the next visit: the first paths of a kind are asked for most.
func (c *readers) draw(random *rand.Rand) visit {
	n := random.IntN(1000)
	k := c.kinds[len(c.kinds)-1]
	for _, other := range c.kinds {
		if n < other.share {
			k = other
			break
		}
		n -= other.share
	}
	i := int(rand.NewZipf(random, 1.3, 2, uint64(len(k.paths)-1)).Uint64())
	v := visit{kind: k, path: k.paths[i], object: k.paths[i], method: "GET"}
	if strings.Contains(v.path, "%d") {
		v.object, _, _ = strings.Cut(v.path, "?")
		v.path = fmt.Sprintf(v.path, random.IntN(1000))
	}
	how := accepted[random.IntN(len(accepted))]
	v.packed = how.packed
	v.headers = []string{"Accept-Encoding", how.header}
	if how.packed {
		v.object += " packed"
	}
	switch random.IntN(50) {
	case 0:
		v.method = "HEAD"
	case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10:
		if tag, ok := c.tags.Load(v.object); ok {
			v.headers = append(v.headers, "If-None-Match", tag.(string))
		}
	}
	return v
}

// come has readers ask until there were so many visits, or until a time.
func (c *readers) come(visits int64, until time.Time, seed uint64) {
	var asking sync.WaitGroup
	last := c.asked.Load() + visits
	for i := range uint64(16) {
		asking.Go(func() {
			random := rand.New(rand.NewPCG(seed, i))
			for c.asked.Add(1) <= last && time.Now().Before(until) {
				c.ask(c.draw(random), random.IntN(16) == 0)
			}
			c.asked.Add(-1)
		})
	}
	asking.Wait()
}

// ask makes a visit and looks at the answer; at its content too where whole.
func (c *readers) ask(v visit, whole bool) {
	r, err := http.NewRequest(v.method, "https://"+c.p.address+v.path, nil)
	if err != nil {
		c.fault(v, "%v", err)
		return
	}
	for i := 0; i < len(v.headers); i += 2 {
		r.Header.Set(v.headers[i], v.headers[i+1])
	}
	if v.kind.kept {
		c.objects.Store(v.object, true)
	} else {
		c.unkept.Add(1)
	}
	asked, shown := time.Now(), c.shown.Load()
	response, err := c.client.Do(r)
	if err != nil {
		c.fault(v, "%v", err)
		return
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		c.fault(v, "%v", err)
		return
	}
	c.judge(v, answer{response, body}, asked, shown)
	if whole && v.method == "GET" && response.StatusCode == 200 {
		c.judgeContent(v, answer{response, body})
	}
}

func (c *readers) fault(v visit, format string, args ...any) {
	if c.faults.Add(1) <= 10 {
		c.t.Errorf("%s %s %v: %s", v.method, v.path, v.headers, fmt.Sprintf(format, args...))
	}
}

// copySlack is how long after its last second a copy may still come: nginx counts
// whole seconds and keeps a copy through the last one.
const copySlack = 1100 * time.Millisecond

// lateSlack is how long the snapshot before may be met after a publication: what was
// answered while that was being made may be kept for two seconds.
const lateSlack = 2*time.Second + 2*copySlack

// judge looks at the head of an answer: the right variant, and none too old.
func (c *readers) judge(v visit, a answer, asked time.Time, shown *showing) {
	h := a.Header
	if tag := h.Get("Etag"); tag != "" {
		c.tags.Store(v.object, tag)
	}
	if h.Get("Content-Encoding") != "" && !v.packed || v.packed && a.StatusCode == 200 && h.Get("Content-Encoding") == "" && len(a.body) > 4096 && !strings.Contains(h.Get("Content-Type"), "image/png") && !strings.Contains(h.Get("Content-Type"), "font") {
		c.fault(v, "in %q, %d bytes", h.Get("Content-Encoding"), len(a.body))
	}
	ok := a.StatusCode == 200 || a.StatusCode == 304 && len(v.headers) > 2
	switch v.kind.name {
	case "nothing there":
		ok = a.StatusCode == 404
	case "refused":
		ok = a.StatusCode == 400 || a.StatusCode == 404
	}
	if !ok {
		c.fault(v, "%d", a.StatusCode)
	}
	if !v.kind.kept {
		if control := h.Get("Cache-Control"); control != "no-store" && !(v.kind.name == "chosen by a query" && strings.HasPrefix(control, "private, max-age=")) {
			c.fault(v, "%q", h.Get("Cache-Control"))
		}
		return
	}
	made, err := http.ParseTime(h.Get("Date"))
	var keep int
	if _, scanErr := fmt.Sscanf(h.Get("Cache-Control"), "public, max-age=%d", &keep); err != nil || scanErr != nil {
		c.fault(v, "%v: %v, %v", h, err, scanErr)
		return
	}
	if late := asked.Sub(made.Add(time.Duration(keep)*time.Second + time.Second)); late > copySlack {
		c.fault(v, "%v past its header: %v", late, h)
	}
	if strings.Contains(v.path, "/historial") || strings.HasSuffix(v.path, "/umbrales") {
		return // what was and what is the rule: a publication changes little
	}
	modified, err := http.ParseTime(h.Get("Last-Modified"))
	if err == nil && asked.Sub(shown.at) > lateSlack && modified.Before(shown.made) {
		c.fault(v, "a snapshot of %v, %v after that of %v", modified, asked.Sub(shown.at), shown.made)
	}
}

// judgeContent looks at the content: it can be read, and is what was asked for.
func (c *readers) judgeContent(v visit, a answer) {
	body := a.body
	if a.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err == nil {
			body, err = io.ReadAll(z)
		}
		if err != nil {
			c.fault(v, "%v", err)
			return
		}
	}
	path, _, _ := strings.Cut(v.path, "?")
	switch content := a.Header.Get("Content-Type"); {
	case strings.Contains(content, "json") && !json.Valid(body):
		c.fault(v, "no JSON: %.80s", body)
	case strings.HasPrefix(path, "/api/v1/parques/") && !bytes.Contains(body, []byte(strings.Split(path, "/")[4])) && !bytes.HasPrefix(body, []byte(`{"data":[`)):
		c.fault(v, "another park: %.80s", body)
	case strings.Contains(content, "html"):
		language := "es"
		if path == "/en" || strings.HasPrefix(path, "/en/") {
			language = "en"
		}
		canonical := []byte(`<link rel="canonical" href="https://parques.example.cl` + path + `"`)
		if !bytes.Contains(body, []byte(`<html lang="`+language)) || v.kind.kept && bytes.Contains(body, []byte(`rel="canonical"`)) && !bytes.Contains(body, canonical) {
			c.fault(v, "another page: %.200s", body)
		}
	}
}

// publish shows a snapshot that holds for a time, as the cycle of each hour does.
func (c *readers) publish(e *store.Snapshot, holds time.Duration) {
	next, made := *e, c.s.clock.Now()
	next.NextAt = made.Add(holds)
	c.s.server.Publish(&next)
	c.shown.Store(&showing{at: time.Now(), made: made.Truncate(time.Second)})
}

// distinct gives how many objects were asked for since the last call.
func (c *readers) distinct() (n int) {
	c.objects.Range(func(key, _ any) bool { n++; return true })
	c.objects.Clear()
	return n
}

// A cache asks the service once for each thing that is read and may be kept, once
// more after a publication, and passes on what is made for each request: nothing
// else, however many read. Every reader gets his own language and encoding, and
// nothing past its time.
func TestACacheAsksOnlyForWhatChanged(t *testing.T) {
	t.Parallel()
	c := newReaders(t, newSnapshot())
	defer follow(c.s)()
	const holds = 4 * time.Second
	bound := 0
	for round := uint64(0); round < 2 || round < 6 && c.asked.Load() < 2000; round++ { // more of them on a machine that is slow
		c.publish(newSnapshot(), holds)
		began := time.Now()
		c.come(4000, began.Add(holds/2), round)
		bound += c.distinct()
		wait(t, time.Until(began.Add(holds+copySlack)))
	}
	came, asked, unkept := c.origin.sum(), c.asked.Load(), int(c.unkept.Load())
	t.Logf("of %d visits %d came to the service: %d that are not to be kept, %d things", asked, came, unkept, bound)
	// Of those who ask for the same thing at once some do not wait for the first one's
	// answer when it takes long.
	if impatient := max(16, bound/10); came > bound+unkept+impatient {
		t.Errorf("of %d visits %d came to the service, more than %d things and %d that are not to be kept", asked, came, bound, unkept)
	}
	if came < unkept {
		t.Errorf("of %d that are not to be kept only %d came", unkept, came)
	}
}

// Behind a cache a query that chooses gets its own page, and nobody else does.
func TestACacheTellsQueriesApart(t *testing.T) {
	t.Parallel()
	c := newReaders(t, newSnapshot())
	reader := c.p.client("127.0.0.2")
	const ticked = `value="torres-del-paine/base-torres" checked`
	for round := range 2 {
		for _, visit := range []struct {
			path     string
			has, not string
		}{
			{"/comparar?x=1", `<select id="otro-1"`, ticked},
			{"/comparar?sendero=torres-del-paine/base-torres", ticked, `id="otro-1"`},
			{"/comparar?y=1&sendero=no/hay", "no/hay", ticked},
			{"/comparar", `<select id="otro-1"`, ticked},
			{"/alertas?utm_source=x&parque=lauca", `content="noindex"`, ""},
			{"/alertas?utm_source=x", "<h1>", `content="noindex"`},
			{"/en/alertas?parque=lauca", `content="noindex"`, ""},
			{"/en/alertas", "<h1>", `content="noindex"`},
		} {
			a := reader.get(visit.path)
			if text := string(a.body); !strings.Contains(text, visit.has) || visit.not != "" && strings.Contains(text, visit.not) {
				t.Errorf("%s, round %d: status %d, lacks %q or has %q", visit.path, round, a.StatusCode, visit.has, visit.not)
			}
		}
	}
}

// follow has the clock of a stand go with the machine's, in steps, until stopped.
func follow(s *stand) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan bool)
	at := time.Now()
	go func() {
		defer close(ended)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-tick.C:
				s.clock.Advance(now.Sub(at))
				at = now
			}
		}
	}()
	return func() { cancel(); <-ended }
}

// wait lets time pass, in which copies in a cache get old.
func wait(t *testing.T, d time.Duration) {
	t.Helper()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}
