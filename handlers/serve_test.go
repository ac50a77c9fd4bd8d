package handlers

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/goleak"

	"vigia/handlers/api"
	"vigia/handlers/feeds"
	"vigia/handlers/forms"
	"vigia/handlers/httpcache"
	"vigia/handlers/site"
	"vigia/handlers/site/sitetest"
	"vigia/store"
	"vigia/web/wording"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stand is a server on a loopback port with a clock that the test turns.
type stand struct {
	t      testing.TB
	server *Server
	clock  *clockwork.FakeClock
	url    string
	client *http.Client
	log    *journal
}

// journal keeps what is logged.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (s *stand) logged() string {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return s.log.text.String()
}

// noSubscriptions returns a service of subscriptions without any channel.
func noSubscriptions() *sitetest.Subscriptions {
	subs := newFakeSubscriptions()
	subs.Closed, subs.States = [...]bool{true, true}, [...]string{"no_configurado", "no_configurado"}
	return subs
}

// withoutSite has a server without pages, and returns it.
func withoutSite(o Options) Options {
	o.Pages = func(*store.Snapshot, time.Time) *site.Pages { return site.NewPages() }
	o.Forms = func(api.Register, forms.Deps) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusMethodNotAllowed) })
	}
	nowhere := httpcache.Static("text/plain", []byte("nowhere"))
	o.NotFoundPage = func(string) *httpcache.Body { return nowhere }
	o.Words = func(string) *wording.Language { return wording.Spanish }
	return o
}

// addSite has a server with all pages, and returns their site.
func addSite(t testing.TB, o *Options) *site.Site {
	t.Helper()
	pages, err := site.New(site.Options{BaseURL: o.BaseURL, Contact: o.Contact, Subscriptions: o.Subscriptions})
	if err != nil {
		t.Fatal(err)
	}
	o.Forms, o.Pages, o.Assets = forms.New(pages, forms.Demo{}).AddRoutes, feeds.Among(pages), pages.Assets()
	o.NotFoundPage, o.Words = pages.NotFound(false), pages.Words
	return pages
}

// withPages is a stand with the site.
func withPages(t testing.TB, e *store.Snapshot) *stand {
	t.Helper()
	return newStand(t, e, func(o *Options) { addSite(t, o) })
}

func newStand(t testing.TB, e *store.Snapshot, change func(*Options)) *stand {
	t.Helper()
	clock := clockwork.NewFakeClockAt(now)
	logged := &journal{}
	o := withoutSite(Options{
		Clock: clock, Log: slog.New(slog.NewTextHandler(logged, nil)),
		BaseURL: "https://parques.example.cl", Version: "v0.1.0-alpha",
		Subscriptions: noSubscriptions(), FileFault: func() error { return nil }, Jobs: func() []store.JobStatus { return nil },
	})
	if change != nil {
		change(&o)
	}
	s := New(o)
	s.Publish(e)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, &Listeners{Public: l}, nil) }()
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return &stand{t: t, server: s, clock: clock, url: "http://" + l.Addr().String(),
		client: &http.Client{Transport: transport}, log: logged}
}

// answer is a response with its body read.
type answer struct {
	*http.Response
	body []byte
}

func (s *stand) do(method, path string, headers ...string) answer {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return s.ask(s.client, r)
}

// ask makes a request and reads its answer to the end.
func (s *stand) ask(client *http.Client, r *http.Request) answer {
	s.t.Helper()
	response, err := client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatalf("%s %s: %v", r.Method, r.URL, err)
	}
	return answer{response, body}
}

func (s *stand) get(path string, headers ...string) answer {
	s.t.Helper()
	return s.do("GET", path, headers...)
}

// envelope checks the frame of an answer and gives its parts.
func (a answer) envelope(t testing.TB) (data any, fault string) {
	t.Helper()
	var e struct {
		Data  any     `json:"data"`
		Error *string `json:"error"`
		TS    string  `json:"ts"`
	}
	if err := json.Unmarshal(a.body, &e); err != nil {
		t.Fatalf("%v in %.200s", err, a.body)
	}
	if !bytes.HasPrefix(a.body, []byte(`{"data":`)) || !bytes.HasSuffix(a.body, []byte(`,"ts":"`+e.TS+`"}`)) {
		t.Errorf("frame of %.60s…%s", a.body, a.body[max(0, len(a.body)-60):])
	}
	if _, err := time.Parse("2006-01-02T15:04:05.000Z", e.TS); err != nil {
		t.Errorf("ts: %v", err)
	}
	if (e.Error == nil) != (a.StatusCode < 400) || e.Error != nil && e.Data != nil {
		t.Errorf("status %d with error %v and data %v", a.StatusCode, e.Error, e.Data)
	}
	if e.Error != nil {
		return nil, *e.Error
	}
	return e.Data, ""
}

// raw sends bytes and gives all that comes back until the server closes.
func (s *stand) raw(request string) string {
	s.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(5 * time.Second))
	io.WriteString(c, request)
	got, _ := io.ReadAll(c)
	return string(got)
}

// A client that never finishes its request does not make a failure of an end in
// order, nor hold it up for long: the stand asks that Serve ends without an error.
func TestAnEndInSpiteOfASlowClient(t *testing.T) {
	t.Parallel()
	var slow net.Conn
	t.Cleanup(func() { slow.Close() }) // after the stand's end
	s := newStand(t, newSnapshot(), nil)
	var err error
	if slow, err = net.Dial("tcp", strings.TrimPrefix(s.url, "http://")); err != nil {
		t.Fatal(err)
	}
	if _, err = io.WriteString(slow, "GET /api/v1/health HTTP/1.1\r\nHost: x\r\nX-Never: "); err != nil {
		t.Fatal(err)
	}
	s.get("/api/v1/health") // connections are taken up in their order
}
