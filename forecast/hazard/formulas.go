package hazard

import "math"

// WindChill returns the wind chill temperature in °C of the joint Canadian and
// United States formula of 2001 (Environment Canada; National Weather Service),
// for air at tempC °C and a wind of windKmh km/h at 10 m.
//
// It holds for 10 °C and colder and 5 km/h and more. Below 5 km/h and at 0 °C
// or colder, Environment Canada's formula for light wind is used; anywhere else
// there is no chill and the air temperature itself is given. NaN in, NaN out.
func WindChill(tempC, windKmh float64) float64 {
	switch {
	case math.IsNaN(tempC) || math.IsNaN(windKmh):
		return math.NaN()
	case tempC <= 10 && windKmh >= 5:
		v := math.Pow(windKmh, 0.16)
		return 13.12 + 0.6215*tempC - 11.37*v + 0.3965*tempC*v
	case tempC <= 0:
		return tempC + (-1.59+0.1345*tempC)/5*windKmh
	default:
		return tempC
	}
}

// HeatIndex returns the heat index in °C as the National Weather Service computes
// it: Steadman's simple form where it stays below 80 °F, else Rothfusz's
// regression with the adjustments for dry and for very humid air. relHumidity
// is in %. Up to 40 °F it is the air temperature. NaN in, NaN out.
func HeatIndex(tempC, relHumidity float64) float64 {
	if math.IsNaN(tempC) || math.IsNaN(relHumidity) {
		return math.NaN()
	}
	t, r := fahrenheit(tempC), relHumidity
	if t <= 40 {
		return tempC
	}
	simple := 0.5 * (t + 61 + 1.2*(t-68) + 0.094*r)
	if (simple+t)/2 < 80 {
		return celsius(simple)
	}
	return celsius(rothfusz(t, r))
}

// rothfusz is the regression in °F with its two adjustments.
func rothfusz(t, r float64) float64 {
	index := -42.379 + 2.04901523*t + 10.14333127*r - 0.22475541*t*r -
		6.83783e-3*t*t - 5.481717e-2*r*r + 1.22874e-3*t*t*r + 8.5282e-4*t*r*r - 1.99e-6*t*t*r*r
	switch {
	case r < 13 && t >= 80 && t <= 112:
		index -= (13 - r) / 4 * math.Sqrt((17-math.Abs(t-95))/17)
	case r > 85 && t >= 80 && t <= 87:
		index += (r - 85) / 10 * (87 - t) / 5
	}
	return index
}

// FuelMoisture returns the equilibrium moisture content of fine dead fuel in %
// (Simard 1968), for air at tempC °C and a relative humidity in %. NaN in, NaN
// out.
func FuelMoisture(tempC, relHumidity float64) float64 {
	t, r := fahrenheit(tempC), relHumidity
	switch {
	case r < 10:
		return 0.03229 + 0.281073*r - 0.000578*r*t
	case r <= 50:
		return 2.22749 + 0.160107*r - 0.014784*t
	default:
		return 21.0606 + 0.005565*r*r - 0.00035*r*t - 0.483199*r
	}
}

// IgnitionProbability returns the probability, 0 to 1, that a firebrand on fine
// dead fuel starts a fire (Schroeder 1969, in the form of Rothermel 1983 that
// BehavePlus uses). relHumidity is in %, shade the share of the fuel that lies in
// the shade, 0 to 1: fuel in the sun is up to 25 °F warmer than the air. NaN in,
// NaN out.
func IgnitionProbability(tempC, relHumidity, shade float64) float64 {
	if math.IsNaN(tempC) || math.IsNaN(relHumidity) || math.IsNaN(shade) {
		return math.NaN()
	}
	fuel := tempC + (25-20*shade)/1.8
	return ignition(fuel, FuelMoisture(tempC, relHumidity))
}

// ignition is the probability for fuel of a temperature in °C and a moisture in %.
func ignition(fuelC, moisture float64) float64 {
	m := moisture / 100
	heat := 144.51 - 0.266*fuelC - 0.00058*fuelC*fuelC - fuelC*m + 18.54*(1-math.Exp(-15.1*m)) + 640*m
	heat = min(heat, 400)
	return clamp(4.8e-5*math.Pow((400-heat)/10, 4.3)/50, 0, 1)
}

// FireWeather returns the Fosberg fire weather index, 0 to 100, of fine dead fuel:
// how fast a fire would spread that has started (Fosberg 1978, as the Storm
// Prediction Center computes it). windKmh is the mean wind at 10 m, relHumidity in
// %. NaN in, NaN out.
func FireWeather(tempC, relHumidity, windKmh float64) float64 {
	x := FuelMoisture(tempC, relHumidity) / 30
	damping := 1 - 2*x + 1.5*x*x - 0.5*x*x*x
	mph := windKmh / 1.609344
	return clamp(damping*math.Sqrt(1+mph*mph)/0.3002, 0, 100)
}

// WetBulb returns the wet bulb temperature in °C near sea level (Stull 2011), to a
// third of a degree between -20 and 50 °C and from 5 % of humidity. relHumidity is in
// %. NaN in, NaN out.
func WetBulb(tempC, relHumidity float64) float64 {
	t, r := tempC, relHumidity
	return t*math.Atan(0.151977*math.Sqrt(r+8.313659)) + math.Atan(t+r) - math.Atan(r-1.676331) +
		0.00391838*math.Pow(r, 1.5)*math.Atan(0.023101*r) - 4.686035
}

func fahrenheit(c float64) float64 { return c*9/5 + 32 }

func celsius(f float64) float64 { return (f - 32) * 5 / 9 }

func clamp(x, low, high float64) float64 { return max(low, min(high, x)) }
