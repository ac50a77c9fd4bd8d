package simulate

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// maxPush is the longest message that a push service has to take (RFC 8291).
const maxPush = 4096

// defaultNotes is how many notes a receiver keeps when it is not told.
const defaultNotes = 200

// ReceiverOptions say how a push service behaves.
type ReceiverOptions struct {
	Address string          // host:port; "": a free port of 127.0.0.1
	Keep    int             // how many notes are kept; 0: 200
	Key     string          // the only VAPID public key that it takes, base64url; "": any
	Clock   clockwork.Clock // by which tokens are judged; nil: the machine's
	Log     *slog.Logger    // nil: nothing is logged
}

// Receiver is a push service with the browsers behind it: it takes messages over
// HTTP as RFC 8030 has it, checks who sends them by RFC 8292, and opens them with
// the keys of the browser as RFC 8291 says, to the letter. It is safe for
// concurrent use.
type Receiver struct {
	origin string
	keep   int
	key    string
	clock  clockwork.Clock
	log    *slog.Logger
	server *http.Server
	ended  chan struct{}
	closed chan struct{} // wakes the faults that wait

	mu       sync.Mutex
	browsers map[string]*browser // by path
	notes    []Note              // oldest first
	faults   []PushFault
	requests int
}

// browser is one subscription of a browser.
type browser struct {
	key  *ecdh.PrivateKey
	auth [16]byte
	gone bool
}

// Note is a message that was taken and opened.
type Note struct {
	At       time.Time
	Endpoint string
	Topic    string // "" when it has none
	Urgency  string // "" when it has none: normal
	TTL      int    // seconds
	Payload  []byte
	Size     int // of the body as it came, in bytes
}

// ListenPush starts a push service.
func ListenPush(o ReceiverOptions) (*Receiver, error) {
	listener, err := net.Listen("tcp", cmp.Or(o.Address, "127.0.0.1:0"))
	if err != nil {
		return nil, fmt.Errorf("listen for pushes: %w", err)
	}
	r := &Receiver{
		origin: "http://" + listener.Addr().String(), keep: cmp.Or(o.Keep, defaultNotes), key: strings.TrimRight(o.Key, "="),
		clock: o.Clock, log: o.Log, browsers: map[string]*browser{}, ended: make(chan struct{}), closed: make(chan struct{}),
	}
	if r.clock == nil {
		r.clock = clockwork.NewRealClock()
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(r.log.Handler(), slog.LevelDebug)}
	go func() {
		defer close(r.ended)
		if err := r.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			r.log.Error("the simulated push service has ended", "error", err)
		}
	}()
	return r, nil
}

// Origin is where it listens, as http://127.0.0.1:port.
func (r *Receiver) Origin() string { return r.origin }

// Close ends it, with the requests that it is holding up.
func (r *Receiver) Close() error {
	r.mu.Lock()
	select {
	case <-r.closed:
	default:
		close(r.closed)
	}
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := r.server.Shutdown(ctx)
	if err != nil {
		err = r.server.Close()
	}
	<-r.ended
	return err
}

// NewBrowser subscribes a browser and gives what it tells the site: where to post,
// and its keys in base64url.
func (r *Receiver) NewBrowser() (endpoint, p256dh, auth string) {
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

// Unsubscribe has a browser's person take the permission away: its endpoint is
// answered 410 from now on.
func (r *Receiver) Unsubscribe(endpoint string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if b := r.browsers[strings.TrimPrefix(endpoint, r.origin)]; b != nil {
		b.gone = true
	}
}

// Notes gives the messages that came, the newest first, repeats and those that a
// later one of the same Topic replaced included.
func (r *Receiver) Notes() []Note {
	r.mu.Lock()
	defer r.mu.Unlock()
	notes := slices.Clone(r.notes)
	slices.Reverse(notes)
	return notes
}

// Shown gives what people have before them, the newest first: of each browser and
// Topic the last message alone.
func (r *Receiver) Shown() []Note {
	type place struct{ endpoint, topic string }
	seen := map[place]bool{}
	return slices.DeleteFunc(r.Notes(), func(n Note) bool {
		at := place{n.Endpoint, n.Topic}
		replaced := n.Topic != "" && seen[at]
		seen[at] = true
		return replaced
	})
}

// Requests counts what was asked of it, whatever came of it.
func (r *Receiver) Requests() int {
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
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	r.requests++
	r.mu.Unlock()
	var body bytes.Buffer
	_, err := body.ReadFrom(io.LimitReader(req.Body, maxPush+1)) // read before all else: a sender that leaves is noticed only then
	f := r.take(r.origin + req.URL.Path)
	if f != nil && !f.Accept && r.befall(f, w, req) {
		return
	}
	note, refused := r.receive(req, body.Bytes(), err)
	if refused != nil {
		r.log.Debug("a push was refused", "status", refused.status, "reason", refused.reason)
		http.Error(w, refused.reason, refused.status)
		return
	}
	r.mu.Lock()
	r.notes = append(r.notes, *note)
	if extra := len(r.notes) - r.keep; extra > 0 {
		r.notes = slices.Delete(r.notes, 0, extra)
	}
	r.mu.Unlock()
	if f != nil && f.Accept && r.befall(f, w, req) {
		return
	}
	w.Header().Set("Location", r.origin+"/message/"+rand.Text())
	w.Header().Set("TTL", strconv.Itoa(note.TTL))
	w.WriteHeader(http.StatusCreated)
}

// receive checks a request and opens its message; broken is why its body was not
// read to the end.
func (r *Receiver) receive(req *http.Request, body []byte, broken error) (*Note, *refusal) {
	if req.Method != http.MethodPost {
		return nil, &refusal{http.StatusMethodNotAllowed, "a push is a POST"}
	}
	b, refused := r.browser(req.URL.Path)
	if refused != nil {
		return nil, refused
	}
	note := &Note{At: r.clock.Now(), Endpoint: r.origin + req.URL.Path}
	if refused := note.readHeaders(req.Header); refused != nil {
		return nil, refused
	}
	if refused := r.checkSender(req.Header); refused != nil {
		return nil, refused
	}
	if broken != nil {
		return nil, &refusal{http.StatusBadRequest, "the body broke off"}
	}
	if note.Size = len(body); note.Size > maxPush {
		return nil, &refusal{http.StatusRequestEntityTooLarge, "the message is too long"}
	}
	var err error
	if note.Payload, err = b.open(body); err != nil {
		return nil, &refusal{http.StatusBadRequest, err.Error()}
	}
	return note, nil
}

func (r *Receiver) browser(path string) (*browser, *refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch b := r.browsers[path]; {
	case b == nil:
		return nil, &refusal{http.StatusNotFound, "no such subscription"}
	case b.gone:
		return nil, &refusal{http.StatusGone, "the subscription is no more"}
	default:
		return b, nil
	}
}

// readHeaders reads what RFC 8030 has a message say of itself.
func (n *Note) readHeaders(h http.Header) *refusal {
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
