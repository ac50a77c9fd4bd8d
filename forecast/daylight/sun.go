// Package daylight reckons when the sun rises and sets, and from that the times in which a
// trail can be walked by daylight without any model alert, as the API and the pages show
// them. It reads values and keeps none.
package daylight

import (
	"math"
	"time"
)

// How far below the horizon the sun's centre stands, in degrees, when its upper
// edge touches it (half its disc and the refraction of the air), and when civil
// twilight ends and the ground can no longer be seen well without a lamp.
const (
	sunsetAltitude   = -0.833
	darknessAltitude = -6
)

// Of returns when the sun rises and sets on the local day that has noon at
// about the given instant, on level ground: mountains make the day shorter. ok is
// false when the sun does not rise or does not set.
func Of(noon time.Time, latitude, longitude float64) (rise, set time.Time, ok bool) {
	transit, half := aboveAltitude(noon, latitude, longitude, sunsetAltitude)
	if half == 0 || half == 12*time.Hour {
		return time.Time{}, time.Time{}, false
	}
	return transit.Add(-half), transit.Add(half), true
}

// Twilight returns when civil twilight begins and ends on the day that Of is about: 24 hours apart where it does not get dark, and at one instant where it does not
// get light.
func Twilight(noon time.Time, latitude, longitude float64) (dawn, dusk time.Time) {
	transit, half := aboveAltitude(noon, latitude, longitude, darknessAltitude)
	return transit.Add(-half), transit.Add(half)
}

// aboveAltitude returns when the sun stands highest and how long before and after that it
// stands above an altitude in degrees, by the equations of NOAA's solar calculator
// (gml.noaa.gov/grad/solcalc/solareqns.PDF): good to a minute or two at the
// latitudes of Chile.
func aboveAltitude(noon time.Time, latitude, longitude, altitude float64) (transit time.Time, half time.Duration) {
	noon = noon.UTC()
	midnight := time.Date(noon.Year(), noon.Month(), noon.Day(), 0, 0, 0, 0, time.UTC)
	// Solar noon of the UTC day may fall on the day before or after it at far
	// longitudes: take the one nearest to the given noon.
	equation, declination := sun(noon)
	transit = midnight.Add(minutes(720 - 4*longitude - equation))
	for transit.Sub(noon) > 12*time.Hour {
		transit = transit.Add(-24 * time.Hour)
	}
	for noon.Sub(transit) > 12*time.Hour {
		transit = transit.Add(24 * time.Hour)
	}
	lat := radians(latitude)
	cosine := math.Sin(radians(altitude))/(math.Cos(lat)*math.Cos(declination)) - math.Tan(lat)*math.Tan(declination)
	return transit, minutes(4 * math.Acos(max(-1, min(1, cosine))) * 180 / math.Pi)
}

// sun returns the equation of time in minutes and the declination in radians.
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
