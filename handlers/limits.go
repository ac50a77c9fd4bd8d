package handlers

import (
	"strconv"
	"time"
)

// The limits of what is not the API's: pages with all that they load.
const (
	siteLimit     = 600
	apiClients    = 1 << 15
	siteClients   = 1 << 13
	tabulatedFrom = 200 // limits above this have their header written a request
)

// limits are the rate limiters with their header values.
type limits struct {
	api    *limiter // nil is no limit
	site   *limiter
	policy []string
	states []string // RateLimit by remaining and seconds, nil for large limits
}

func newLimits(perMinute int, now time.Time) limits {
	if perMinute <= 0 {
		return limits{}
	}
	l := limits{
		api:    newLimiter(perMinute, apiClients, now),
		site:   newLimiter(max(siteLimit, perMinute), siteClients, now),
		policy: []string{`"ip";q=` + strconv.Itoa(perMinute) + `;w=` + strconv.Itoa(int(window/time.Second))},
	}
	if perMinute <= tabulatedFrom {
		for remaining := range perMinute + 1 {
			for reset := range int(window/time.Second) + 1 {
				l.states = append(l.states, rateState(remaining, reset))
			}
		}
	}
	return l
}

func rateState(remaining, reset int) string {
	return `"ip";r=` + strconv.Itoa(remaining) + `;t=` + strconv.Itoa(reset)
}

// state returns the RateLimit header of a verdict.
func (l *limits) state(v verdict) []string {
	i := v.remaining*(int(window/time.Second)+1) + v.reset
	if i >= len(l.states) {
		return []string{rateState(v.remaining, v.reset)}
	}
	return l.states[i : i+1 : i+1]
}
