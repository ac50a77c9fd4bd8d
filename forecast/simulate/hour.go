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
	saltErrorTemperature
	saltErrorWind
	saltRun
)

// hour is the part of the weather that all places share: the sky's clock, the
// fronts, and how far the run that predicts it errs.
type hour struct {
	t            float64 // hours since 1970
	season       float64 // 1 in mid January, -1 in mid July
	snowSeason   float64 // the same, as late as snow lies
	sinSun       float64 // of the sun's declination
	cosSun       float64
	sinDay       float64 // of the angle of the UTC day
	cosDay       float64
	fronts       []front
	noise        float64 // time at which the noise is read
	error        float64 // 0 is the truth; grows with lead
	temperature  float64 // °C of bias
	wind         float64 // factors
	rain         float64
	errorSeed    uint64 // of the model
	errorRunSeed uint64 // of its run
}

func seasonOf(t float64) float64 { return math.Cos(2 * math.Pi * (t/24 - 15) / 365.2425) }

// truthHour makes the hour as it comes to pass.
func truthHour(seed uint64, at time.Time) hour {
	t := float64(at.Unix()) / 3600
	declination := -23.44 * math.Pi / 180 * math.Cos(2*math.Pi*(t/24+10)/365.2425)
	day := 2 * math.Pi * (t/24 - math.Floor(t/24))
	h := hour{
		t: t, noise: t, season: seasonOf(t), snowSeason: seasonOf(t - 50*24), wind: 1, rain: 1,
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

// modelHour makes the hour as a model's run predicts it: the truth with fronts
// early or late, too strong or too weak, and biases. All grow with lead, so that
// consecutive runs draw near the truth; most of an error belongs to the model
// and the rest to the run, so that they do so steadily.
func modelHour(seed uint64, m *model, run, at time.Time) hour {
	h := truthHour(seed, at)
	lead := math.Max(0, at.Sub(run).Hours())
	h.error = math.Min(0.2+lead/48, 4)
	h.errorSeed = mix(seed, m.salt)
	h.errorRunSeed = mix(mix(h.errorSeed, saltRun), uint64(run.Unix()))
	draw := func(subject uint64) float64 {
		return 0.8*signed(mix(h.errorSeed, subject)) + 0.5*signed(mix(h.errorRunSeed, subject))
	}
	for i := range h.fronts {
		f := &h.fronts[i]
		n := uint64(int64(math.Floor(f.arrive / frontEvery)))
		f.arrive += 1.6 * h.error * draw(mix(n, 1))
		f.power *= clamp(1+0.12*h.error*draw(mix(n, 2)), 0.4, 1.6)
		f.reach += 0.5 * h.error * draw(mix(n, 3))
	}
	h.noise += 0.9 * h.error * draw(11)
	h.temperature = 0.35 * h.error * draw(12)
	h.wind = clamp(1+0.04*h.error*draw(13), 0.7, 1.3)
	h.rain = clamp(1+0.07*h.error*draw(14), 0.6, 1.5)
	return h
}
