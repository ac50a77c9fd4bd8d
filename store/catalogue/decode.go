package catalogue

import (
	"math"
	"regexp"
	"time"

	"vigia/forecast/hazard"
	"vigia/store/document"
)

// Limits of texts and figures. Heights are those of land in general, a little beyond the
// lowest and highest of Chile.
const (
	maxName = 120 // characters
	maxNote = 1000
	maxURL  = 500

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

var phoneForm = regexp.MustCompile(`^\+?[0-9]([0-9 ]*[0-9])?$`)

func isPhone(s string) bool { return len(s) <= 20 && phoneForm.MatchString(s) }

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// reader reads a catalogue.
type reader struct{ *document.Reader }

var required, optional = document.Required, document.Optional

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
	parksAt        *document.Place // nil when the field is missing
}

type parkDraft struct {
	Park
	slugAt *document.Place // nil when there is no slug
}

type trailDraft struct {
	Trail
	slugAt *document.Place
	park   reference
	zone   *hazard.Zone // these four are nil when left out
	remote *bool
	fuel   *bool
	basin  *bool
}

type volcanoDraft struct {
	Volcano
	slugAt *document.Place
	near   []nearDraft
}

type nearDraft struct {
	park reference
	km   float64
}

// reference is a park named by its slug.
type reference struct {
	slug string
	at   *document.Place // nil when it is missing
}

// catalogue reads the whole file.
func (r *reader) catalogue(root *document.Place) draft {
	d := draft{version: "sin-version"}
	r.Object(root, []document.Field{
		optional("version", r.Text(&d.version, maxName)),
		optional("reglas", r.List(0, 200, func(at *document.Place) {
			if rule, ok := r.Line(at, maxNote); ok {
				d.rules = append(d.rules, rule)
			}
		})),
		optional("telefonos_emergencia", func(at *document.Place) {
			d.emergencyGiven = true
			r.List(0, 100, func(at *document.Place) { d.emergency = append(d.emergency, r.emergency(at)) })(at)
		}),
		required("parques", func(at *document.Place) {
			d.parksAt = at
			r.List(1, maxEntries, func(at *document.Place) { d.parks = append(d.parks, r.park(at)) })(at)
		}),
		required("senderos", r.List(1, maxEntries, func(at *document.Place) { d.trails = append(d.trails, r.trail(at)) })),
		optional("volcanes", r.List(0, maxEntries, func(at *document.Place) { d.volcanoes = append(d.volcanoes, r.volcano(at)) })),
	})
	return d
}

func (r *reader) emergency(at *document.Place) (e EmergencyNumber) {
	r.Object(at, []document.Field{
		required("numero", r.Formed(&e.Number, maxName, "un número de teléfono de hasta 20 cifras, espacios y + inicial", isPhone)),
		required("nombre", r.Text(&e.Name, maxName)),
		optional("nota", r.Text(&e.Note, maxNote)),
	})
	return e
}

func (r *reader) park(at *document.Place) parkDraft {
	p := parkDraft{Park: Park{AreaHa: math.NaN()}}
	fields := []document.Field{
		required("slug", r.Slug(&p.Slug, &p.slugAt)),
		required("nombre", r.Text(&p.Name, maxName)),
		required("tipo", r.Word(&p.Kind, parkKinds)),
		required("region", r.Text(&p.Region, maxName)),
		required("zona_horaria", r.TimeZone(&p.ZoneName, &p.TimeZone)),
		optional("superficie_ha", r.Number(&p.AreaHa, 0, maxAreaHa)),
		optional("administrador", func(at *document.Place) { r.administrator(at, &p.Park) }),
		optional("url", r.Formed(&p.URL, maxURL, "una dirección http o https completa, sin usuario", document.IsWebAddress)),
		optional("ubicacion_aproximada", r.Flag(func(b bool) { p.Approximate = b })),
	}
	r.located(at, &p.Latitude, &p.Longitude, &p.ElevationM, fields)
	return p
}

func (r *reader) administrator(at *document.Place, p *Park) {
	r.Object(at, []document.Field{
		required("nombre", r.Text(&p.Administrator, maxName)),
		optional("verificado_en", r.Formed(&p.AdministratorAsOf, maxName, "una fecha AAAA-MM-DD que exista", isDate)),
		optional("nota", r.Text(&p.AdministratorNote, maxNote)),
	})
}

// located reads an object that has a place besides its other fields. Latitude
// and longitude both zero are a point in the Atlantic and, in practice, a place
// that someone left out.
func (r *reader) located(at *document.Place, latitude, longitude, elevation *float64, others []document.Field) {
	*latitude, *longitude = math.NaN(), math.NaN()
	ok := r.Object(at, append(others,
		required("latitud", r.Number(latitude, -90, 90)),
		required("longitud", r.Number(longitude, -180, 180)),
		required("altitud_m", r.Number(elevation, minElevation, maxElevation)),
	))
	if ok && *latitude == 0 && *longitude == 0 {
		r.Add(at, "latitud y longitud son 0: falta la ubicación verdadera")
	}
}

func (r *reader) trail(at *document.Place) trailDraft {
	t := trailDraft{Trail: Trail{LengthKm: math.NaN()}}
	r.Object(at, []document.Field{
		required("slug", r.Slug(&t.Slug, &t.slugAt)),
		required("parque", r.reference(&t.park)),
		required("nombre", r.Text(&t.Name, maxName)),
		required("tipo", r.Word(&t.Kind, trailKinds)),
		optional("largo_km", r.Number(&t.LengthKm, 0.01, maxLengthKm)),
		optional("dificultad", r.Word(&t.Difficulty, difficulties)),
		optional("zona_clima", r.Choice(zoneWords, func(i int) { zone := hazard.Zone(i); t.zone = &zone })),
		optional("remota", r.Flag(func(b bool) { t.remote = &b })),
		optional("combustible", r.Flag(func(b bool) { t.fuel = &b })),
		optional("cuenca_alta", r.Flag(func(b bool) { t.basin = &b })),
		optional("ubicacion_aproximada", r.Flag(func(b bool) { t.Approximate = b })),
		required("puntos", r.points(&t.Points)),
	})
	return t
}

// reference reads the slug of a park; whether there is such a park is checked
// when all of them are known.
func (r *reader) reference(to *reference) func(*document.Place) {
	return func(at *document.Place) {
		if s, ok := r.Plain(at); ok {
			to.slug, to.at = s, at
		}
	}
}

// points reads the points of a trail. One of them at most may be critical.
func (r *reader) points(to *[]Point) func(*document.Place) {
	criticals := 0
	return r.List(1, maxPoints, func(at *document.Place) {
		var p Point
		r.located(at, &p.Location.Latitude, &p.Location.Longitude, &p.Location.Elevation, []document.Field{
			required("nombre", r.Text(&p.Name, maxName)),
			required("exposicion", r.Choice(exposures, func(i int) { p.Exposure = hazard.Exposure(i) })),
			optional("critico", r.Flag(func(b bool) { p.Critical = b })),
		})
		if p.Critical {
			if criticals++; criticals == 2 {
				r.Add(at, "más de un punto crítico; se admite uno solo")
			}
		}
		*to = append(*to, p)
	})
}

func (r *reader) volcano(at *document.Place) volcanoDraft {
	var v volcanoDraft
	r.located(at, &v.Latitude, &v.Longitude, &v.ElevationM, []document.Field{
		required("slug", r.Slug(&v.Slug, &v.slugAt)),
		required("nombre", r.Text(&v.Name, maxName)),
		required("vigilado", r.Flag(func(b bool) { v.Monitored = b })),
		optional("parques", r.List(0, maxEntries, func(at *document.Place) {
			var n nearDraft
			r.Object(at, []document.Field{
				required("parque", r.reference(&n.park)),
				required("distancia_km", r.Number(&n.km, 0, maxNearKm)),
			})
			v.near = append(v.near, n)
		})),
	})
	return v
}
