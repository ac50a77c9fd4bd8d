package site

import "strings"

// patterns are the routes of a publication's pages, and of the files that package feeds
// puts among them, in the first language; untranslated ones have no form in the others.
var patterns = []string{
	"/", searchPath, alertsPath, alertsPath + "/:id", alertsPath + ".atom",
	"/metodo", "/precision", comparePath, "/api", "/acerca", "/accesibilidad", "/privacidad", offlinePath,
	"/parques/:slug", "/parques/:slug/hoja", "/parques/:slug/alertas.atom", "/parques/:slug/senderos/:sendero",
	"/texto/:slug", "/insignia/:slug.svg",
}

// ParkPoints is the path of the parks as points on a map, of which there is one for each day too.
const ParkPoints = "/parques.geojson"

var untranslated = []string{ParkPoints, PrecisionCSV, sitemapPath, "/parques/:slug/historial.csv", "/parques/:slug/senderos.geojson"}

// AddPages adds the routes of the pages and files of a publication. The name of a
// route is the same in every language.
func AddPages(add func(pattern, name string)) {
	for _, t := range locales {
		for _, pattern := range patterns {
			add(t.Root+pattern, pattern)
		}
	}
	for _, pattern := range untranslated {
		add(pattern, pattern)
	}
}

// AssetName returns the name of an asset's route in the metrics.
func AssetName(path string) string {
	if strings.HasPrefix(path, "/static/") {
		return "/static/*file"
	}
	return path
}
