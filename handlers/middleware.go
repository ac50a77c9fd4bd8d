package handlers

import (
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"vigia/handlers/api"
	"vigia/handlers/httpcache"
	"vigia/handlers/site"
	"vigia/web/wording"
)

// ServeHTTP takes a request through what all have in common: headers, the checks that
// no resource needs to make, the client's limit. Then the router finds its handler.
// Whatever happens on the way, [Server.finish] has the last word.
func (s *Server) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	start := s.Clock.Now()
	w := newResponse(to, r)
	defer s.finish(w, r, start)
	s.setHeaders(w.Header(), r)
	fault := api.Unacceptable(r)
	if fault != nil {
		hangUp(w) // on a client over its limit too: what follows is no request
	}
	switch {
	case !s.withinLimit(w, r, start):
	case fault != nil:
		s.refuse(w, r, start, fault)
	case isOddPath(r):
		s.serveNotFound(w, r)
	default:
		s.router.ServeHTTP(w, r)
	}
}

// finish recovers from a panic, logs a request and counts its answer.
func (s *Server) finish(w *response, r *http.Request, start time.Time) {
	if fault := recover(); fault != nil {
		s.recovered(w, r, fault)
	}
	if s.Log.Enabled(r.Context(), slog.LevelDebug) {
		s.Log.Debug("request", "method", r.Method, "path", loggedPath(r.URL.Path), "status", w.status,
			"bytes", w.bytes, "took", s.Clock.Since(start))
	}
	if s.Meter != nil {
		s.Meter.Answered(w.route, w.status, s.Clock.Since(start))
	}
	w.release()
}

// recovered answers for a handler that panicked. Nothing of the inside goes out;
// the reference is in the log and in the answer. Where the answer had begun, the
// connection is cut, so that nobody takes the half for the whole.
func (s *Server) recovered(w *response, r *http.Request, fault any) {
	if fault == http.ErrAbortHandler {
		panic(fault)
	}
	reference := newReference()
	s.Log.Error("request failed", "reference", reference, "method", r.Method, "path", loggedPath(r.URL.Path),
		"panic", fault, "stack", string(debug.Stack()))
	if w.status != 0 {
		panic(http.ErrAbortHandler)
	}
	h := w.Header()
	for _, name := range []string{"Etag", "Last-Modified", "Content-Encoding", "Content-Length", "Content-Type"} {
		delete(h, name)
	}
	s.refuse(w, r, s.Clock.Now(), &api.Fault{Status: http.StatusInternalServerError, Code: "error_interno",
		Text: s.Words(r.URL.Path).Text("servidor.fallo", "contacto", s.Contact, "referencia", reference)})
}

// refuse answers with a fault: to the API's clients in JSON, to all others in a line.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, now time.Time, fault *api.Fault) {
	if isAPI(r.URL.Path) {
		api.Refuse(w, r, now, fault)
		return
	}
	refusePlain(w, r, fault.Status, fault.Text)
}

// tokenPaths are the beginnings after which a path has a token, wherever they
// stand in it.
var tokenPaths = []string{"/suscriptores/", "/confirmar/", "/baja/", "/gestionar/"}

// anyToken finds tokens in a path that a mail program or a person has mangled.
var anyToken = regexp.MustCompile(`[A-Za-z0-9_-]{40,}`)

// loggedPath returns a path for the log: whoever has a token has the subscription,
// so that none is written down.
func loggedPath(path string) string {
	for i := range path {
		for _, begin := range tokenPaths {
			if end := i + len(begin); end <= len(path) && strings.EqualFold(path[i:end], begin) {
				return path[:end] + "…"
			}
		}
	}
	return anyToken.ReplaceAllString(path, "…")
}

func newReference() string {
	var b [6]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func isAPI(path string) bool {
	rest, ok := strings.CutPrefix(path, api.Prefix)
	return ok && (rest == "" || rest[0] == '/')
}

// Header values that are the same for every answer. They are shared and never
// written to.
var (
	noSniff      = []string{"nosniff"}
	sameOrigin   = []string{"same-origin"}
	crossOrigin  = []string{"cross-origin"}
	anyOrigin    = []string{"*"}
	exposed      = []string{"ETag, Retry-After, RateLimit, RateLimit-Policy"}
	simulated    = []string{"simulados"} // in answers that have no other place to say it
	closing      = []string{"close"}
	secureOnly   = []string{"max-age=31536000"}
	plainContent = []string{"text/plain; charset=utf-8"}
	pageHeaders  = http.Header{
		"Referrer-Policy": {"no-referrer"}, "X-Frame-Options": {"DENY"}, "Content-Security-Policy": {site.ContentPolicy},
		"Cross-Origin-Opener-Policy": sameOrigin, "Cross-Origin-Resource-Policy": sameOrigin,
		"Permissions-Policy": {"camera=(), geolocation=(self), microphone=(), payment=(), usb=()"},
	}
)

// setHeaders sets the headers that every answer has, and those of what a browser shows or
// those of JSON.
func (s *Server) setHeaders(h http.Header, r *http.Request) {
	h["X-Content-Type-Options"] = noSniff
	if r.TLS != nil || s.onTLS && s.Certificates == nil { // where TLS is a proxy's work, the public address tells
		h["Strict-Transport-Security"] = secureOnly
	}
	if s.shown.Load().snap.Simulated {
		h["Vigia-Datos"] = simulated
	}
	switch {
	case !isAPI(r.URL.Path):
		maps.Copy(h, pageHeaders)
	case api.OpenToOrigins(r):
		h["Access-Control-Allow-Origin"] = anyOrigin
		h["Access-Control-Expose-Headers"] = exposed
	}
}

// withinLimit counts a request for its client, and has answered when there were too
// many. The API has a limit and headers of its own.
func (s *Server) withinLimit(w *response, r *http.Request, now time.Time) bool {
	if s.limits.api == nil {
		return true
	}
	network, h := networkOf(clientAddress(r, s.TrustedProxies)), w.Header()
	if !isAPI(r.URL.Path) {
		v := s.limits.site.take(now, client{network, s.limits.siteShares})
		if v.wait > 0 {
			h["Retry-After"] = []string{strconv.Itoa(wholeSeconds(v.wait))}
			refusePlain(w, r, http.StatusTooManyRequests, s.Words(r.URL.Path).Text("servidor.demasiadas"))
		}
		return v.wait == 0
	}
	v := s.limits.api.take(now, client{network, s.limits.apiShares})
	h["Ratelimit-Policy"] = s.limits.policy
	h["Ratelimit"] = s.limits.state(v)
	if v.wait > 0 {
		tooMany := &api.Fault{Status: http.StatusTooManyRequests, Code: "demasiadas_solicitudes", RetryAfter: wholeSeconds(v.wait)}
		api.RefuseWith(w, r, now, tooMany, tooManyBody)
	}
	return v.wait == 0
}

var tooManyBody = httpcache.Error("demasiadas_solicitudes: " + wording.Spanish.Text("servidor.demasiadas_api"))

// hangUp has the connection end with the answer, without waiting long for what is left
// of the request. What is on its way already is read: a connection that is closed with
// bytes unread is reset, and with it the answer may be lost.
func hangUp(w *response) {
	w.Header()["Connection"] = closing
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(lingering)) // without it the rest is waited for, no more
}

const lingering = time.Second

// isOddPath reports whether a path has doubled slashes, backslashes, control
// characters or encoded slashes: it only looks like a resource's after decoding.
func isOddPath(r *http.Request) bool {
	path := r.URL.Path
	odd := func(c rune) bool { return c < ' ' || c == 0x7f || c == '\\' }
	return strings.Contains(path, "//") || strings.ContainsFunc(path, odd) || strings.Contains(strings.ToLower(r.URL.RawPath), "%2f")
}

// refusePlain answers in one line of text.
func refusePlain(w http.ResponseWriter, r *http.Request, status int, text string) {
	h := w.Header()
	h["Cache-Control"] = httpcache.NoStore
	h["Content-Type"] = plainContent
	h["Content-Length"] = []string{strconv.Itoa(len(text) + 1)}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write([]byte(text + "\n"))
	}
}
