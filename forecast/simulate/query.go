package simulate

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// The limits of a request.
const (
	maxPlaces   = 1000
	maxPastDays = 92
	maxDays     = 16
)

// query is a request for a forecast, checked.
type query struct {
	places    []catalogue.Location
	ids       []int // location_id of each place
	variables []hazard.Variable
	model     *model
	start     time.Time // first hour, UTC
	hours     int
	iso       bool // times as text, else unix seconds
}

// days is what the provider counts a call's weight by.
func (q *query) days() float64 { return float64(q.hours) / 24 }

// badRequest is a fault of the request, in the provider's words.
type badRequest string

func (b badRequest) Error() string { return string(b) }

func refuse(format string, args ...any) error { return badRequest(fmt.Sprintf(format, args...)) }

// parseQuery reads a request's fields. Names that the provider does not know are
// ignored, as it does; values that it does not know are refused, and so is what
// exists there but not here.
func parseQuery(form url.Values, now time.Time) (*query, error) {
	for _, name := range []string{"daily", "current", "current_weather", "minutely_15", "tilt", "azimuth"} {
		if form.Get(name) != "" {
			return nil, refuse("Parameter '%s' is not supported by this server", name)
		}
	}
	q := new(query)
	for _, read := range []func(url.Values) error{q.readChoices, q.readPlaces, q.readVariables, q.readModel} {
		if err := read(form); err != nil {
			return nil, err
		}
	}
	if err := q.readWindow(form, now.UTC()); err != nil {
		return nil, err
	}
	return q, nil
}

// list splits a field that may come as a comma list, repeated, or both.
func list(form url.Values, name string) []string {
	var all []string
	for _, v := range form[name] {
		if v != "" {
			all = append(all, strings.Split(v, ",")...)
		}
	}
	return all
}

func (q *query) readChoices(form url.Values) error {
	for _, c := range []struct {
		name    string
		allowed []string
	}{
		{"timeformat", []string{"iso8601", "unixtime"}},
		{"timezone", []string{"GMT", "UTC"}},
		{"wind_speed_unit", []string{"kmh"}},
		{"temperature_unit", []string{"celsius"}},
		{"precipitation_unit", []string{"mm"}},
		{"cell_selection", []string{"land", "sea", "nearest"}},
		{"format", []string{"json"}},
	} {
		given := form.Get(c.name)
		if !form.Has(c.name) || given == "" {
			continue
		}
		known := false
		for _, a := range c.allowed {
			known = known || a == given
		}
		if !known {
			return refuse("Data corrupted at path '%s'. Cannot initialize %s from invalid String value %s.", c.name, c.name, given)
		}
	}
	q.iso = form.Get("timeformat") != "unixtime"
	return nil
}

func (q *query) readPlaces(form url.Values) error {
	lats, err := numbers(form, "latitude")
	if err != nil {
		return err
	}
	lons, err := numbers(form, "longitude")
	if err != nil {
		return err
	}
	switch {
	case len(lats) == 0 || len(lons) == 0:
		return refuse("Value required for key 'latitude'.")
	case len(lats) != len(lons):
		return refuse("Parameter 'latitude' and 'longitude' must have the same number of elements")
	case len(lats) > maxPlaces:
		return refuse("Only up to %d locations can be requested at once", maxPlaces)
	}
	heights, err := numbers(form, "elevation")
	if err != nil {
		return err
	}
	if len(heights) != 0 && len(heights) != len(lats) {
		return refuse("Parameter 'elevation' must have the same number of elements")
	}
	q.places = make([]catalogue.Location, len(lats))
	for i := range lats {
		if !(lats[i] >= -90 && lats[i] <= 90) {
			return refuse("Latitude must be in range of -90 to 90°. Given: %s.", decimal(lats[i]))
		}
		if !(lons[i] >= -180 && lons[i] <= 180) {
			return refuse("Longitude must be in range of -180 to 180°. Given: %s.", decimal(lons[i]))
		}
		q.places[i] = catalogue.Location{Latitude: lats[i], Longitude: lons[i], Elevation: groundAt(lats[i], lons[i])}
		if len(heights) != 0 && !math.IsNaN(heights[i]) {
			if math.Abs(heights[i]) > 9000 {
				return refuse("Elevation must be in range of -9000 to 9000. Given: %s.", decimal(heights[i]))
			}
			q.places[i].Elevation = heights[i]
		}
	}
	return q.readIDs(form)
}

// readIDs takes the places' numbers as sent, or counts them from 0.
func (q *query) readIDs(form url.Values) error {
	ids := list(form, "location_id")
	if len(ids) != 0 && len(ids) != len(q.places) {
		return refuse("Parameter 'location_id' must have the same number of elements")
	}
	q.ids = make([]int, len(q.places))
	for i := range q.ids {
		q.ids[i] = i
		if len(ids) == 0 {
			continue
		}
		id, err := strconv.Atoi(ids[i])
		if err != nil {
			return refuse("Data corrupted at path 'location_id'. Expected an integer. Given: %s.", ids[i])
		}
		q.ids[i] = id
	}
	return nil
}

// numbers reads a comma list of decimal numbers. "nan" is allowed where the
// caller allows NaN: an elevation of nan asks for no correction.
func numbers(form url.Values, name string) ([]float64, error) {
	texts := list(form, name)
	values := make([]float64, len(texts))
	for i, t := range texts {
		v, err := strconv.ParseFloat(strings.TrimSpace(t), 64)
		if err != nil || math.IsInf(v, 0) {
			return nil, refuse("Data corrupted at path '%s'. Cannot convert value to a number. Given: %s.", name, t)
		}
		values[i] = v
	}
	return values, nil
}

func (q *query) readVariables(form url.Values) error {
	seen := map[hazard.Variable]bool{}
	for _, name := range list(form, "hourly") {
		v, ok := variableByName(name)
		if !ok {
			return refuse("Data corrupted at path 'hourly'. Cannot initialize ForecastVariable from invalid String value %s.", name)
		}
		if !seen[v] {
			seen[v] = true
			q.variables = append(q.variables, v)
		}
	}
	return nil
}

func (q *query) readModel(form url.Values) error {
	ids := list(form, "models")
	if len(ids) != 1 {
		return refuse("This server answers for exactly one model. Given: %d.", len(ids))
	}
	m, ok := modelByID(ids[0])
	if !ok {
		return refuse("Data corrupted at path 'models'. Cannot initialize MultiDomains from invalid String value %s.", ids[0])
	}
	q.model = m
	return nil
}

// readWindow sets the hours asked for: whole GMT days around today, hours around
// now, or whole days between two dates.
func (q *query) readWindow(form url.Values, now time.Time) error {
	if form.Get("start_date") != "" || form.Get("end_date") != "" {
		return q.readDates(form, now)
	}
	days, err := integer(form, "forecast_days", 7, 0, maxDays)
	if err != nil {
		return err
	}
	pastDays, err := integer(form, "past_days", 0, 0, maxPastDays)
	if err != nil {
		return err
	}
	today := now.Truncate(24 * time.Hour)
	q.start, q.hours = today.AddDate(0, 0, -pastDays), 24*(days+pastDays)
	if form.Get("forecast_hours") == "" && form.Get("past_hours") == "" {
		return nil
	}
	// past_hours alone reaches to the end of the longest forecast.
	ahead, err := integer(form, "forecast_hours", 24*maxDays, 0, 24*maxDays)
	if err != nil {
		return err
	}
	past, err := integer(form, "past_hours", 0, 0, 24*maxPastDays)
	if err != nil {
		return err
	}
	q.start, q.hours = now.Truncate(time.Hour).Add(-time.Duration(past)*time.Hour), ahead+past
	return nil
}

func (q *query) readDates(form url.Values, now time.Time) error {
	for _, other := range []string{"forecast_days", "past_days", "forecast_hours", "past_hours"} {
		if form.Get(other) != "" {
			return refuse("Parameter 'start_date' and 'end_date' are mutually exclusive with '%s'", other)
		}
	}
	var ends [2]time.Time
	for i, name := range []string{"start_date", "end_date"} {
		day, err := time.Parse(time.DateOnly, form.Get(name))
		if err != nil {
			return refuse("Invalid date format. Make sure to use 'YYYY-MM-DD'. Parameter '%s'.", name)
		}
		ends[i] = day
	}
	today := now.Truncate(24 * time.Hour)
	first, last := today.AddDate(0, 0, -maxPastDays), today.AddDate(0, 0, maxDays-1)
	for i, name := range []string{"start_date", "end_date"} {
		if ends[i].Before(first) || ends[i].After(last) {
			return refuse("Parameter '%s' is out of allowed range from %s to %s", name, first.Format(time.DateOnly), last.Format(time.DateOnly))
		}
	}
	if ends[1].Before(ends[0]) {
		return refuse("End-date must be larger or equals than start-date")
	}
	q.start, q.hours = ends[0], 24+int(ends[1].Sub(ends[0]).Hours())
	return nil
}

func integer(form url.Values, name string, otherwise, low, high int) (int, error) {
	given := form.Get(name)
	if given == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(given)
	if err != nil || n < low || n > high {
		return 0, refuse("Parameter '%s' is invalid. Allowed range %d to %d. Given %s.", name, low, high, given)
	}
	return n, nil
}

func decimal(v float64) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// groundAt makes up the height of the ground where none is given: the sea, a
// coastal plain and the Andes, which are lower in the south.
func groundAt(lat, lon float64) float64 {
	south := math.Abs(lat)
	inland := lon - coast.at(south)
	crest := curve{{18, 4400}, {27, 4300}, {34, 3600}, {38, 2000}, {45, 1300}, {56, 700}}.at(south)
	return math.Round(clamp01((inland+0.2)/0.4)*150 + crest*smooth(clamp01((inland-0.7)/1.6)))
}
