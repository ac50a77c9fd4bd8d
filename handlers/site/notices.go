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
func (v View) official(park int, trail string) officialView {
	view := officialView{}
	closures := v.Notices.Closures(v.Catalogue, park, v.Now)
	if trail != "" {
		closures = notices.Concerning(trail, closures)
	}
	for _, volcano := range v.Notices.Volcanic(v.Catalogue, park, v.Now) {
		notice := v.notice(volcano.Source, volcano.SourceURL, volcano.PublishedAt, volcano.ObtainedAt, volcano.Stale)
		notice.Title = v.Text("oficial.volcan", "volcan", volcano.Name, "km", v.Decimal(volcano.DistanceKm, 0), "nivel", v.Text("volcan.nivel."+volcano.Level.String()))
		if volcano.DistanceKm < 1 {
			notice.Title = v.Text("oficial.volcan_aqui", "volcan", volcano.Name, "nivel", v.Text("volcan.nivel."+volcano.Level.String()))
		}
		view.Volcanoes = append(view.Volcanoes, notice)
	}
	for _, c := range closures {
		notice := v.notice(c.Source, c.SourceURL, c.PublishedAt, c.ObtainedAt, c.Stale)
		place := cmp.Or(c.TrailName, v.Text("oficial.todo"))
		said := v.Text("cierre."+c.Situation, "fuente", c.Source)
		if !c.InForce {
			said = v.Text("oficial.luego", "que", said)
		}
		notice.Title = wording.Capital(v.Text("oficial.situacion", "lugar", place, "situacion", said))
		notice.Detail, notice.Span = c.Detail, v.spanOf(&c)
		view.Closures = append(view.Closures, notice)
	}
	view.Known = len(view.Volcanoes)+len(view.Closures) > 0
	return view
}

func (v View) notice(source, url string, published, obtained time.Time, stale bool) noticeView {
	view := noticeView{Source: source, URL: url, Obtained: v.Instant(obtained), Stale: stale}
	if !published.IsZero() {
		view.Published = v.Instant(published)
	}
	return view
}

// spanOf returns from when until when a closure holds.
func (v View) spanOf(c *notices.Holding) string {
	from, until := v.limit(c.From, false), v.limit(c.Until, true)
	switch {
	case !c.From.IsZero() && !c.Until.IsZero():
		return v.Text("oficial.entre", "desde", from, "hasta", until)
	case !c.From.IsZero():
		return v.Text("oficial.desde", "desde", from)
	case !c.Until.IsZero():
		return v.Text("oficial.hasta", "hasta", until)
	}
	return ""
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
