package api

import (
	_ "embed"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"vigia/handlers/httpcache"
)

// Prefix is the path that the API is under.
const Prefix = "/api/v1"

//go:generate go test -run TestDocumentIsMadeFromTheTypes -update .

//go:embed openapi.json
var openAPI []byte

// View returns the snapshot that is true now, and now.
type View func() (*Answers, time.Time)

// call is a request with what it is answered from.
type call struct {
	*http.Request
	*Answers
	name  string // the parameter of the path, "" for none
	query url.Values
	now   time.Time
}

// answer is what a call is answered with.
type answer struct {
	body  *httpcache.Body
	terms httpcache.Terms
}

// route is a method of a path under Prefix. GET is also HEAD.
type route struct {
	method, path string
	parameters   []string // of the query; others are refused
	serve        func(call) (answer, *Fault)
}

// routes are answered from a publication. openapi.json has the same, and those of
// [Signups].
var routes = []route{
	{http.MethodGet, "/parques", nil, call.parkList},
	{http.MethodGet, "/parques/:slug", nil, ofPark(call.parkDetail)},
	{http.MethodGet, "/parques/:slug/senderos", nil, ofPark(call.trailList)},
	{http.MethodGet, "/parques/:slug/historial", []string{"dias"}, ofPark(call.parkHistory)},
	{http.MethodGet, "/parques/:slug/pronostico", []string{"horas"}, ofPark(call.parkForecast)},
	{http.MethodGet, "/alertas", []string{"parque", "nivel"}, call.alertList},
	{http.MethodGet, "/alertas/:id", nil, call.alert},
	{http.MethodGet, "/precision", nil, call.verification},
	{http.MethodGet, "/umbrales", nil, call.rules},
	{http.MethodGet, "/health", nil, call.healthState},
	{http.MethodGet, "/health/detalle", nil, call.healthDetail},
	{http.MethodGet, "/openapi.json", nil, call.document},
}

// Register adds a route: what answers a method of a pattern of httprouter's. name is
// the route's in the metrics. What answers GET answers HEAD.
type Register = func(method, pattern, name string, serve httprouter.Handle)

// AddRoutes adds every route under Prefix.
func AddRoutes(add Register, view View, signups Signups) {
	for _, route := range slices.Concat(routes, signups.routes()) {
		path := Prefix + route.path
		add(route.method, path, path, route.handler(view))
	}
}

// handler returns the handle of a route. Search engines must not keep the answers to a
// token.
func (route *route) handler(view View) httprouter.Handle {
	private := strings.HasSuffix(route.path, ":token")
	return func(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
		c := call{Request: r}
		c.Answers, c.now = view()
		if len(p) > 0 {
			c.name = p[0].Value
		}
		if private {
			w.Header()["X-Robots-Tag"] = noIndex
		}
		var a answer
		var fault *Fault
		if c.query, fault = parseQuery(r.URL.RawQuery, route.parameters...); fault == nil {
			a, fault = route.serve(c)
		}
		if fault != nil {
			Refuse(w, r, c.now, fault)
			return
		}
		a.body.Serve(w, r, a.terms)
	}
}

var noIndex = []string{"noindex"}

// WrongMethod returns the fault of a method that a resource does not take; the router has
// set Allow.
func WrongMethod(h http.Header) *Fault {
	f := &Fault{Status: http.StatusMethodNotAllowed, Code: "metodo_no_permitido"}
	f.Text = "este recurso no admite ese método; los que admite son: " + h.Get("Allow")
	return f
}

// OpenToOrigins reports whether pages of any origin may read the answer to a request: to
// GET and HEAD of what belongs to no person.
func OpenToOrigins(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && !personal(r)
}

func personal(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, Prefix+"/suscriptores/") }

// ServeOptions answers with the methods of a resource; the router has set Allow. Pages of
// any origin may read what belongs to no person, and do nothing else.
func ServeOptions(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if strings.Contains(h.Get("Allow"), http.MethodGet) && !personal(r) {
		h["Access-Control-Allow-Origin"] = anyOrigin
		h["Access-Control-Allow-Methods"] = []string{"GET, HEAD"}
		h["Access-Control-Allow-Headers"] = []string{"If-None-Match, If-Modified-Since"}
		h["Access-Control-Max-Age"] = []string{"86400"}
	}
	h["Cache-Control"] = httpcache.NoStore
	w.WriteHeader(http.StatusNoContent)
}

var anyOrigin = []string{"*"}
