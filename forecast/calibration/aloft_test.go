package calibration

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
	"vigia/forecast/openmeteo"
	"vigia/forecast/simulate"
	"vigia/store/catalogue"
)

// windyNoons is weather in which the wind aloft is 55 km/h and more from 10 to 12 h local and
// 80 km/h and more at 15 h.
var windyNoons = calmBut(func(_ catalogue.Location, at time.Time, v *simulate.Values) {
	v[hazard.WindAloft] = 20
	switch at.Add(-3 * time.Hour).Hour() { // Punta Arenas
	case 10, 11, 12:
		v[hazard.WindAloft] = 55
	case 15:
		v[hazard.WindAloft] = 80
	}
})

// What the wind aloft would give is counted to the hour, over several questions, where it
// is asked for alone; the rates of the rules stay as they are.
func TestRatesOfTheWindAloft(t *testing.T) {
	const days = 20
	plain, a := newArchived(t, openmeteo.Limits{}, days), newArchived(t, openmeteo.Limits{}, days)
	plain.weather.Override(windyNoons)
	a.weather.Override(windyNoons)
	a.o.WindAloft = true
	want, err := plain.run(t)
	if err != nil {
		t.Fatal(err)
	}
	rates, err := a.run(t)
	if err != nil || !reflect.DeepEqual(rates.Trails, want.Trails) {
		t.Fatalf("the rates of the rules are others (%v)", err)
	}
	// The first UTC day begins in the evening of the local day before.
	pass, lagoon := rates.Aloft[0], rates.Aloft[1]
	if pass.Hours != (Rate{Count: 16 * days, Amber: 3 * days, Red: days}) || pass.Days != (Rate{Count: days + 1, Red: days}) || lagoon.Hours.Count != 0 {
		t.Errorf("the pass %+v, %+v, the lagoon %+v", pass.Hours, pass.Days, lagoon.Hours)
	}
	if got, more := a.weather.Weight()-plain.weather.Weight(), a.o.Weight()-plain.o.Weight(); got != 2*3 || more != got {
		t.Errorf("asked for %v, told of %v: two spans of three models at one place", got, more)
	}
	if last := a.steps[len(a.steps)-1]; !strings.Contains(last, "] 100 %") {
		t.Errorf("the bar ends at %q", last)
	}
	var table, list bytes.Buffer
	if err := errors.Join(rates.WriteTable(&table), rates.WriteCSV(&list)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(table.String(), "Desde 55 km/h amarillo y desde 80 km/h rojo darían") || strings.Count(list.String(), ",viento_altura,320,0,60,20,18.75,6.25,") != 1 ||
		strings.Count(list.String(), ",viento_altura_dias,21,0,0,20,") != 1 {
		t.Errorf("%s\n%s", &table, &list)
	}
}

// refusing has the archived forecasts but not the wind aloft.
type refusing struct{ PastForecasts }

func (refusing) HistoryAloft(context.Context, string, []catalogue.Location, time.Time, time.Time) (*openmeteo.Answer, error) {
	return nil, &openmeteo.Error{Kind: openmeteo.Refused}
}

// An archive without the wind aloft gives the rates of the rules all the same; its hours are
// not known.
func TestAnArchiveWithoutWindAloft(t *testing.T) {
	plain, a := newArchived(t, openmeteo.Limits{}, 5), newArchived(t, openmeteo.Limits{}, 5)
	a.o.WindAloft, a.o.Archive = true, refusing{a.o.Archive}
	want, err := plain.run(t)
	if err != nil {
		t.Fatal(err)
	}
	rates, err := a.run(t)
	if err != nil || !reflect.DeepEqual(rates.Trails, want.Trails) || rates.Aloft[0].Hours != (Rate{Count: 80, Unknown: 80}) {
		t.Errorf("%v, %+v", err, rates.Aloft[0].Hours)
	}
}
