package site

import (
	"cmp"
	"strconv"
	"time"

	"vigia/store/notices"
	"vigia/web/wording"
)

// officialView is the notices of official bodies on a park, in their own words and with
// their source. It stands above what the service itself estimates.
type officialView struct {
	Known     bool // something is; else each part says that there is no information
	Volcanoes []noticeView
	Closures  []noticeView
}

// noticeView is one notice.
type noticeView struct {
	Title     string // what it is about, and the body's own word
	Detail    string
	Span      string // from when until when it holds, "" when not said
	Source    string
	URL       string
	Published Instant // without text when not said
	Obtained  Instant
	Stale     bool
}

// official returns the notices on a park, or those that concern one of its trails.
func (v View) official(park int, trail string) (view officialView) {
	closures := v.Notices.Closures(v.Catalogue, park, v.Now)
	if trail != "" {
		closures = notices.Concerning(trail, closures)
	}
	for _, n := range v.Notices.Volcanic(v.Catalogue, park, v.Now) {
		key := "oficial.volcan"
		if n.DistanceKm < 1 {
			key = "oficial.volcan_aqui"
		}
		view.Volcanoes = append(view.Volcanoes, noticeView{
			Title:  v.Text(key, "volcan", n.Name, "km", v.Decimal(n.DistanceKm, 0), "nivel", v.Text("volcan.nivel."+n.Level.String())),
			Source: n.Source, URL: n.SourceURL, Published: v.published(n.PublishedAt), Obtained: v.Instant(n.ObtainedAt), Stale: n.Stale,
		})
	}
	for _, n := range closures {
		said := v.Text("cierre."+n.Situation, "fuente", n.Source)
		if !n.InForce {
			said = v.Text("oficial.luego", "que", said)
		}
		place := cmp.Or(n.TrailName, v.Text("oficial.todo"))
		view.Closures = append(view.Closures, noticeView{
			Title: wording.Capital(v.Text("oficial.situacion", "lugar", place, "situacion", said)), Detail: n.Detail, Span: v.spanOf(&n),
			Source: n.Source, URL: n.SourceURL, Published: v.published(n.PublishedAt), Obtained: v.Instant(n.ObtainedAt), Stale: n.Stale,
		})
	}
	view.Known = len(view.Volcanoes)+len(view.Closures) > 0
	return view
}

// published is when a body published a notice, without text when it does not say.
func (v View) published(at time.Time) Instant {
	if at.IsZero() {
		return Instant{}
	}
	return v.Instant(at)
}

// spanOf returns from when until when a closure holds.
func (v View) spanOf(c *notices.Holding) string {
	key := "oficial.entre"
	switch {
	case c.From.IsZero() && c.Until.IsZero():
		return ""
	case c.Until.IsZero():
		key = "oficial.desde"
	case c.From.IsZero():
		key = "oficial.hasta"
	}
	return v.Text(key, "desde", v.limit(c.From, false), "hasta", v.limit(c.Until, true))
}

// limit returns when something begins or ends: a whole day by its date alone, which for
// an end is the last day.
func (v View) limit(t time.Time, end bool) string {
	switch clock := v.Clock(t); {
	case clock != "00:00":
		return v.LongDate(t) + ", " + clock
	case end:
		return v.Text("oficial.inclusive", "fecha", v.LongDate(v.LastDay(t)))
	}
	return v.LongDate(t)
}

// LongDate is the local day of an instant with its month, and with its year where that
// is not the present one.
func (v View) LongDate(t time.Time) string {
	text := v.Date(t) + " " + v.Month(t)
	if year := t.In(v.Zone).Year(); year != v.Now.In(v.Zone).Year() {
		text += " " + strconv.Itoa(year)
	}
	return text
}
