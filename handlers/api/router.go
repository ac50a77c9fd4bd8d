package api

import (
	_ "embed"
	"net/http"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"vigia/forecast/alert"
	"vigia/handlers/prepared"
)

// Prefix is where the API lives.
const Prefix = "/api/v1"

// How long answers may be kept at most; less when something changes before.
const (
	usualAge     = 5 * time.Minute
	alertsAge    = time.Minute
	thresholdAge = time.Hour
	outageAge    = time.Minute     // of what says that there are no data
	absenceAge   = time.Minute     // of what says that there is no such page
	lateAge      = 2 * time.Second // of what a publication that is due will replace
)

//go:embed openapi.json
var openAPI []byte

// Document gives the OpenAPI document that is served. It must not be changed.
func Document() []byte { return openAPI }

// View gives the snapshot that is true now, and now.
type View func() (*Snapshot, time.Time)

// resource answers GET and HEAD of one route from a snapshot.
type resource func(s *Snapshot, w http.ResponseWriter, r *http.Request, slug string, now time.Time)

// routes are the paths under Prefix. The document openapi.json has the same.
var routes = map[string]resource{
	"/parques":                  (*Snapshot).serveParks,
	"/parques/:slug":            (*Snapshot).servePark,
	"/parques/:slug/senderos":   (*Snapshot).serveTrails,
	"/parques/:slug/historial":  (*Snapshot).serveHistory,
	"/parques/:slug/pronostico": (*Snapshot).serveForecast,
	"/alertas":                  (*Snapshot).serveAlerts,
	"/precision":                (*Snapshot).servePrecision,
	"/umbrales":                 (*Snapshot).serveThresholds,
	"/health":                   withoutParameters((*Snapshot).serveHealth),
	"/openapi.json":             serveDocument(prepared.Static("application/json; charset=utf-8", openAPI)),
}

// NewRouter gives the handler of everything under Prefix.
func NewRouter(view View, signups Signups) http.Handler {
	router := httprouter.New()
	router.RedirectTrailingSlash = false
	router.RedirectFixedPath = false
	for path, serve := range routes {
		route := Prefix + path
		handle := func(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
			prepared.Mark(w, route)
			s, now := view()
			slug := ""
			if len(p) > 0 {
				slug = p[0].Value
			}
			serve(s, w, r, slug, now)
		}
		router.GET(route, handle)
		router.HEAD(route, handle)
	}
	signups.register(router, view)
	refuse := func(f func(h http.Header) *Fault) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, now := view()
			Refuse(w, r, now, f(w.Header()))
		})
	}
	router.NotFound = refuse(func(http.Header) *Fault { return NotFound() })
	router.MethodNotAllowed = refuse(wrongMethod)
	router.GlobalOPTIONS = http.HandlerFunc(serveOptions)
	return router
}

// wrongMethod is the fault of a method that a resource does not take; the router
// has set Allow.
func wrongMethod(h http.Header) *Fault {
	f := &Fault{Status: http.StatusMethodNotAllowed, Code: "metodo_no_permitido"}
	f.Text = "este recurso no admite ese método; los que admite son: " + h.Get("Allow")
	return f
}

// serveOptions answers what may be done with a resource; the router has set
// Allow. Reading is allowed from pages of any origin, changing from none but ours.
func serveOptions(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	if strings.Contains(h.Get("Allow"), http.MethodGet) {
		h["Access-Control-Allow-Origin"] = anyOrigin
		h["Access-Control-Allow-Methods"] = []string{"GET, HEAD"}
		h["Access-Control-Allow-Headers"] = []string{"If-None-Match, If-Modified-Since"}
		h["Access-Control-Max-Age"] = []string{"86400"}
	}
	h["Cache-Control"] = prepared.NoStore
	w.WriteHeader(http.StatusNoContent)
}

var anyOrigin = []string{"*"}

// cacheSlack is how much sooner than it stops being true an answer is to be given
// up: caches count whole seconds, and nginx keeps what it has through the last one.
const cacheSlack = time.Second

// terms say how long an answer may be kept: until something changes, and no
// longer than longest.
func (s *Snapshot) terms(now time.Time, longest time.Duration) prepared.Terms {
	age := longest
	if wait := s.nextAt.Sub(now); !s.nextAt.IsZero() && wait > 0 {
		age = min(age, wait)
	} else if !s.nextAt.IsZero() {
		age = min(age, lateAge) // at any moment, yet not everybody need ask
	}
	if !s.until.IsZero() {
		age = min(age, s.until.Sub(now)-cacheSlack)
	}
	if !s.current {
		age = min(age, outageAge)
	}
	return s.steady(now, age)
}

// PageTerms are the terms of the site's pages, which show the same publication.
func (s *Snapshot) PageTerms(now time.Time) prepared.Terms { return s.terms(now, usualAge) }

// AbsenceTerms are the terms on which a page is said not to exist.
func (s *Snapshot) AbsenceTerms(now time.Time) prepared.Terms { return s.terms(now, absenceAge) }

// steady are the terms of what no publication changes.
func (s *Snapshot) steady(now time.Time, age time.Duration) prepared.Terms {
	return prepared.Terms{
		Now: now, CacheControl: prepared.MaxAge(age),
		LastModified: s.lastModified, Modified: s.modified,
	}
}

// withoutParameters makes a resource of one that takes no slug; any parameter
// is refused.
func withoutParameters(serve func(*Snapshot, http.ResponseWriter, *http.Request, time.Time)) resource {
	return func(s *Snapshot, w http.ResponseWriter, r *http.Request, _ string, now time.Time) {
		if _, fault := parseQuery(r.URL.RawQuery); fault != nil {
			Refuse(w, r, now, fault)
			return
		}
		serve(s, w, r, now)
	}
}

func serveDocument(body *prepared.Body) resource {
	return withoutParameters(func(s *Snapshot, w http.ResponseWriter, r *http.Request, now time.Time) {
		body.Serve(w, r, prepared.Terms{Now: now, CacheControl: prepared.MaxAge(usualAge)})
	})
}

// serve answers with a body to a route without parameters.
func (s *Snapshot) serve(w http.ResponseWriter, r *http.Request, body *prepared.Body, t prepared.Terms) {
	if r.URL.RawQuery != "" {
		if _, fault := parseQuery(r.URL.RawQuery); fault != nil {
			Refuse(w, r, t.Now, fault)
			return
		}
	}
	body.Serve(w, r, t)
}

func (s *Snapshot) serveParks(w http.ResponseWriter, r *http.Request, _ string, now time.Time) {
	s.serve(w, r, s.parks, s.terms(now, usualAge))
}

func (s *Snapshot) servePrecision(w http.ResponseWriter, r *http.Request, _ string, now time.Time) {
	s.serve(w, r, s.precision, s.terms(now, usualAge))
}

func (s *Snapshot) serveThresholds(w http.ResponseWriter, r *http.Request, _ string, now time.Time) {
	s.serve(w, r, s.thresholds, s.steady(now, thresholdAge))
}

// find gives the bodies of a park; it has answered when there is none.
func (s *Snapshot) find(w http.ResponseWriter, r *http.Request, slug string, now time.Time) *parkBodies {
	p, ok := s.bySlug[slug]
	if !ok {
		Refuse(w, r, now, s.parkNotFound(slug))
		return nil
	}
	return &s.park[p]
}

func (s *Snapshot) servePark(w http.ResponseWriter, r *http.Request, slug string, now time.Time) {
	if park := s.find(w, r, slug, now); park != nil {
		s.serve(w, r, park.detail, s.terms(now, usualAge))
	}
}

func (s *Snapshot) serveTrails(w http.ResponseWriter, r *http.Request, slug string, now time.Time) {
	if park := s.find(w, r, slug, now); park != nil {
		s.serve(w, r, park.trails, s.terms(now, usualAge))
	}
}

func (s *Snapshot) serveHistory(w http.ResponseWriter, r *http.Request, slug string, now time.Time) {
	park := s.find(w, r, slug, now)
	if park == nil {
		return
	}
	q, fault := parseQuery(r.URL.RawQuery, "dias")
	days := 0
	if fault == nil {
		days, fault = q.number(0, "dias", 1, historyDays)
	}
	if fault != nil {
		Refuse(w, r, now, fault)
		return
	}
	park.history().Serve(w, r, s.steady(now, usualAge), days)
}

func (s *Snapshot) serveForecast(w http.ResponseWriter, r *http.Request, slug string, now time.Time) {
	park := s.find(w, r, slug, now)
	if park == nil {
		return
	}
	q, fault := parseQuery(r.URL.RawQuery, "horas")
	hours := 0
	if fault == nil {
		hours, fault = q.number(0, "horas", 1, horizon)
	}
	if fault == nil && park.forecast == nil {
		fault = s.noData(now)
	}
	if fault != nil {
		Refuse(w, r, now, fault)
		return
	}
	park.forecast().Serve(w, r, s.terms(now, usualAge), hours)
}

func (s *Snapshot) serveAlerts(w http.ResponseWriter, r *http.Request, _ string, now time.Time) {
	q, fault := parseQuery(r.URL.RawQuery, "parque", "nivel")
	level := alert.NoLevel
	if fault == nil && q.given[1] {
		level, fault = parseLevel(q.value[1])
	}
	bodies := s.alerts
	if fault == nil && q.given[0] {
		p, ok := s.bySlug[q.value[0]]
		if ok {
			bodies = s.park[p].alerts
		} else {
			fault = &Fault{Status: http.StatusBadRequest, Code: "parque_desconocido", Text: s.unknownPark(q.value[0])}
		}
	}
	if fault == nil && bodies == nil {
		fault = s.noData(now)
	}
	if fault != nil {
		Refuse(w, r, now, fault)
		return
	}
	bodies[level].Serve(w, r, s.terms(now, alertsAge))
}

func parseLevel(text string) (alert.Level, *Fault) {
	for _, level := range []alert.Level{alert.Caution, alert.Danger} {
		if text == level.String() {
			return level, nil
		}
	}
	switch text {
	case "verde", "amarillo", "rojo":
		return 0, badValue("«" + text + "» es un valor de «estado», no de «nivel»: los colores pertenecen a las estimaciones; " +
			"los valores de «nivel» son precaucion y peligro")
	}
	return 0, badValue("los valores de «nivel» son precaucion y peligro")
}
