// Package feeds makes what programs read of the website: feeds of alerts, parks as
// points on a map, badges, a park in one line, tables.
//
// [Among] puts them among the pages of a publication. Each is made of the view that the
// pages are made of, when it is first asked for.
package feeds

import (
	"time"

	"vigia/handlers/httpcache"
	"vigia/handlers/site"
	"vigia/store"
)

// Among returns the pages of a site with the feeds among them.
func Among(s *site.Site) func(e *store.Snapshot, now time.Time) *site.Pages {
	return func(e *store.Snapshot, now time.Time) *site.Pages {
		pages := s.Pages(e, now)
		add(pages)
		return pages
	}
}

// feed makes what is read of one publication in one language.
type feed struct {
	site.View
	pages *site.Pages
}

// add puts the feeds of a publication among its pages.
func add(pages *site.Pages) {
	for i, view := range pages.Views() {
		f := feed{view, pages}
		if i == 0 {
			for _, day := range f.ShownDays() {
				pages.PutOpen(day.Address(site.ParkPoints), func() *httpcache.Body { return f.parkPoints(day) })
			}
			pages.PutOpen(site.ParkPoints, func() *httpcache.Body { return f.parkPoints(f.ShownDays()[0]) })
			pages.PutOpen(site.PrecisionCSV, f.pairs)
		}
		f.putAlerts("/alertas.atom", noPark)
		for park, of := range f.Catalogue.Parks {
			here := feed{f.In(of.TimeZone), pages}
			if i == 0 {
				pages.PutOpen("/parques/"+of.Slug+"/historial.csv", func() *httpcache.Body { return f.history(park) })
				pages.PutOpen("/parques/"+of.Slug+"/senderos.geojson", func() *httpcache.Body { return f.trailShapes(park) })
			}
			f.putAlerts("/parques/"+of.Slug+"/alertas.atom", park)
			pages.PutOpen(f.Path("/texto/"+of.Slug), func() *httpcache.Body { return httpcache.Static(site.TextType, []byte(here.line(park))) })
			pages.PutOpen(f.Path("/insignia/"+of.Slug+".svg"), func() *httpcache.Body { return httpcache.Static(svgType, here.badge(park).draw()) })
		}
	}
}

func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }
