package site

import (
	"strconv"
	"time"

	"vigia/store/notices"
)

// officialView is what official bodies say of a park, in their own words and with
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
	Published instant // without text when not said
	Obtained  instant
	Stale     bool
}

func (a almanac) official(m moment, park int) officialView {
	view := officialView{}
	for _, v := range m.Notices.Volcanic(m.Catalogue, park, m.now) {
		notice := a.notice(v.Source, v.SourceURL, v.PublishedAt, v.ObtainedAt, v.Stale)
		notice.Title = a.texts.say("oficial.volcan", "volcan", v.Name, "km", a.texts.decimal(v.DistanceKm, 0), "nivel", v.Level)
		if v.DistanceKm < 1 {
			notice.Title = a.texts.say("oficial.volcan_aqui", "volcan", v.Name, "nivel", v.Level)
		}
		view.Volcanoes = append(view.Volcanoes, notice)
	}
	for _, c := range m.Notices.Closures(m.Catalogue, park, m.now) {
		notice := a.notice(c.Source, c.SourceURL, c.PublishedAt, c.ObtainedAt, c.Stale)
		place := c.TrailName
		if place == "" {
			place = a.texts.say("oficial.todo")
		}
		notice.Title = a.texts.say("oficial.situacion", "lugar", place, "situacion", c.Situation)
		notice.Detail, notice.Span = c.Detail, a.spanOf(&c)
		view.Closures = append(view.Closures, notice)
	}
	view.Known = len(view.Volcanoes)+len(view.Closures) > 0
	return view
}

func (a almanac) notice(source, url string, published, obtained time.Time, stale bool) noticeView {
	view := noticeView{Source: source, URL: url, Obtained: a.instant(obtained), Stale: stale}
	if !published.IsZero() {
		view.Published = a.instant(published)
	}
	return view
}

// spanOf says from when until when a closure holds.
func (a almanac) spanOf(c *notices.Holding) string {
	from, until := a.turn(c.From, false), a.turn(c.Until, true)
	switch {
	case !c.From.IsZero() && !c.Until.IsZero():
		return a.texts.say("oficial.entre", "desde", from, "hasta", until)
	case !c.From.IsZero():
		return a.texts.say("oficial.desde", "desde", from)
	case !c.Until.IsZero():
		return a.texts.say("oficial.hasta", "hasta", until)
	}
	return ""
}

// turn says when something begins or ends: a whole day by its date alone, which for
// an end is the last day.
func (a almanac) turn(t time.Time, end bool) string {
	local := t.In(a.zone)
	if local.Hour() != 0 || local.Minute() != 0 {
		return a.date(local) + ", " + local.Format("15:04")
	}
	if end {
		return a.texts.say("oficial.inclusive", "fecha", a.date(a.endDay(t).In(a.zone)))
	}
	return a.date(local)
}

// date is a local day with its month, and with its year where that is another than
// the present one.
func (a almanac) date(local time.Time) string {
	text := a.weekday(local) + " " + strconv.Itoa(local.Day()) + " " + a.month(local)
	if year := local.Year(); year != a.now.In(a.zone).Year() {
		text += " " + strconv.Itoa(year)
	}
	return text
}
