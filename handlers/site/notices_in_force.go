package site

import (
	"slices"

	"vigia/store/catalogue"
	"vigia/store/notices"
	"vigia/web/wording"
)

// shownNotices is how many notices of a park are shown where it is one of many.
const shownNotices = 3

// Notices are those of official bodies on a place, as they stand now beside our own
// state wherever the place is named: closures that have begun, and volcanoes above
// the level that is usual for them.
type Notices struct {
	Closures []notices.Holding
	Volcanic []notices.Nearby
}

// InForce returns the notices of a park.
func (v View) InForce(park int) Notices {
	var trails []string
	for _, trail := range v.Catalogue.TrailsOf(park) {
		trails = append(trails, trail.Slug)
	}
	closures, volcanic := v.Notices.InForce(v.Catalogue, park, v.Now, trails)
	return Notices{closures, volcanic}
}

// OnTrails returns what concerns some trails of the park.
func (n Notices) OnTrails(slugs ...string) Notices {
	n.Closures = slices.DeleteFunc(slices.Clone(n.Closures), func(h notices.Holding) bool {
		return h.Trail != "" && !slices.Contains(slugs, h.Trail)
	})
	return n
}

// closed reports whether nobody may enter some of the place.
func (n Notices) closed() bool {
	return slices.ContainsFunc(n.Closures, func(h notices.Holding) bool { return h.Closed() })
}

// ClosureLines returns each closure with its source. What concerns the trail own, in
// whose row it stands, goes without its name.
func (v View) ClosureLines(n Notices, own string) []string { return v.Official(n.Closures, nil, own) }

// trailClosures returns the closures that concern a trail, for its row.
func (v View) trailClosures(trail catalogue.Trail) []string {
	return v.ClosureLines(v.InForce(trail.Park).OnTrails(trail.Slug), trail.Slug)
}

// OfficialLines returns closures and volcanoes, each with its source.
func (v View) OfficialLines(n Notices) []string {
	return v.Official(n.Closures, n.Volcanic, wording.WholePark)
}

// officialSummary returns the first notices of a park that is one of many.
func (v View) officialSummary(park int) []string {
	lines := v.OfficialLines(v.InForce(park))
	if more := len(lines) - shownNotices; more > 1 {
		lines = append(lines[:shownNotices], v.Count("oficial.mas", more))
	}
	return lines
}
