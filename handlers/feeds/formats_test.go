package feeds

import (
	"regexp"
	"strings"
	"testing"
)

// What reusing the data obliges to is on the pages where one looks for it, and every
// link to another form of the data leads somewhere.
func TestObligationsAndFormats(t *testing.T) {
	s, e := newSite(t), newSnapshot(t)
	shelf := Among(s)(e, now)
	for _, path := range []string{"/acerca", "/api", "/en/acerca", "/en/api"} {
		page := content(t, shelf.Page(path).Body())
		for _, must := range []string{"CC BY 4.0", "https://open-meteo.com/", "SERNAGEOMIN", "CONAF"} {
			if !strings.Contains(page, must) {
				t.Errorf("%s does not name %s", path, must)
			}
		}
		_, main, _ := strings.Cut(page, "<main")
		for _, link := range regexp.MustCompile(`href="(/[^"#]*)`).FindAllStringSubmatch(main, -1) {
			at := link[1]
			if shelf.Page(at) == nil && !strings.HasPrefix(at, "/api/v1") && !strings.HasSuffix(at, "/suscribirse") {
				t.Errorf("%s leads to %s, which is not there", path, at)
			}
		}
	}
	for _, must := range []string{"Natural Earth", "SIL OFL", "Leaflet", "uPlot", "hola@vigia.example", "v0.1.0-alpha", "/precision.csv"} {
		if page := fileAt(t, e, now, "/acerca"); !strings.Contains(page, must) {
			t.Errorf("the page on the site does not name %s", must)
		}
	}
}
