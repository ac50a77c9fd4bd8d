package daylight

import (
	"math"
	"slices"
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store/catalogue"
	"vigia/store/notices"
)

// Day is a local day of a trail and when one can leave on it.
type Day struct {
	Noon time.Time // in the park's zone
	// Rise and Set are both zero where the sun does not rise or does not set.
	Rise, Set time.Time
	// Departures are the full hours of the clock from [hazard.FirstHour] to
	// [hazard.LastHour] that are not past and in which there is light. There are none
	// where it is not known how long the trail takes.
	Departures []Departure
}

// Departure is to leave at a full hour and to be back after the longest time that the
// trail takes.
type Departure struct {
	Leave, Return time.Time
	// Clear is true where the whole walk lies in one of the trail's [Windows].
	Clear bool
	// State is the worst of the hours on the way. It is Unknown where none is amber or
	// red and one has no estimate, or a green one of data that could not be renewed.
	State  hazard.State
	Main   hazard.Hazard // of the first hour in State, NoHazard unless State is Amber or Red
	Since  time.Time     // from when the walk is in State, Leave at the earliest
	Gap    bool          // an hour on the way has no estimate, or a green one of old data
	Alert  alert.Level   // the highest of the active alerts on the way
	Closed bool          // an official source has the trail closed in one of the hours
	Night  bool          // it is back after sunset
}

// Takes returns the time that a departure counts with: the longest that the trail takes,
// up to the next half hour. It is 0 where that is not known.
func Takes(t *catalogue.Trail) time.Duration {
	if !(t.MaxHours > 0) {
		return 0
	}
	return time.Duration(math.Ceil(2*t.MaxHours)) * (time.Hour / 2)
}

// Departures returns a trail's departures on so many local days, today first. hours are
// its estimates, one after the other.
func Departures(c *catalogue.Catalogue, trail int, hours []hazard.Estimate, alerts []alert.Alert, official *notices.Set, now time.Time, days int) []Day {
	o := newOutlook(c, trail, hours, alerts, official, now)
	windows, takes := o.windows(), Takes(o.trail)
	local := now.In(o.park.TimeZone)
	list := make([]Day, days)
	for i := range list {
		day := &list[i]
		day.Noon = time.Date(local.Year(), local.Month(), local.Day()+i, 12, 0, 0, 0, o.park.TimeZone)
		rise, set, ok := Of(day.Noon, o.park.Latitude, o.park.Longitude)
		if !ok {
			continue
		}
		day.Rise, day.Set = rise, set
		for h := hazard.FirstHour; takes > 0 && h <= hazard.LastHour; h++ {
			leave := time.Date(local.Year(), local.Month(), local.Day()+i, h, 0, 0, 0, o.park.TimeZone)
			if leave.Hour() == h && !leave.Before(now) && !leave.Before(rise) && leave.Before(set) {
				day.Departures = append(day.Departures, o.departure(leave, leave.Add(takes), set, windows))
			}
		}
	}
	return list
}

// departure looks at every hour of a walk.
func (o *outlook) departure(leave, back, set time.Time, windows []Window) Departure {
	d := Departure{
		Leave: leave, Return: back, Night: back.After(set), State: hazard.Green, Main: hazard.NoHazard, Since: leave,
		Clear: slices.ContainsFunc(windows, func(w Window) bool { return !leave.Before(w.From) && !back.After(w.To) }),
	}
	for hour := leave.UTC().Truncate(time.Hour); hour.Before(back); hour = hour.Add(time.Hour) {
		d.pass(hour, o.at(hour))
		d.Alert = max(d.Alert, o.alertIn(hour))
		d.Closed = d.Closed || o.isClosedIn(hour)
	}
	return d
}

// pass adds an hour on the way. Amber and red stand whatever is missing elsewhere, and
// what is missing stands before green.
func (d *Departure) pass(hour time.Time, e *hazard.Estimate) {
	state := stateOf(e)
	d.Gap = d.Gap || state == hazard.Unknown
	if slices.Index(byGravity, state) <= slices.Index(byGravity, d.State) {
		return
	}
	d.State, d.Main = state, hazard.NoHazard
	if state >= hazard.Amber {
		d.Main = e.Main
	}
	if hour.After(d.Leave) {
		d.Since = hour
	}
}

// byGravity are the states of a walk, the worst last.
var byGravity = []hazard.State{hazard.Green, hazard.Unknown, hazard.Amber, hazard.Red}

// at returns the estimate of an hour, one without a state where there is none.
func (o *outlook) at(hour time.Time) *hazard.Estimate {
	if len(o.hours) > 0 && !hour.Before(o.hours[0].Hour) {
		if i := int(hour.Sub(o.hours[0].Hour) / time.Hour); i < len(o.hours) {
			return &o.hours[i]
		}
	}
	return &hazard.Estimate{Hour: hour, Main: hazard.NoHazard}
}
