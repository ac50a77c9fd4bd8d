package simulate

import (
	"time"

	"vigia/store/catalogue"
)

// Truth returns the weather that comes to pass at a place and time, in the digits
// of an answer, every variable included. Overrides leave it alone.
func (s *Server) Truth(place catalogue.Location, at time.Time) Values {
	h := truthHour(s.seed, at)
	return newSpot(place).weather(s.seed, &h)
}
