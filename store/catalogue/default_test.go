package catalogue

import (
	"math"
	"slices"
	"strings"
	"testing"

	"vigia/forecast/hazard"
)

func defaultTrail(t *testing.T, park, slug string) Trail {
	t.Helper()
	c := Default()
	i, ok := c.ParkBySlug(park)
	if !ok {
		t.Fatalf("no park %s", park)
	}
	for _, trail := range c.TrailsOf(i) {
		if trail.Slug == slug {
			return trail
		}
	}
	t.Fatalf("no trail %s in %s", slug, park)
	return Trail{}
}

func TestDefaultIsComplete(t *testing.T) {
	c := Default()
	kinds, slugs := map[string]int{}, map[string]bool{}
	for _, p := range c.Parks {
		kinds[p.Kind]++
		if p.URL == "" || p.Administrator == "" || p.AdministratorAsOf != "" {
			t.Errorf("park %s: address %q, administrator %q as of %q", p.Slug, p.URL, p.Administrator, p.AdministratorAsOf)
		}
		if strings.Contains(p.URL, "conaf.cl") {
			t.Errorf("park %s has an address that nobody verified: %s", p.Slug, p.URL)
		}
		if !(p.AreaHa > 0) {
			t.Errorf("park %s has area %g", p.Slug, p.AreaHa)
		}
	}
	if kinds["parque_nacional"] != 46 || kinds["reserva_nacional"] != 17 || kinds["monumento_natural"] != 10 {
		t.Errorf("parks by kind = %v, want 46, 17 and 10", kinds)
	}
	sectors, approximate := 0, 0
	for _, trail := range c.Trails {
		if slugs[trail.Slug] {
			t.Errorf("two trails %s", trail.Slug)
		}
		slugs[trail.Slug] = true
		if trail.Name == "Sector de visita" {
			sectors++
		} else if trail.Approximate {
			approximate++
		}
	}
	if len(c.Trails) != 216 || sectors != 16 || approximate != 93 {
		t.Errorf("%d trails, %d of them sectors, %d others approximate; want 216, 16, 93", len(c.Trails), sectors, approximate)
	}
	monitored := 0
	for _, v := range c.Volcanoes {
		if v.Monitored {
			monitored++
		}
	}
	if len(c.Volcanoes) != 49 || monitored != 43 {
		t.Errorf("%d volcanoes, %d monitored; want 49, 43", len(c.Volcanoes), monitored)
	}
	if len(c.Emergency) != 8 {
		t.Errorf("%d emergency numbers", len(c.Emergency))
	}
	for _, e := range c.Emergency {
		if !strings.Contains(e.Note, "cobertura") {
			t.Errorf("number %s does not say that it needs coverage", e.Number)
		}
	}
}

func TestDefaultZones(t *testing.T) {
	zones := map[string]int{}
	for _, p := range Default().Parks {
		zones[p.ZoneName]++
	}
	if zones["America/Coyhaique"] != 10 || zones["America/Punta_Arenas"] != 11 || zones["Pacific/Easter"] != 1 || len(zones) != 4 {
		t.Errorf("time zones = %v", zones)
	}
	for park, want := range map[string]hazard.Zone{
		"lauca": hazard.Arid, "la-campana": hazard.Central, "conguillio": hazard.Southern, "torres-del-paine": hazard.Austral,
		"rapa-nui": hazard.Southern, "archipielago-de-juan-fernandez": hazard.Southern, "isla-guamblin": hazard.Austral,
	} {
		i, ok := Default().ParkBySlug(park)
		if !ok {
			t.Errorf("no park %s", park)
			continue
		}
		for _, trail := range Default().TrailsOf(i) {
			if trail.Zone != want {
				t.Errorf("%s/%s has zone %v, want %v", park, trail.Slug, trail.Zone, want)
			}
		}
	}
}

func TestDefaultCircuitoO(t *testing.T) {
	trail := defaultTrail(t, "torres-del-paine", "circuito-o")
	if trail.LengthKm != 117 || trail.Kind != "circuito" || trail.Difficulty != "muy_alta" || trail.Approximate || trail.Basin {
		t.Errorf("trail = %+v", trail)
	}
	if trail.ClimbM != 1046 || trail.StartElevationM != 137 || trail.MaxElevationM != 1183 || !trail.Remote || !trail.Fuel {
		t.Errorf("climb %g from %g, remote %v, fuel %v", trail.ClimbM, trail.StartElevationM, trail.Remote, trail.Fuel)
	}
	// 117 km: 29.25 h; 1046 m up and down: 5.579 h; together 32.04 h.
	if trail.MinHours != 25.6 || trail.MaxHours != 44.9 {
		t.Errorf("%g to %g h, want 25.6 to 44.9", trail.MinHours, trail.MaxHours)
	}
	want := []struct {
		name     string
		exposure hazard.Exposure
		critical bool
		place    Location
	}{
		{"Inicio", hazard.Forest, false, Location{-50.9726, -72.8752, 137}},
		{"Vado o quebrada", hazard.Crossing, false, Location{-50.9568, -73.0301, 660}},
		{"Paso John Gardner", hazard.Ridge, true, Location{-50.941, -73.185, 1183}},
	}
	if len(trail.Points) != len(want) {
		t.Fatalf("points = %+v", trail.Points)
	}
	for i, w := range want {
		p := trail.Points[i]
		if p.Name != w.name || p.Exposure != w.exposure || p.Critical != w.critical || p.Location != w.place {
			t.Errorf("point %d = %+v, want %+v", i, p, w)
		}
	}
}

func TestDefaultThereAndBack(t *testing.T) {
	trail := defaultTrail(t, "lauca", "cerro-guane-guane")
	if trail.LengthKm != 9 || trail.Kind != "ida_y_vuelta" || trail.ClimbM != 707 {
		t.Errorf("trail = %+v, want 9 km in all", trail)
	}
	// 9 km: 2.25 h; 707 m up and down: 3.771 h; together 4.896 h.
	if trail.MinHours != 3.9 || trail.MaxHours != 6.9 || trail.Remote || trail.Fuel {
		t.Errorf("%g to %g h, remote %v, fuel %v; want 3.9 to 6.9, neither", trail.MinHours, trail.MaxHours, trail.Remote, trail.Fuel)
	}
	if trail.Points[0].Exposure != hazard.HighPlateau || trail.Points[1].Exposure != hazard.Ridge {
		t.Errorf("points = %+v", trail.Points)
	}
	if volcano := defaultTrail(t, "lauca", "volcan-parinacota"); !volcano.Remote {
		t.Error("4.1 h to the top of Parinacota are not remote")
	}
}

func TestDefaultHighPlateauIsHigh(t *testing.T) {
	for _, trail := range Default().Trails {
		for _, p := range trail.Points {
			if p.Exposure == hazard.HighPlateau && p.Location.Elevation < 3500 {
				t.Errorf("%s: altiplano at %g m", trail.Slug, p.Location.Elevation)
			}
		}
	}
	chaxa := defaultTrail(t, "los-flamencos", "laguna-chaxa")
	for _, p := range chaxa.Points {
		if p.Exposure != hazard.Desert {
			t.Errorf("Chaxa, 2,305 m, is %v, want desierto", p.Exposure)
		}
	}
}

// The start has the mildest exposure of its trail, and the critical point the harshest.
func TestDefaultExposuresRiseToTheCriticalPoint(t *testing.T) {
	harshness := map[hazard.Exposure]int{
		hazard.Forest: 1, hazard.OpenValley: 2, hazard.Coast: 3, hazard.Desert: 4, hazard.HighPlateau: 5, hazard.Glacier: 6, hazard.Ridge: 7,
	}
	for _, trail := range Default().Trails {
		critical := 0
		for _, p := range trail.Points {
			if p.Critical {
				critical = harshness[p.Exposure]
			}
		}
		if start := harshness[trail.Points[0].Exposure]; start == 0 || start > critical {
			t.Errorf("%s starts at %v and is critical at harshness %d", trail.Slug, trail.Points[0].Exposure, critical)
		}
	}
}

func TestDefaultSectors(t *testing.T) {
	tests := []struct {
		park     string
		exposure hazard.Exposure
		remote   bool
		fuel     bool
	}{
		{"las-vicunas", hazard.HighPlateau, false, false},
		{"desierto-florido", hazard.Desert, false, false},
		{"isla-guamblin", hazard.Coast, true, true},
		{"corcovado", hazard.Coast, true, true},
		{"islotes-de-punihuil", hazard.Coast, false, true},
		{"nonguen", hazard.OpenValley, false, true},
		{"laguna-parrillar", hazard.OpenValley, false, true},
	}
	for _, test := range tests {
		s := defaultTrail(t, test.park, "sector-de-visita-"+test.park)
		if len(s.Points) != 1 || s.Points[0].Exposure != test.exposure || s.Remote != test.remote || s.Fuel != test.fuel {
			t.Errorf("%s = %+v, want %+v", test.park, s, test)
		}
		if !math.IsNaN(s.LengthKm) || !math.IsNaN(s.MinHours) || s.Difficulty != "" || s.ClimbM != 0 || s.Kind != "ida_y_vuelta" {
			t.Errorf("%s = %+v, want unknown length and difficulty", test.park, s)
		}
	}
}

func TestDefaultVolcanoesNearParks(t *testing.T) {
	c := Default()
	for _, v := range c.Volcanoes {
		if v.Slug == "guallatiri" {
			if len(v.Parks) != 2 || c.Parks[v.Parks[0].Park].Slug != "las-vicunas" || v.Parks[0].DistanceKm != 10.1 ||
				c.Parks[v.Parks[1].Park].Slug != "lauca" {
				t.Errorf("Guallatiri is near %+v", v.Parks)
			}
			return
		}
	}
	t.Error("no Guallatiri")
}

// Of the 56 trails of more than 15 km only the Castillo circuit, with its second pass, has two exposed points.
func TestDefaultLongTrails(t *testing.T) {
	long, several := 0, []string{}
	c := Default()
	for i := range c.Trails {
		if trail := &c.Trails[i]; trail.LengthKm > 15 {
			if long++; !trail.OneExposedPoint() {
				several = append(several, trail.Slug)
			}
		} else if trail.OneExposedPoint() {
			t.Errorf("%s, %v km, is not long", trail.Slug, trail.LengthKm)
		}
	}
	if long != 56 || !slices.Equal(several, []string{"circuito-cerro-castillo"}) {
		t.Errorf("%d long trails, with several exposed points: %v", long, several)
	}
}
