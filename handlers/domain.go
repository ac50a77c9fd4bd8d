package handlers

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"time"

	"vigia/handlers/api"
)

// Certificates are those with which the service serves its own domains by HTTPS.
type Certificates interface {
	// TLS gives the settings of the public listener.
	TLS() *tls.Config
	// Challenges answers an authority's questions at the plain port, and leaves all
	// else to rest.
	Challenges(rest http.Handler) http.Handler
	// Holds tells whether a domain has a certificate that is valid at an instant.
	Holds(name string, now time.Time) bool
	// Worst tells of the certificate that ends first: when, zero when there is none
	// yet, and whether it is missing, or ends soon and is not renewed.
	Worst() (expires time.Time, failing bool)
}

// ServeDomain answers by HTTPS on one listener and sends those who come by the other,
// plain one there; plain may be nil. Options.Certificates and an https BaseURL are
// required. It ends as [Server.Serve] does.
func (s *Server) ServeDomain(ctx context.Context, secure, plain net.Listener) error {
	entrances := []entrance{{Listener: secure, tls: s.Certificates.TLS(), handler: s.Handler(), turnstile: s.turnstile}}
	if plain != nil {
		rest := s.Certificates.Challenges(http.HandlerFunc(s.servePlain))
		entrances = append(entrances, entrance{Listener: plain, turnstile: s.turnstile, handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.secure(w.Header(), r, dataPolicy, sameOrigin)
			rest.ServeHTTP(w, r)
		})})
	}
	return s.serveAt(ctx, entrances...)
}

// servePlain answers at the plain port: it sends people to HTTPS, at the public
// address whatever Host they name. While there is no certificate that is valid,
// nobody could read anything there: then what is the same for everybody can be read
// here, and nothing is taken.
func (s *Server) servePlain(w http.ResponseWriter, r *http.Request) {
	reading := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case reading && s.Certificates.Holds(s.host, s.Clock.Now()):
		w.Header()["Location"] = []string{s.BaseURL + target(r)}
		s.sendAway(w, r, http.StatusMovedPermanently, "Este sitio está en "+s.BaseURL)
	case reading && !personal(r.URL.Path):
		s.serve(w, r)
	case reading:
		w.Header()["Retry-After"] = []string{"300"}
		s.sendAway(w, r, http.StatusServiceUnavailable, "Esta página necesita una conexión cifrada, que en este momento no es posible. Vuelva a intentarlo más tarde.")
	default:
		w.Header()["Connection"] = closing
		s.sendAway(w, r, http.StatusForbidden, "Nada se recibe por una conexión sin cifrar: use "+s.BaseURL)
	}
}

// redirectRoute stands for what the plain port answers.
const redirectRoute = "redirect"

// sendAway answers in a line and counts it.
func (s *Server) sendAway(w http.ResponseWriter, r *http.Request, status int, text string) {
	start := s.Clock.Now()
	refusePlain(w, r, status, text)
	if s.Meter != nil {
		s.Meter.Answered(redirectRoute, status, s.Clock.Since(start))
	}
}

// target gives path and query of a request as they stand behind a host. What is
// written as another kind of address leads to the root.
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

// personal tells whether a path leads to what is one person's.
func personal(path string) bool {
	return loggedPath(path) != path || strings.HasPrefix(path, api.Prefix+"/suscriptores")
}
