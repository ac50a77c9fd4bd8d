package hazard

import (
	"math"
	"math/bits"
	"slices"
	"time"
)

// Run is one centre's model run as the rules see it: its columns hold a series
// for every point that a [Site] names.
type Run struct {
	Model   string
	Init    time.Time // UTC initialisation; zero when unknown
	Columns *Columns
}

// Site is a trail as the rules see it.
type Site struct {
	Zone     Zone
	Remote   bool
	Fuel     bool
	Basin    bool           // land of 2,500 m or more lies upstream of its crossings
	TimeZone *time.Location // of the park: some hazards depend on the hour of the day
	Points   []Point
}

// Point is a place of a trail.
type Point struct {
	Exposure Exposure
	Critical bool    // its medians are shown with the estimate
	HeightM  float64 // above sea; 0 or NaN when unknown
	At       int     // index of the point in the runs' columns
}

// Exposed reports whether snow on the ground, visibility and UV are asked for at a point:
// the critical one, and those on ridges, on glaciers and at crossings.
func (p Point) Exposed() bool {
	return p.Critical || p.Exposure == Ridge || p.Exposure == Glacier || p.Exposure == Crossing
}

// aloftFrom is the height, m above sea, from which the wind aloft is asked for: below it
// lies no pressure level that it could be interpolated from.
const aloftFrom = 800

// Aloft reports whether the wind aloft is asked for at a point: the critical one, where it
// is a ridge, a pass or a glacier of 800 m and more.
func (p Point) Aloft() bool {
	return p.Critical && (p.Exposure == Ridge || p.Exposure == Glacier) && p.HeightM >= aloftFrom
}

// Terrain returns what the rules need to know of a point of the site.
func (s *Site) Terrain(p Point) Terrain {
	return Terrain{Exposure: p.Exposure, Zone: s.Zone, Remote: s.Remote, Fuel: s.Fuel, Basin: s.Basin, HeightM: p.HeightM}
}

// coreHazards rest on wind, temperature and precipitation, without which no
// hour is green.
var coreHazards = [...]Hazard{Wind, Cold, Rain}

// Core reports whether no hour is green without the hazard.
func (h Hazard) Core() bool { return slices.Contains(coreHazards[:], h) }

// ModelsForGreen is how many models must vote on all core hazards for an hour to be
// green, where so many are asked: the first alone after a start or an outage would
// paint a storm green. Fewer take no alert back either.
const ModelsForGreen = 2

// Assessor makes estimates for one set of runs and hours. It keeps scratch
// memory from trail to trail, so that it belongs to one goroutine.
type Assessor struct {
	rules *Rules
	runs  []Run
	asked int
	from  time.Time
	hours int

	series  pointSeries
	values  [][]Inputs   // by run, then hour; one hour more at either end
	gaps    [][]bool     // as values: a sum of that hour has missing parts
	raw     []Severity   // one run's ballots, with the hour more at either end
	ballots [][]Severity // by run, then hour
	clock   []float64    // local hour of the day, by hour
	worst   [NumHazards][]verdict
	weather []Weather             // at the critical point
	own     [NumHazards][]Ballots // by hour, at each run's own worst point
	voters  []voterKey            // those that have a say in the hour at the critical point
	core    []uint32              // bit per run that votes on all core hazards at the point that is loaded
	fewest  []int                 // runs that do, at the point with the fewest
	lines   []HazardEstimate      // of a trail; an hour like the one before has the same ones
	ends    []int                 // of each hour's, in lines
	named   map[voterKey][]Vote
}

// voterKey has a bit per run.
type voterKey struct {
	hour     int
	runs, uv uint32 // that vote, and that have a UV index
}

// verdict is the outcome of the votes on a hazard in an hour at the worst point so
// far.
type verdict struct {
	seen       bool
	state      State
	confidence Confidence
	votes      Votes
	gaps       bool
	causes     []Cause
}

// NewAssessor prepares to make estimates for hours hours from the hour from
// (UTC), out of at most 32 runs. asked is the number of models that the service
// asks for: with fewer of them an estimate is partial.
func (r *Rules) NewAssessor(runs []Run, asked int, from time.Time, hours int) *Assessor {
	a := &Assessor{rules: r, runs: runs, asked: asked, from: from, hours: hours, named: map[voterKey][]Vote{}}
	for range runs {
		a.values = append(a.values, make([]Inputs, hours+2))
		a.gaps = append(a.gaps, make([]bool, hours+2))
		a.ballots = append(a.ballots, make([]Severity, hours))
	}
	a.raw = make([]Severity, hours+2)
	a.clock = make([]float64, hours)
	a.weather = make([]Weather, hours)
	a.voters = make([]voterKey, hours)
	a.core, a.fewest = make([]uint32, hours), make([]int, hours)
	a.lines, a.ends = make([]HazardEstimate, 0, hours*NumHazards), make([]int, hours)
	for h := range a.worst {
		a.worst[h], a.own[h] = make([]verdict, hours), make([]Ballots, hours)
	}
	return a
}

// Assess estimates a trail for every hour of the assessor: each hazard at each
// point by the votes of the models, the trail by its worst hazard and point. A
// place or hazard that cannot be judged is worse than green and milder than
// amber: it hides no danger and clears none.
func (a *Assessor) Assess(site Site) []Estimate {
	a.reset(site)
	for i, point := range site.Points {
		a.load(point)
		terrain := site.Terrain(point)
		for h := range Hazard(NumHazards) {
			// Where it is not asked for, visibility would be unknown in every hour.
			if a.rules.Applies(h, terrain) && (h != Visibility || point.Exposed()) {
				a.judge(h, terrain, uint8(i))
			}
		}
		a.countCore()
		if point.Critical {
			a.readWeather()
		}
	}
	return a.estimates()
}

// Ballots returns what each run by itself said of a hazard in an hour of the site that was
// assessed last.
func (a *Assessor) Ballots(h Hazard, hour int) Ballots { return a.own[h][hour] }

func (a *Assessor) reset(site Site) {
	for h := range a.worst {
		clear(a.worst[h])
		clear(a.own[h])
	}
	for k := range a.hours {
		a.clock[k] = float64(a.from.Add(time.Duration(k) * time.Hour).In(site.TimeZone).Hour())
		a.weather[k] = missingWeather
		a.voters[k] = voterKey{hour: k}
		a.fewest[k] = len(a.runs)
	}
}

// load reads every run's values at a point.
func (a *Assessor) load(point Point) {
	for m, run := range a.runs {
		a.series.open(run.Columns, point.At, a.rules)
		first := a.series.index(a.from) - 1
		for k := range a.values[m] {
			a.gaps[m][k] = a.series.inputs(first+k, a.rules, &a.values[m][k])
		}
	}
	for k := range a.core {
		a.core[k] = 1<<len(a.runs) - 1
	}
}

// countCore counts the runs that vote on all core hazards at the point that is loaded.
func (a *Assessor) countCore() {
	for k, runs := range a.core {
		a.fewest[k] = min(a.fewest[k], bits.OnesCount32(runs))
	}
}

// judge counts the ballots on a hazard at the point that is loaded, and keeps
// the verdict where it is the worst so far.
func (a *Assessor) judge(h Hazard, terrain Terrain, point uint8) {
	set := a.rules.terrain(terrain)
	for m := range a.runs {
		a.cast(h, set, m)
		for k, s := range a.ballots[m] {
			a.own[h][k].Merge(m, s, !a.worst[h][k].seen)
		}
	}
	for k := range a.hours {
		v := verdict{seen: true}
		for m := range a.runs {
			v.votes.Add(a.ballots[m][k])
			v.gaps = v.gaps || a.gaps[m][k+1]
			if a.ballots[m][k] == NoVote && h.Core() {
				a.core[k] &^= 1 << m
			}
		}
		v.state, v.confidence = a.rules.Combine(v.votes, k)
		if h == Visibility {
			v.confidence = min(v.confidence, Medium) // few models have it, and none well
		}
		best := &a.worst[h][k]
		if best.seen && !v.worseThan(best) {
			best.gaps = best.gaps || v.gaps
			continue
		}
		v.gaps = v.gaps || best.gaps
		if v.state >= Amber {
			v.causes = a.causes(h, set, v.state, k, point)
		}
		*best = v
	}
}

// graveness orders states for the worst of several: what is unknown outweighs
// green.
var graveness = [...]int{Green: 0, Unknown: 1, Amber: 2, Red: 3}

func (v *verdict) worseThan(other *verdict) bool {
	if v.state != other.state {
		return graveness[v.state] > graveness[other.state]
	}
	return v.share() > other.share() && v.state != Green || v.share() < other.share() && v.state == Green
}

// share is the fraction of the models that supports the state.
func (v *verdict) share() float64 {
	if v.votes.Total == 0 {
		return 0
	}
	return float64(v.votes.agree(v.state)) / float64(v.votes.Total)
}

// estimates puts the verdicts of all hazards together, hour by hour.
func (a *Assessor) estimates() []Estimate {
	present := 0
	for h := range a.worst {
		if a.hours > 0 && a.worst[h][0].seen {
			present++
		}
	}
	estimates := make([]Estimate, a.hours)
	lines := a.lines[:0]
	for k := range estimates {
		for h := range Hazard(NumHazards) {
			if v := &a.worst[h][k]; v.seen {
				lines = append(lines, v.line(h))
			}
		}
		if n := len(lines) - present; n >= present && slices.Equal(lines[n-present:n], lines[n:]) {
			lines = lines[:n]
		}
		a.ends[k] = len(lines)
		e := &estimates[k]
		e.Hour = a.from.Add(time.Duration(k) * time.Hour)
		e.Hazards = lines[len(lines)-present:]
		e.Medians, e.Sky = a.weather[k].Medians, a.weather[k].Sky
		e.Models = a.votersOf(k)
		a.conclude(e, k)
	}
	kept := slices.Clone(lines)
	for k, end := range a.ends {
		estimates[k].Hazards = kept[end-present : end : end]
	}
	return estimates
}

func (v *verdict) line(h Hazard) HazardEstimate {
	line := HazardEstimate{
		Hazard: h, State: v.state, Confidence: v.confidence,
		Agree: uint8(v.votes.agree(v.state)), Total: uint8(v.votes.Total), Amber: uint8(v.votes.Amber), Red: uint8(v.votes.Red),
	}
	line.SetCauses(v.causes...)
	return line
}

// conclude decides the trail's state for the hour.
func (a *Assessor) conclude(e *Estimate, k int) {
	e.Main = NoHazard
	var worst *verdict
	for _, line := range e.Hazards {
		v := &a.worst[line.Hazard][k]
		if v.state >= Amber && (worst == nil || v.state > worst.state || v.state == worst.state && v.share() > worst.share()) {
			worst, e.Main = v, line.Hazard
		}
	}
	switch core, known := a.coreConfidence(k); {
	case worst != nil:
		e.State, e.Confidence = worst.state, worst.confidence
	case !known:
		e.State, e.Reason = Unknown, a.whyUnknown(e.Hour, k)
		return
	case a.fewest[k] < min(ModelsForGreen, a.asked):
		e.State, e.Reason = Unknown, FewModels
		return
	default:
		e.State, e.Confidence = Green, core
	}
	e.Quality = Complete
	if a.incomplete(e, k) {
		e.Quality = Partial
	}
}

// coreConfidence returns the least confidence among the core hazards, and whether
// all of them are known.
func (a *Assessor) coreConfidence(k int) (least Confidence, known bool) {
	least = High
	for _, h := range coreHazards {
		v := &a.worst[h][k]
		if v.state == Unknown {
			return NoConfidence, false
		}
		least = min(least, v.confidence)
	}
	return least, true
}

// incomplete reports whether a model, a hazard or a part of a sum is missing.
func (a *Assessor) incomplete(e *Estimate, k int) bool {
	for _, h := range coreHazards {
		if v := &a.worst[h][k]; v.votes.Total < a.asked || v.gaps {
			return true
		}
	}
	for _, line := range e.Hazards {
		if line.State == Unknown {
			return true
		}
	}
	return false
}

func (a *Assessor) whyUnknown(hour time.Time, k int) Reason {
	if len(a.runs) == 0 {
		return NoRuns
	}
	if k > a.rules.limits.Combinacion.PlazoNivel {
		return BeyondHorizon
	}
	for _, run := range a.runs {
		if end := run.Columns.Start.Add(time.Duration(run.Columns.Hours) * time.Hour); hour.Before(end) {
			return PartialData
		}
	}
	return BeyondHorizon
}

// votersOf lists the runs that vote in an hour. Equal lists are shared.
func (a *Assessor) votersOf(k int) []Vote {
	key := a.voters[k]
	if votes, ok := a.named[key]; ok {
		return votes
	}
	var votes []Vote
	hour := a.from.Add(time.Duration(k) * time.Hour)
	for m, run := range a.runs {
		if key.runs&(1<<m) != 0 {
			vote := Vote{Model: run.Model, Run: run.Init, UV: key.uv&(1<<m) != 0}
			if !run.Init.IsZero() {
				vote.Lead = int(math.Round(hour.Sub(run.Init).Hours()))
			}
			votes = append(votes, vote)
		}
	}
	a.named[key] = votes
	return votes
}
