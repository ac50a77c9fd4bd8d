package handlers

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"vigia/handlers/api"
	"vigia/handlers/forms"
	"vigia/handlers/httpcache"
	"vigia/handlers/site"
	"vigia/store"
)

// routes returns the router of every route: API, pages, forms, files.
func (s *Server) routes() http.Handler {
	router := httprouter.New()
	router.RedirectTrailingSlash, router.RedirectFixedPath = false, false
	add := func(method, pattern, name string, serve httprouter.Handle) {
		named := func(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
			w.(*response).route = name
			serve(w, r, p)
		}
		router.Handle(method, pattern, named)
		if method == http.MethodGet {
			router.HEAD(pattern, named)
		}
	}
	signups := api.Signups{
		Subscriptions: s.Subscriptions, Hosts: s.PushHosts, Policy: s.Policy, Admit: s.admitSignup, Network: s.signupNetwork, Origins: s.origins, Log: s.Log,
	}
	api.AddRoutes(add, s.apiView, signups)
	site.AddPages(func(pattern, name string) { add(http.MethodGet, pattern, name, s.servePage) })
	for path, file := range s.Assets {
		add(http.MethodGet, path, site.AssetName(path), s.assetHandler(path, file))
	}
	if s.RegionPath != "" {
		add(http.MethodGet, s.RegionPath, s.RegionPath, func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) { s.Region.ServeHTTP(w, r) })
	}
	shown := func() (*store.Snapshot, time.Time) { return s.Snapshot(), s.Clock.Now() }
	wrongMethod := s.Forms(add, forms.Deps{Signups: signups, Shown: shown, NotFound: s.serveNotFound})
	router.NotFound = http.HandlerFunc(s.serveNotFound)
	router.MethodNotAllowed = s.eitherWay(func(w http.ResponseWriter, r *http.Request) {
		api.Refuse(w, r, s.Clock.Now(), api.WrongMethod(w.Header()))
	}, wrongMethod.ServeHTTP)
	router.GlobalOPTIONS = s.eitherWay(api.ServeOptions, serveOptions)
	return router
}

// eitherWay answers paths of the API in one way and all others in another one.
func (s *Server) eitherWay(ofAPI, other http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isAPI(r.URL.Path) {
			ofAPI(w, r)
			return
		}
		other(w, r)
	})
}

// apiView returns what the API answers from, and now.
func (s *Server) apiView() (*api.Answers, time.Time) {
	now := s.Clock.Now()
	return s.at(now).api, now
}

// servePage answers with a page or a file of the publication.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	now := s.Clock.Now()
	shown := s.at(now)
	page := shown.pages.Asked(r.URL)
	if page == nil {
		s.serveNotFound(w, r)
		return
	}
	h := w.Header()
	if page.Open {
		h["Cross-Origin-Resource-Policy"] = crossOrigin
		h["Access-Control-Allow-Origin"] = anyOrigin
	}
	// A browser too old to say from which site a form comes says its origin, but
	// only of a page that may be named to this site. None of these has a token.
	h["Referrer-Policy"] = sameOrigin
	terms := shown.api.PageTerms(now)
	terms.Status = page.Status
	if page.Queried {
		terms.CacheControl = []string{strings.Replace(terms.CacheControl[0], "public", "private", 1)}
	}
	page.Body().Serve(w, r, terms)
}

// assetHandler returns what answers with a file of the site.
func (s *Server) assetHandler(path string, file *httpcache.Body) httprouter.Handle {
	age := assetAge(path)
	return func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		file.Serve(w, r, httpcache.Terms{Now: s.Clock.Now(), CacheControl: age})
	}
}

// assetAge returns the Cache-Control of an asset.
func assetAge(path string) []string {
	switch {
	case path == site.ServiceWorker:
		// Browsers ask for a newer worker past their own cache, so that this is for the
		// caches in front, which would pass on every visit otherwise.
		return httpcache.MaxAge(5 * time.Minute)
	case strings.HasPrefix(path, "/static/"):
		return []string{"public, max-age=31536000, immutable"}
	}
	return httpcache.MaxAge(time.Hour)
}

// serveNotFound answers a path that is nowhere. One that has a slash too many or too
// few at its end leads to the page that is meant.
func (s *Server) serveNotFound(w http.ResponseWriter, r *http.Request) {
	now := s.Clock.Now()
	path := r.URL.Path
	if isAPI(path) {
		api.Refuse(w, r, now, api.NotFound)
		return
	}
	shown := s.at(now)
	if meant := meantPage(shown, path); meant != "" && isReading(r) {
		w.Header()["Cache-Control"] = httpcache.MaxAge(time.Hour)
		if to := (&url.URL{Path: meant, RawQuery: r.URL.RawQuery}); shown.pages.Asked(to) != shown.pages.Page(meant) {
			meant = to.String() // the query chooses a day or a park
		}
		http.Redirect(w, r, meant, http.StatusMovedPermanently)
		return
	}
	// A cache in front answers who asks for the same path again and again, until it
	// could be there. What may be a token that was mangled is for no cache.
	terms := shown.api.AbsenceTerms(now)
	terms.Status = http.StatusNotFound
	if loggedPath(path) != path {
		terms.CacheControl = httpcache.NoStore
	} else if page := shown.pages.Missing(path); page != nil {
		page.Serve(w, r, terms)
		return
	}
	s.NotFoundPage(path).Serve(w, r, terms)
}

// meantPage returns the page that a path with a slash too many or too few at its end
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

func isReading(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead
}

// serveOptions answers what may be done with a page; the router has set Allow.
func serveOptions(w http.ResponseWriter, _ *http.Request) {
	w.Header()["Cache-Control"] = httpcache.NoStore
	w.WriteHeader(http.StatusNoContent)
}
