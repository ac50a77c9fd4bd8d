package api

import (
	"time"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/store/catalogue"
)

func (b *build) parkList() []Park {
	parks := make([]Park, len(b.e.Catalogue.Parks))
	for p := range parks {
		parks[p] = b.park(p)
	}
	return parks
}

func (b *build) park(index int) Park {
	park, state, active := &b.e.Catalogue.Parks[index], b.view.Park(index, 0), b.activeAlerts(index)
	day, all := snapshot.WorstAhead(b.view.Reach(index), func(ahead int) snapshot.ParkState { return b.view.Park(index, ahead) })
	p := Park{
		Slug: Slug(park.Slug), Name: park.Name, Kind: park.Kind, Region: park.Region,
		Administrator: orNull(park.Administrator),
		Latitude:      rounded(park.Latitude, 5), Longitude: rounded(park.Longitude, 5),
		ElevationM: decimal(park.ElevationM, 0), AreaHa: decimal(park.AreaHa, 1),
		TimeZone: park.ZoneName,
		State:    orNull(State(state.State.String())), Level: orNull(Level(highest(active).String())),
		Quality: Quality(state.Quality.String()), Reason: orNull(StateReason(state.Reason)),
		Main: orNull(Hazard(state.Main.String())), Confidence: orNull(Confidence(state.Confidence.String())),
		Worst24h:    orNull(State(day.State.String())),
		Worst72h:    orNull(State(all.State.String())),
		EstimatedAt: instantOrNull(b.e.IssuedAt), ValidUntil: instantOrNull(b.validity()),
		UV: uv(b.e.ParkSun(b.view, index)), OfficialNotices: b.official[index].notices(),
	}
	if trail := b.view.ParkTrail(index); trail >= 0 {
		p.Weather = b.trailWeather(trail)
	}
	p.TrailCounts.Total = park.NumTrails
	p.TrailCounts.Green = state.Counts[hazard.Green]
	p.TrailCounts.Amber = state.Counts[hazard.Amber]
	p.TrailCounts.Red = state.Counts[hazard.Red]
	p.TrailCounts.NoData = state.Counts[hazard.Unknown]
	if b.known[index] {
		p.ActiveAlerts = new(len(active))
	}
	p.Links.API, p.Links.Web = b.BaseURL+Prefix+"/parques/"+park.Slug, b.BaseURL+"/parques/"+park.Slug
	p.Links.Badge = b.linkIfPage("/insignia/" + park.Slug + ".svg")
	p.Links.Atom = b.linkIfPage("/parques/" + park.Slug + "/alertas.atom")
	return p
}

// validity returns until when the estimates hold, past where the data became too old;
// zero when there never were any.
func (b *build) validity() time.Time {
	if b.e.IssuedAt.IsZero() && b.e.Reason != hazard.DataTooOld {
		return time.Time{}
	}
	return b.e.ValidUntil
}

// linkIfPage returns the link of a page, nil when the site does not serve it.
func (b *build) linkIfPage(path string) *string {
	if b.HasPage == nil || !b.HasPage(path) {
		return nil
	}
	return new(b.BaseURL + path)
}

// parkDetail returns a park with its trails, which were made before.
func (b *build) parkDetail(index int, trails []Trail) ParkDetail {
	park := &b.e.Catalogue.Parks[index]
	d := ParkDetail{
		Park: b.park(index), Trails: trails,
		Emergency: listOf(b.e.Catalogue.Emergency, emergencyNumber), Sources: b.sources(park), Notice: b.notice(), WeatherDays: []WeatherDay{},
	}
	if trail := b.view.ParkTrail(index); trail >= 0 {
		d.WeatherDays = trails[trail-park.FirstTrail].WeatherDays
	}
	if state := b.view.Park(index, 0); state.Trail >= 0 {
		d.Latest = trails[state.Trail-park.FirstTrail].Latest
	}
	if outdated := b.outdatedAlerts(index); b.known[index] || len(outdated) > 0 {
		d.Alerts = listOf(append(b.activeAlerts(index), outdated...), b.alert)
	}
	return d
}

func emergencyNumber(n catalogue.EmergencyNumber) EmergencyNumber {
	return EmergencyNumber{n.Number, n.Name, orNull(n.Note)}
}

func highest(alerts []*alert.Alert) alert.Level {
	level := alert.NoLevel
	for _, a := range alerts {
		level = max(level, a.Level)
	}
	return level
}
