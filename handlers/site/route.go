package site

import "strings"

// Route gives the route of a page or file that is there, as it is written in the
// program: the same for every park, trail, alert and language, so that there are
// few of them.
func Route(path string) string {
	if rest, ok := strings.CutPrefix(path, "/en"); ok && (rest == "" || rest[0] == '/') {
		path = rest
	}
	first, rest, deeper := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch {
	case first == "":
		return "/"
	case !deeper:
		return path
	}
	switch first {
	case "static":
		return "/static/*file"
	case "alertas":
		return "/alertas/:id"
	case "insignia":
		return "/insignia/:slug.svg"
	case "texto":
		return "/texto/:slug"
	case "parques":
		return parkRoute(rest)
	}
	return path
}

// parkRoute gives the route of a path below /parques/.
func parkRoute(rest string) string {
	_, below, deeper := strings.Cut(rest, "/")
	if !deeper {
		return "/parques/:slug"
	}
	if strings.HasPrefix(below, "senderos/") {
		return "/parques/:slug/senderos/:sendero"
	}
	switch below {
	case "hoja":
		return "/parques/:slug/hoja"
	case "alertas.atom":
		return "/parques/:slug/alertas.atom"
	case "historial.csv":
		return "/parques/:slug/historial.csv"
	}
	return "/parques/:slug/*"
}
