// Package pushtest is a push service for tests, with the browsers behind it: it accepts
// messages over HTTP (RFC 8030), checks their sender (RFC 8292), decrypts them
// with the keys of the browser (RFC 8291), and fails on demand ([Service.Fail]).
package pushtest

import (
	"bytes"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// maxPush is the longest message that a push service has to take (RFC 8291).
const maxPush = 4096

// Options are those of a push service.
type Options struct {
	Key   string          // the only VAPID public key that it takes, base64url; "": any
	Clock clockwork.Clock // when messages come; nil: the machine's
	// TokenClock is what tokens are judged by; nil: Clock. A sender that uses webpush-go
	// signs by the machine's.
	TokenClock clockwork.Clock
}

// Service is a push service. It is safe for concurrent use.
type Service struct {
	origin string
	key    string
	clock  clockwork.Clock
	tokens clockwork.Clock
	server *httptest.Server
	close  func()        // closes closed once
	closed chan struct{} // wakes the faults that wait

	mu       sync.Mutex
	browsers map[string]*browser   // by path
	pushes   []Push                // oldest first
	workers  map[string]func(Push) // service workers of browsers, by endpoint
	faults   []Fault
	requests int
}

// browser is one subscription of a browser.
type browser struct {
	key  *ecdh.PrivateKey
	auth [16]byte
}

// Push is a message that was taken and opened.
type Push struct {
	At       time.Time
	Endpoint string
	Topic    string // "" when it has none
	Urgency  string // "" when it has none: normal
	TTL      int    // seconds
	Payload  []byte
	Size     int // of the body as it came, in bytes
}

// Listen starts a push service.
func Listen(o Options) (*Service, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for pushes: %w", err)
	}
	r := &Service{
		origin: "http://" + listener.Addr().String(), key: o.Key, clock: o.Clock, tokens: o.TokenClock,
		browsers: map[string]*browser{}, workers: map[string]func(Push){}, closed: make(chan struct{}),
	}
	r.close = sync.OnceFunc(func() { close(r.closed) })
	if r.clock == nil {
		r.clock = clockwork.NewRealClock()
	}
	if r.tokens == nil {
		r.tokens = r.clock
	}
	r.server = &httptest.Server{Listener: listener, Config: &http.Server{Handler: r, ReadHeaderTimeout: time.Minute}}
	r.server.Start()
	return r, nil
}

// Origin is where it listens, as http://127.0.0.1:port.
func (r *Service) Origin() string { return r.origin }

// Close ends it, with the requests that it is holding up. It returns nil.
func (r *Service) Close() error {
	r.close()
	r.server.Close()
	return nil
}

// NewBrowser subscribes a browser and returns its endpoint, and its keys in base64url.
func (r *Service) NewBrowser() (endpoint, p256dh, auth string) {
	b := &browser{}
	var err error
	if b.key, err = ecdh.P256().GenerateKey(rand.Reader); err != nil {
		panic(err) // the system has no random numbers
	}
	rand.Read(b.auth[:])
	path := "/push/" + rand.Text()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.browsers[path] = b
	encode := base64.RawURLEncoding.EncodeToString
	return r.origin + path, encode(b.key.PublicKey().Bytes()), encode(b.auth[:])
}

// OnPush has the service worker of a browser called with each message to it, before
// the push service answers.
func (r *Service) OnPush(endpoint string, do func(Push)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.workers[endpoint] = do
}

// Proof returns the proof that a message asks its browser to send back, "" for none.
func (n *Push) Proof() string {
	var payload struct {
		Proof string `json:"prueba"`
	}
	if json.Unmarshal(n.Payload, &payload) != nil {
		return ""
	}
	return payload.Proof
}

// Pushes returns the messages that came, the newest first, repeats and those that a
// later one of the same Topic replaced included.
func (r *Service) Pushes() []Push {
	r.mu.Lock()
	defer r.mu.Unlock()
	pushes := slices.Clone(r.pushes)
	slices.Reverse(pushes)
	return pushes
}

// Shown returns the notifications that people see, the newest first: of each browser and
// Topic the last message alone.
func (r *Service) Shown() []Push {
	type place struct{ endpoint, topic string }
	seen := map[place]bool{}
	return slices.DeleteFunc(r.Pushes(), func(n Push) bool {
		at := place{n.Endpoint, n.Topic}
		replaced := n.Topic != "" && seen[at]
		seen[at] = true
		return replaced
	})
}

// Requests counts all requests.
func (r *Service) Requests() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.requests
}

// refusal is an answer that is not a success.
type refusal struct {
	status int
	reason string
}

// ServeHTTP answers as a push service does.
func (r *Service) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	r.requests++
	r.mu.Unlock()
	var body bytes.Buffer
	_, err := body.ReadFrom(io.LimitReader(req.Body, maxPush+1)) // read before all else: a sender that leaves is noticed only then
	f := r.takeFault(r.origin + req.URL.Path)
	if f != nil && !f.Accept {
		r.fault(f, w, req)
		return
	}
	push, refused := r.receive(req, body.Bytes(), err)
	if refused != nil {
		http.Error(w, refused.reason, refused.status)
		return
	}
	r.mu.Lock()
	r.pushes = append(r.pushes, *push)
	worker := r.workers[push.Endpoint]
	r.mu.Unlock()
	if worker != nil {
		worker(*push)
	}
	if f != nil {
		r.fault(f, w, req)
		return
	}
	w.Header().Set("Location", r.origin+"/message/"+rand.Text())
	w.Header().Set("TTL", strconv.Itoa(push.TTL))
	w.WriteHeader(http.StatusCreated)
}

// receive checks a request and opens its message; broken is why its body was not
// read to the end.
func (r *Service) receive(req *http.Request, body []byte, broken error) (*Push, *refusal) {
	if req.Method != http.MethodPost {
		return nil, &refusal{http.StatusMethodNotAllowed, "a push is a POST"}
	}
	b, refused := r.browser(req.URL.Path)
	if refused != nil {
		return nil, refused
	}
	push := &Push{At: r.clock.Now(), Endpoint: r.origin + req.URL.Path}
	if refused := push.readHeaders(req.Header); refused != nil {
		return nil, refused
	}
	if refused := r.checkSender(req.Header); refused != nil {
		return nil, refused
	}
	if broken != nil {
		return nil, &refusal{http.StatusBadRequest, "the body broke off"}
	}
	if push.Size = len(body); push.Size > maxPush {
		return nil, &refusal{http.StatusRequestEntityTooLarge, "the message is too long"}
	}
	var err error
	if push.Payload, err = b.open(body); err != nil {
		return nil, &refusal{http.StatusBadRequest, err.Error()}
	}
	return push, nil
}

func (r *Service) browser(path string) (*browser, *refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if b := r.browsers[path]; b != nil {
		return b, nil
	}
	return nil, &refusal{http.StatusNotFound, "no such subscription"}
}

// readHeaders reads the headers of RFC 8030.
func (n *Push) readHeaders(h http.Header) *refusal {
	ttl, err := strconv.ParseUint(h.Get("TTL"), 10, 31)
	switch {
	case err != nil || len(h.Values("TTL")) != 1:
		return &refusal{http.StatusBadRequest, "TTL is not a number of seconds"}
	case h.Get("Content-Encoding") != "aes128gcm":
		return &refusal{http.StatusUnsupportedMediaType, "the Content-Encoding is not aes128gcm"}
	}
	n.TTL, n.Topic, n.Urgency = int(ttl), h.Get("Topic"), h.Get("Urgency")
	if topics := h.Values("Topic"); len(topics) > 1 || len(topics) == 1 && !isTopic(n.Topic) {
		return &refusal{http.StatusBadRequest, "the Topic is not of 1 to 32 characters of base64url"}
	}
	if !slices.Contains([]string{"", "very-low", "low", "normal", "high"}, n.Urgency) || len(h.Values("Urgency")) > 1 {
		return &refusal{http.StatusBadRequest, "the Urgency is none"}
	}
	return nil
}

func isTopic(text string) bool {
	return text != "" && len(text) <= 32 && strings.IndexFunc(text, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_'
	}) < 0
}
