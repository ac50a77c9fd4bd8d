package catalogue

import (
	"math"

	"vigia/forecast/hazard"
)

// Limits of figures. Heights are those of land in general, a little beyond the
// lowest and highest of Chile.
const (
	minElevation = -100
	maxElevation = 7000
	maxAreaHa    = 1e9
	maxLengthKm  = 2000
	maxNearKm    = 1000
	maxEntries   = 1_000_000 // of any list at the top
	maxPoints    = 100       // of a trail: estimates count them in a byte
)

var (
	parkKinds    = []string{"parque_nacional", "reserva_nacional", "monumento_natural"}
	trailKinds   = []string{kindThereAndBack, "circuito", "travesia"}
	difficulties = []string{"baja", "media", "alta", "muy_alta"}
	zoneWords    = words(hazard.Arid, hazard.Central, hazard.Southern, hazard.Austral)
	exposures    = exposureWords()
)

const kindThereAndBack = "ida_y_vuelta"

func words(zones ...hazard.Zone) []string {
	keys := make([]string, len(zones))
	for i, z := range zones {
		keys[i] = z.String()
	}
	return keys
}

func exposureWords() []string {
	keys := make([]string, hazard.NumExposures)
	for i := range keys {
		keys[i] = hazard.Exposure(i).String()
	}
	return keys
}

// draft is what a file says, before what its parts say of each other is checked
// and before anything is derived.
type draft struct {
	version        string
	rules          []string
	emergency      []EmergencyNumber
	emergencyGiven bool
	parks          []parkDraft
	trails         []trailDraft
	volcanoes      []volcanoDraft
	parksAt        *spot // nil when the field is missing
}

type parkDraft struct {
	Park
	slugAt *spot // nil when there is no slug
}

type trailDraft struct {
	Trail
	slugAt *spot
	park   reference
	zone   *hazard.Zone // these three are nil when left out
	remote *bool
	fuel   *bool
}

type volcanoDraft struct {
	Volcano
	slugAt *spot
	near   []nearDraft
}

type nearDraft struct {
	park reference
	km   float64
}

// reference is a park named by its slug.
type reference struct {
	slug string
	at   *spot // nil when it is missing
}

// catalogue reads the whole file.
func (r *reader) catalogue() draft {
	d := draft{version: "sin-version"}
	root := &spot{offset: r.next()}
	r.object(root, []field{
		{"version", false, r.text(&d.version, maxName)},
		{"reglas", false, r.list(0, 200, func(at *spot) {
			if rule, ok := r.line(at, maxNote); ok {
				d.rules = append(d.rules, rule)
			}
		})},
		{"telefonos_emergencia", false, func(at *spot) {
			d.emergencyGiven = true
			r.list(0, 100, func(at *spot) { d.emergency = append(d.emergency, r.emergency(at)) })(at)
		}},
		{"parques", true, func(at *spot) {
			d.parksAt = at
			r.list(1, maxEntries, func(at *spot) { d.parks = append(d.parks, r.park(at)) })(at)
		}},
		{"senderos", true, r.list(1, maxEntries, func(at *spot) { d.trails = append(d.trails, r.trail(at)) })},
		{"volcanes", false, r.list(0, maxEntries, func(at *spot) { d.volcanoes = append(d.volcanoes, r.volcano(at)) })},
	})
	return d
}

func (r *reader) emergency(at *spot) (e EmergencyNumber) {
	r.object(at, []field{
		{"numero", true, r.formed(&e.Number, maxName, "un número de teléfono de hasta 20 cifras, espacios y + inicial", isPhone)},
		{"nombre", true, r.text(&e.Name, maxName)},
		{"nota", false, r.text(&e.Note, maxNote)},
	})
	return e
}

func (r *reader) park(at *spot) parkDraft {
	p := parkDraft{Park: Park{AreaHa: math.NaN()}}
	fields := []field{
		{"slug", true, r.slug(&p.Slug, &p.slugAt)},
		{"nombre", true, r.text(&p.Name, maxName)},
		{"tipo", true, r.word(&p.Kind, parkKinds)},
		{"region", true, r.text(&p.Region, maxName)},
		{"zona_horaria", true, r.timeZone(&p.ZoneName, &p.TimeZone)},
		{"superficie_ha", false, r.number(&p.AreaHa, 0, maxAreaHa)},
		{"administrador", false, func(at *spot) { r.administrator(at, &p.Park) }},
		{"url", false, r.formed(&p.URL, maxURL, "una dirección http o https completa, sin usuario", isWebAddress)},
		{"ubicacion_aproximada", false, r.flag(func(b bool) { p.Approximate = b })},
	}
	r.located(at, &p.Latitude, &p.Longitude, &p.ElevationM, fields)
	return p
}

func (r *reader) administrator(at *spot, p *Park) {
	r.object(at, []field{
		{"nombre", true, r.text(&p.Administrator, maxName)},
		{"verificado_en", false, r.formed(&p.AdministratorAsOf, maxName, "una fecha AAAA-MM-DD que exista", isDate)},
		{"nota", false, r.text(&p.AdministratorNote, maxNote)},
	})
}

// located reads an object that has a place besides its other fields. Latitude
// and longitude both zero are a point in the Atlantic and, in practice, a place
// that someone left out.
func (r *reader) located(at *spot, latitude, longitude, elevation *float64, others []field) {
	*latitude, *longitude = math.NaN(), math.NaN()
	ok := r.object(at, append(others,
		field{"latitud", true, r.number(latitude, -90, 90)},
		field{"longitud", true, r.number(longitude, -180, 180)},
		field{"altitud_m", true, r.number(elevation, minElevation, maxElevation)},
	))
	if ok && *latitude == 0 && *longitude == 0 {
		r.fault(at, "latitud y longitud son 0: falta la ubicación verdadera")
	}
}

func (r *reader) trail(at *spot) trailDraft {
	t := trailDraft{Trail: Trail{LengthKm: math.NaN()}}
	r.object(at, []field{
		{"slug", true, r.slug(&t.Slug, &t.slugAt)},
		{"parque", true, r.reference(&t.park)},
		{"nombre", true, r.text(&t.Name, maxName)},
		{"tipo", true, r.word(&t.Kind, trailKinds)},
		{"largo_km", false, r.number(&t.LengthKm, 0.01, maxLengthKm)},
		{"dificultad", false, r.word(&t.Difficulty, difficulties)},
		{"zona_clima", false, r.choice(zoneWords, func(i int) { zone := hazard.Zone(i); t.zone = &zone })},
		{"remota", false, r.flag(func(b bool) { t.remote = &b })},
		{"combustible", false, r.flag(func(b bool) { t.fuel = &b })},
		{"ubicacion_aproximada", false, r.flag(func(b bool) { t.Approximate = b })},
		{"puntos", true, r.points(&t.Points)},
	})
	return t
}

// reference reads the slug of a park; whether there is such a park is checked
// when all of them are known.
func (r *reader) reference(to *reference) func(*spot) {
	return func(at *spot) {
		if s, ok := r.plain(at); ok {
			to.slug, to.at = s, at
		}
	}
}

// points reads the points of a trail. One of them at most may be critical.
func (r *reader) points(to *[]Point) func(*spot) {
	criticals := 0
	return r.list(1, maxPoints, func(at *spot) {
		var p Point
		r.located(at, &p.Location.Latitude, &p.Location.Longitude, &p.Location.Elevation, []field{
			{"nombre", true, r.text(&p.Name, maxName)},
			{"exposicion", true, r.choice(exposures, func(i int) { p.Exposure = hazard.Exposure(i) })},
			{"critico", false, r.flag(func(b bool) { p.Critical = b })},
		})
		if p.Critical {
			if criticals++; criticals == 2 {
				r.fault(at, "más de un punto crítico; se admite uno solo")
			}
		}
		*to = append(*to, p)
	})
}

func (r *reader) volcano(at *spot) volcanoDraft {
	var v volcanoDraft
	r.located(at, &v.Latitude, &v.Longitude, &v.ElevationM, []field{
		{"slug", true, r.slug(&v.Slug, &v.slugAt)},
		{"nombre", true, r.text(&v.Name, maxName)},
		{"vigilado", true, r.flag(func(b bool) { v.Monitored = b })},
		{"parques", false, r.list(0, maxEntries, func(at *spot) {
			var n nearDraft
			r.object(at, []field{
				{"parque", true, r.reference(&n.park)},
				{"distancia_km", true, r.number(&n.km, 0, maxNearKm)},
			})
			v.near = append(v.near, n)
		})},
	})
	return v
}
