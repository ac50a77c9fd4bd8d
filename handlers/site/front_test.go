package site_test

import (
	"testing"

	"vigia/handlers/forms/formstest"
	"vigia/handlers/site"
	"vigia/handlers/site/sitetest"
)

// What packages sitetest and formstest have, by short names.
var (
	now         = sitetest.Now
	newSnapshot = sitetest.Snapshot
	content     = sitetest.Content
	newFront    = formstest.New
)

func newSite(t testing.TB) *site.Site { t.Helper(); return formstest.Site(t, nil) }
