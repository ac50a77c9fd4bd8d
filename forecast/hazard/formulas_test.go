package hazard

import (
	"math"
	"testing"
)

// The wind chill chart of the National Weather Service (2001), °F by mph.
func TestWindChillAgreesWithTheNWSChart(t *testing.T) {
	winds := []float64{5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60}
	chart := map[float64][]float64{
		40:  {36, 34, 32, 30, 29, 28, 28, 27, 26, 26, 25, 25},
		20:  {13, 9, 6, 4, 3, 1, 0, -1, -2, -3, -3, -4},
		0:   {-11, -16, -19, -22, -24, -26, -27, -29, -30, -31, -32, -33},
		-45: {-63, -72, -77, -81, -84, -87, -89, -91, -93, -95, -97, -98},
	}
	for air, row := range chart {
		for i, want := range row {
			got := fahrenheit(WindChill(celsius(air), winds[i]*1.609344))
			if math.Abs(got-want) > 0.6 {
				t.Errorf("%v °F, %v mph: %.2f, the chart has %v", air, winds[i], got, want)
			}
		}
	}
}

// The wind chill table of Environment and Climate Change Canada, °C by km/h.
func TestWindChillAgreesWithTheCanadianTable(t *testing.T) {
	table := map[float64][]float64{
		5:   {4, 3, 2, 1, 1, 0, 0, -1, -1, -1, -2, -2, -2, -2, -3, -3},
		0:   {-2, -3, -4, -5, -6, -6, -7, -7, -8, -8, -8, -9, -9, -9, -10, -10},
		-10: {-13, -15, -17, -18, -19, -20, -20, -21, -21, -22, -22, -23, -23, -23, -24, -24},
		-20: {-24, -27, -29, -30, -32, -33, -33, -34, -35, -35, -36, -36, -37, -37, -38, -38},
		-30: {-36, -39, -41, -43, -44, -46, -47, -48, -48, -49, -50, -50, -51, -51, -52, -52},
		-40: {-47, -51, -54, -56, -57, -59, -60, -61, -62, -63, -63, -64, -65, -65, -66, -67},
	}
	for air, row := range table {
		for i, want := range row {
			wind := float64(5 * (i + 1))
			if got := WindChill(air, wind); math.Abs(got-want) > 0.6 {
				t.Errorf("%v °C, %v km/h: %.2f, the table has %v", air, wind, got, want)
			}
		}
	}
}

func TestWindChillOutsideItsRange(t *testing.T) {
	for _, c := range []struct{ temp, wind, want float64 }{
		{10.1, 80, 10.1}, {25, 40, 25}, {8, 4.9, 8}, {0, 0, 0}, {-10, 0, -10},
		{-10, 4, -10 + (-1.59-1.345)/5*4},
	} {
		if got := WindChill(c.temp, c.wind); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("WindChill(%v, %v) = %v, want %v", c.temp, c.wind, got, c.want)
		}
	}
	for _, c := range [][2]float64{{math.NaN(), 5}, {5, math.NaN()}} {
		if got := WindChill(c[0], c[1]); !math.IsNaN(got) {
			t.Errorf("WindChill(%v, %v) = %v, want missing", c[0], c[1], got)
		}
	}
}

// The heat index chart of the National Weather Service, °F by relative
// humidity. The chart is the regression without the adjustments, so rows and
// columns where these act are left to the test below.
func TestHeatIndexAgreesWithTheNWSChart(t *testing.T) {
	chart := map[float64]map[float64]float64{
		40: {80: 80, 84: 83, 88: 88, 90: 91, 94: 97, 98: 105, 100: 109, 104: 119, 108: 130, 110: 136},
		50: {80: 81, 84: 85, 88: 91, 90: 95, 94: 103, 98: 113, 100: 118, 104: 131, 106: 137},
		70: {80: 83, 84: 90, 88: 100, 90: 105, 94: 119, 96: 126, 98: 134},
	}
	for humidity, row := range chart {
		for air, want := range row {
			got := fahrenheit(HeatIndex(celsius(air), humidity))
			if math.Abs(got-want) > 1 {
				t.Errorf("%v °F, %v %%: %.2f, the chart has %v", air, humidity, got, want)
			}
		}
	}
}

// The adjustments, worked by hand from the Weather Prediction Center's page:
// at 95 °F and 8 % the regression is lowered by (13−8)/4 = 1.25 °F, at 82 °F and
// 95 % raised by (95−85)/10·(87−82)/5 = 1 °F.
func TestHeatIndexAdjustments(t *testing.T) {
	plain := func(f, r float64) float64 {
		return -42.379 + 2.04901523*f + 10.14333127*r - 0.22475541*f*r - 6.83783e-3*f*f -
			5.481717e-2*r*r + 1.22874e-3*f*f*r + 8.5282e-4*f*r*r - 1.99e-6*f*f*r*r
	}
	if got, want := fahrenheit(HeatIndex(celsius(95), 8)), plain(95, 8)-1.25; math.Abs(got-want) > 1e-6 {
		t.Errorf("dry: %v, want %v", got, want)
	}
	if got, want := fahrenheit(HeatIndex(celsius(82), 95)), plain(82, 95)+1; math.Abs(got-want) > 1e-6 {
		t.Errorf("humid: %v, want %v", got, want)
	}
	if got := HeatIndex(-5, 50); got != -5 {
		t.Errorf("in the cold the index is the air temperature, got %v", got)
	}
	if got := HeatIndex(math.NaN(), 50); !math.IsNaN(got) {
		t.Errorf("missing temperature gave %v", got)
	}
	if got := HeatIndex(30, math.NaN()); !math.IsNaN(got) {
		t.Errorf("missing humidity gave %v", got)
	}
}

// Probability of ignition, in tens of percent, of fuel in the open: the table of
// the Interagency Fire Business and field guides (NWCG, after Schroeder and
// Rothermel), by air temperature class in °F and fine dead fuel moisture 2, 3 … %.
func TestIgnitionAgreesWithTheNWCGTable(t *testing.T) {
	table := map[float64][]float64{ // middle of the class
		105: {100, 90, 80, 70, 60, 60, 50, 40, 40},
		95:  {100, 90, 80, 70, 60, 50, 50, 40, 40},
		85:  {100, 90, 80, 70, 60, 50, 40, 40, 30},
		65:  {90, 80, 70, 60, 50, 50, 40, 30, 30},
	}
	for air, row := range table {
		for i, want := range row {
			moisture := float64(i + 2)
			got := 100 * ignition(celsius(air)+25/1.8, moisture)
			if math.Abs(got-want) > 7.5 { // half a class of the table, and the width of its rows
				t.Errorf("%v °F, %v %% moisture: %.1f, the table has %v", air, moisture, got, want)
			}
		}
	}
}

func TestIgnitionProbability(t *testing.T) {
	for _, c := range []struct{ temp, humidity, shade, want float64 }{{34, 15, 0, 0.87}, {25, 30, 0, 0.57}} {
		if got := IgnitionProbability(c.temp, c.humidity, c.shade); math.Abs(got-c.want) > 0.005 {
			t.Errorf("IgnitionProbability(%v, %v, %v) = %.3f, want %v", c.temp, c.humidity, c.shade, got, c.want)
		}
	}
	for temp := -20.0; temp <= 50; temp += 5 {
		for humidity := 0.0; humidity <= 100; humidity += 5 {
			sun, shade := IgnitionProbability(temp, humidity, 0), IgnitionProbability(temp, humidity, 1)
			if sun < shade || sun < 0 || sun > 1 || math.IsNaN(sun) {
				t.Fatalf("at %v °C, %v %%: %v in the sun, %v in the shade", temp, humidity, sun, shade)
			}
		}
	}
	if got := IgnitionProbability(30, math.NaN(), 0); !math.IsNaN(got) {
		t.Errorf("missing humidity gave %v", got)
	}
}
