package simulate

import (
	"math"

	"vigia/forecast/hazard"
)

// freshSnowPerMm is the depth in cm of the snow that a millimetre of water
// makes: the ratio that Open-Meteo's snowfall uses.
const freshSnowPerMm = 0.7

// sky is where the sun stands over a place and how far the day has come.
type sky struct {
	height float64 // sine of the sun's elevation
	warm   float64 // -1 to 1, highest in the middle of the afternoon (15:20 by the sun)
	late   float64 // 0 to 1, highest at 16:30 by the sun
	season float64 // 1 in the place's midsummer
	cloud  float64 // 0 to 1
}

func (s *spot) skyAt(h *hour) sky {
	// The hour angle is that of the UTC day plus longitude, from noon.
	cosHour := -(h.cosDay*s.cosLon - h.sinDay*s.sinLon)
	sinHour := -(h.sinDay*s.cosLon + h.cosDay*s.sinLon)
	const cosWarm, sinWarm = 0.642788, 0.766044 // 3 h 20 min after noon
	const cosLate, sinLate = 0.382683, 0.923880 // 4 h 30 min after noon
	return sky{
		height: s.sinLat*h.sinSun + s.cosLat*h.cosSun*cosHour,
		warm:   cosHour*cosWarm + sinHour*sinWarm,
		late:   math.Max(0, cosHour*cosLate+sinHour*sinLate),
		season: h.season * s.hemisphere,
	}
}

// convection is an afternoon storm over the mountains.
type convection struct {
	strength float64 // 0 to 1
	cape     float64 // J/kg
}

// weather makes the values at a place for an hour. Every variable follows from
// the same fronts, air mass and sky, so that they fit each other.
func (s *spot) weather(seed uint64, h *hour) Values {
	var v Values
	k := s.skyAt(h)
	p := s.pass(h)
	c := s.convection(seed, h, &k)
	cell := s.read(seed, noiseCell, h)
	k.cloud = clamp01(s.cloud - 0.1*k.season + 0.5*s.read(seed, noiseSky, h) + 0.9*p.cloud + 0.7*c.strength)

	zero := s.air(seed, h, &k, &p, &v)
	s.water(h, &p, &c, cell, &v)
	s.snowOnGround(h, &p, zero, &v)
	s.blow(seed, h, &k, &p, &c, cell, &v)
	s.humidity(seed, h, &k, &p, &v)
	s.sight(seed, h, &k, &p, &v)
	v[hazard.FreezingLevel] = math.Max(0, zero)
	v[hazard.CAPE] = c.cape + 140*p.cold*clamp01(cell)
	v[hazard.UVIndex] = s.uvIndex(&k)
	v[hazard.CloudCover] = 100 * k.cloud
	v.round()
	v[hazard.WeatherCode] = code(&v, &k, &p, &c)
	return v
}

func (s *spot) convection(seed uint64, h *hour, k *sky) convection {
	summer := smooth(clamp01((k.season - 0.15) / 0.6))
	if s.storm == 0 || summer == 0 {
		return convection{}
	}
	day := clamp01((s.read(seed, noiseStorm, h) + 0.02) * 1.75)
	strength := s.storm * summer * day * k.late * k.late
	return convection{strength: strength, cape: 950 * strength}
}

// air sets the temperature and returns the height of the 0 °C level. The free air
// cools by 6.5 K a kilometre; near the sea cool air lies below it, and the sun
// adds its day.
func (s *spot) air(seed uint64, h *hour, k *sky, p *passage, v *Values) float64 {
	mass := 520*s.read(seed, noiseAir, h) + 430*s.read(seed, noiseSpell, h)
	zero := s.zero + s.zeroSwing*k.season + mass - 620*p.cold + 900*p.warm
	day := s.dayRange * (1 - 0.6*k.cloud) * k.warm * h.prediction.dayRange()
	v[hazard.Temperature] = 0.0065*(zero-s.elevation) - s.chill + s.summerHeat*k.season + day + s.warmer(h)
	return zero
}

// water sets precipitation and the snow in it.
func (s *spot) water(h *hour, p *passage, c *convection, cell float64, v *Values) {
	rain := s.rain*p.rain*(0.75+0.6*cell) - 0.1
	if c.strength > 0.3 {
		rain += 7 * (c.strength - 0.3) * (0.55 + 0.45*cell)
	}
	// Rounded at once: what is too little to be printed is dry in every respect.
	mm := math.Round(math.Max(0, rain*s.wetter(h))*10) / 10
	v[hazard.Precipitation] = mm
	v[hazard.Snowfall] = freshSnowPerMm * mm * frozen(v[hazard.Temperature])
}

// frozen is the part of precipitation that falls as snow: all at 0 °C and below,
// none from 2 °C on.
func frozen(temperature float64) float64 { return clamp01(1 - temperature/2) }

func (s *spot) snowOnGround(h *hour, p *passage, zero float64, v *Values) {
	line := s.zero + 1.4*s.zeroSwing*h.snowSeason*s.hemisphere - 200
	pack := 1.2 * s.wetness * clamp((s.elevation-line)/1000, 0, 3)
	fresh := p.fresh * s.rain * 0.7 * freshSnowPerMm / 100 * clamp01((s.elevation-zero+400)/600)
	v[hazard.SnowDepth] = pack + fresh + v[hazard.Snowfall]/100
}

// blow sets wind and gusts.
func (s *spot) blow(seed uint64, h *hour, k *sky, p *passage, c *convection, cell float64, v *Values) {
	regime := (1 + s.read(seed, noiseRegime, h)) / 2
	steady := s.steadyWind * (0.25 + 1.5*regime*regime) * (1 + 0.3*s.read(seed, noiseBreeze, h))
	steady *= 1 + 0.25*k.season*clamp01((-s.lat-44)/4) // Patagonia's wind is strongest in summer
	wind := steady + s.breeze*k.late*(0.5+regime)*(1+0.15*k.season) + s.frontWind*p.wind
	wind = s.windy(h, wind*s.height)
	v[hazard.WindSpeed], v[hazard.WindAloft] = wind, freeAir*wind
	v[hazard.WindGust] = wind*(1.5+0.2*cell+0.08*(s.height-1))*s.gusty(h) + 4 + 35*c.strength
	v[hazard.WindDirection] = s.windDirection(seed, h, p)
}

// windDirection is where the wind comes from, in degrees from 0 to 359: the west in the
// south and the south-west in the north, turned to the north-west ahead of a front and to
// the south-west behind it.
func (s *spot) windDirection(seed uint64, h *hour, p *passage) float64 {
	usual := 225 + 45*clamp01((-s.lat-30)/15)
	from := usual + 35*p.wind - 60*p.cold + 40*s.read(seed, noiseRegime, h) + 15*s.read(seed, noiseBreeze, h)
	return math.Mod(math.Round(from)+720, 360)
}

func (s *spot) humidity(seed uint64, h *hour, k *sky, p *passage, v *Values) {
	day := s.dayRange * (1 - 0.6*k.cloud) * k.warm
	moist := s.moist - s.summerDry*k.season + 14*s.read(seed, noiseSky, h) - 10*s.read(seed, noiseSpell, h) -
		2.1*day + 15*p.cloud + 0.4*v[hazard.Precipitation]
	if v[hazard.Precipitation] > 0 {
		moist = math.Max(moist, 84+4*math.Min(v[hazard.Precipitation], 3))
	}
	v[hazard.Humidity] = clamp(moist, 4, 100)
}

// clearSight is the farthest that a model reports: GFS ends there.
const clearSight = 24140.0 // m

// sight sets visibility, and the humidity that goes with fog.
func (s *spot) sight(seed uint64, h *hour, k *sky, p *passage, v *Values) {
	day := s.read(seed, noiseFog, h)
	thick := s.coastFog * (0.75*day - 0.35*k.warm + 0.25)
	if s.valleyFog > 0 && k.season < 0.3 {
		calm := clamp01((14 - v[hazard.WindSpeed]) / 8)
		thick = math.Max(thick, s.valleyFog*calm*(0.7*day-0.35*k.warm-0.3*k.season))
	}
	thick *= h.prediction.fog()
	if s.elevation > 700 {
		// The mountain stands in the front's cloud.
		thick = math.Max(thick, clamp01((s.elevation-700)/900)*0.95*p.rain)
	}
	sight := clearSight * (1 - 0.8*clamp01(thick/0.6))
	if thick > 0.6 {
		sight = math.Max(60, 950-2200*(thick-0.6))
		v[hazard.Humidity] = math.Max(v[hazard.Humidity], 96)
	}
	snow := v[hazard.Snowfall]
	rain := v[hazard.Precipitation] - snow/freshSnowPerMm
	fall := clearSight / (1 + 0.9*math.Max(0, rain) + 14*snow*math.Sqrt(snow)*(1+v[hazard.WindSpeed]/30))
	v[hazard.SightRange] = math.Round(math.Min(sight, fall)/10) * 10
}

// uvIndex is Madronich's formula for the clear sky (2007: 12.5 times the sun's
// sine to the 2.42, ozone to the -1.23), more with height, less under cloud.
func (s *spot) uvIndex(k *sky) float64 {
	if k.height <= 0 {
		return 0
	}
	return s.uv * math.Pow(k.height, 2.42) * (1 - 0.75*k.cloud*k.cloud*k.cloud)
}

// code returns the WMO code that fits the rounded values, in the classes to which
// Open-Meteo reduces them (https://open-meteo.com/en/docs, "WMO Weather
// interpretation codes").
func code(v *Values, k *sky, p *passage, c *convection) float64 {
	mm, snow := v[hazard.Precipitation], v[hazard.Snowfall]
	storm := c.strength > 0.42 || p.rain > 1.05
	switch {
	case mm > 0 && c.strength > 0.8:
		return 96
	case mm > 0 && storm:
		return 95
	case snow > 0 && 2*snow >= freshSnowPerMm*mm:
		return snowCode(snow, c.strength > 0)
	case mm > 0:
		return rainCode(mm, c.strength > 0)
	case v[hazard.SightRange] < 1000 && v[hazard.Temperature] < 0:
		return 48
	case v[hazard.SightRange] < 1000:
		return 45
	}
	return math.Round(3 * k.cloud)
}

func snowCode(cm float64, shower bool) float64 {
	switch {
	case shower && cm < 0.8:
		return 85
	case shower:
		return 86
	case cm < 0.2:
		return 71
	case cm < 0.8:
		return 73
	}
	return 75
}

func rainCode(mm float64, shower bool) float64 {
	grade := 0.0
	if mm >= 2.5 {
		grade = 1
	}
	if mm >= 7.6 {
		grade = 2
	}
	switch {
	case shower:
		return 80 + grade
	case mm < 0.5:
		return 51
	case mm < 1:
		return 53
	case mm < 1.3:
		return 55
	}
	return 61 + 2*grade
}
