package feeds

import (
	"testing"
	"time"

	"vigia/handlers/site"
	"vigia/handlers/site/sitetest"
	"vigia/store"
)

// What package sitetest has, by short names.
var (
	now, noonHour             = sitetest.Now, sitetest.NoonHour
	gust, chill               = sitetest.Gust, sitetest.Chill
	green, signalled, unknown = sitetest.Green, sitetest.Signalled, sitetest.Unknown
	newSnapshot, expired      = sitetest.Snapshot, sitetest.Expired
	short, first              = sitetest.Short, sitetest.First
	timedSnapshots            = sitetest.Timed
	content, verified         = sitetest.Content, sitetest.Verified
	officialWord, wordOfLevel = sitetest.OfficialWord, sitetest.WordOfLevel
)

func newSite(t testing.TB) *site.Site {
	t.Helper()
	santiago, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Fatal(err)
	}
	s, err := site.New(site.Options{BaseURL: "https://vigia.example", Contact: "hola@vigia.example", Version: "v0.1.0-alpha", Location: santiago})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fileAt makes one file of a snapshot, read at an instant.
func fileAt(t testing.TB, e *store.Snapshot, at time.Time, path string) string {
	t.Helper()
	page := Among(newSite(t))(e, at).Page(path)
	if page == nil {
		t.Fatalf("there is no %s", path)
	}
	return content(t, page.Body())
}
