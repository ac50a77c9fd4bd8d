package api

import (
	"net/http"
	"time"

	"vigia/forecast/alert"
	"vigia/handlers/httpcache"
)

// How long answers may be kept at most; less when something changes before.
const (
	usualAge     = 5 * time.Minute
	alertsAge    = time.Minute
	thresholdAge = time.Hour
	outageAge    = time.Minute     // while there are no data
	absenceAge   = time.Minute     // of a page that does not exist
	lateAge      = 2 * time.Second // while a publication is due
)

// cacheSlack is how much sooner than it stops being true an answer must leave a cache:
// caches count whole seconds, and nginx keeps what it has through the last one.
const cacheSlack = time.Second

// terms returns how long an answer may be kept: until something changes, and no longer
// than longest.
func (s *Answers) terms(now time.Time, longest time.Duration) httpcache.Terms {
	age := longest
	if wait := s.nextAt.Sub(now); !s.nextAt.IsZero() && wait > 0 {
		age = min(age, wait)
	} else if !s.nextAt.IsZero() {
		age = min(age, lateAge) // it comes at any moment
	}
	age = s.untilTurn(now, age)
	if !s.current {
		age = min(age, outageAge)
	}
	return s.keptFor(now, age)
}

// untilTurn cuts an age to the next instant at which the clock changes the answers.
func (s *Answers) untilTurn(now time.Time, age time.Duration) time.Duration {
	if s.until.IsZero() {
		return age
	}
	return min(age, s.until.Sub(now)-cacheSlack)
}

// PageTerms returns the terms of the site's pages, which show the same publication.
func (s *Answers) PageTerms(now time.Time) httpcache.Terms { return s.terms(now, usualAge) }

// AbsenceTerms returns the terms of the answer that a page does not exist.
func (s *Answers) AbsenceTerms(now time.Time) httpcache.Terms { return s.terms(now, absenceAge) }

// keptFor returns the terms of an answer that may be kept for an age.
func (s *Answers) keptFor(now time.Time, age time.Duration) httpcache.Terms {
	return httpcache.Terms{
		Now: now, CacheControl: httpcache.MaxAge(age),
		LastModified: s.lastModified, Modified: s.modified,
	}
}

// usual returns an answer that is kept for the usual time.
func (c call) usual(body *httpcache.Body) (answer, *Fault) {
	return answer{body, c.terms(c.now, usualAge)}, nil
}

func (c call) parkList() (answer, *Fault) { return c.usual(c.parks) }

func (c call) verification() (answer, *Fault) { return c.usual(c.precision) }

func (c call) rules() (answer, *Fault) {
	return answer{c.thresholds, c.keptFor(c.now, thresholdAge)}, nil
}

var documentBody = httpcache.Static("application/json; charset=utf-8", openAPI)

func (c call) document() (answer, *Fault) {
	return answer{documentBody, httpcache.Terms{Now: c.now, CacheControl: httpcache.MaxAge(usualAge)}}, nil
}

// ofPark returns what answers for the park that the path names.
func ofPark(serve func(call, *parkBodies) (answer, *Fault)) func(call) (answer, *Fault) {
	return func(c call) (answer, *Fault) {
		p, ok := c.bySlug[c.name]
		if !ok {
			return answer{}, c.parkNotFound(c.name)
		}
		return serve(c, &c.park[p])
	}
}

func (c call) parkDetail(park *parkBodies) (answer, *Fault) { return c.usual(park.detail()) }

func (c call) trailList(park *parkBodies) (answer, *Fault) { return c.usual(park.trails()) }

func (c call) parkHistory(park *parkBodies) (answer, *Fault) {
	days, fault := number(c.query, "dias", 1, historyDays, historyDays)
	if fault != nil {
		return answer{}, fault
	}
	return answer{park.history(days), c.keptFor(c.now, c.untilTurn(c.now, usualAge))}, nil
}

func (c call) parkForecast(park *parkBodies) (answer, *Fault) {
	hours, fault := number(c.query, "horas", 1, farthest, horizon)
	if fault != nil {
		return answer{}, fault
	}
	if park.forecast == nil {
		return answer{}, c.noData(c.now)
	}
	return c.usual(park.forecast(hours))
}

func (c call) alertList() (answer, *Fault) {
	level := alert.NoLevel
	if c.query.Has("nivel") {
		var fault *Fault
		if level, fault = parseLevel(c.query.Get("nivel")); fault != nil {
			return answer{}, fault
		}
	}
	bodies := c.alerts
	if c.query.Has("parque") {
		p, ok := c.bySlug[c.query.Get("parque")]
		if !ok {
			return answer{}, &Fault{Status: http.StatusBadRequest, Code: "parque_desconocido", Text: c.catalogue.UnknownPark(c.query.Get("parque"))}
		}
		bodies = c.park[p].alerts
	}
	if bodies == nil {
		return answer{}, c.noData(c.now)
	}
	return answer{bodies()[level], c.terms(c.now, alertsAge)}, nil
}

func (c call) alert() (answer, *Fault) {
	made, ok := c.alertByID[c.name]
	switch {
	case !ok:
		return answer{}, alertNotFound
	case made == nil:
		return answer{}, c.noData(c.now)
	}
	return answer{made(), c.terms(c.now, alertsAge)}, nil
}

func parseLevel(text string) (alert.Level, *Fault) {
	for _, level := range []alert.Level{alert.Caution, alert.Danger} {
		if text == level.String() {
			return level, nil
		}
	}
	switch text {
	case "verde", "amarillo", "rojo":
		return 0, badValue("«" + text + "» es un valor de «estado», no de «nivel»: los colores pertenecen a las estimaciones; " +
			"los valores de «nivel» son precaucion y peligro")
	}
	return 0, badValue("los valores de «nivel» son precaucion y peligro")
}
