package simulate

import (
	"math"
	"time"
)

// Salts keep the noises of different subjects apart.
const (
	saltFront uint64 = iota + 1
	saltAir
	saltSpell
	saltRegime
	saltBreeze
	saltCell
	saltSky
	saltStorm
	saltFog
	saltStandingTemperature
	saltStandingWind
	saltStandingRain
	saltRain
	saltGust
	saltShared
	saltRun
)

// hour is the part of the weather that all places share: the sky's clock, the
// fronts, and how the run that predicts it errs.
type hour struct {
	t          float64 // hours since 1970
	season     float64 // 1 in mid January, -1 in mid July
	snowSeason float64 // the same, as late as snow lies
	sinSun     float64 // of the sun's declination
	cosSun     float64
	sinDay     float64 // of the angle of the UTC day
	cosDay     float64
	fronts     []front
	prediction prediction
}

func seasonOf(t float64) float64 { return math.Cos(2 * math.Pi * (t/24 - 15) / 365.2425) }

// truthHour makes the hour as it comes to pass.
func truthHour(seed uint64, at time.Time) hour {
	t := float64(at.Unix()) / 3600
	declination := -23.44 * math.Pi / 180 * math.Cos(2*math.Pi*(t/24+10)/365.2425)
	day := 2 * math.Pi * (t/24 - math.Floor(t/24))
	h := hour{
		t: t, season: seasonOf(t), snowSeason: seasonOf(t - 50*24),
	}
	h.sinSun, h.cosSun = math.Sincos(declination)
	h.sinDay, h.cosDay = math.Sincos(day)
	// A front needs up to two days from south to north, and its snow lies for four.
	first, last := int64(math.Floor((t-190)/frontEvery)), int64(math.Floor((t+60)/frontEvery))
	for n := first; n <= last; n++ {
		h.fronts = append(h.fronts, newFront(seed, n, seasonOf((float64(n)+0.5)*frontEvery)))
	}
	return h
}

// modelHour makes the hour as a model's run predicts it. Its errors grow with lead and most
// of them are the model's in every run, so that consecutive runs draw near the truth.
func modelHour(seed uint64, m *model, run, at time.Time) hour {
	h := truthHour(seed, at)
	h.prediction = newPrediction(seed, m, run, at)
	for i := range h.fronts {
		h.prediction.misplace(&h.fronts[i])
	}
	return h
}
