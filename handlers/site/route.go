package site

import "strings"

// Route gives the route of a page or file that is there, as it is written in the
// program: the same for every park, trail, alert and language, so that there are
// few of them.
func Route(path string) string {
	for _, other := range tongues[1:] {
		if rest, ok := strings.CutPrefix(path, other.Root); ok && (rest == "" || rest[0] == '/') {
			path = rest
		}
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
	const park = "/parques/:slug"
	slash := strings.IndexByte(rest, '/')
	if slash < 0 {
		return park
	}
	below := rest[slash:]
	switch {
	case strings.HasPrefix(below, "/senderos/"):
		return park + "/senderos/:sendero"
	case below == "/hoja", below == "/alertas.atom", below == "/historial.csv":
		return park + below
	}
	return park + "/*"
}
