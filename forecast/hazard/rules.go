package hazard

import (
	"math"
	"slices"
)

// Rules are the thresholds in force, arranged so that a severity is looked up
// quickly. They are immutable and may be used from any goroutine.
type Rules struct {
	limits thresholds
	list   []Threshold
	sets   [4 * NumExposures * numZones]terrainRules // see setOf
	exit   float64                                   // factor by which the sets are relaxed; 0 for the rules in force
}

// Version names the thresholds, for reglas_version.
func (r *Rules) Version() string { return r.limits.Version }

// Thresholds lists every number of the rules in the order of their file. The
// slice is shared.
func (r *Rules) Thresholds() []Threshold { return r.list }

// Hysteresis returns the rules for alerts under noise.
func (r *Rules) Hysteresis() Hysteresis { return r.limits.Histeresis }

// Terrain is what the rules need to know of a place.
type Terrain struct {
	Exposure Exposure
	Zone     Zone
	Remote   bool    // more than 4 h to shelter
	Fuel     bool    // burnable vegetation
	Basin    bool    // land of 2,500 m or more lies upstream (cuenca_alta)
	HeightM  float64 // above sea; 0 or NaN when unknown
}

// terrainRules are the rules of one kind of terrain, by hazard. A hazard without
// a rule does not exist there.
type terrainRules struct {
	rules   [NumHazards]rule
	wetRain rule // for Rain after a wet spell
}

// rule is one hazard's criteria: a level is reached when all criteria of one of
// its alternatives are met.
type rule struct {
	amber, red []alternative
}

type alternative []criterion

func (r *rule) applies() bool { return len(r.amber) > 0 }

// criterion compares one quantity with a threshold.
type criterion struct {
	quantity  Quantity
	compare   comparison
	threshold float64
}

// never is a threshold that no value reaches, so that a missing one does not
// either.
var never = math.Inf(1)

type comparison uint8

const (
	atLeast comparison = iota
	above
	atMost
	below
)

// holds reports whether a known value meets the criterion.
func (c *criterion) holds(x float64) bool {
	switch c.compare {
	case atLeast:
		return x >= c.threshold
	case above:
		return x > c.threshold
	case atMost:
		return x <= c.threshold
	default:
		return x < c.threshold
	}
}

// rising reports whether larger values are the dangerous ones.
func (c *criterion) rising() bool { return c.compare == atLeast || c.compare == above }

func (r *Rules) terrain(t Terrain) *terrainRules {
	return &r.sets[setOf(t.Exposure, t.Zone, t.Remote, t.HeightM >= r.limits.Frio.Desde)]
}

// setOf returns where the rules of a kind of terrain are kept.
func setOf(e Exposure, z Zone, remote, veryHigh bool) int {
	i := 4 * (int(e)*numZones + int(z))
	if remote {
		i += 2
	}
	if veryHigh {
		i++
	}
	return i
}

// Applies reports whether a hazard exists on a terrain: debris flows only at
// crossings of some zones below a high basin, fire only where something burns.
func (r *Rules) Applies(h Hazard, t Terrain) bool {
	if h == Fire && !t.Fuel || h == DebrisFlow && !t.Basin {
		return false
	}
	return r.terrain(t).rules[h].applies()
}

func buildSets(t *thresholds) (sets [4 * NumExposures * numZones]terrainRules) {
	for e := range Exposure(NumExposures) {
		for z := range Zone(numZones) {
			for _, remote := range []bool{false, true} {
				place := Terrain{Exposure: e, Zone: z, Remote: remote}
				sets[setOf(e, z, remote, false)] = t.terrain(place)
				place.HeightM = t.Frio.Desde
				sets[setOf(e, z, remote, true)] = t.terrain(place)
			}
		}
	}
	return sets
}

// terrain spells out the rules for one kind of terrain.
func (t *thresholds) terrain(place Terrain) terrainRules {
	var set terrainRules
	set.rules[Wind] = t.wind(place)
	set.rules[WindRain] = t.windRain(place)
	set.rules[Cold] = t.cold(place)
	set.rules[WetCold] = t.wetCold(place)
	set.rules[Snow] = t.snow(place)
	set.rules[Blizzard] = t.blizzard()
	set.rules[Rain] = t.rain(place, 1)
	set.wetRain = t.rain(place, t.Lluvia.Antecedente.Factor)
	set.rules[DebrisFlow] = t.debrisFlow(place)
	set.rules[Storm] = t.storm(place)
	set.rules[Heat] = t.heat(place)
	set.rules[Fire] = t.fire()
	set.rules[Visibility] = t.visibility(place)
	return set
}

func (t *thresholds) wind(place Terrain) rule {
	level := func(l windLimit) []alternative {
		mean := l.Medio
		if mean >= noWindLimit {
			mean = never
		}
		return []alternative{{{GustQuantity, atLeast, l.Racha}}, {{MeanWindQuantity, atLeast, mean}}}
	}
	limits := t.Viento[place.Exposure.String()]
	return rule{amber: level(limits.Amarillo), red: level(limits.Rojo)}
}

func (t *thresholds) windRain(place Terrain) rule {
	l := t.VientoLluvia
	both := []alternative{{{MeanWindQuantity, atLeast, l.Medio}, {Precipitation6hQuantity, atLeast, l.P6h}}}
	if slices.Contains(l.RojoEn, place.Exposure.String()) {
		return rule{amber: both, red: both}
	}
	return rule{amber: both}
}

func (t *thresholds) cold(place Terrain) rule {
	l := t.Frio.Base
	switch {
	case place.HeightM >= t.Frio.Desde:
		l = t.Frio.MuyAlto
	case place.Exposure == Ridge:
		l = t.Frio.Cresta
	case place.Exposure == Glacier:
		l = t.Frio.Glaciar
	case place.Exposure == HighPlateau:
		l = t.Frio.Altiplano
	}
	return rule{
		amber: []alternative{{{WindChillQuantity, atMost, l.Amarillo}}},
		red:   []alternative{{{WindChillQuantity, atMost, l.Rojo}}},
	}
}

func (t *thresholds) wetCold(place Terrain) rule {
	level := func(l wetColdLimit) []alternative {
		criteria := alternative{{WindChillQuantity, atMost, l.WCTMax}, {Precipitation1hQuantity, atLeast, l.P1hMin}}
		if l.MedioMin > 0 {
			criteria = append(criteria, criterion{MeanWindQuantity, atLeast, l.MedioMin})
		}
		return []alternative{criteria}
	}
	l := &t.FrioMojado
	r := rule{amber: level(l.Amarillo)}
	if slices.Contains(l.RojoEn, place.Exposure.String()) || l.RojoSiRemota && place.Remote {
		r.red = level(l.Rojo)
	}
	return r
}

func (t *thresholds) snow(place Terrain) rule {
	day := t.Nieve24h.Base
	if place.Exposure == Glacier {
		day = t.Nieve24h.Glaciar
	}
	level := func(hour, day float64) []alternative {
		return []alternative{{{Snow24hQuantity, atLeast, day}}, {{Snow1hQuantity, atLeast, hour}}}
	}
	return rule{amber: level(t.Nieve1h.Amarillo, day.Amarillo), red: level(t.Nieve1h.Rojo, day.Rojo)}
}

func (t *thresholds) blizzard() rule {
	l := t.Ventisca
	falling := func(d driftLimit) alternative {
		return alternative{{MeanWindQuantity, atLeast, d.Medio}, {Snow1hQuantity, atLeast, d.Nieve1h}}
	}
	lying := alternative{{MeanWindQuantity, atLeast, l.Suelo.Medio}, {SnowDepthQuantity, atLeast, l.Suelo.Prof}, {TemperatureQuantity, atMost, l.Suelo.TMax}}
	whiteout := alternative{{SightQuantity, below, l.RojoVisibilidad.Vis}, {MeanWindQuantity, atLeast, l.RojoVisibilidad.Medio}, {Snow1hQuantity, above, 0}}
	return rule{amber: []alternative{falling(l.Amarillo), lying}, red: []alternative{falling(l.Rojo), whiteout}}
}

func (t *thresholds) rain(place Terrain, factor float64) rule {
	limits := t.Lluvia.Base
	switch {
	case place.Zone == Arid:
		limits = t.Lluvia.Arido
	case place.Exposure == Crossing:
		limits = t.Lluvia.Vadeo
	}
	level := func(l rainLimit) []alternative {
		return []alternative{
			{{Rain1hQuantity, atLeast, l.P1h * factor}},
			{{Rain3hQuantity, atLeast, l.P3h * factor}},
			{{Rain24hQuantity, atLeast, l.P24h * factor}},
		}
	}
	return rule{amber: level(limits.Amarillo), red: level(limits.Rojo)}
}

func (t *thresholds) debrisFlow(place Terrain) rule {
	l := t.Aluvion
	if !slices.Contains(l.SoloEn, place.Exposure.String()) || !slices.Contains(l.Zona, place.Zone.String()) {
		return rule{}
	}
	lower := 0.0
	if place.Zone == Southern {
		lower = l.SurResta
	}
	level := func(pairs []debrisFlow) (alternatives []alternative) {
		for _, p := range pairs {
			alternatives = append(alternatives, alternative{{Rain24hQuantity, atLeast, p.P24h}, {FreezingLevelQuantity, atLeast, p.H0 - lower}})
		}
		return alternatives
	}
	return rule{amber: level(l.Amarillo), red: level(l.Rojo)}
}

func (t *thresholds) storm(place Terrain) rule {
	l := t.Tormenta
	amber := []alternative{
		{{WeatherCodeQuantity, atLeast, l.Codigo}},
		{{CAPEQuantity, atLeast, l.Cape}, {ShowersQuantity, atLeast, l.Chubasco}},
	}
	if place.Exposure == HighPlateau {
		p := l.Altiplano
		amber = append(amber, alternative{{LocalHour, atLeast, p.Desde}, {LocalHour, atMost, p.Hasta},
			{CAPEQuantity, atLeast, p.Cape}, {Precipitation1hQuantity, atLeast, p.P1h}})
	}
	// Where and when a thunderstorm strikes is predictable for hours only
	// (MeteoSwiss): farther ahead none is red.
	code := l.CodigoFuerte
	if slices.Contains(l.RojoEn, place.Exposure.String()) {
		code = l.Codigo
	}
	red := []alternative{{{Lead, atMost, l.RojoPlazo}, {WeatherCodeQuantity, atLeast, code}}}
	if place.Exposure == HighPlateau {
		p := l.Altiplano
		red = append(red, alternative{{Lead, atMost, p.RojoPlazo},
			{WeatherCodeQuantity, atLeast, l.Codigo}, {Precipitation1hQuantity, atLeast, p.RojoP1h}})
	}
	return rule{amber: amber, red: red}
}

func (t *thresholds) heat(place Terrain) rule {
	limits := t.Calor.Base
	if slices.Contains(t.Calor.SinSombraEn, place.Exposure.String()) {
		limits = t.Calor.SinSombra
	}
	return rule{
		amber: []alternative{{{HeatQuantity, atLeast, limits.Amarillo}}},
		red:   []alternative{{{HeatQuantity, atLeast, limits.Rojo}}},
	}
}

func (t *thresholds) fire() rule {
	l := t.Incendio
	hours := alternative{{LocalHour, atLeast, l.Desde}, {LocalHour, atMost, l.Hasta}}
	inHours := func(criteria ...criterion) alternative { return append(slices.Clip(hours), criteria...) }
	wind := func(f fire) alternative {
		criteria := inHours(criterion{IgnitionQuantity, atLeast, f.PIG}, criterion{MeanWindQuantity, atLeast, f.Medio})
		if f.HRMax != nil {
			criteria = append(criteria, criterion{HumidityQuantity, atMost, *f.HRMax})
		}
		if f.TMin != nil {
			criteria = append(criteria, criterion{TemperatureQuantity, atLeast, *f.TMin})
		}
		return criteria
	}
	dry := inHours(criterion{FireWeatherQuantity, atLeast, l.FFWI.FFWI}, criterion{IgnitionQuantity, atLeast, l.FFWI.PIG})
	return rule{amber: []alternative{wind(l.Amarillo), dry}, red: []alternative{wind(l.Rojo)}}
}

func (t *thresholds) visibility(place Terrain) rule {
	l := t.Visibilidad
	r := rule{amber: []alternative{{{SightQuantity, below, l.Amarillo}}}}
	if slices.Contains(l.RojoEn, place.Exposure.String()) {
		r.red = []alternative{{{SightQuantity, below, l.Rojo}, {MeanWindQuantity, atLeast, l.RojoMedio}}}
	}
	return r
}
