package hazard

import (
	"math"
	"time"
)

// tenThousandths are sums in whole units of 1e-4: adding them is exact, so that
// forty times 0.5 mm are 20 mm and not a hair less.
type tenThousandths = int64

// running holds running sums of a column of hourly amounts, so that the sum of
// any window costs two look-ups.
type running struct {
	sums  []tenThousandths
	holes []int32 // missing hours up to here
}

func (r *running) reset(hours int) {
	if cap(r.sums) < hours+1 {
		r.sums, r.holes = make([]tenThousandths, hours+1), make([]int32, hours+1)
	}
	r.sums, r.holes = r.sums[:hours+1], r.holes[:hours+1]
}

func (r *running) add(i int, v float64) {
	r.sums[i+1], r.holes[i+1] = r.sums[i], r.holes[i]
	if math.IsNaN(v) {
		r.holes[i+1]++
		return
	}
	r.sums[i+1] += tenThousandths(math.RoundToEven(v * 1e4))
}

// window returns the sum of the n hours that end with hour i, and how many of
// those hours are missing. Hours before the first value are missing.
func (r *running) window(i, n int) (sum float64, missing int) {
	from := i + 1 - n
	if from < 0 {
		missing, from = -from, 0
	}
	missing += int(r.holes[i+1] - r.holes[from])
	return float64(r.sums[i+1]-r.sums[from]) / 1e4, missing
}

// pointSeries reads one model's columns at one point.
type pointSeries struct {
	columns             *Columns
	point               int
	all, rain, snowfall running
	guessed             running // its holes are hours whose snow is the provider's
}

func (p *pointSeries) open(c *Columns, point int, rules *Rules) {
	p.columns, p.point = c, point
	for _, r := range []*running{&p.all, &p.rain, &p.snowfall, &p.guessed} {
		r.reset(c.Hours)
	}
	for i := range c.Hours {
		total := p.at(Precipitation, i)
		rain, snow, known := p.phase(i, total, rules)
		p.all.add(i, total)
		p.rain.add(i, rain)
		p.snowfall.add(i, snow)
		p.guessed.add(i, known)
	}
}

// phase divides the precipitation of an hour into rain (mm) and fresh snow (cm) at the
// point's own height. Providers divide it at the height of their smoothed ground, where
// the snow of a pass is rain; so the wet bulb at the point decides. Without a humidity or
// a temperature the provider's word stands, and known is NaN where something fell.
func (p *pointSeries) phase(i int, total float64, rules *Rules) (rain, snow, known float64) {
	l := &rules.limits.Fase
	if total == 0 {
		return 0, 0, 0
	}
	bulb := WetBulb(p.at(Temperature, i), p.at(Humidity, i))
	if math.IsNaN(bulb) || math.IsNaN(total) {
		snow = p.at(Snowfall, i)
		return liquid(total, snow, l.CmPorMm), snow, math.NaN()
	}
	share := clamp((l.TodaLluvia-bulb)/(l.TodaLluvia-l.TodaNieve), 0, 1)
	return total * (1 - share), l.CmPorMm * total * share, 0
}

// liquid returns the liquid part in mm of a precipitation total in mm of which
// snow cm fell as snow, at cmPerMm of snow for a mm of water. Without a snowfall all
// of it counts as rain, the graver reading.
func liquid(total, snow, cmPerMm float64) float64 {
	if math.IsNaN(snow) {
		return total
	}
	return max(0, total-snow/cmPerMm)
}

func (p *pointSeries) at(v Variable, i int) float64 { return p.columns.At(v, p.point, i) }

// index returns the position of an hour in the columns; it may lie outside.
func (p *pointSeries) index(hour time.Time) int {
	return int(hour.Sub(p.columns.Start) / time.Hour)
}

// inputs fills in the quantities of hour i, and reports whether a sum has gaps. rules has
// the rain of three days from which the ground counts as soaked.
func (p *pointSeries) inputs(i int, rules *Rules, in *Inputs) (gaps bool) {
	*in = NewInputs()
	if i < 0 || i >= p.columns.Hours {
		return false
	}
	temperature, humidity, wind := p.at(Temperature, i), p.at(Humidity, i), p.at(WindSpeed, i)
	in.Set(TemperatureQuantity, temperature)
	in.Set(HumidityQuantity, humidity)
	in.Set(MeanWindQuantity, wind)
	in.Set(GustQuantity, p.at(WindGust, i))
	in.Set(WindChillQuantity, WindChill(temperature, wind))
	in.setHeat(temperature, humidity)
	in.Set(IgnitionQuantity, IgnitionProbability(temperature, humidity, 0))
	in.Set(FireWeatherQuantity, FireWeather(temperature, humidity, wind))
	in.Set(SnowDepthQuantity, p.at(SnowDepth, i))
	in.Set(SightQuantity, p.at(SightRange, i))
	in.Set(FreezingLevelQuantity, p.at(FreezingLevel, i))
	in.Set(CAPEQuantity, p.at(CAPE, i))
	in.Set(WindFromQuantity, p.at(WindDirection, i))
	in.Set(CloudQuantity, p.at(CloudCover, i))
	in.Set(UVQuantity, p.at(UVIndex, i))
	in.Set(WindAloftQuantity, p.at(WindAloft, i))
	gaps = p.sums(i, in)
	in.Set(WeatherCodeQuantity, codeOfPhase(p.at(WeatherCode, i), in.values[Precipitation1hQuantity], in.values[Rain1hQuantity]))
	if _, guessed := p.guessed.window(i, 24); guessed > 0 {
		gaps = true
	}
	spell, missing := p.rain.window(i, 72)
	switch {
	case spell >= rules.limits.Lluvia.Antecedente.P72h:
		in.wetSpell = yes
	case missing > 0:
		in.wetSpell = unknown
	}
	return gaps
}

// phases pairs the WMO codes of rain and drizzle with those of snow that are as strong.
var phases = [...]struct{ rain, snow float64 }{
	{61, 71}, {63, 73}, {65, 75}, {80, 85}, {81, 86}, // read in both directions
	{51, 71}, {53, 71}, {55, 71}, {56, 71}, {57, 73}, {66, 71}, {67, 75}, {82, 86}, {51, 77},
}

// codeOfPhase returns the WMO code of an hour as it is at the height of the point, where
// what falls may be snow and at the model's smoothed ground rain: a code of rain becomes
// one of snow where no more than half of the precipitation (mm) is rain, and the reverse.
// It stays where nothing falls, or how much is not known.
func codeOfPhase(code, total, rain float64) float64 {
	if !(total > 0) || math.IsNaN(rain) {
		return code
	}
	for _, pair := range phases {
		switch {
		case code == pair.rain && 2*rain <= total:
			return pair.snow
		case code == pair.snow && 2*rain > total:
			return pair.rain
		}
	}
	return code
}

// sums fills in the quantities that are sums over hours. One with missing hours is
// no more than a lower bound.
func (p *pointSeries) sums(i int, in *Inputs) (gaps bool) {
	for _, s := range [...]struct {
		quantity Quantity
		amounts  *running
		hours    int
	}{
		{Precipitation1hQuantity, &p.all, 1}, {Precipitation6hQuantity, &p.all, 6}, {ShowersQuantity, &p.all, 1},
		{Rain1hQuantity, &p.rain, 1}, {Rain3hQuantity, &p.rain, 3}, {Rain24hQuantity, &p.rain, 24},
		{Snow1hQuantity, &p.snowfall, 1}, {Snow24hQuantity, &p.snowfall, 24},
	} {
		sum, missing := s.amounts.window(i, s.hours)
		if missing == s.hours {
			continue
		}
		if missing > 0 {
			gaps = true
			in.SetAtLeast(s.quantity, sum)
		} else {
			in.Set(s.quantity, sum)
		}
	}
	return gaps
}

// setHeat fills in what the heat hazard compares: the greater of temperature and
// heat index, because in dry desert air the index lies below the temperature.
// Without a humidity the temperature is a lower bound.
func (in *Inputs) setHeat(tempC, humidity float64) {
	if math.IsNaN(humidity) {
		in.SetAtLeast(HeatQuantity, tempC)
		return
	}
	in.Set(HeatQuantity, max(tempC, HeatIndex(tempC, humidity)))
}
