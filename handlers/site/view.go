package site

import (
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/snapshot"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/web/wording"
)

// shownHours is how far ahead the pages look.
const shownHours = snapshot.Horizon

// View is a publication as a page shows it: at an instant, in a language, by the
// clocks of a zone. Pages outlive the minute they are made in, so a day word always
// comes with its date: "hoy (sáb 21) de 9 a 23 h".
type View struct {
	*Site
	*Locale
	wording.Localizer
	*store.Snapshot
	snapshot.View
	page *time.Location // the zone that the page announces, when it is not that of the clocks
}

// View returns a snapshot as the pages of a language show it at an instant, by the
// clocks of the site's zone.
func (s *Site) View(l *Locale, e *store.Snapshot, now time.Time) View {
	return View{
		Site: s, Locale: l, Snapshot: e, View: e.At(now),
		Localizer: wording.Localizer{Language: l.words, Now: now, Zone: s.Location, Days: wording.ByBoth},
	}
}

// In returns the view by the clocks of a zone, on the same page; nil keeps the zone.
func (v View) In(zone *time.Location) View {
	if zone != nil {
		v.page, v.Zone = v.Zone, zone
	}
	return v
}

// ofPark returns the view for a page of a park, which announces the park's zone.
func (v View) ofPark(park catalogue.Park) View {
	v = v.In(park.TimeZone)
	v.page = nil
	return v
}

// ofAlert returns the view by the clocks of an alert's park.
func (v View) ofAlert(al *alert.Alert) View {
	if i, ok := v.Catalogue.ParkBySlug(al.Park); ok {
		return v.In(v.Catalogue.Parks[i].TimeZone)
	}
	return v
}

// byDate returns the localizer that names days by their dates alone.
func (v View) byDate() wording.Localizer {
	v.Days = wording.ByDate
	return v.Localizer
}

// otherZone names the zone when its clocks differ then from those of the page.
func (v View) otherZone(t time.Time) string {
	if v.page == nil || t.In(v.Zone).Format("-0700") == t.In(v.page).Format("-0700") {
		return ""
	}
	return v.ZoneName()
}

// HourAhead returns the hour that is some hours after the present one.
func (v View) HourAhead(hours int) time.Time {
	return v.PresentHour().Add(time.Duration(hours) * time.Hour)
}

// trailState is a trail some hours from the present one.
func (v View) trailState(trail, ahead int) snapshot.ParkState {
	e := v.TrailAt(trail, ahead)
	return snapshot.Alone(&e)
}

// Instant is an instant in words and in the form that machines read.
type Instant struct {
	ISO, Text string
}

// Instant returns an instant with its date: "sáb 21 nov, 14:05".
func (v View) Instant(t time.Time) Instant {
	if t.IsZero() {
		return Instant{Text: v.Text("dato.falta")}
	}
	return Instant{ISO: t.UTC().Format(time.RFC3339), Text: v.Date(t) + " " + v.Month(t) + ", " + v.Clock(t)}
}
