package calibration

import (
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// The aims for a trail, in hundredths of its day hours and of its days, which are what
// people remember: what is said more often is no longer heard.
const (
	AmberAim       = 25
	RedAim         = 8
	RedIdeal       = 5
	NotGreenDayAim = 50
	RedDayAim      = 10
)

// Rate is how often a state was given, of hours or of days.
type Rate struct {
	Count   int // hours or days looked at
	Unknown int // of them, without a state for want of data
	Amber   int // of them, amarillo and no more
	Red     int
}

// Share is n in hundredths of those that have a state. ok is false when none
// has.
func (r Rate) Share(n int) (share float64, ok bool) {
	known := r.Count - r.Unknown
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
	r.Count++
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
	r.Count += other.Count
	r.Unknown += other.Unknown
	r.Amber += other.Amber
	r.Red += other.Red
}

// Rates are those of a trail, or of several together.
type Rates struct {
	Hours   Rate
	Days    Rate                    // a local day by the worst of its hours; green only when all are
	Hazards [hazard.NumHazards]Rate // of hours, without those where the hazard does not apply
}

func (r *Rates) sum(other *Rates) {
	r.Hours.sum(other.Hours)
	r.Days.sum(other.Days)
	for h := range r.Hazards {
		r.Hazards[h].sum(other.Hazards[h])
	}
}

// TrailRates are the rates of a trail, all of them and by local month.
type TrailRates struct {
	Rates
	Months [12]Rates
	day    openDay
}

// openDay is a local day of which hours may be still to come.
type openDay struct {
	date    string // "" before the first
	month   time.Month
	worst   hazard.State
	unknown bool // some hour is
}

// Outlier reports whether the trail passes an aim.
func (t *TrailRates) Outlier() bool { return len(t.missed()) > 0 }

// add counts the day hours of estimates, which come in order.
func (t *TrailRates) add(hours []hazard.Estimate, zone *time.Location) {
	for i := range hours {
		e := &hours[i]
		local := e.Hour.In(zone)
		if h := local.Hour(); h < hazard.FirstHour || h > hazard.LastHour {
			continue
		}
		if date := local.Format(time.DateOnly); date != t.day.date {
			t.endDay()
			t.day = openDay{date: date, month: local.Month()}
		}
		t.day.worst = max(t.day.worst, e.State)
		t.day.unknown = t.day.unknown || e.State == hazard.Unknown
		for _, r := range []*Rates{&t.Rates, &t.Months[local.Month()-1]} {
			r.Hours.note(e.State)
			for _, line := range e.Hazards {
				r.Hazards[line.Hazard].note(line.State)
			}
		}
	}
}

// endDay counts the day that is open.
func (t *TrailRates) endDay() {
	if t.day.date == "" {
		return
	}
	if t.day.worst == hazard.Green && t.day.unknown {
		t.day.worst = hazard.Unknown
	}
	t.Days.note(t.day.worst)
	t.Months[t.day.month-1].Days.note(t.day.worst)
	t.day = openDay{}
}

// BaseRates are the rates of every trail over a span of days.
type BaseRates struct {
	Catalogue   *catalogue.Catalogue
	Rules       string // version of the thresholds
	Models      []string
	First, Last time.Time
	Trails      []TrailRates // as Catalogue.Trails
	Aloft       []TrailRates // likewise what the wind aloft would give; without hours where it is not asked for
}

func newBaseRates(o Calibration) *BaseRates {
	return &BaseRates{
		Catalogue: o.Catalogue, Rules: o.Rules.Version(), Models: o.Models, First: o.First, Last: o.Last,
		Trails: make([]TrailRates, len(o.Catalogue.Trails)), Aloft: make([]TrailRates, len(o.Catalogue.Trails)),
	}
}

// Over is the rates of the trails that a question picks, together.
func (b *BaseRates) Over(pick func(trail *catalogue.Trail) bool) (all Rates) {
	for i := range b.Trails {
		if pick(&b.Catalogue.Trails[i]) {
			all.sum(&b.Trails[i].Rates)
		}
	}
	return all
}
