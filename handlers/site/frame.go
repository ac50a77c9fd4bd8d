package site

import (
	"time"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// frame is what every page has around its own content.
type frame struct {
	Title       string
	Description string
	Path        string // in the first language, "" for a page that no link leads to
	Tongue      tongue
	Feed        string // path of the feed of alerts that the page belongs to
	Languages   []translation
	Base        string
	Version     string
	Contact     string
	Simulated   bool
	Demo        bool      // there are pages with what was sent
	Subscribe   bool      // there is a way of being told
	NoIndex     bool      // search engines shall not keep the page
	Kept        bool      // a browser may keep the page for when there is no connection
	Current     bool      // the page is about the estimates that hold now, or about their absence
	ValidUntil  string    // instant from which the page must say that it is over, "" when it shows no estimates
	IssuedAt    string    // instant of the estimates that the page shows, "" when it shows none
	Zone        string    // of the page's hours, as browsers know it; "" for a page that has none
	Age         *validity // nil on a page that knows of no estimates
	Body        any
}

// translation is the page in one of the languages.
type translation struct {
	Tag, Name string
	Path      string // the language's first page for a page that no link leads to
	Here      bool   // it is this one
}

// dated adds to a frame how old its estimates are. current says that the page
// shows them, so that it must turn old with them.
func (f frame) dated(a almanac, m moment, current bool) frame {
	age := a.validity(m)
	f.Age, f.Current, f.Zone = &age, current, a.zone.String()
	if current && m.reason == hazard.NoReason {
		f.ValidUntil, f.IssuedAt = m.ValidUntil.UTC().Format(time.RFC3339), m.IssuedAt.UTC().Format(time.RFC3339)
	}
	return f
}

// validity says when the estimates were made and until when they hold.
type validity struct {
	Reason string // why there are none, else empty
	Issued instant
	Until  instant
	Known  bool // Issued and Until are those of the last estimates
	Ended  bool // there were estimates, of which only Until is known
	Zone   string
}

func (a almanac) validity(m moment) validity {
	v := validity{Known: !m.IssuedAt.IsZero(), Zone: a.zoneName()}
	switch {
	case v.Known:
		v.Issued, v.Until = a.instant(m.IssuedAt), a.instant(m.ValidUntil)
	case m.reason == hazard.DataTooOld && !m.ValidUntil.IsZero():
		v.Ended, v.Until = true, a.instant(m.ValidUntil)
	}
	if m.reason != hazard.NoReason {
		v.Reason = a.texts.say("motivo." + string(m.reason))
	}
	return v
}

// parkLink is a park's name, with its path and kind apart.
type parkLink struct {
	Path, Name, Region string
}

func (t texts) linkTo(p catalogue.Park) parkLink {
	return parkLink{t.path("/parques/" + p.Slug), p.Name, p.Region}
}
