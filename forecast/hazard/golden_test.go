package hazard

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// rows reads a table of reference results, which were worked out apart from this
// program.
func rows(t *testing.T, name string, least int) []map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var list []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = record[i]
		}
		list = append(list, row)
	}
	if len(list) < least {
		t.Fatalf("%s has only %d rows", name, len(list))
	}
	return list
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestGoldenCombination(t *testing.T) {
	rules := DefaultRules()
	for _, row := range rows(t, "combination_golden.csv", 100) {
		n := func(key string) int { return int(number(t, row[key])) }
		votes := Votes{Total: n("n_valid"), Amber: n("k_amarillo_or_more"), Red: n("k_rojo")}
		lead := n("lead_h")
		state, confidence := rules.Combine(votes, lead)
		want := row["expected_level"]
		if want == "sin_dato" || want == "sin_estado" {
			want = ""
		}
		wantConfidence := strings.TrimPrefix(row["expected_confidence"], "sin_confianza")
		if state.String() != want || confidence.String() != wantConfidence {
			t.Errorf("%+v at %d h: %q %q, want %q %q", votes, lead, state, confidence, want, wantConfidence)
		}
	}
}

// goldenQuantities returns the quantity behind a name in the golden inputs. Rain
// and precipitation share a name there: each hazard takes what it needs.
var goldenQuantities = map[string][]Quantity{
	"racha": {GustQuantity}, "medio": {MeanWindQuantity}, "t": {TemperatureQuantity}, "hr": {HumidityQuantity},
	"p1h": {Precipitation1hQuantity, Rain1hQuantity}, "p3h": {Rain3hQuantity}, "p6h": {Precipitation6hQuantity},
	"p24h": {Rain24hQuantity}, "nieve24h": {Snow24hQuantity}, "nieve1h": {Snow1hQuantity},
	"h0": {FreezingLevelQuantity}, "codigo": {WeatherCodeQuantity}, "cape": {CAPEQuantity},
	"chubasco": {ShowersQuantity}, "vis": {SightQuantity}, "prof_m": {SnowDepthQuantity},
}

func TestGoldenSeverity(t *testing.T) {
	rules := DefaultRules()
	for _, row := range rows(t, "severity_golden.csv", 60) {
		h, err := ParseHazard(row["hazard"])
		if err != nil {
			t.Fatal(err)
		}
		exposure, err := parseKey[Exposure]("exposure", row["exposure"], exposureKeys[:])
		if err != nil {
			t.Fatal(err)
		}
		place := Terrain{Exposure: exposure, Zone: Austral}
		in, hour, lead := goldenInputs(t, row["inputs"], &place)
		want := NoVote
		if row["expected_severity"] != "" {
			want = Severity(number(t, row["expected_severity"]))
		}
		if got, _ := rules.Severity(h, place, in, hour, lead); got != want {
			t.Errorf("%s on %s with %q: %d, want %d", h, exposure, row["inputs"], got, want)
		}
	}
}

func goldenInputs(t *testing.T, text string, place *Terrain) (in Inputs, hour, lead int) {
	t.Helper()
	in = NewInputs()
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ';' }) {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "altitud":
			place.HeightM = number(t, value)
		case "cuenca_alta":
			place.Basin = value == "True"
		case "remota":
			place.Remote = value == "True"
		case "combustible":
			place.Fuel = value == "True"
		case "zona":
			zone, err := parseKey[Zone]("climate zone", value, zoneKeys[:])
			if err != nil {
				t.Fatal(err)
			}
			place.Zone = zone
		case "hora":
			hour = int(number(t, value))
		case "plazo":
			lead = int(number(t, value))
		default:
			quantities, ok := goldenQuantities[name]
			if !ok {
				t.Fatalf("unknown input %q", name)
			}
			for _, q := range quantities {
				in.Set(q, number(t, value))
			}
		}
	}
	temperature, humidity := in.values[TemperatureQuantity], in.values[HumidityQuantity]
	in.Set(WindChillQuantity, WindChill(temperature, in.values[MeanWindQuantity]))
	in.setHeat(temperature, humidity)
	in.Set(IgnitionQuantity, IgnitionProbability(temperature, humidity, 0))
	in.Set(FireWeatherQuantity, FireWeather(temperature, humidity, in.values[MeanWindQuantity]))
	return in, hour, lead
}
