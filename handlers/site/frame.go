package site

import (
	"cmp"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
	"vigia/store/subscription"
)

// Frame is what every page has around its own content.
type Frame struct {
	View
	Title       string
	Description string
	Path        string // in the first language, "" for a page that no link leads to
	Feed        string // path of the feed of alerts that the page belongs to
	Languages   []translation

	Subscribe  bool      // there is a way of being notified
	NoIndex    bool      // search engines shall not keep the page
	Kept       bool      // a browser may keep the page for when there is no connection
	Current    bool      // the page is about the estimates that hold now, or about their absence
	ValidUntil string    // instant from which the page must say that it is over, "" when it shows no estimates
	DataUntil  string    // instant from which the data behind them carry no level, "" when that is not known
	IssuedAt   string    // instant of the estimates that the page shows, "" when it shows none
	Zone       string    // of the page's hours, as browsers know it; "" for a page that has none
	Age        *validity // nil on a page that knows of no estimates
	Body       any
}

// translation is the page in one of the languages.
type translation struct {
	Tag, Name string
	Code      string // as on the least room
	Path      string // the language's first page for a page that no link leads to
	Here      bool   // it is this one
}

// undated returns what is around a page's content, without the age of the estimates.
// path is that in the first language, "" for a page that no link leads to; key names
// the page in the catalogue of words, and pairs fill the places of its title.
func (v View) undated(path, key string, body any, pairs ...any) Frame {
	f := Frame{
		View: v, Title: v.Text("titulo."+key, pairs...), Description: v.Text("descripcion."+key, pairs...), Path: path, Feed: v.Path("/alertas.atom"),
		Subscribe: v.Opens(subscription.Email) || v.Opens(subscription.WebPush), Body: body,
	}
	for i := range v.languages {
		to := &v.languages[i]
		f.Languages = append(f.Languages, translation{
			Tag: to.Tag, Code: to.Code, Name: to.words.Text("idioma.propio"), Path: to.Path(cmp.Or(path, "/")), Here: to == v.Locale,
		})
	}
	return f
}

// Frame returns what is around a page's content, with how old its estimates are.
func (v View) Frame(path, key string, body any, pairs ...any) Frame {
	f, age := v.undated(path, key, body, pairs...), v.validity()
	f.Age, f.Zone = &age, v.Zone.String()
	return f
}

// current is Frame for a page that shows the estimates, and must turn old with them.
func (v View) current(path, key string, body any, pairs ...any) Frame {
	f := v.Frame(path, key, body, pairs...)
	f.Current = true
	if v.WhyNone() == hazard.NoReason {
		f.ValidUntil, f.IssuedAt = v.ValidUntil.UTC().Format(time.RFC3339), v.IssuedAt.UTC().Format(time.RFC3339)
		if !v.DataUntil.IsZero() {
			f.DataUntil = v.DataUntil.UTC().Format(time.RFC3339)
		}
	}
	return f
}

// validity is when the estimates were made and until when they hold.
type validity struct {
	Reason string // why there are none, else empty
	Issued Instant
	Until  Instant
	Known  bool // Issued and Until are those of the last estimates
	Ended  bool // there were estimates, of which only Until is known
	Zone   string
}

func (v View) validity() validity {
	age := validity{Known: !v.IssuedAt.IsZero(), Zone: v.ZoneName()}
	switch {
	case age.Known:
		age.Issued, age.Until = v.Instant(v.IssuedAt), v.Instant(v.ValidUntil)
	case v.WhyNone() == hazard.DataTooOld && !v.ValidUntil.IsZero():
		age.Ended, age.Until = true, v.Instant(v.ValidUntil)
	}
	if v.WhyNone() != hazard.NoReason {
		age.Reason = v.Localizer.Reason(v.WhyNone())
	}
	return age
}

// parkLink is a park's name, with its path and region.
type parkLink struct {
	Path, Name, Region string
}

func (v View) linkTo(p catalogue.Park) parkLink {
	return parkLink{v.Path("/parques/" + p.Slug), p.Name, p.Region}
}
