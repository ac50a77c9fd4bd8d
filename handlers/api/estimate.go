package api

import (
	"strings"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/snapshot"
	"vigia/store/catalogue"
	"vigia/web/wording"
)

// estimateCore returns the Estimate of a trail's hour up to its models.
func (b *build) estimateCore(index int, e *hazard.Estimate) EstimateCore {
	trail := &b.e.Catalogue.Trails[index]
	core := EstimateCore{
		Trail: Slug(trail.Slug), Hour: instant(e.Hour), LocalHour: e.Hour.In(b.e.Catalogue.Parks[trail.Park].TimeZone).Format(time.RFC3339),
		State: orNull(State(e.State.String())), Quality: Quality(e.Quality.String()),
		Reason: orNull(StateReason(reasonOf(e))), Main: orNull(Hazard(e.Main.String())),
		Hazards:    listOf(e.Hazards, func(h hazard.HazardEstimate) HazardOfHour { return hazardOfHour(trail, &h) }),
		Confidence: orNull(Confidence(e.Confidence.String())), Variables: variables(&e.Medians),
	}
	weather := snapshot.WeatherOf(e)
	core.Weather = b.weather(index, &weather)
	return core
}

// reasonOf returns why a state is missing, and nothing when it is there.
func reasonOf(e *hazard.Estimate) hazard.Reason {
	switch {
	case e.State != hazard.Unknown:
		return hazard.NoReason
	case e.Reason == hazard.NoReason:
		return hazard.PartialData
	default:
		return e.Reason
	}
}

func (b *build) estimateTerms() EstimateTerms {
	return EstimateTerms{Rules: b.e.Rules.Version(), EstimatedAt: instantOrNull(b.e.IssuedAt), ValidUntil: instantOrNull(b.e.ValidUntil)}
}

func hazardOfHour(trail *catalogue.Trail, h *hazard.HazardEstimate) HazardOfHour {
	made := HazardOfHour{
		Hazard: Hazard(h.Hazard.String()), State: orNull(State(h.State.String())), Agree: int(h.Agree), Total: int(h.Total),
		Confidence: orNull(Confidence(h.Confidence.String())), Causes: []Cause{},
	}
	if h.State != hazard.Amber && h.State != hazard.Red {
		return made
	}
	for _, c := range h.Causes() {
		place := ""
		if at := int(c.Point); at < len(trail.Points) {
			place = trail.Points[at].Name
		}
		made.Causes = append(made.Causes, cause(&c, trail.Slug, place))
	}
	return made
}

func cause(c *hazard.Cause, trail, place string) Cause {
	decimals := wording.Decimals(c.Quantity)
	return Cause{
		Quantity: c.Quantity.String(),
		Value:    decimal(c.Value, decimals), Min: decimal(c.Min, decimals), Max: decimal(c.Max, decimals),
		Threshold: decimal(c.Threshold, 2), Over: int(c.Over), Total: int(c.Total), Unit: c.Quantity.Unit(),
		Trail: orNull(trail), Point: orNull(place),
	}
}

// uv returns how strong the sun gets, nil where no model tells.
func uv(s snapshot.Sun) *UV {
	index := decimal(s.Index, 1)
	if s.Class == hazard.NoUV || index == nil {
		return nil
	}
	made := &UV{Index: *index, Class: s.Class.String(), Model: strings.Join(s.Models, ", ")}
	if !s.From.IsZero() {
		made.Hours = &UVHours{instant(s.From), instant(s.To)}
	}
	return made
}

func variables(m *hazard.Medians) Variables {
	return Variables{
		TemperatureC: decimal(m.Temperature, 1), FeelsLikeC: decimal(m.FeelsLike, 1),
		WindKmh: decimal(m.Wind, 1), GustKmh: decimal(m.Gust, 1),
		PrecipitationMm: decimal(m.Precipitation, 1), SnowCm: decimal(m.Snow, 1),
		FreezingLevelM: decimal(m.FreezingLevel, 0), VisibilityM: decimal(m.Sight, 0), UV: decimal(m.UV, 1), WindAloftKmh: decimal(m.WindAloft, 0),
	}
}

func modelRuns(votes []hazard.Vote) []ModelRun {
	return listOf(votes, func(v hazard.Vote) ModelRun {
		made := ModelRun{Model: v.Model, Run: instantOrNull(v.Run)}
		if made.Run != nil {
			made.LeadH = new(v.Lead)
		}
		return made
	})
}
