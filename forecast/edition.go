package forecast

import (
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
)

// edition puts together all that is to be shown.
func (e *Engine) edition(now time.Time, trails []store.TrailForecast, reason hazard.Reason) *store.Edition {
	hour := now.Truncate(time.Hour)
	edition := &store.Edition{
		Catalogue: e.o.Catalogue, Rules: e.o.Rules, Simulated: e.o.Simulated,
		Hour: hour, NextAt: hour.Add(time.Hour), Reason: reason,
		Trails: trails, Alerts: alert.Issued(e.alerts, now), Models: e.statuses(now), StartedAt: e.startedAt, FileBytes: e.o.Store.Size(),
	}
	if len(trails) > 0 {
		edition.IssuedAt = now
		edition.ValidUntil = e.validUntil(now)
	}
	if reason == hazard.DataTooOld {
		edition.ValidUntil = e.endedAt(now)
	}
	usage := e.o.Usage()
	edition.WeightDay, edition.DayLimit = int(usage.Day+0.5), int(usage.Limits.Day)
	if e.failing != nil || e.o.Store.Err() != nil {
		edition.StoreError = "no se puede escribir en el archivo de datos"
	}
	history, err := e.o.Store.History(e.o.Catalogue, hour, historyHours)
	if err != nil {
		e.o.Log.Error("history not read", "error", err)
		edition.StoreError = "no se puede leer el historial"
	}
	edition.History = history
	e.takeUpImported()
	edition.Verification = e.verification
	return edition
}

// validUntil is the instant from which the estimates made at now must not be
// shown: some minutes into the next hour, by when there are newer ones, and
// never past the age at which the data behind them carry no level.
func (e *Engine) validUntil(now time.Time) time.Time {
	until := now.Truncate(time.Hour).Add(time.Hour + grace)
	newest, _ := age(e.models, now, e.dataLimit())
	if limit := newest.Add(e.dataLimit()); limit.Before(until) {
		until = limit
	}
	return until
}

// endedAt is when the last estimates stopped being current: never later than now,
// for a confirmation may come from a clock that was wrong.
func (e *Engine) endedAt(now time.Time) time.Time {
	var last time.Time
	for _, m := range e.models {
		if m.run != nil && m.confirmed.After(last) {
			last = m.confirmed
		}
	}
	if ended := last.Add(e.dataLimit()); ended.Before(now) {
		return ended
	}
	return now
}
