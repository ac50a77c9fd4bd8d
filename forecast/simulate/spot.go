package simulate

import (
	"math"

	"vigia/store/catalogue"
)

// The noises that the weather is made of.
const (
	noiseAir    = iota // air masses
	noiseSpell         // days of heat or cool
	noiseRegime        // windy and calm days
	noiseBreeze
	noiseCell // showers and gusts
	noiseSky
	noiseStorm // days with thunderstorms
	noiseFog
	// What only models have.
	noiseStandingTemperature
	noiseStandingWind
	noiseStandingRain
	noiseRain
	noiseGust
	numNoises
)

var noises = [numNoises]struct {
	salt uint64
	field
	memory float64 // hours of lead in which a prediction's correlation with the truth falls to 1/e
}{
	noiseAir:                 {saltAir, field{40, 5}, 180},
	noiseSpell:               {saltSpell, field{110, 6}, 360},
	noiseRegime:              {saltRegime, field{30, 6}, 150},
	noiseBreeze:              {saltBreeze, field{9, 2.5}, 60},
	noiseCell:                {saltCell, field{3, 0.7}, 12},
	noiseSky:                 {saltSky, field{14, 2.5}, 72},
	noiseStorm:               {saltStorm, field{24, 2}, 60},
	noiseFog:                 {saltFog, field{24, 2}, 60},
	noiseStandingTemperature: {saltStandingTemperature, field{240, 0.3}, 0},
	noiseStandingWind:        {saltStandingWind, field{120, 0.3}, 0},
	noiseStandingRain:        {saltStandingRain, field{120, 0.5}, 0},
	noiseRain:                {saltRain, field{18, 1}, 0},
	noiseGust:                {saltGust, field{14, 1}, 0},
}

// Chile by latitude south, from station normals of the national weather service
// and from the literature, rounded: enough for plausible weather. TestClimate and TestYearOfPlaces
// hold it to figures. Of the altiplano's storms ALMA memo 487 counts about five days a year at 23 S.
// Above the plateau a place stands free in the air, where a day is less warm and a night less cold than
// on the ground (Barry 2008, Mountain Weather and Climate). Rain falls off within tens of kilometres east
// of the divide (Weidemann and others 2018, Frontiers in Earth Science 6, 53). West of the steppe forest and fjords shelter what
// is below the tree line: Aysen's weather reports have weak winds at Coyhaique and Cochrane and strong ones at Balmaceda.
var (
	coast        = curve{{18, -70.3}, {24, -70.5}, {30, -71.5}, {34, -72}, {38, -73.5}, {42, -74}, {46, -75.2}, {50, -75.4}, {53, -74.5}, {56, -70}}
	zeroLevel    = curve{{0, 4900}, {18, 4850}, {25, 4430}, {33, 3350}, {41, 2350}, {48, 1700}, {56, 1050}, {70, 0}, {90, -400}} // yearly mean 0 °C level, m
	zeroSwing    = curve{{0, 0}, {18, 250}, {33, 650}, {41, 650}, {56, 500}, {90, 600}}                                          // m, half of summer minus winter
	inlandMoist  = curve{{18, 40}, {23, 30}, {30, 36}, {33, 56}, {37, 66}, {41, 76}, {47, 78}, {56, 72}}                         // mean humidity, %
	cloudiness   = curve{{18, 0.2}, {23, 0.06}, {30, 0.18}, {33, 0.28}, {38, 0.45}, {45, 0.6}, {56, 0.6}}
	wetness      = curve{{18, 0.08}, {25, 0.05}, {30, 0.25}, {33, 0.6}, {38, 1}, {45, 1}, {56, 0.8}}             // how much snow a winter leaves
	frontRain    = curve{{26, 1}, {30, 2.5}, {33, 4.2}, {38, 5}, {45, 5.2}, {51, 4}, {56, 3}}                    // mm/h in the middle of a strong front
	frontWind    = curve{{26, 16}, {33, 24}, {40, 30}, {48, 29}, {56, 27}}                                       // km/h added there
	steadyWind   = curve{{18, 5.5}, {28, 6}, {33, 7}, {38, 8}, {42, 11}, {46, 18}, {50, 26}, {53, 28}, {60, 30}} // km/h at sea level
	breeze       = curve{{18, 14}, {25, 15}, {32, 15}, {36, 13}, {40, 8}, {44, 5}, {56, 5}}                      // km/h added in the afternoon inland
	stormBelt    = curve{{18, 1}, {23, 0.5}, {29, 0.3}, {31, 0.3}, {37, 0.3}, {39, 0.12}, {45, 0.05}, {46, 0}}   // summer storms of the mountains
	coastFog     = curve{{16, 0.5}, {19, 0.9}, {31, 1}, {34, 0.5}, {38, 0.4}, {44, 0.25}, {50, 0}}               // camanchaca
	coastHeights = curve{{0, 0.5}, {150, 0.7}, {400, 1}, {900, 1}, {1200, 0}}                                    // where it touches the hills
	ozone        = curve{{0, 255}, {20, 260}, {33, 285}, {45, 305}, {60, 310}}                                   // Dobson units
	plateau      = curve{{18, 4500}, {27, 4500}, {31, 3000}, {34, 2000}, {38, 1200}, {44, 700}, {56, 400}}       // m, above which a place stands free in the air
	leeFrom      = curve{{40, 1.7}, {46, 2.3}, {51, 1.4}}                                                        // degrees east of the coast: where rain begins to fall off
	woodedTo     = curve{{41, 1.5}, {44, 3.1}, {46, 3.2}, {49, 2.6}, {51, 2.7}, {53, 3.5}, {56, 3.5}}            // degrees east of the coast: where the forest ends
	dayRange     = curve{{18, 7}, {22, 11}, {28, 10}, {33, 8.5}, {38, 7.5}, {42, 5.5}, {48, 4}, {56, 3.2}}       // °C, half of the inland day's
)

// spot is a place with everything about it that does not change with time.
type spot struct {
	lat, lon, elevation float64
	sinLat, cosLat      float64
	sinLon, cosLon      float64

	hemisphere float64 // 1 in the south, -1 in the north, between them near the equator
	inland     float64 // 0 on the coast, 1 from a degree and a half off it
	frontLat   float64 // the latitude by which fronts reach it
	delay      float64 // hours that a front needs to come here
	zero       float64 // m
	zeroSwing  float64
	chill      float64 // °C that the sea's cool air takes off
	dayRange   float64
	summerHeat float64 // °C that the ground adds in midsummer
	summerDry  float64 // % of humidity that midsummer takes
	moist      float64
	cloud      float64
	wetness    float64
	rain       float64
	frontWind  float64
	steadyWind float64
	breeze     float64
	height     float64 // factor of wind with height
	usualWind  float64 // km/h: about the geometric mean
	ridge      float64 // 1 for what stands high over the ground of a model
	storm      float64
	coastFog   float64
	valleyFog  float64
	uv         float64 // factor of the clear sky's UV

	readers      [numNoises]reader
	errorReaders [numNoises][numParts]reader
}

func newSpot(place catalogue.Location) *spot {
	s := &spot{lat: place.Latitude, lon: place.Longitude, elevation: place.Elevation}
	s.sinLat, s.cosLat = math.Sincos(s.lat * math.Pi / 180)
	s.sinLon, s.cosLon = math.Sincos(s.lon * math.Pi / 180)
	s.hemisphere = clamp(-s.lat/15, -1, 1)
	s.delay = (clamp(s.lat, -56, -17)+56)*1.1 + (clamp(s.lon, -80, -66)+75)*1.5
	s.frontLat = s.lat
	if s.lon < -78 && s.lat < 0 {
		s.frontLat -= 7 // over the open ocean fronts reach further north
	}
	s.inland = clamp01((s.lon - coast.at(math.Abs(s.lat))) / 1.5)
	s.settleAir()
	s.settleWater()
	s.settleWind()
	for i := range s.readers {
		s.readers[i] = newReader(noises[i].field, s.lat, s.lon)
		for part := range s.errorReaders[i] {
			s.errorReaders[i][part] = s.readers[i]
		}
	}
	return s
}

// settleAir sets what temperature, humidity and light follow.
func (s *spot) settleAir() {
	south := math.Abs(s.lat)
	s.zero, s.zeroSwing = zeroLevel.at(south), zeroSwing.at(south)
	s.chill = (4.5 + 4*(1-s.inland)) * clamp((50-south)/20, 0.2, 1) * math.Exp(-math.Max(s.elevation, 0)/800)
	free := clamp01((s.elevation - plateau.at(south)) / 1500)
	s.dayRange = (2.5 + (dayRange.at(south)-2.5)*s.inland) * (1 - 0.6*free)
	valley := s.inland * clamp01((40-south)/5) * clamp01((2000-s.elevation)/1500)
	s.summerHeat, s.summerDry = 2.2*s.inland+1.3*valley, 6*s.inland+14*valley
	aloft := clamp01((s.elevation - 900) / 600)
	dry := math.Max(s.inland, aloft)
	s.moist = 78 + (inlandMoist.at(south)-78)*dry
	s.cloud = cloudiness.at(south) + 0.15*(1-dry)
	s.uv = 12.5 * math.Pow(ozone.at(south)/300, -1.23) * (1 + 0.06*math.Max(s.elevation, 0)/1000)
}

// settleWater sets what rain, snow, storms and fog follow.
func (s *spot) settleWater() {
	south := math.Abs(s.lat)
	lee := 0.0
	if south > 38 {
		lee = clamp01((s.lon - coast.at(south) - leeFrom.at(south)) / 1.2)
	}
	s.wetness = wetness.at(south)
	s.rain = frontRain.at(-s.frontLat) * (1 + 0.4*clamp01(s.elevation/1500)) * (1 - 0.62*lee)
	s.storm = stormBelt.at(south) * s.inland * clamp01((s.elevation-1200)/2200)
	if s.lon > -80 { // the cold current's, not the open ocean's
		s.coastFog = coastFog.at(south) * (1 - s.inland) * coastHeights.at(s.elevation)
	}
	if south > 32 && south < 44 {
		s.valleyFog = clamp01((900 - s.elevation) / 500)
	}
}

func (s *spot) settleWind() {
	south := math.Abs(s.lat)
	s.frontWind, s.steadyWind = frontWind.at(south), steadyWind.at(south)
	s.breeze = breeze.at(south) * (0.4 + 0.6*s.inland)
	s.height = 1 + 0.22*clamp(s.elevation/1000, 0, 2.2)
	if off := s.lon - coast.at(south); south > 41 { // sheltered by forest
		wooded := clamp01((off-0.8)/0.4) * clamp01((woodedTo.at(south)-off)/0.4) * clamp01((1000-s.elevation)/500)
		s.steadyWind *= 1 - 0.25*wooded
		s.frontWind *= 1 - 0.25*wooded
	}
	s.ridge = clamp01((s.elevation - plateau.at(south)) / 600)
	s.usualWind = (0.75*s.steadyWind + 0.3*s.breeze) * s.height
}

// read samples one of the weather's noises at the hour, from -1 to 1: the true one, or what
// is left of it in a prediction and the prediction's own.
func (s *spot) read(seed uint64, noise int, h *hour) float64 {
	x := s.readers[noise].at(mix(seed, noises[noise].salt), h.t)
	if h.prediction.model == nil {
		return x
	}
	return clamp(h.prediction.skill[noise]*x+h.prediction.own[noise]*s.own(noise, &partWeights, h), -1, 1)
}

// own samples a noise of the prediction, unlike that of the truth.
func (s *spot) own(noise int, weights *[numParts]float64, h *hour) float64 {
	sum := 0.0
	for part, weight := range weights {
		if weight == 0 {
			continue
		}
		sum += weight * s.errorReaders[noise][part].at(mix(h.prediction.seeds[part], noises[noise].salt), h.t)
	}
	return sum
}

// deviation samples how a prediction errs in a subject, with mean 0 and standard deviation 1. The
// truth does not.
func (s *spot) deviation(noise int, h *hour) float64 {
	if h.prediction.model == nil {
		return 0
	}
	return s.own(noise, &gridWeights, h) / deviationOfNoise
}
