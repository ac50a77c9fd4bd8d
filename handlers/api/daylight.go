package api

import (
	"math"
	"time"
)

// The sun's upper edge touches the horizon when its centre stands this far
// below it: half its disc and the refraction of the air.
const sunsetAltitude = -0.833 // degrees

// Daylight tells when the sun rises and sets on the local day that has noon at
// about the given instant, by the equations of NOAA's solar calculator
// (gml.noaa.gov/grad/solcalc/solareqns.PDF): good to a minute or two at the
// latitudes of Chile, on level ground. Mountains make the day shorter. ok is false
// when the sun does not rise or does not set.
func Daylight(noon time.Time, latitude, longitude float64) (rise, set time.Time, ok bool) {
	noon = noon.UTC()
	midnight := time.Date(noon.Year(), noon.Month(), noon.Day(), 0, 0, 0, 0, time.UTC)
	// Solar noon of the UTC day may fall on the day before or after it at far
	// longitudes: take the one nearest to the noon asked for.
	equation, declination := sun(noon)
	transit := midnight.Add(minutes(720 - 4*longitude - equation))
	for transit.Sub(noon) > 12*time.Hour {
		transit = transit.Add(-24 * time.Hour)
	}
	for noon.Sub(transit) > 12*time.Hour {
		transit = transit.Add(24 * time.Hour)
	}
	lat := radians(latitude)
	cosine := math.Sin(radians(sunsetAltitude))/(math.Cos(lat)*math.Cos(declination)) -
		math.Tan(lat)*math.Tan(declination)
	if !(cosine >= -1 && cosine <= 1) {
		return time.Time{}, time.Time{}, false
	}
	half := minutes(4 * math.Acos(cosine) * 180 / math.Pi)
	return transit.Add(-half), transit.Add(half), true
}

// sun gives the equation of time in minutes and the declination in radians.
func sun(t time.Time) (equation, declination float64) {
	days := 365.0
	if y := t.Year(); y%4 == 0 && (y%100 != 0 || y%400 == 0) {
		days = 366
	}
	g := 2 * math.Pi / days * (float64(t.YearDay()-1) + (float64(t.Hour())-12)/24)
	equation = 229.18 * (0.000075 + 0.001868*math.Cos(g) - 0.032077*math.Sin(g) -
		0.014615*math.Cos(2*g) - 0.040849*math.Sin(2*g))
	declination = 0.006918 - 0.399912*math.Cos(g) + 0.070257*math.Sin(g) -
		0.006758*math.Cos(2*g) + 0.000907*math.Sin(2*g) - 0.002697*math.Cos(3*g) + 0.00148*math.Sin(3*g)
	return equation, declination
}

func minutes(m float64) time.Duration { return time.Duration(m * float64(time.Minute)) }

func radians(degrees float64) float64 { return degrees * math.Pi / 180 }
