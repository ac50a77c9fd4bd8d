package notify

import (
	"slices"
	"strings"
	"time"

	"vigia/store/catalogue"
	"vigia/store/subscription"
)

// homeZone is the zone of what belongs to no park: most of the country.
const homeZone = "America/Santiago"

// parkOf returns a park; for one that left the catalogue all that is known of it.
func parkOf(c *catalogue.Catalogue, slug string) *catalogue.Park {
	if i, known := c.ParkBySlug(slug); known {
		return &c.Parks[i]
	}
	return &catalogue.Park{Slug: slug, Name: slug, ZoneName: "UTC", TimeZone: time.UTC}
}

// trailNames returns the names of trails of a park, their slugs where they left the
// catalogue.
func trailNames(c *catalogue.Catalogue, park string, slugs []string) []string {
	names := slices.Clone(slugs)
	i, known := c.ParkBySlug(park)
	if !known {
		return names
	}
	for _, t := range c.TrailsOf(i) {
		if at := slices.Index(slugs, t.Slug); at >= 0 {
			names[at] = t.Name
		}
	}
	return names
}

// placeNames returns the names of the places that somebody follows; a trail's with
// that of its park.
func placeNames(c *catalogue.Catalogue, p *subscription.Preferences) (parks, trails []string) {
	for _, slug := range p.Parks {
		parks = append(parks, parkOf(c, slug).Name)
	}
	for _, place := range p.Trails {
		park, trail, _ := strings.Cut(place, "/")
		trails = append(trails, trailNames(c, park, []string{trail})[0]+" ("+parkOf(c, park).Name+")")
	}
	return parks, trails
}

// parksOf returns the park of each place that somebody follows.
func parksOf(p *subscription.Preferences) []string {
	parks := slices.Clone(p.Parks)
	for _, place := range p.Trails {
		park, _, _ := strings.Cut(place, "/")
		parks = append(parks, park)
	}
	return parks
}

// zoneFor returns the zone of the first park in the catalogue that somebody follows, UTC
// for none.
func zoneFor(c *catalogue.Catalogue, p *subscription.Preferences) *time.Location {
	for _, park := range parksOf(p) {
		if i, known := c.ParkBySlug(park); known {
			return c.Parks[i].TimeZone
		}
	}
	return time.UTC
}

// endOf returns when a subscription ends: when the day after the trip begins at the last
// of its places. Zero, which is never, without a trip.
func endOf(c *catalogue.Catalogue, p *subscription.Preferences) (end time.Time) {
	if p.Trip == nil {
		return end
	}
	for _, park := range parksOf(p) {
		if _, over := tripDays(p.Trip, parkOf(c, park).TimeZone); over.After(end) {
			end = over.UTC()
		}
	}
	return end
}
