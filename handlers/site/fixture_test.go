package site

import (
	"testing"
	"time"

	"vigia/handlers/httpcache"
	"vigia/handlers/site/sitetest"
	"vigia/store"
)

// What package sitetest has, by short names.
var (
	now, noonHour                       = sitetest.Now, sitetest.NoonHour
	votes, gust, chill                  = sitetest.Votes, sitetest.Gust, sitetest.Chill
	green, signalled, unknown           = sitetest.Green, sitetest.Signalled, sitetest.Unknown
	newSnapshot, empty, expired, tooOld = sitetest.Snapshot, sitetest.Empty, sitetest.Expired, sitetest.TooOld
	verified                            = sitetest.Verified
	short, first, madeAlert             = sitetest.Short, sitetest.First, sitetest.Alert
	showcaseSnapshots, allStates        = sitetest.Showcase, sitetest.AllStates
	content, readable                   = sitetest.Content, sitetest.Readable
	wellFormed, officialWord            = sitetest.WellFormed, sitetest.OfficialWord
)

func newSite(t testing.TB) *Site {
	t.Helper()
	s, err := New(Options{BaseURL: "https://vigia.example", Contact: "hola@vigia.example", Version: "v0.1.0-alpha", Location: zone(t, "America/Santiago")})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	location, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return location
}

// viewOf is a snapshot in Spanish at an instant.
func viewOf(t testing.TB, e *store.Snapshot, at time.Time) View {
	t.Helper()
	s := newSite(t)
	return s.View(&s.languages[0], e, at)
}

// bodies are all pages by path, each made.
func bodies(p *Pages) map[string]*httpcache.Body {
	all := make(map[string]*httpcache.Body)
	for path := range p.Paths() {
		all[path] = p.Page(path).Body()
	}
	return all
}
