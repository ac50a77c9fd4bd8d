package catalogue

import "time"

// StartOfDay returns the first instant of a day in a zone. Where the clocks go forward at
// midnight, as in Chile, that is one o'clock. A day beyond the end of the month is one of
// the next.
func StartOfDay(year int, month time.Month, day int, zone *time.Location) time.Time {
	t := time.Date(year, month, day, 0, 0, 0, 0, zone)
	if noon := time.Date(year, month, day, 12, 0, 0, 0, zone); t.Day() != noon.Day() {
		_, t = t.ZoneBounds()
	}
	return t
}
