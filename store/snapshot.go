package store

import (
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/store/catalogue"
	"vigia/store/notices"
)

// Snapshot is everything that one publication shows: the values that the hourly
// cycle made and kept, complete and immutable. The handlers turn it into the
// bodies that they serve.
type Snapshot struct {
	Catalogue *catalogue.Catalogue
	Rules     *hazard.Rules
	Simulated bool // demo: every page and answer says so

	Hour       time.Time     // UTC hour of the first estimate
	IssuedAt   time.Time     // when the estimates were made; zero before the first
	ValidUntil time.Time     // instant from which the estimates must not be shown as current; past when Reason says that the data are too old
	DataUntil  time.Time     // instant at which the data behind the estimates are too old for any level; never before ValidUntil, zero when not known
	NextAt     time.Time     // when the next publication is due
	Reason     hazard.Reason // why there are no estimates at all, else empty

	Trails  []TrailForecast // as Catalogue.Trails
	Alerts  []alert.Alert   // those not yet finished when the snapshot was made, and those that finished within the last day
	Ended   []alert.Alert   // those that finished before and are still kept: readable by id, and in no list
	History History

	Verification *Verification // of the log; nil before it was computed first

	// Notices are what official bodies say. They have a validity of their own and
	// hold when the estimates are over.
	Notices notices.Set
	Feeds   [notices.NumKinds]FeedStatus // by kind of notice

	Models     []ModelStatus // in the order asked
	Ensembles  []ModelStatus // likewise, which have no vote; none when they are not asked for
	WeightDay  int           // provider weight used in this UTC day
	DayLimit   int
	StartedAt  time.Time
	FileBytes  int64
	StoreError string // why the file cannot be written, else empty
}

// TrailForecast is a trail's estimates, hour by hour from Snapshot.Hour.
type TrailForecast = snapshot.Trail

// TrailSun returns how strong the sun gets on a trail in the 24 hours from an instant.
func (e *Snapshot) TrailSun(now snapshot.View, trail int) snapshot.Sun {
	return now.Sun(trail, e.Catalogue.Trails[trail].CriticalPoint().Exposure, e.Rules)
}

// ParkSun returns how strong the sun gets on the trail of a park where it is strongest.
func (e *Snapshot) ParkSun(now snapshot.View, park int) snapshot.Sun {
	strongest := snapshot.Sun{Class: hazard.NoUV}
	p := &e.Catalogue.Parks[park]
	for t := p.FirstTrail; t < p.FirstTrail+p.NumTrails; t++ {
		if s := e.TrailSun(now, t); s.Class != hazard.NoUV && (strongest.Class == hazard.NoUV || s.Index > strongest.Index) {
			strongest = s
		}
	}
	return strongest
}

// At reads the estimates of the snapshot at an instant.
func (e *Snapshot) At(now time.Time) snapshot.View {
	return snapshot.Publication{
		Parks: e.Catalogue.Parks, Trails: e.Trails, Hour: e.Hour, IssuedAt: e.IssuedAt, ValidUntil: e.ValidUntil, Reason: e.Reason,
	}.At(now)
}

// ModelStatus is how a model stands at a publication.
type ModelStatus struct {
	Model       string
	Run         time.Time // initialisation of the run held; zero when none
	ConfirmedAt time.Time // when the provider last said that it is the newest
	State       string    // ok, atrasado (held back or not renewed), vencido, sin_datos
	LastError   string    // plain words, no addresses; empty when the last try went well
	AloftError  string    // why its run has no wind aloft, in plain words; empty when it has, or is not asked
}

// JobStatus is how the last run of a periodic job of the service went.
type JobStatus struct {
	Name    string        // in Spanish
	Every   time.Duration // between two runs
	LastRun time.Time     // when it ended; zero before the first
	Failing bool          // it could not do its work; the log has why
}

// FeedStatus is how the source of one kind of official notices stands.
type FeedStatus struct {
	Configured bool   // it is polled; else notices come from the operator's imports alone
	LastError  string // plain words, no addresses; empty when the last poll went well
}

// History is the estimates as they were issued, for the last 168 hours: for
// each hour kept, newest first, a row for each trail of the catalogue.
type History struct {
	Hours []HistoryHour
}

// HistoryHour is what was issued for one hour.
type HistoryHour struct {
	Hour time.Time
	Rows []HistoryRow // as Catalogue.Trails; a trail without one has State Unknown and Quality NoData
}

// HistoryRow is an estimate as issued, in the form that is kept: small values,
// rounded to what is shown.
type HistoryRow struct {
	State      hazard.State
	Quality    hazard.Quality
	Main       hazard.Hazard
	Confidence hazard.Confidence
	Medians    hazard.Medians
}
