package simulate

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// query is a request for weather.
type query struct {
	places    []catalogue.Location
	ids       []int // location_id of each place
	variables []hazard.Variable
	levels    []pressureLevel   // on which the wind is asked for
	spreads   []hazard.Variable // of which the spread is asked for
	model     *model
	start     time.Time // first hour, UTC
	hours     int
}

// at returns the hour of a position, counted from 0.
func (q *query) at(i int) time.Time { return q.start.Add(time.Duration(i) * time.Hour) }

// readQuery reads the fields that our client sends, from the address or the form.
// Package simulatetest refuses what the provider would refuse.
func readQuery(r *http.Request, now time.Time) (*query, error) {
	if err := r.ParseForm(); err != nil {
		return nil, err
	}
	q := new(query)
	return q, errors.Join(q.readPlaces(r.Form), q.readSeries(r.Form), q.readWindow(r.Form, now.UTC()))
}

func (q *query) readPlaces(form url.Values) error {
	fields, err := readLists(form, "latitude", "longitude", "elevation", "location_id")
	if err != nil {
		return err
	}
	for i, latitude := range fields["latitude"] {
		q.places = append(q.places, catalogue.Location{Latitude: latitude, Longitude: fields["longitude"][i], Elevation: fields["elevation"][i]})
		q.ids = append(q.ids, int(fields["location_id"][i]))
	}
	return nil
}

// readLists reads fields that are lists of numbers, all of the length of the first.
func readLists(form url.Values, names ...string) (map[string][]float64, error) {
	fields := map[string][]float64{}
	for _, name := range names {
		for text := range strings.SplitSeq(form.Get(name), ",") {
			value, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return nil, err
			}
			fields[name] = append(fields[name], value)
		}
		if len(fields[name]) != len(fields[names[0]]) {
			return nil, fmt.Errorf("%s has another number of elements than %s", name, names[0])
		}
	}
	return fields, nil
}

// readSeries reads which variables are asked of which model.
func (q *query) readSeries(form url.Values) error {
	for name := range strings.SplitSeq(form.Get("hourly"), ",") {
		if level, ok := levelByName(name); ok {
			q.levels = append(q.levels, level)
			continue
		}
		if v, ok := variableByName(strings.TrimSuffix(name, spreadSuffix)); ok && strings.HasSuffix(name, spreadSuffix) {
			q.spreads = append(q.spreads, v)
			continue
		}
		v, ok := variableByName(name)
		if !ok {
			return fmt.Errorf("unknown variable %q", name)
		}
		q.variables = append(q.variables, v)
	}
	id, ok := form.Get("models"), false
	if q.model, ok = modelByID(id); ok {
		return nil
	}
	if q.model = archive; id != archive.id {
		return fmt.Errorf("unknown model %q", id)
	}
	return nil
}

// readWindow sets the hours asked for: whole days around today, or between two dates.
func (q *query) readWindow(form url.Values, now time.Time) error {
	if form.Has("start_date") {
		first, err1 := time.Parse(time.DateOnly, form.Get("start_date"))
		last, err2 := time.Parse(time.DateOnly, form.Get("end_date"))
		q.start, q.hours = first, 24+int(last.Sub(first)/time.Hour)
		return errors.Join(err1, err2)
	}
	past, err1 := strconv.Atoi(form.Get("past_days"))
	ahead, err2 := strconv.Atoi(form.Get("forecast_days"))
	q.start, q.hours = now.Truncate(24*time.Hour).AddDate(0, 0, -past), 24*(past+ahead)
	return errors.Join(err1, err2)
}
