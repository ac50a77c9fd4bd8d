package openmeteo

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vigia/forecast/hazard"
	"vigia/store/catalogue"
)

// serveByPlace answers with weather that depends on the place, the variable and the hour
// alone, in units and bounds; every seventh value is null.
func serveByPlace(t testing.TB) *provider {
	return newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		var elements []string
		latitudes := list(r.Form, "latitude")
		for i, latitude := range latitudes {
			units, series := []string{`"time":"unixtime"`}, []string{`"time":[` + strings.Join(hoursOfAnswer(), ",") + `]`}
			for _, name := range list(r.Form, "hourly") {
				v, _ := variableNamed(name)
				units = append(units, fmt.Sprintf("%q:%q", name, variables[v].unit))
				series = append(series, fmt.Sprintf("%q:[%s]", name, strings.Join(valuesAt(latitude, v), ",")))
			}
			elements = append(elements, fmt.Sprintf(`{"latitude":%s,"longitude":%s,"elevation":2514,"location_id":%d,"hourly_units":{%s},"hourly":{%s}}`,
				latitude, list(r.Form, "longitude")[i], i+1, strings.Join(units, ","), strings.Join(series, ",")))
		}
		text := strings.Join(elements, ",")
		if len(elements) > 1 {
			text = "[" + text + "]"
		}
		fmt.Fprint(w, text)
	})
}

func hoursOfAnswer() (hours []string) {
	for h := range 96 {
		hours = append(hours, strconv.FormatInt(elementStart.Unix()+int64(h)*3600, 10))
	}
	return hours
}

func valuesAt(latitude string, v hazard.Variable) (values []string) {
	degrees, _ := strconv.ParseFloat(latitude, 64)
	random, base := rand.New(rand.NewPCG(math.Float64bits(degrees), uint64(v))), 0.8*variables[v].low+0.2*variables[v].high
	for h := range 96 {
		value := strconv.Itoa(int(base) + random.IntN(20))
		if h%7 == int(v)%7 {
			value = "null"
		}
		values = append(values, value)
	}
	return values
}

// However places are ordered and grouped, and however many groups a place is in, a value is
// that of its place; a null and what is not asked stay missing.
func TestGroupingChangesNoValue(t *testing.T) {
	random := newSeed(t)
	p := serveByPlace(t)
	ask := func(places []catalogue.Location, groups []Group) *hazard.Columns {
		answer, err := newBench(t, p.URL, Limits{}).client.Forecast(context.Background(), "ecmwf_ifs", places, groups)
		if err != nil {
			t.Fatal(err)
		}
		return answer.Columns
	}
	places := somePlaces(9)
	all := ask(places, []Group{everywhere(exposedVariables, len(places))})
	for range 20 {
		order := random.Perm(len(places))
		shuffled := make([]catalogue.Location, len(places))
		for to, from := range order {
			shuffled[to] = places[from]
		}
		groups, asked := randomGroups(random, len(places))
		got := ask(shuffled, groups)
		for to, from := range order {
			for v := range hazard.Variable(hazard.NumVariables) {
				for hour := range 96 {
					want := all.At(v, from, hour)
					if !asked[to][v] {
						want = math.NaN()
					}
					if x := got.At(v, to, hour); x != want && !(math.IsNaN(x) && math.IsNaN(want)) {
						t.Fatalf("%s of place %d, hour %d: %v, want %v", variables[v].name, to, hour, x, want)
					}
				}
			}
		}
	}
}

// randomGroups are some groups with random places and variables, and one more in which
// the places are that are in none of them.
func randomGroups(random *rand.Rand, places int) (groups []Group, asked [][hazard.NumVariables]bool) {
	asked = make([][hazard.NumVariables]bool, places)
	add := func(variables []hazard.Variable, among func(int) bool) {
		g := Group{Variables: variables}
		for _, at := range random.Perm(places) {
			if among(at) {
				g.Places = append(g.Places, at)
				for _, v := range variables {
					asked[at][v] = true
				}
			}
		}
		if len(g.Places) > 0 {
			groups = append(groups, g)
		}
	}
	for range 1 + random.IntN(3) {
		n := 1 + random.IntN(len(exposedVariables)-1)
		// A gust that comes without its wind is not raised to it.
		some := append([]hazard.Variable{hazard.WindSpeed}, exposedVariables[len(exposedVariables)-n:]...)
		slices.Sort(some)
		add(slices.Compact(some), func(int) bool { return random.IntN(2) == 0 })
	}
	add(startVariables, func(at int) bool { return !asked[at][hazard.WindSpeed] })
	return groups, asked
}

// When one group's call fails there is no answer, whichever it is.
func TestOneGroupThatFailsFailsAll(t *testing.T) {
	for failing := range 3 {
		calls := 0
		p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
			if calls++; calls == failing+1 {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			w.Write(answerText(len(list(r.Form, "latitude")), benchHours, 1))
		})
		b := newBench(t, p.URL, Limits{})
		groups := []Group{{startVariables, []int{0, 1}}, {exposedVariables, []int{2, 3}}, {[]hazard.Variable{hazard.CAPE}, []int{0, 3}}}
		answer, err := b.client.Forecast(context.Background(), "ecmwf_ifs", somePlaces(4), groups)
		if failure(t, err, ServerFault); answer != nil || calls != failing+1 {
			t.Errorf("call %d fails: %v after %d calls", failing+1, answer, calls)
		}
		calls = 3
		if answer, err = b.client.Forecast(context.Background(), "ecmwf_ifs", somePlaces(4), groups); err != nil || answer.Columns.Points != 4 {
			t.Errorf("no call fails: %v", err)
		}
		if want := 2 + 2*1.4 + 2; math.Abs(answer.Weight-want) > 1e-9 {
			t.Errorf("it weighs %v, want %v", answer.Weight, want)
		}
	}
}

// Groups that leave a place out, or name one that is not there, are not asked.
func TestGroupsThatCannotBeAsked(t *testing.T) {
	p := newProvider(t, nil)
	for name, groups := range map[string][]Group{
		"none": nil, "place left out": {{startVariables, []int{0}}}, "no variables": {{nil, []int{0, 1}}},
		"place not there": {{startVariables, []int{0, 1, 2}}}, "negative": {{startVariables, []int{-1, 0, 1}}},
	} {
		_, err := newBench(t, p.URL, FreeLimits).client.Forecast(context.Background(), "ecmwf_ifs", somePlaces(2), groups)
		if failure(t, err, Refused); p.calls() > 0 {
			t.Errorf("%s: asked", name)
		}
	}
}

// The ledger has no room for all groups: none is asked.
func TestGroupsAreHeldBackTogether(t *testing.T) {
	p := newProvider(t, nil)
	groups := []Group{{startVariables, []int{0, 1}}, {exposedVariables, []int{2, 3}}}
	b := newBench(t, p.URL, Limits{Day: 4.7})
	_, err := b.client.Forecast(context.Background(), "ecmwf_ifs", somePlaces(4), groups)
	if failure(t, err, HeldBack); p.calls() != 0 {
		t.Errorf("%d calls", p.calls())
	}
	b = newBench(t, p.URL, Limits{Day: 4.8})
	if _, err := b.client.Forecast(context.Background(), "ecmwf_ifs", somePlaces(4), groups); err != nil || p.calls() != 2 {
		t.Errorf("%v after %d calls", err, p.calls())
	}
}

// Of the built-in catalogue, the start of a trail is asked for ten variables, and ridges,
// glaciers, crossings and critical points for fourteen, each once.
func TestGroupsOfTheCatalogue(t *testing.T) {
	parks := catalogue.Default()
	groups, in := Groups(parks.Sites(), len(parks.Locations)), map[int]int{}
	for _, g := range groups {
		for _, at := range g.Places {
			in[at] += len(g.Variables)
		}
	}
	critical := map[int]bool{}
	for i := range parks.Trails {
		critical[parks.Trails[i].CriticalPoint().At] = true
	}
	starts := 0
	for i := range parks.Trails {
		for _, point := range parks.Trails[i].Points {
			switch n := in[point.At]; {
			case critical[point.At] || slices.Contains([]hazard.Exposure{hazard.Ridge, hazard.Glacier, hazard.Crossing}, point.Exposure):
				if n != 14 {
					t.Errorf("%s of %s is asked for %d variables", point.Name, parks.Trails[i].Slug, n)
				}
			case n == 10:
				starts++
			case n != 14: // a place that is critical for another trail
				t.Errorf("%s of %s is asked for %d variables", point.Name, parks.Trails[i].Slug, n)
			}
		}
	}
	if starts < 100 {
		t.Errorf("%d starts", starts)
	}
	for range 2 { // what is asked is the same whenever it is asked
		if again := Groups(parks.Sites(), len(parks.Locations)); fmt.Sprint(again) != fmt.Sprint(groups) {
			t.Fatal("the groups change")
		}
	}
	t.Logf("%d places at ten variables, %d at fourteen: a run weighs %.1f", len(groups[1].Places), len(groups[0].Places), weightOf(groups, forecastDays))
}
