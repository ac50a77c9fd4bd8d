package simulate

import (
	"math"
	"time"
)

// How models err, so that four of them differ from each other and from what comes to
// pass as real ones do. An error has three causes:
//
//   - The grid does not see the place. That depends on where the wind comes from, so it lasts for
//     days, and is about as large at every lead.
//   - A front comes early or late, too strong or too weak, too far north or south.
//   - A prediction forgets the true noises, the small and short ones first, and has its own in their
//     stead, in the same amount and of the same size on the map and in time ([spot.read]).
//
// So an error is correlated in space and time as weather is, and a model's climate is not wilder than
// the true one. The sources of the sizes, each read for this unless marked "from memory":
//
//   - Benchmark: https://meteo.matrunich.com/benchmark of April and June 2026, some 100,000 pairs with
//     stations for each model: RMSE of 10 m wind 1.7 to 2.6 m/s, MAE of 2 m temperature 1.7 to 2.4 °C,
//     and each model's bias.
//   - ECMWF: Forecast User Guide, "2m temperature errors" (https://confluence.ecmwf.int/x/7pqxGQ): they often
//     do not depend strongly on lead, are larger over mountains, and the daily range is too small.
//   - Haiden and others 2021, ECMWF Technical Memorandum 880 (from memory): RMSE of 2 m temperature over land
//     about 2.1 °C on day 1 and 2.8 °C on day 5.
//   - Pogumirskis and others 2026, doi 10.5194/wes-2026-24 (abstract): seven models blow too weakly over
//     mountains, by 0.1 to 0.9 m/s for each 100 m that their ground lies too low.
//   - Stucki and others 2016, Tellus A 68, 31820 (abstract): in the Alps the error of a gust is mostly that of
//     the mean wind, and parameterised gusts are too weak beside it.
//   - Buckingham and others 2010, Weather and Forecasting 25 (abstract): the error of a cyclone's place in
//     NCEP's ensemble grows by 50 nautical miles a day.
//   - Froude, Bengtsson and Hodges 2007, Monthly Weather Review 135 (abstracts): a cyclone's intensity is
//     predicted worse than its place.
//   - Ebert 2001, Monthly Weather Review 129, 2461 (from memory): models of several centres have half of their
//     error in common and a spread somewhat too small.
//   - Zhou and Du 2010, Weather and Forecasting 25, 303 (from memory): models miss most fog.

// The parts of an error, each a noise of its own.
const (
	partShared = iota // by all models: the same observations, grids that are all too coarse
	partModel         // by a model in every run, so that its runs draw near the truth steadily
	partRun
	numParts
)

// partWeights are the standard deviations of the parts. Their squares sum to 1, and a good half is
// shared (Ebert 2001).
var partWeights = [numParts]float64{0.74, 0.56, 0.37}

// gridWeights are the same of what a grid does not see, in which a model's runs are alike.
var gridWeights = [numParts]float64{0.74, 0.67, 0}

// deviationOfNoise is the standard deviation of a field (see TestNoise).
const deviationOfNoise = 0.37

// What a grid does not see.
const (
	standingTemperature = 1.7  // °C, standard deviation at sea level (Haiden 2021: most of day 1's 2.1)
	standingPerKm       = 0.15 // °C more for each kilometre of height (ECMWF: larger over mountains)
	flatterDay          = 0.88 // the part of the day's range of temperature that is predicted (ECMWF)
	standingWind        = 0.3  // standard deviation of the wind's logarithm (Benchmark: 1.7 m/s at 4 m/s and short leads)
	strongWind          = 0.91 // power that keeps the variance of the wind's logarithm with that added
	ridgeWind           = 0.8  // of the wind on a ridge: 0.5 m/s for each of 300 m less, at 8 m/s (Pogumirskis 2026)
	gusts               = 0.95 // of the gust factor (Stucki 2016: too weak; the size is our judgement)
	wrongGusts          = 0.06 // standard deviation of the gust factor (Stucki 2016: small beside the wind's)
	standingRain        = 0.4  // standard deviation of the rain's logarithm (our judgement)
	thinnerFog          = 0.85 // of the fog's thickness (Zhou and Du 2010; the size is our judgement)
)

// wrongRain is the standard deviation of the logarithm of predicted over true rain by lead in hours,
// beside what the place and the front do (our judgement).
var wrongRain = curve{{0, 0.4}, {24, 0.5}, {72, 0.65}, {120, 0.8}}

// The standard deviations of a front's errors for each day of lead.
const (
	lateFront     = 1.7  // h: 50 nautical miles, most of them along the track, at 50 km/h (Buckingham 2010)
	asideFront    = 0.6  // degrees: 36 of them across it
	strengthFront = 0.06 // of its strength (Froude 2007; the size is our judgement)
	frontDays     = 7    // after which a front is no worse predicted: it is another one
	analysisLead  = 3.6  // h of lead by which an analysis errs already
)

// prediction is how a run errs at an hour, shared by all places. The zero value is the truth.
type prediction struct {
	model *model             // nil: the truth
	lead  float64            // h, that of the analysis included
	seeds [numParts]uint64   // of the parts
	skill [numNoises]float64 // correlation of the predicted with the true noise
	own   [numNoises]float64 // what a prediction has of its own beside it
}

func newPrediction(seed uint64, m *model, run, at time.Time) prediction {
	p := prediction{model: m, lead: analysisLead + math.Max(0, at.Sub(run).Hours())}
	p.seeds[partShared] = mix(seed, saltShared)
	p.seeds[partModel] = mix(seed, m.salt)
	p.seeds[partRun] = mix(mix(p.seeds[partModel], saltRun), uint64(run.Unix()))
	for i, n := range noises {
		if n.memory > 0 {
			p.skill[i] = math.Exp(-p.lead / n.memory)
		}
		p.own[i] = math.Sqrt(1 - p.skill[i]*p.skill[i])
	}
	return p
}

// draw returns a number of mean 0 and standard deviation 1 for a subject.
func (p *prediction) draw(subject uint64) float64 {
	sum := 0.0
	for part, weight := range partWeights {
		sum += weight * signed(mix(p.seeds[part], subject))
	}
	return math.Sqrt(3) * sum
}

// misplace moves a front from where it is to where the run predicts it.
func (p *prediction) misplace(f *front) {
	n, days := mix(saltFront, uint64(int64(math.Floor(f.arrive/frontEvery)))), math.Min(p.lead/24, frontDays)
	f.arrive += lateFront * days * p.draw(mix(n, 1))
	f.power *= clamp(1+strengthFront*days*p.draw(mix(n, 2)), 0.4, 1.6)
	f.reach += asideFront * days * p.draw(mix(n, 3))
}

// dayRange is the part of the day's range of temperature that is predicted.
func (p *prediction) dayRange() float64 {
	if p.model == nil {
		return 1
	}
	return flatterDay
}

// fog is the part of the fog's thickness that is predicted.
func (p *prediction) fog() float64 {
	if p.model == nil {
		return 1
	}
	return thinnerFog
}

// warmer is by how many °C a prediction is too warm at the place.
func (s *spot) warmer(h *hour) float64 {
	if h.prediction.model == nil {
		return 0
	}
	size := standingTemperature + standingPerKm*clamp(s.elevation/1000, 0, 4)
	return h.prediction.model.warm + size*s.deviation(noiseStandingTemperature, h)
}

// windy returns what is predicted of a true wind: weak winds are too strong and strong ones too weak.
func (s *spot) windy(h *hour, wind float64) float64 {
	m := h.prediction.model
	if m == nil {
		return wind
	}
	wind = s.usualWind * math.Pow(wind/s.usualWind, strongWind) * (1 - (1-ridgeWind)*s.ridge)
	return wind * m.windy * wrong(standingWind, s.deviation(noiseStandingWind, h))
}

// gusty is the predicted part of the gust factor.
func (s *spot) gusty(h *hour) float64 {
	if h.prediction.model == nil {
		return 1
	}
	return gusts + wrongGusts*s.deviation(noiseGust, h)
}

// wetter is the factor of the predicted precipitation.
func (s *spot) wetter(h *hour) float64 {
	if h.prediction.model == nil {
		return 1
	}
	return wrong(standingRain, s.deviation(noiseStandingRain, h)) * wrong(wrongRain.at(h.prediction.lead), s.deviation(noiseRain, h))
}

// wrong is a factor whose logarithm has the standard deviation sigma, at x standard deviations. The mean of
// its square is 1, so that what is strong is not predicted more often than it comes; its mean is below 1.
func wrong(sigma, x float64) float64 { return math.Exp(sigma*x - sigma*sigma) }
