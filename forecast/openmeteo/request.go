package openmeteo

import (
	"context"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// What is asked of the provider.
const (
	pastDays     = 3  // sums over the last 72 h
	futureDays   = 10 // today, seven days ahead of it, and two for a run that is used for a day
	forecastDays = pastDays + futureDays

	maxPointsPerCall = 1000     // the provider's limit
	maxQuery         = 8 * 1024 // bytes of a query that every proxy lets through; above it, a form
)

// HistoryWeight returns what [Client.History] costs for so many places and days.
func HistoryWeight(places, days int) float64 {
	return float64(places) * pointWeight(ruleVariables, days)
}

// callSize returns how many places a call asks for, where n of them take the fewest calls
// of at most most places, of about equal size.
func callSize(n, most int) int {
	calls := (n + most - 1) / most
	return (n + calls - 1) / calls
}

// checkGroups refuses groups that leave out one of so many places or have one that is not
// there.
func checkGroups(groups []Group, places int) *Error {
	asked := make([]bool, places)
	for _, group := range groups {
		for _, at := range group.Places {
			if at < 0 || at >= places || len(group.Variables) == 0 {
				return &Error{Kind: Refused, Reason: "a group that cannot be asked"}
			}
			asked[at] = true
		}
	}
	if at := slices.Index(asked, false); at >= 0 {
		return &Error{Kind: Refused, Reason: "nothing is asked for place " + strconv.Itoa(at+1)}
	}
	return nil
}

// checkPlaces refuses what the provider would refuse, since one bad place fails
// the call for all.
func checkPlaces(places []catalogue.Location) *Error {
	if len(places) == 0 {
		return &Error{Kind: Refused, Reason: "no places to ask for"}
	}
	for i, p := range places {
		ok := math.Abs(p.Latitude) <= 90 && math.Abs(p.Longitude) <= 180 &&
			p.Elevation >= -500 && p.Elevation <= 9000
		if !ok {
			return &Error{Kind: Refused, Reason: "place " + strconv.Itoa(i+1) + " is not on the Earth's surface"}
		}
	}
	return nil
}

// query writes the fields of a call. Every time is asked in UTC seconds:
// in another zone the provider applies today's offset to all days.
func (c *Client) query(q *question, asked []hazard.Variable, places []catalogue.Location) string {
	var latitudes, longitudes, elevations, ids []byte
	for i, p := range places {
		latitudes = appendRounded(latitudes, i, p.Latitude, 1e5)
		longitudes = appendRounded(longitudes, i, p.Longitude, 1e5)
		elevations = appendRounded(elevations, i, p.Elevation, 10)
		ids = appendRounded(ids, i, float64(i+1), 1)
	}
	fields := url.Values{
		"latitude": {string(latitudes)}, "longitude": {string(longitudes)},
		"elevation": {string(elevations)}, "location_id": {string(ids)},
		"hourly": {strings.Join(namesOf(asked), ",")}, "models": {q.model},
		"timeformat": {"unixtime"}, "timezone": {"GMT"},
		"wind_speed_unit": {"kmh"}, "cell_selection": {"land"},
	}
	maps.Copy(fields, q.span)
	if c.key != "" {
		fields.Set("apikey", c.key)
	}
	// A comma may stand as it is in a query; escaped it would be a third of it.
	return strings.ReplaceAll(fields.Encode(), "%2C", ",")
}

// appendRounded adds a number, rounded to 1/scale, to a comma list.
func appendRounded(list []byte, index int, x, scale float64) []byte {
	if index > 0 {
		list = append(list, ',')
	}
	x = math.Round(x*scale) / scale
	return strconv.AppendFloat(list, x+0, 'f', -1, 64) // +0 turns -0 into 0
}

// request makes a call to an address below the base, with a form when it is not
// empty.
func (c *Client) request(ctx context.Context, method, target, form string) (*http.Request, *Error) {
	req, err := http.NewRequestWithContext(ctx, method, target, strings.NewReader(form))
	if err != nil {
		return nil, &Error{Kind: Refused, Reason: "the address of the call cannot be made", unsent: true}
	}
	if form == "" {
		req.Body, req.ContentLength = http.NoBody, 0
	} else {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.agent)
	return req, nil
}
