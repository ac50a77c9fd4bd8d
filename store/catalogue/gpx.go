package catalogue

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// parseGPX returns the line of a GPX file: its tracks, one after the other, or its routes
// where it has no track. The error is in Spanish.
func parseGPX(data []byte) ([]Vertex, error) {
	decoder := xml.NewDecoder(bytes.NewReader(data))
	var track, route []Vertex
	for first := true; ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			line, _ := decoder.InputPos()
			return nil, fmt.Errorf("no es XML bien formado en UTF-8 (línea %d)", line)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if first && start.Name.Local != "gpx" {
			return nil, errors.New("no es un archivo GPX: no comienza con <gpx>")
		}
		first = false
		into := map[string]*[]Vertex{"trkpt": &track, "rtept": &route}[start.Name.Local]
		if into == nil {
			continue
		}
		at, ok := vertexOf(start)
		if !ok {
			line, _ := decoder.InputPos()
			return nil, fmt.Errorf("un punto no tiene latitud y longitud (línea %d)", line)
		}
		if len(*into) == maxVertices {
			return nil, fmt.Errorf("la línea tiene más de %d puntos; simplifíquela", maxVertices)
		}
		*into = append(*into, at)
	}
	if len(track) == 0 {
		track = route
	}
	if len(track) < 2 {
		return nil, errors.New("no tiene una huella (trk) ni una ruta (rte) de dos puntos o más")
	}
	return track, nil
}

// vertexOf returns the place of a GPX point; ok is false when it has none.
func vertexOf(e xml.StartElement) (v Vertex, ok bool) {
	found := 0
	for _, a := range e.Attr {
		into := map[string]*float64{"lat": &v.Latitude, "lon": &v.Longitude}[a.Name.Local]
		if into == nil || a.Name.Space != "" {
			continue
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(a.Value), 64)
		if err != nil {
			return v, false
		}
		*into = value
		found++
	}
	return v, found == 2
}
