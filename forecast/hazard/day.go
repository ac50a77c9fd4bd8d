package hazard

import "time"

// FirstHour and LastHour are the hours of the day in which a trail is walked, local, both
// included.
const (
	FirstHour = 6
	LastHour  = 21
	// DayHours is how many they are.
	DayHours = LastHour - FirstHour + 1
)

// DayOf returns the day to which an hour belongs by the clock of the site: midnight UTC of
// its date, and the index of the hour from FirstHour on. walked is false at night.
func (s *Site) DayOf(hour time.Time) (date time.Time, index int, walked bool) {
	local := hour.In(s.TimeZone)
	index = local.Hour() - FirstHour
	year, month, day := local.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC), index, index >= 0 && index < DayHours
}

// DayStart returns the first hour of a day, which is midnight UTC of its date.
func (s *Site) DayStart(date time.Time) time.Time {
	start := time.Date(date.Year(), date.Month(), date.Day(), FirstHour, 0, 0, 0, s.TimeZone).UTC()
	if hour := start.Truncate(time.Hour); hour.Before(start) {
		return hour.Add(time.Hour) // a zone that is not whole hours from UTC
	}
	return start
}
