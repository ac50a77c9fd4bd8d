package handlers

import (
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"vigia/handlers/api"
	"vigia/handlers/prepared"
	"vigia/handlers/site"
)

// The limits of what is not the API's: pages with all that they load.
const (
	siteLimit     = 600
	apiClients    = 1 << 15
	siteClients   = 1 << 13
	longestBody   = 8 << 10 // bytes; no resource takes more
	tabulatedFrom = 200     // limits above this have their header written a request
)

// limits are the rate limiters with their header values.
type limits struct {
	api    *limiter // nil is no limit
	site   *limiter
	policy []string
	states []string // RateLimit by remaining and seconds, nil for large limits
}

func newLimits(perMinute int, now time.Time) limits {
	if perMinute <= 0 {
		return limits{}
	}
	l := limits{
		api:    newLimiter(perMinute, apiClients, now),
		site:   newLimiter(max(siteLimit, perMinute), siteClients, now),
		policy: []string{`"ip";q=` + strconv.Itoa(perMinute) + `;w=` + strconv.Itoa(int(window/time.Second))},
	}
	if perMinute <= tabulatedFrom {
		for remaining := range perMinute + 1 {
			for reset := range int(window/time.Second) + 1 {
				l.states = append(l.states, rateState(remaining, reset))
			}
		}
	}
	return l
}

func rateState(remaining, reset int) string {
	return `"ip";r=` + strconv.Itoa(remaining) + `;t=` + strconv.Itoa(reset)
}

// state gives the RateLimit header of a verdict.
func (l *limits) state(v verdict) []string {
	i := v.remaining*(int(window/time.Second)+1) + v.reset
	if i >= len(l.states) {
		return []string{rateState(v.remaining, v.reset)}
	}
	return l.states[i : i+1 : i+1]
}

// Handler gives the whole server as a handler.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

// serve passes a request through everything that all requests have in common.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	start := s.Clock.Now()
	v := newResponse(w, r)
	defer func() {
		if fault := recover(); fault != nil {
			s.recovered(v, r, fault)
		}
		if s.Log.Enabled(r.Context(), slog.LevelDebug) {
			s.Log.Debug("request", "method", r.Method, "path", loggedPath(r.URL.Path), "status", v.status,
				"bytes", v.bytes, "took", s.Clock.Since(start))
		}
		if s.Meter != nil {
			s.Meter.Answered(v.route, v.status, s.Clock.Since(start))
		}
		v.release()
	}()
	if s.shown.Load().edition.Simulated {
		w.Header()["Vigia-Datos"] = simulated
	}
	if isAPI(r.URL.Path) {
		s.serveAPI(v, r, start)
		return
	}
	s.serveSite(v, r, start)
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
	text := "algo falló al responder; si se repite, avise al operador "
	if s.Contact != "" {
		text += "(" + s.Contact + ") "
	}
	text += "con la referencia " + reference
	if isAPI(r.URL.Path) {
		api.Refuse(w, r, s.Clock.Now(), &api.Fault{Status: http.StatusInternalServerError, Code: "error_interno", Text: text})
		return
	}
	refusePlain(w, r, http.StatusInternalServerError, text)
}

// tokenPaths are the beginnings after which a path has a token, wherever they
// stand in it.
var tokenPaths = []string{"/suscriptores/", "/confirmar/", "/baja/", "/gestionar/"}

// anyToken finds tokens in a path that a mail program or a person has mangled.
var anyToken = regexp.MustCompile(`[A-Za-z0-9_-]{40,}`)

// loggedPath gives a path for the log: whoever has a token has the subscription,
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
	noReferrer   = []string{"no-referrer"}
	deny         = []string{"DENY"}
	sameOrigin   = []string{"same-origin"}
	crossOrigin  = []string{"cross-origin"}
	anyOrigin    = []string{"*"}
	exposed      = []string{"ETag, Retry-After, RateLimit, RateLimit-Policy"}
	simulated    = []string{"simulados"} // in answers that have no other place to say it
	closing      = []string{"close"}
	noPowers     = []string{"camera=(), geolocation=(), microphone=(), payment=(), usb=()"}
	dataPolicy   = []string{"default-src 'none'; frame-ancestors 'none'"}
	secureOnly   = []string{"max-age=31536000"}
	pagePolicy   = []string{site.ContentPolicy}
	plainContent = []string{"text/plain; charset=utf-8"}
)

// secure sets the security headers.
func (s *Server) secure(h http.Header, r *http.Request, policy, resourcePolicy []string) {
	h["X-Content-Type-Options"] = noSniff
	h["Referrer-Policy"] = noReferrer
	h["X-Frame-Options"] = deny
	h["Content-Security-Policy"] = policy
	h["Cross-Origin-Opener-Policy"] = sameOrigin
	h["Cross-Origin-Resource-Policy"] = resourcePolicy
	h["Permissions-Policy"] = noPowers
	if s.byTLS(r) {
		h["Strict-Transport-Security"] = secureOnly
	}
}

// byTLS tells whether a client came by TLS. Where that is a proxy's work, the
// public address tells.
func (s *Server) byTLS(r *http.Request) bool {
	return r.TLS != nil || s.onTLS && s.Certificates == nil
}

func (s *Server) serveAPI(w *response, r *http.Request, now time.Time) {
	h := w.Header()
	s.secure(h, r, dataPolicy, crossOrigin)
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		h["Access-Control-Allow-Origin"] = anyOrigin
		h["Access-Control-Expose-Headers"] = exposed
	}
	fault := unacceptable(r)
	if fault != nil && fault.Status != http.StatusNotFound {
		hangUp(w) // on a client over its limit too: what follows is no request
	}
	if s.limits.api != nil {
		verdict := s.limits.api.take(clientAddress(r, s.TrustedProxies), now)
		h["Ratelimit-Policy"] = s.limits.policy
		h["Ratelimit"] = s.limits.state(verdict)
		if !verdict.allowed {
			tooMany := &api.Fault{Status: http.StatusTooManyRequests, Code: "demasiadas_solicitudes", RetryAfter: verdict.reset}
			api.RefuseWith(w, r, now, tooMany, tooManyBody)
			return
		}
	}
	if fault != nil {
		api.Refuse(w, r, now, fault)
		return
	}
	s.api.ServeHTTP(w, r)
}

var tooManyBody = prepared.Error("demasiadas_solicitudes: superó el máximo de solicitudes por minuto; espere los segundos que indica " +
	"Retry-After. Los datos cambian una vez por hora")

// unacceptable tells what no resource takes: a body whose length is not stated
// (a way to smuggle requests past proxies), a large one, and paths that only
// look like a resource's after decoding.
func unacceptable(r *http.Request) *api.Fault {
	switch {
	case len(r.TransferEncoding) > 0:
		return &api.Fault{Status: http.StatusLengthRequired, Code: "largo_requerido",
			Text: "no se admite Transfer-Encoding; envíe el cuerpo con Content-Length"}
	case r.ContentLength > longestBody:
		return &api.Fault{Status: http.StatusRequestEntityTooLarge, Code: "cuerpo_demasiado_grande",
			Text: "el cuerpo admite como máximo 8192 bytes"}
	case oddPath(r):
		return api.NotFound()
	}
	return nil
}

// hangUp has the connection end with the answer, without waiting long for what is left
// of the request. What is on its way already is read: a connection that is closed with
// bytes unread is reset, and with it the answer may be lost.
func hangUp(w *response) {
	w.Header()["Connection"] = closing
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(lingering)) // without it the rest is waited for, no more
}

const lingering = time.Second

// oddPath tells whether a path has doubled slashes, backslashes, control
// characters or encoded separators.
func oddPath(r *http.Request) bool {
	path := r.URL.Path
	for i := range len(path) {
		if c := path[i]; c < ' ' || c == 0x7f || c == '\\' || c == '/' && i > 0 && path[i-1] == '/' {
			return true
		}
	}
	raw := r.URL.RawPath
	return raw != "" && strings.Contains(strings.ToLower(raw), "%2f")
}

// serveSite answers everything outside the API.
func (s *Server) serveSite(w *response, r *http.Request, now time.Time) {
	h := w.Header()
	s.secure(h, r, pagePolicy, sameOrigin)
	if fault := unacceptable(r); fault != nil && fault.Status != http.StatusNotFound {
		hangUp(w)
		refusePlain(w, r, fault.Status, fault.Text)
		return
	}
	if s.limits.site != nil {
		if verdict := s.limits.site.take(clientAddress(r, s.TrustedProxies), now); !verdict.allowed {
			h["Retry-After"] = []string{strconv.Itoa(verdict.reset)}
			refusePlain(w, r, http.StatusTooManyRequests, "Demasiadas solicitudes. Espere un minuto y vuelva a cargar la página.")
			return
		}
	}
	s.site.ServeHTTP(w, r)
}

// servePrepared answers with the page or the file of a path.
func (s *Server) servePrepared(w http.ResponseWriter, r *http.Request) {
	now := s.Clock.Now()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header()["Allow"] = []string{"GET, HEAD"}
		refusePlain(w, r, http.StatusMethodNotAllowed, "Las páginas solo se pueden leer.")
		return
	}
	if file, ok := s.Assets[r.URL.Path]; ok {
		prepared.Mark(w, site.Route(r.URL.Path))
		file.Serve(w, r, prepared.Terms{Now: now, CacheControl: fileAge(r.URL.Path)})
		return
	}
	shown := s.at(now)
	if page := shown.pages.Page(r.URL.Path); page != nil {
		prepared.Mark(w, site.Route(r.URL.Path))
		if page.Open {
			w.Header()["Cross-Origin-Resource-Policy"] = crossOrigin
			w.Header()["Access-Control-Allow-Origin"] = anyOrigin
		}
		// A browser too old to say from which site a form comes says its origin, but
		// only of a page that may be named to this site. None of these has a token.
		w.Header()["Referrer-Policy"] = sameOrigin
		page.Body().Serve(w, r, shown.api.PageTerms(now))
		return
	}
	if meant := meantPage(shown, r.URL.Path); meant != "" {
		w.Header()["Cache-Control"] = prepared.MaxAge(time.Hour)
		http.Redirect(w, r, meant, http.StatusMovedPermanently)
		return
	}
	if s.NotFoundPage != nil {
		s.NotFoundPage(r.URL.Path).Serve(w, r, absence(shown, r.URL.Path, now))
		return
	}
	refusePlain(w, r, http.StatusNotFound, "Esta página no existe.")
}

// meantPage gives the page that a path with a slash too many or too few at its end
// means, "" when there is none.
func meantPage(shown *view, path string) string {
	other, cut := strings.CutSuffix(path, "/")
	if !cut {
		other += "/"
	}
	if shown.pages.Page(other) == nil {
		return ""
	}
	return other
}

// absence are the terms on which a path is told not to exist: a cache in front
// answers who asks for the same one again and again, until it could be there. What
// may be a token that was mangled is for no cache.
func absence(shown *view, path string, now time.Time) prepared.Terms {
	t := shown.api.AbsenceTerms(now)
	if loggedPath(path) != path {
		t.CacheControl = prepared.NoStore
	}
	t.Status = http.StatusNotFound
	return t
}

var (
	forEver = []string{"public, max-age=31536000, immutable"}
	// Browsers ask for a newer worker past their own cache, so that this is for the
	// caches in front, which would pass on every visit otherwise.
	workerAge = prepared.MaxAge(5 * time.Minute)
)

func fileAge(path string) []string {
	if path == site.ServiceWorker {
		return workerAge
	}
	if strings.HasPrefix(path, "/static/") {
		return forEver
	}
	return prepared.MaxAge(time.Hour)
}

// refusePlain answers in one line of text.
func refusePlain(w http.ResponseWriter, r *http.Request, status int, text string) {
	h := w.Header()
	h["Cache-Control"] = prepared.NoStore
	h["Content-Type"] = plainContent
	h["Content-Length"] = []string{strconv.Itoa(len(text) + 1)}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write([]byte(text + "\n"))
	}
}
