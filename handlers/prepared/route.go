package prepared

import "net/http"

// Marker is a response that notes by which route it is given.
type Marker interface {
	http.ResponseWriter
	// Mark takes the route as it is written in the program, such as
	// /parques/:slug: nothing of what a client sent.
	Mark(route string)
}

// Mark says by which route an answer is given, to whoever wants to know.
func Mark(w http.ResponseWriter, route string) {
	if m, ok := w.(Marker); ok {
		m.Mark(route)
	}
}
