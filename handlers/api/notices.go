package api

import (
	"slices"
	"time"

	"vigia/store"
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
	n := OfficialNotices{make([]VolcanicAlert, len(o.volcanic)), make([]Closure, len(o.closures))}
	for i, v := range o.volcanic {
		n.VolcanicAlerts[i] = VolcanicAlert{
			Volcano: v.Name, Level: v.Level.String(), DistanceKm: rounded(v.DistanceKm, 1),
			Source: v.Source, SourceURL: v.SourceURL,
			PublishedAt: instantOrNull(v.PublishedAt), ObtainedAt: instant(v.ObtainedAt), Stale: v.Stale,
		}
	}
	for i, c := range o.closures {
		n.Closures[i] = Closure{
			Scope: c.Scope(), Trail: orNull(c.Trail), Situation: c.Situation, Detail: orNull(c.Detail),
			From: instantOrNull(c.From), Until: instantOrNull(c.Until), Source: c.Source, SourceURL: c.SourceURL,
			ObtainedAt: instant(c.ObtainedAt), Stale: c.Stale,
		}
	}
	return n
}

// noticeState returns how the notices of a kind stand, in the words of /health.
func noticeState(b *notices.Batch, feed *store.FeedStatus, now time.Time) string {
	switch {
	case feed.LastError != "":
		return "error"
	case b.ObtainedAt.IsZero() && feed.Configured:
		return "sin_datos"
	case b.ObtainedAt.IsZero():
		return unset
	case notices.Stale(b.ObtainedAt, now):
		return "desactualizado"
	default:
		return "ok"
	}
}

// noticesFail reports whether a source that was set up has no current notices.
func (h *healthFacts) noticesFail(now time.Time) bool {
	for kind := range h.snap.Feeds {
		feed := &h.snap.Feeds[kind]
		if feed.Configured && noticeState(&h.snap.Notices[kind], feed, now) != "ok" {
			return true
		}
	}
	return false
}

func (h *healthFacts) notices(now time.Time) []NoticeHealth {
	list := make([]NoticeHealth, len(h.snap.Notices))
	for kind := range list {
		batch, feed := &h.snap.Notices[kind], &h.snap.Feeds[kind]
		list[kind] = NoticeHealth{
			Kind: notices.Kind(kind).String(), State: noticeState(batch, feed, now),
			ObtainedAt: instantOrNull(batch.ObtainedAt), LastError: orNull(feed.LastError),
		}
		if !batch.ObtainedAt.IsZero() {
			list[kind].Notices = new(batch.Len())
		}
	}
	return list
}
