package site

import (
	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// frame is what every page has around its own content.
type frame struct {
	Title       string
	Description string
	Path        string
	Base        string
	Version     string
	Contact     string
	Style       string // path of the style sheet
	Script      string
	PushScript  string // "" where nothing is subscribed to
	Icon        string
	Manifest    string
	Simulated   bool
	Demo        bool      // there are pages with what was sent
	Subscribe   bool      // there is a way of being told
	NoIndex     bool      // search engines shall not keep the page
	ValidUntil  string    // instant from which the page must say that it is over, "" when it shows no estimates
	Age         *validity // nil on a page that knows of no estimates
	Body        any
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

func linkTo(p catalogue.Park) parkLink {
	return parkLink{"/parques/" + p.Slug, p.Name, p.Region}
}
