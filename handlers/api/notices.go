package api

import (
	"slices"

	"vigia/store/notices"
)

// official is what official bodies have published of a park, or of one of its trails.
// What is not known is absent.
type official struct {
	volcanic []notices.Nearby
	closures []notices.Holding
}

func (b *build) officialOf(park int) official {
	return official{b.e.Notices.Volcanic(b.e.Catalogue, park, b.now), b.e.Notices.Closures(b.e.Catalogue, park, b.now)}
}

// onTrail returns the notices that concern one trail of the park.
func (o official) onTrail(slug string) OfficialNotices {
	o.closures = notices.Concerning(slug, o.closures)
	return o.notices()
}

// onTrails returns the notices that concern any of some trails of the park.
func (o official) onTrails(slugs []string) OfficialNotices {
	o.closures = slices.DeleteFunc(slices.Clone(o.closures), func(h notices.Holding) bool {
		return h.Trail != "" && !slices.Contains(slugs, h.Trail)
	})
	return o.notices()
}

// notices returns all of them.
func (o official) notices() OfficialNotices {
	return OfficialNotices{listOf(o.volcanic, volcanicAlert), listOf(o.closures, closure)}
}

func volcanicAlert(v notices.Nearby) VolcanicAlert {
	return VolcanicAlert{
		Volcano: v.Name, Level: v.Level.String(), DistanceKm: rounded(v.DistanceKm, 1), Source: v.Source, SourceURL: v.SourceURL,
		PublishedAt: instantOrNull(v.PublishedAt), ObtainedAt: instant(v.ObtainedAt), Stale: v.Stale,
	}
}

func closure(c notices.Holding) Closure {
	return Closure{
		Scope: c.Scope(), Trail: orNull(c.Trail), Situation: c.Situation, Detail: orNull(c.Detail),
		From: instantOrNull(c.From), Until: instantOrNull(c.Until), Source: c.Source, SourceURL: c.SourceURL,
		ObtainedAt: instant(c.ObtainedAt), Stale: c.Stale,
	}
}
