package site

import (
	"cmp"
	"slices"
	"strings"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
	"vigia/web/wording"
)

// hazardReport is the estimates of a trail hazard by hazard.
type hazardReport struct {
	Signals []hazardView // amber or red now or ahead, worst first
	Quiet   []hazardView // the others that are judged on the trail
	Absent  string       // those that are not
	Gap     string       // for how many hours none can be judged
}

// hazardView is one hazard of a trail. Its level and backing are those of the present
// hour.
type hazardView struct {
	Level
	backing
	Name  string
	Spans []hazardSpan // runs of hours that are not green
	Gap   string       // for how many hours it cannot be judged though others can
	Peak  *hazardPeak  // the worst to come; nil when it is green or just as now
	Worst string       // key of the worst state, now or to come
	rank  [2]hazard.State
}

// backing is what a hazard's state in an hour rests on, empty without state.
type backing struct {
	Votes, Confidence string
	Causes            []wording.Cause // of amber and red
}

// hazardSpan is a run of hours in which a hazard is in one state.
type hazardSpan struct {
	Level
	Hours string
}

// hazardPeak is the hour to come in which most models see a hazard's worst state.
type hazardPeak struct {
	backing
	Text string
}

func (v View) hazardReport(hours []hazard.Estimate, points []catalogue.Point) hazardReport {
	var report hazardReport
	var absent []string
	blind := blindHours(hours)
	if n := count(blind); n > 0 {
		report.Gap = v.Text("peligros.sin_datos_todos", "n", n, "m", len(hours))
	}
	detailed := slices.ContainsFunc(hours, func(e hazard.Estimate) bool { return len(e.Hazards) > 0 })
	for h := range hazard.Hazard(hazard.NumHazards) {
		course := courseOf(h, hours, blind)
		switch {
		case len(hours) == 0:
		case detailed && !course.judged:
			absent = append(absent, v.Hazard(h))
		default:
			view := v.hazardView(course, points)
			if max(view.rank[0], view.rank[1]) >= hazard.Amber {
				report.Signals = append(report.Signals, view)
			} else {
				report.Quiet = append(report.Quiet, view)
			}
		}
	}
	slices.SortStableFunc(report.Signals, func(x, y hazardView) int {
		return cmp.Or(cmp.Compare(y.rank[0], x.rank[0]), cmp.Compare(y.rank[1], x.rank[1]))
	})
	report.Absent = strings.Join(absent, ", ")
	return report
}

// blindHours returns, hour by hour, whether no hazard can be judged.
func blindHours(hours []hazard.Estimate) []bool {
	blind := make([]bool, len(hours))
	for i := range hours {
		blind[i] = !slices.ContainsFunc(hours[i].Hazards, func(h hazard.HazardEstimate) bool { return h.State != hazard.Unknown })
	}
	return blind
}

func count(list []bool) (n int) {
	for _, is := range list {
		if is {
			n++
		}
	}
	return n
}

// course is one hazard through the hours of a trail.
type course struct {
	hazard hazard.Hazard
	hours  []*hazard.HazardEstimate // nil in an hour that says nothing of it
	blind  []bool                   // hours in which no hazard can be judged
	judged bool                     // some hour says something
}

func courseOf(h hazard.Hazard, hours []hazard.Estimate, blind []bool) course {
	c := course{hazard: h, blind: blind, hours: make([]*hazard.HazardEstimate, len(hours))}
	for i := range hours {
		for j := range hours[i].Hazards {
			if line := &hours[i].Hazards[j]; line.Hazard == h {
				c.hours[i], c.judged = line, true
			}
		}
	}
	return c
}

func (c course) state(hour int) hazard.State {
	if c.hours[hour] == nil {
		return hazard.Unknown
	}
	return c.hours[hour].State
}

// peak is the hour after the present one with the worst state, and of those the
// first that most models agree on.
func (c course) peak() (hour int, state hazard.State) {
	for h := 1; h < len(c.hours); h++ {
		switch s := c.state(h); {
		case s < hazard.Amber || s < state:
		case s > state, c.hours[h].Agree > c.hours[hour].Agree:
			hour, state = h, s
		}
	}
	return hour, state
}

// likeNow reports whether an hour is like the present one.
func (c course) likeNow(hour int) bool {
	now, then := c.hours[0], c.hours[hour]
	return now != nil && now.State == then.State && now.Agree == then.Agree && now.Total == then.Total && slices.Equal(now.Causes(), then.Causes())
}

func (v View) hazardView(c course, points []catalogue.Point) hazardView {
	view := hazardView{Level: v.level(c.state(0)), Name: v.Hazard(c.hazard), backing: v.backing(c.hours[0], points)}
	hour, worst := c.peak()
	view.rank, view.Worst = [2]hazard.State{c.state(0), worst}, wording.StateKey(max(c.state(0), worst))
	if worst >= hazard.Amber && !c.likeNow(hour) {
		text := v.Text("peligros.peor", "estado", v.State(worst), "momento", v.Moment(v.HourAhead(hour)))
		view.Peak = &hazardPeak{v.backing(c.hours[hour], points), text}
	}
	view.Spans, view.Gap = v.hazardSpans(c)
	return view
}

// hazardSpans lists the runs of hours that are amber or red. gap is for how many hours the
// hazard cannot be judged.
func (v View) hazardSpans(c course) (spans []hazardSpan, gap string) {
	unknown := 0
	for from, to := range runs(len(c.hours), func(i int) bool { return c.state(i) == c.state(i-1) }) {
		switch state := c.state(from); {
		case state == hazard.Unknown:
			unknown += to - from - count(c.blind[from:to])
		case state >= hazard.Amber:
			spans = append(spans, hazardSpan{v.level(state), v.Window(v.HourAhead(from), v.HourAhead(to))})
		}
	}
	switch unknown {
	case 0:
		return spans, ""
	case len(c.hours) - count(c.blind):
		return spans, v.Text("peligros.sin_datos")
	default:
		return spans, v.Text("peligros.sin_datos_en", "n", unknown, "m", len(c.hours))
	}
}

// backing returns what a state rests on; h is nil where nothing is said of the hazard.
func (v View) backing(h *hazard.HazardEstimate, points []catalogue.Point) (b backing) {
	if h == nil || h.State == hazard.Unknown {
		return b
	}
	b.Votes, b.Confidence = v.Votes(h.Agree, h.Total), v.Confidence(h.Confidence)
	if h.State < hazard.Amber {
		return b
	}
	for _, c := range h.Causes() {
		place := ""
		if int(c.Point) < len(points) {
			place = points[c.Point].Name
		}
		b.Causes = append(b.Causes, v.Cause(c, place))
	}
	return b
}
