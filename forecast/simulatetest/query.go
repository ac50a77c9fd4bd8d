package simulatetest

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The provider's limits of a request.
const (
	maxQuery   = 8 << 10 // bytes of a query in the address
	maxPlaces  = 1000
	maxHeights = 100 // places of a call for the heights of the terrain
	pastDays   = 92
	daysAhead  = 16
)

var (
	numbers = regexp.MustCompile(`^-?[0-9.]+(,-?[0-9.]+)*$`)
	names   = regexp.MustCompile(`^[a-zP0-9_]+(,[a-zP0-9_]+)*$`) // P of hPa
	number  = regexp.MustCompile(`^[0-9]+$`)
	date    = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)
)

// fields are those of a call, and what may stand in them. What the provider has beside
// that is not simulated, so it is refused.
var fields = map[string]*regexp.Regexp{
	"latitude": numbers, "longitude": numbers, "elevation": numbers, "location_id": numbers, "hourly": names, "models": names,
	"past_days": number, "forecast_days": number, "start_date": date, "end_date": date, "apikey": regexp.MustCompile(`.`),
	"timeformat": regexp.MustCompile(`^unixtime$`), "timezone": regexp.MustCompile(`^GMT$`),
	"wind_speed_unit": regexp.MustCompile(`^kmh$`), "cell_selection": regexp.MustCompile(`^land$`),
}

// read checks a request as strictly as the provider does, and writes down what it asks
// for and costs.
func (s *Server) read(r *http.Request, call *Call) (reason string) {
	if len(r.URL.RawQuery) > maxQuery {
		return "URI Too Long"
	}
	if err := r.ParseForm(); err != nil {
		return err.Error()
	}
	for name, allowed := range fields {
		if r.Form.Has(name) && !allowed.MatchString(r.Form.Get(name)) {
			return fmt.Sprintf("Parameter '%s' is invalid", name)
		}
	}
	for name := range r.Form {
		if fields[name] == nil {
			return fmt.Sprintf("Parameter '%s' is not supported by this server", name)
		}
	}
	if r.URL.Path == "/v1/elevation" {
		call.Places = strings.Count(r.Form.Get("latitude"), ",") + 1
		call.Weight = float64(call.Places)
		return checkPlaces(r.Form, maxHeights, "latitude", "longitude")
	}
	if reason := checkPlaces(r.Form, maxPlaces, "latitude", "longitude", "elevation", "location_id"); reason != "" {
		return reason
	}
	archive := r.URL.Path == "/v1/archive"
	call.Model = r.Form.Get("models")
	if archive != (call.Model == "era5") || !archive && s.NewestRun(call.Model).IsZero() {
		return fmt.Sprintf("This server has no such model: %q", call.Model)
	}
	call.Places = strings.Count(r.Form.Get("latitude"), ",") + 1
	call.Variables = strings.Count(r.Form.Get("hourly"), ",") + 1
	if call.Days, reason = s.days(r.Form, archive); reason != "" {
		return reason
	}
	// More than ten variables, and with them more than two weeks, count as several calls.
	tenths := float64(call.Variables) / 10
	call.Weight = float64(call.Places) * max(1, tenths, tenths*call.Days/14)
	return ""
}

// limits are those of the numbers that describe a place, either way from 0.
var limits = map[string]float64{"latitude": 90, "longitude": 180, "elevation": 9000, "location_id": 1e6}

// checkPlaces returns what is wrong with the places of a request.
func checkPlaces(form url.Values, most int, names ...string) string {
	count := strings.Count(form.Get("latitude"), ",")
	if count >= most {
		return fmt.Sprintf("Only up to %d locations can be requested at once", most)
	}
	for _, name := range names {
		limit := limits[name]
		if strings.Count(form.Get(name), ",") != count {
			return fmt.Sprintf("Parameter '%s' must have the same number of elements", name)
		}
		for text := range strings.SplitSeq(form.Get(name), ",") {
			if value, err := strconv.ParseFloat(text, 64); err != nil || math.Abs(value) > limit {
				return fmt.Sprintf("Parameter '%s' must be in range of -%v to %v. Given: %s.", name, limit, limit, text)
			}
		}
	}
	return ""
}

// days counts those that a request asks for, around today or between two dates.
func (s *Server) days(form url.Values, archive bool) (days float64, reason string) {
	if form.Has("start_date") == form.Has("forecast_days") {
		return 0, "Parameter 'start_date' and 'end_date' are mutually exclusive with 'forecast_days'"
	}
	if !form.Has("start_date") {
		past, err1 := strconv.Atoi(form.Get("past_days"))
		ahead, err2 := strconv.Atoi(form.Get("forecast_days"))
		if archive || err1 != nil || err2 != nil || past > pastDays || ahead > daysAhead {
			return 0, "Parameter 'past_days' or 'forecast_days' is invalid"
		}
		return float64(past + ahead), ""
	}
	first, err1 := time.Parse(time.DateOnly, form.Get("start_date"))
	last, err2 := time.Parse(time.DateOnly, form.Get("end_date"))
	today := s.clock.Now().UTC().Truncate(24 * time.Hour)
	from, to := today.AddDate(0, 0, -pastDays), today.AddDate(0, 0, daysAhead-1)
	if archive {
		from, to = time.Date(1940, 1, 1, 0, 0, 0, 0, time.UTC), today
	}
	if err1 != nil || err2 != nil || form.Has("past_days") || first.Before(from) || last.After(to) || last.Before(first) {
		return 0, fmt.Sprintf("Parameter 'start_date' or 'end_date' is out of allowed range from %s to %s", from.Format(time.DateOnly), to.Format(time.DateOnly))
	}
	return 1 + last.Sub(first).Hours()/24, ""
}
