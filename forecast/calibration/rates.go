package calibration

import (
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// The aims for the shares of a trail's day hours, in hundredths: what is said more
// often is no longer heard.
const (
	AmberAim = 25
	RedAim   = 8
	RedIdeal = 5
	// WetColdGuard is the aim for red of wet cold in December to March; above it
	// the rule of that hazard wants its stricter form.
	WetColdGuard = 10
)

// Rate is how often a state was given.
type Rate struct {
	Hours   int // day hours looked at
	Unknown int // of them, without a state for want of data
	Amber   int // of them, amarillo and no more
	Red     int
}

// Share is n in hundredths of the hours that have a state. ok is false when none
// has.
func (r Rate) Share(n int) (share float64, ok bool) {
	known := r.Hours - r.Unknown
	if known == 0 {
		return 0, false
	}
	return 100 * float64(n) / float64(known), true
}

// above reports whether a share is known and passes an aim.
func (r Rate) above(n int, aim float64) bool {
	share, ok := r.Share(n)
	return ok && share > aim
}

func (r *Rate) note(state hazard.State) {
	r.Hours++
	switch state {
	case hazard.Unknown:
		r.Unknown++
	case hazard.Amber:
		r.Amber++
	case hazard.Red:
		r.Red++
	}
}

func (r *Rate) sum(other Rate) {
	r.Hours += other.Hours
	r.Unknown += other.Unknown
	r.Amber += other.Amber
	r.Red += other.Red
}

// TrailRates are the rates of a trail.
type TrailRates struct {
	All           Rate
	Hazards       [hazard.NumHazards]Rate // without hours where the hazard does not apply
	SummerWetCold Rate                    // of December to March
}

// Outlier reports whether the trail passes an aim.
func (t *TrailRates) Outlier() bool {
	return t.All.above(t.All.Amber, AmberAim) || t.All.above(t.All.Red, RedAim) || t.guarded()
}

func (t *TrailRates) guarded() bool {
	return t.SummerWetCold.above(t.SummerWetCold.Red, WetColdGuard)
}

// add counts the day hours of estimates.
func (t *TrailRates) add(hours []hazard.Estimate, zone *time.Location) {
	for i := range hours {
		e := &hours[i]
		local := e.Hour.In(zone)
		if h := local.Hour(); h < firstHour || h > lastHour {
			continue
		}
		t.All.note(e.State)
		for _, line := range e.Hazards {
			t.Hazards[line.Hazard].note(line.State)
			if line.Hazard == hazard.WetCold && (local.Month() <= time.March || local.Month() == time.December) {
				t.SummerWetCold.note(line.State)
			}
		}
	}
}

// BaseRates are the rates of every trail over a span of days.
type BaseRates struct {
	Catalogue   *catalogue.Catalogue
	Rules       string // version of the thresholds
	Models      []string
	First, Last time.Time
	Trails      []TrailRates // as Catalogue.Trails
}

func newBaseRates(o Calibration) *BaseRates {
	return &BaseRates{
		Catalogue: o.Catalogue, Rules: o.Rules.Version(), Models: o.Models, First: o.First, Last: o.Last,
		Trails: make([]TrailRates, len(o.Catalogue.Trails)),
	}
}

// All is the rates over all trails.
func (b *BaseRates) All() (all TrailRates) {
	for i := range b.Trails {
		t := &b.Trails[i]
		all.All.sum(t.All)
		all.SummerWetCold.sum(t.SummerWetCold)
		for h := range t.Hazards {
			all.Hazards[h].sum(t.Hazards[h])
		}
	}
	return all
}
