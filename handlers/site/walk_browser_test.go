//go:build browser || trials

package site_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/handlers/api"
	"vigia/handlers/feeds"
	"vigia/handlers/forms"
	"vigia/handlers/forms/formstest"
	"vigia/handlers/httpcache"
	"vigia/handlers/site"
	"vigia/store"
	"vigia/store/catalogue"
)

// The tests in this package's other files of a browser ask what one page says.
// Those that begin here ask the same of every page there is: each kind of page
// that the site makes, in each state that the data can be in.

// world is the whole site in one state, at an address of its own.
type world struct {
	state   string
	origin  string
	at      time.Time // the time in it
	snap    *store.Snapshot
	whole   bool     // with all parks, not the first six
	paths   []string // that the site has a page or a file for
	handler http.Handler
}

// stop is a page to look at.
type stop struct {
	*world
	path   string
	kind   string // pages of one kind differ in their data alone
	body   string // as it is sent
	status int
	made   bool // for one request

	elements string // skeleton of the body, once it was asked for
}

// markup is the skeleton of the page.
func (s *stop) markup() string {
	if s.elements == "" {
		s.elements = skeleton(s.body)
	}
	return s.elements
}

func (s *stop) name() string { return s.state + s.path }
func (s *stop) url() string  { return s.origin + s.path }

// openWorlds serves every state.
func openWorlds(t testing.TB) map[string]*world {
	worlds := make(map[string]*world)
	for state, w := range worldStates(t) {
		worlds[state] = open(t, state, w)
	}
	return worlds
}

// open serves a state of the site as the server does.
func open(t testing.TB, state string, w world) *world {
	w.state = state
	var demo forms.Demo
	f := newFront(t, func(o formstest.Options) {
		if w.snap.Simulated {
			inDemo(o)
			demo = *o.Demo
		}
	})
	managed := *f.Subscriptions.Active[activeToken] // the other one is cancelled by a visit
	f.Subscriptions.Active[managedToken] = &managed
	w.snap.Rules = hazard.DefaultRules()
	shown := w.snap
	if !w.whole {
		shown = short(shown)
	}
	pages := feeds.Among(f.Site)(shown, now)
	w.paths = slices.Sorted(pages.Paths())
	service := f.API(w.snap, w.at)
	router := f.Forms(demo, func() (*store.Snapshot, time.Time) { return w.snap, w.at },
		func(rw http.ResponseWriter, r *http.Request) {
			f.Site.NotFound(w.snap.Simulated)(r.URL.Path).Serve(rw, r, httpcache.Terms{Status: http.StatusNotFound})
		})
	w.handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		h := rw.Header()
		h["Date"] = []string{w.at.UTC().Format(http.TimeFormat)} // pages believe the server more than the clock of the device
		h["Content-Security-Policy"], h["Referrer-Policy"], h["X-Frame-Options"] = []string{site.ContentPolicy}, []string{"no-referrer"}, []string{"DENY"}
		if o, ok := outcomes[r.URL.Path]; ok {
			r = httptest.NewRequest("POST", o.path, strings.NewReader(o.fields.Encode()))
			r.Header.Set("Content-Type", formType)
			r.Header.Set("Sec-Fetch-Site", "same-origin")
		}
		status := 0
		body, ok := f.Site.Assets()[r.URL.Path]
		if page := pages.Asked(r.URL); !ok && page != nil {
			body, ok, status = page.Body(), true, page.Status
		}
		switch {
		case strings.HasPrefix(r.URL.Path, api.Prefix):
			service.ServeHTTP(rw, r)
		case ok:
			body.Serve(rw, r, httpcache.Terms{Status: status})
		default:
			router.ServeHTTP(rw, r)
		}
	})
	server := httptest.NewServer(w.handler)
	t.Cleanup(server.Close)
	w.origin = server.URL
	return &w
}

// get reads a path as a client does that takes no compression.
func (w *world) get(path string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, httptest.NewRequest("GET", path, nil))
	return answer
}

// kind is a path without the names of parks, trails and alerts in it.
func (w *world) kind(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		_, park := w.snap.Catalogue.ParkBySlug(strings.TrimSuffix(part, ".svg"))
		named := park || slices.ContainsFunc(w.snap.Catalogue.Trails, func(tr catalogue.Trail) bool { return tr.Slug == part }) ||
			slices.ContainsFunc(w.snap.Alerts, func(a alert.Alert) bool { return a.ID == part })
		if named {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}

// stopsOf returns the pages to look at: in the state "normal" the first, the largest
// and the fixture's own of each kind, and the same paths in the others, which
// get along without the pages that know no more than it does.
func stopsOf(t testing.TB, worlds map[string]*world) []*stop {
	t.Helper()
	sample := sampled(t, worlds["normal"])
	var stops []*stop
	states := slices.Sorted(maps.Keys(worlds))
	states = append([]string{"normal"}, slices.DeleteFunc(states, func(state string) bool { return state == "normal" })...)
	for _, state := range states {
		w := worlds[state]
		for _, path := range w.paths {
			kind := "kind " + w.kind(path)
			if !sample[path] && sample[kind] {
				continue
			}
			sample[kind] = true // of a kind that only this state has, one
			if s := w.stop(path); s != nil {
				stops = append(stops, s)
			}
		}
		if state != "normal" && state != "vacia" && !w.snap.Simulated {
			continue
		}
		for _, path := range slices.Concat(requested, slices.Sorted(maps.Keys(outcomes))) {
			for _, language := range []string{"", "/en"} {
				if s := w.stop(language + path); s != nil && (language == "") == strings.Contains(s.body, `<html lang="es`) {
					s.made = true
					stops = append(stops, s)
				}
			}
		}
	}
	return stops
}

// stop reads a page; nil for what is none.
func (w *world) stop(path string) *stop {
	answer := w.get(path)
	if !strings.HasPrefix(answer.Header().Get("Content-Type"), "text/html") {
		return nil
	}
	return &stop{world: w, path: path, kind: w.kind(path), body: answer.Body.String(), status: answer.Code}
}

// sampled chooses among the paths of a world.
func sampled(t testing.TB, w *world) map[string]bool {
	chosen, first, files, largest := map[string]bool{"/" + redPark(t): true}, map[string]bool{}, map[string]bool{}, map[string]*stop{}
	for _, path := range w.paths {
		kind := "kind " + w.kind(path)
		if files[kind] {
			continue
		}
		s := w.stop(path)
		chosen[kind] = true
		if s == nil {
			files[kind] = true
			continue
		}
		if !first[s.kind] {
			first[s.kind], chosen[path] = true, true
		}
		if l := largest[s.kind]; l == nil || len(l.body) < len(s.body) {
			largest[s.kind] = s
		}
	}
	for _, s := range largest {
		chosen[s.path] = true
	}
	return chosen
}

// differing leaves out the pages whose markup is that of another one with other
// words in it: what depends on markup and style alone is the same there.
func differing(stops []*stop) []*stop {
	return firstOf(stops, func(s *stop) string { return s.markup() })
}

// inWords is [differing] and, for what depends on how long words are, a page of
// each kind in each language and with long names.
func inWords(stops []*stop) []*stop {
	some := differing(stops)
	for _, s := range firstOf(stops, func(s *stop) string { return fmt.Sprint(s.state == "larga") + s.kind }) {
		if !slices.Contains(some, s) {
			some = append(some, s)
		}
	}
	return some
}

// ofEachKind returns one page of each kind, in whatever language, and each markup of
// the fullest state.
func ofEachKind(stops []*stop) []*stop {
	return firstOf(differing(stops), func(s *stop) string {
		if s.state == "doce" {
			return s.name()
		}
		return strings.TrimPrefix(s.kind, "/en")
	})
}

// firstOf returns the first page of those with the same key.
func firstOf(stops []*stop, key func(*stop) string) (some []*stop) {
	seen := make(map[string]bool)
	for _, s := range stops {
		if k := key(s); !seen[k] {
			seen[k] = true
			some = append(some, s)
		}
	}
	return some
}

// telling are the attributes whose value style or meaning depends on; of the
// others it matters only that they are there.
var telling = regexp.MustCompile(`([a-z-]+)(?:="([^"]*)")?`)

// skeleton is which elements a page has within which, without its words: lists
// of different lengths are alike.
func skeleton(page string) string {
	chains, open := make(map[string]bool), []string{""}
	for _, m := range element.FindAllStringSubmatch(page, -1) {
		if m[1] == "/" {
			open = open[:max(len(open)-1, 1)]
			continue
		}
		chain := open[len(open)-1] + ">" + m[2]
		for _, a := range telling.FindAllStringSubmatch(m[3], -1) {
			chain += " " + a[1]
			if a[1] == "class" || a[1] == "role" || a[1] == "type" || a[1] == "fill" {
				chain += "=" + a[2]
			}
		}
		chains[chain] = true
		if m[4] == "" && !slices.Contains(void, m[2]) {
			open = append(open, chain)
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(chains)), "\n")
}

// redPark is the path of the fixture's park with everything on it.
func redPark(t testing.TB) string {
	c := newSnapshot(t).Catalogue
	return "parques/" + c.Parks[c.Trails[3].Park].Slug
}
