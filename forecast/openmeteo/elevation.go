package openmeteo

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"

	"vigia/store/catalogue"
)

const (
	// elevationsPerCall is the most places that the provider takes in one call for
	// heights. Each weighs 1.
	elevationsPerCall = 100

	// The heights of land, m above sea, with a margin for the model of the terrain.
	lowestTerrain, highestTerrain = -500, 9000
)

// Elevations asks for the height of the terrain at all places, in m above sea: that of the
// Copernicus DEM GLO-90, with cells of 90 m (https://open-meteo.com/en/docs/elevation-api).
// The answer has the order of the places. It may wait some minutes on the clock between
// calls. Errors are as of [Client.Archive]; a single height that is missing or impossible
// is one.
func (c *Client) Elevations(ctx context.Context, places []catalogue.Location) ([]float64, error) {
	const op = "elevation"
	if err := checkPlaces(places); err != nil {
		return nil, err.of(op, "")
	}
	if err := c.ledger.room(float64(len(places))); err != nil {
		return nil, err.of(op, "")
	}
	heights := make([]float64, 0, len(places))
	for part := range slices.Chunk(places, callSize(len(places), elevationsPerCall)) {
		req, err := c.request(ctx, http.MethodGet, c.base+"/v1/elevation?"+c.elevationQuery(part), "")
		if err == nil {
			err = c.weighted(ctx, float64(len(part)), req, func(body io.Reader) *Error {
				of, err := readElevations(body, len(part))
				heights = append(heights, of...)
				return err
			})
		}
		if err != nil {
			return nil, err.of(op, "")
		}
	}
	return heights, nil
}

func (c *Client) elevationQuery(places []catalogue.Location) string {
	var latitudes, longitudes []byte
	for i, p := range places {
		latitudes = appendRounded(latitudes, i, p.Latitude, 1e5)
		longitudes = appendRounded(longitudes, i, p.Longitude, 1e5)
	}
	query := "latitude=" + string(latitudes) + "&longitude=" + string(longitudes)
	if c.key != "" {
		query += "&apikey=" + url.QueryEscape(c.key)
	}
	return query
}

// readElevations reads and judges an answer with the heights of so many places.
func readElevations(body io.Reader, places int) ([]float64, *Error) {
	var answer struct {
		Elevation []*float64 `json:"elevation"`
		refusalText
	}
	if err := readSmall(body, "heights", &answer, &answer.refusalText); err != nil {
		return nil, err
	}
	if len(answer.Elevation) != places {
		return nil, errorf(Mismatch, "%d heights in the answer, %d places asked", len(answer.Elevation), places)
	}
	heights := make([]float64, places)
	for i, h := range answer.Elevation {
		switch {
		case h == nil:
			return nil, errorf(Mismatch, "no height").at(i)
		case *h < lowestTerrain || *h > highestTerrain:
			return nil, errorf(Mismatch, "a height of %v m", *h).at(i)
		}
		heights[i] = *h
	}
	return heights, nil
}
