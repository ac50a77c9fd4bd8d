package handlers

import (
	"crypto/tls"
	"net/http"
	"strings"
	"time"

	"vigia/handlers/api"
)

// Certificates are those with which the service serves its own domains by HTTPS.
type Certificates interface {
	// TLS returns the settings of the public listener.
	TLS() *tls.Config
	// Challenges answers an authority's http-01 challenges, and leaves all else to next.
	Challenges(next http.Handler) http.Handler
	// Holds reports whether a domain has a certificate that is valid at an instant.
	Holds(name string, now time.Time) bool
	// Worst returns when the certificate that ends first does, zero when there is none
	// yet, and whether it is missing, or ends soon and is not renewed.
	Worst() (expires time.Time, failing bool)
}

// redirectHandler returns the handler of the plain port beside HTTPS.
func (s *Server) redirectHandler() http.Handler {
	next := s.Certificates.Challenges(http.HandlerFunc(s.serveRedirect))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.setHeaders(w.Header(), r)
		next.ServeHTTP(w, r)
	})
}

// serveRedirect sends people to HTTPS, at the public address whatever Host they name.
// While there is no valid certificate nobody could read anything there: then what is
// the same for everybody is served here, and nothing is taken.
func (s *Server) serveRedirect(w http.ResponseWriter, r *http.Request) {
	reading := isReading(r)
	switch {
	case reading && s.Certificates.Holds(s.host, s.Clock.Now()):
		w.Header()["Location"] = []string{s.BaseURL + target(r)}
		s.answerRedirect(w, r, http.StatusMovedPermanently, "servidor.esta_en")
	case reading && !personal(r.URL.Path):
		s.ServeHTTP(w, r)
	case reading:
		w.Header()["Retry-After"] = []string{"300"}
		s.answerRedirect(w, r, http.StatusServiceUnavailable, "servidor.necesita_cifrado")
	default:
		w.Header()["Connection"] = closing
		s.answerRedirect(w, r, http.StatusForbidden, "servidor.sin_cifrar")
	}
}

// redirectRoute is the route of the plain port's answers in the metrics.
const redirectRoute = "redirect"

// answerRedirect answers with the text of a key and counts it.
func (s *Server) answerRedirect(w http.ResponseWriter, r *http.Request, status int, key string) {
	start := s.Clock.Now()
	refusePlain(w, r, status, s.Words(r.URL.Path).Text(key, "sitio", s.BaseURL))
	if s.Meter != nil {
		s.Meter.Answered(redirectRoute, status, s.Clock.Since(start))
	}
}

// target returns path and query of a request as they stand behind a host, "/" for a
// request target that has no path.
func target(r *http.Request) string {
	path := r.URL.EscapedPath()
	if !strings.HasPrefix(path, "/") {
		return "/"
	}
	if r.URL.RawQuery != "" {
		path += "?" + r.URL.RawQuery
	}
	return path
}

// personal reports whether a path leads to what is one person's.
func personal(path string) bool {
	return loggedPath(path) != path || strings.HasPrefix(path, api.Prefix+"/suscriptores")
}
