package api

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"vigia/forecast/alert"
	"vigia/forecast/hazard"
	"vigia/store"
	"vigia/store/catalogue"
	"vigia/store/notices"
	"vigia/store/subscription"
	"vigia/web/wording"
)

// aboutTheAPI introduces the document.
const aboutTheAPI = "Estimaciones horarias de riesgo meteorológico para parques y senderos de Chile, hechas de forma automática con modelos globales " +
	"y sin validar por un meteorólogo. No son avisos oficiales y no deben ser la única referencia para decidir. «verde» significa sin señales de los " +
	"modelos, no que falte el riesgo. Los datos cambian una vez por hora. Toda respuesta, salvo este documento, es {data, error, ts}. HEAD se admite " +
	"donde se admite GET, y OPTIONS en todas las rutas. Servicio en fase alfa, sin garantía de disponibilidad; puede cambiar sin aviso previo."

// operation is a method of a path. Each answer is that to a request that is in order.
type operation struct {
	method, path, id string
	cached           bool // its answers may be kept, and asked for again with an ETag
	parameters       []object
	body             *object
	answers          []answerTo
	faults           string // "status name" of the shared answers beside the usual ones, which they replace
}

type answerTo struct {
	status, about string
	data          any
}

// usualFaults are shared by all operations.
const usualFaults = "400 SolicitudNoValida 405 MetodoNoPermitido 411 LargoRequerido 413 CuerpoDemasiadoGrande 429 DemasiadasSolicitudes 500 ErrorInterno"

// operations returns all of them, with examples for answers.
func operations(t testing.TB) []operation {
	b := sample(t)
	trails := b.trailsOfPark(0)
	detail, past := b.parkDetail(0, trails), pastHour(hour.Add(-time.Hour), &b.e.History.Hours[0].Rows[0])
	rules := b.thresholds()
	rules.Thresholds = rules.Thresholds[:2]
	scored := precision(verified())
	scored.References[0].Description = "registro del parque"
	facts := b.healthFacts()
	forecast := ForecastHour{trails[0].Latest.EstimateCore, trails[0].Latest.EstimateTerms}
	slug := parameter("path", "slug", "torres-del-paine", jsonschema.Schema{Ref: reference("schemas", "Slug")})
	id := parameter("path", "id", b.e.Alerts[0].ID, jsonschema.Schema{Type: "string"})
	token := parameter("path", "token", "Zm9vYmFyYmF6cXV4MTIzNK3vLi3kq1Y0xv0m3o2kq9E", jsonschema.Schema{Type: "string"})
	of := func(data any) []answerTo { return []answerTo{{"200", "", data}} }
	return []operation{
		{"get", "/parques", "listarParques", true, nil, nil, of(b.parkList()), ""},
		{"get", "/parques/{slug}", "verParque", true, []object{slug}, nil, of(detail), "404 ParqueNoEncontrado"},
		{"get", "/parques/{slug}/senderos", "listarSenderos", true, []object{slug}, nil, of(trails), "404 ParqueNoEncontrado"},
		{"get", "/parques/{slug}/historial", "verHistorial", true, []object{slug, upTo("dias", historyDays, historyDays)}, nil,
			of([]History{{trails[0].Slug, trails[0].Name, trails[0].OfficialNotices, []PastHour{past}}}), "404 ParqueNoEncontrado"},
		{"get", "/parques/{slug}/pronostico", "verPronostico", true, []object{slug, upTo("horas", farthest, horizon)}, nil,
			of([]Forecast{{trails[0].Slug, trails[0].Name, trails[0].OfficialNotices, []ForecastHour{forecast}}}), "404 ParqueNoEncontrado 503 SinDatos"},
		{"get", "/alertas", "listarAlertas", true, []object{
			parameter("query", "parque", "", jsonschema.Schema{Ref: reference("schemas", "Slug")}),
			parameter("query", "nivel", "", jsonschema.Schema{Ref: reference("schemas", "Nivel")}),
		}, nil, of(detail.Alerts), "503 SinDatos"},
		{"get", "/alertas/{id}", "verAlerta", true, []object{id}, nil, of(detail.Alerts[0]), "404 AlertaNoEncontrada 503 SinDatos"},
		{"get", "/precision", "verPrecision", true, nil, nil, of(scored), ""},
		{"get", "/umbrales", "listarUmbrales", true, nil, nil, of(rules), ""},
		{"post", "/suscriptores", "crearSuscripcion", false, nil, requestBody(), []answerTo{
			{"201", "Suscripción por Web Push, activa.", ActiveSubscription{"activa", "Zm9vYmFyYmF6cXV4MTIzNK3vLi3kq1Y0xv0m3o2kq9E", nil}},
			{"202", "Petición guardada, a la espera de su confirmación: por correo con el enlace que se envía, por Web Push con la prueba que llega al navegador.",
				PendingSubscription{"pendiente_de_confirmacion", "email", mailMessage, hour.Add(subscription.ConfirmationLife)}},
		}, "400 JsonNoValido 403 OrigenNoPermitido 415 TipoNoAdmitido 422 DatosNoValidos 429 DemasiadasSuscripciones 503 CanalNoDisponible"},
		{"get", "/suscriptores/{token}", "verSuscripcion", false, []object{token}, nil, of(held()), "404 SuscripcionNoEncontrada 503 NoDisponible"},
		{"delete", "/suscriptores/{token}", "cancelarSuscripcion", false, []object{token}, nil,
			[]answerTo{{"200", "Cancelada, ahora o antes.", CancelledSubscription{"cancelada"}}}, "403 OrigenNoPermitido 404 SuscripcionNoEncontrada 503 NoDisponible"},
		{"get", "/vapid", "verClavePublica", false, nil, nil, of(PublicKey{exampleKey}), "503 WebPushNoDisponible"},
		{"get", "/health", "verSalud", false, nil, nil, of(facts.read(now)), "503 SinDatos"},
		{"get", "/health/detalle", "verSaludEnDetalle", false, nil, nil, of(facts.read(now)), ""},
		{"get", "/openapi.json", "verDocumento", true, nil, nil, of(nil), ""},
	}
}

func parameter(in, name, example string, s jsonschema.Schema) (p object) {
	p.add("name", name)
	p.add("in", in)
	if in == "path" {
		p.add("required", true)
	}
	p.add("description", wording.Spanish.Text("api.param."+name))
	p.add("schema", s)
	if example != "" {
		p.add("example", example)
	}
	return p
}

// upTo returns a parameter that is a whole number from 1, usual when it is left out.
func upTo(name string, most, usual int) object {
	return parameter("query", name, "", jsonschema.Schema{Type: "integer", Minimum: new(1.), Maximum: new(float64(most)), Default: encode(usual)})
}

// requestBody returns what POST /suscriptores takes.
func requestBody() *object {
	examples := object{}
	for _, e := range []struct{ name, body string }{{"email", wholeForm}, {"webpush", pushForm}} {
		examples.add(e.name, object{{"value", json.RawMessage(e.body)}})
	}
	return &object{{"required", true}, {"content", object{{"application/json", object{
		{"schema", jsonschema.Schema{Ref: reference("schemas", "PeticionDeSuscripcion")}}, {"examples", examples},
	}}}}}
}

// makeDocument returns the document.
func makeDocument(t testing.TB) object {
	var paths object
	for _, o := range operations(t) {
		if len(paths) == 0 || paths[len(paths)-1].name != o.path {
			paths.add(o.path, object{})
		}
		item := &paths[len(paths)-1]
		item.value = append(item.value.(object), member{o.method, o.document(t)})
	}
	return object{
		{"openapi", "3.1.0"},
		{"info", object{{"title", "Vigía"}, {"version", "v0.1.0-alpha"}, {"description", aboutTheAPI}}},
		{"servers", []object{{{"url", Prefix}}}},
		{"security", []object{}},
		{"paths", paths},
		{"components", object{{"schemas", makeSchemas(t)}, {"responses", sharedAnswers()}, {"headers", headers()}}},
	}
}

func (o *operation) document(t testing.TB) (d object) {
	words := wording.Spanish
	d.add("operationId", o.id)
	d.add("summary", words.Text("api.op."+o.id))
	if words.Has("api.mas." + o.id) {
		d.add("description", words.Text("api.mas."+o.id))
	}
	if o.parameters != nil {
		d.add("parameters", o.parameters)
	}
	if o.body != nil {
		d.add("requestBody", o.body)
	}
	answers := map[string]any{}
	if o.cached {
		answers["304"] = object{{"description", "No ha cambiado desde la respuesta cuyo ETag o fecha trae la solicitud."}}
	}
	faults := strings.Fields(usualFaults + " " + o.faults)
	for i := 0; i < len(faults); i += 2 {
		answers[faults[i]] = object{{"$ref", reference("responses", faults[i+1])}}
	}
	for _, a := range o.answers {
		answers[a.status] = o.answer(t, a)
	}
	d.add("responses", answers)
	return d
}

func (o *operation) answer(t testing.TB, a answerTo) object {
	about := a.about
	if about == "" {
		about = wording.Spanish.Text("api.op." + o.id)
	}
	if a.data == nil {
		return object{{"description", about}, content(jsonschema.Schema{Type: "object", Required: []string{"openapi", "info", "paths"}}, nil)}
	}
	named := "Cache-Control RateLimit RateLimit-Policy"
	if o.cached {
		named = "ETag Last-Modified " + named
	}
	schema := envelope(*schemaOf(t, reflect.TypeOf(a.data), ""), jsonschema.Schema{Type: "null"})
	return object{{"description", about}, headersNamed(named), content(*schema, envelopeOf{Data: a.data, Ts: exampleTime})}
}

// envelopeOf is what package httpcache puts around every answer but openapi.json.
type envelopeOf struct {
	Data  any       `json:"data"`
	Error *string   `json:"error"`
	Ts    time.Time `json:"ts"`
}

// exampleTime is the ts of examples.
var exampleTime = now.Add(123 * time.Millisecond)

func content(s jsonschema.Schema, example any) member {
	c := object{{"schema", s}}
	if example != nil {
		c.add("example", example)
	}
	return member{"content", object{{"application/json", c}}}
}

func headersNamed(names string) member {
	var list object
	for name := range strings.FieldsSeq(names) {
		list.add(name, object{{"$ref", reference("headers", name)}})
	}
	return member{"headers", list}
}

func headers() (list object) {
	for _, h := range [][2]string{
		{"ETag", "Etiqueta débil del contenido sin «ts»."},
		{"Last-Modified", "Última publicación o último cambio por el reloj."},
		{"Cache-Control", "Cuánto puede guardarse; nunca más allá de la vigencia."},
		{"RateLimit", "Lo que queda y en cuántos segundos se libera."},
		{"RateLimit-Policy", "El límite: 100 solicitudes en 60 s por cliente."},
		{"Retry-After", "Segundos que conviene esperar."},
		{"Allow", "Métodos que admite el recurso."},
	} {
		list.add(h[0], object{{"description", h[1]}, {"schema", jsonschema.Schema{Type: "string"}}})
	}
	return list
}

// closed is a service of subscriptions without any channel.
type closed struct{ SubscriptionService }

func (closed) Open(subscription.Channel) bool { return false }

func (closed) Outbox(subscription.Channel) (string, int) { return unset, 0 }

// sharedAnswers returns the answers that are errors, each with an example.
func sharedAnswers() (list object) {
	signups, parks := &Signups{Subscriptions: closed{}}, &catalogue.Catalogue{Parks: []catalogue.Park{{Slug: "torres-del-paine"}}}
	closed := signups.closed(subscription.Email)
	closed.RetryAfter = storeRetry // the same status may be of what is tried again
	_, badForm := parseForm([]byte(`{"parkes":[]}`))
	_, wrong := (&subscription.Form{Channel: "email", Email: "ana", Parks: []string{"torres-del-payne"}, Consent: true}).
		Check(parks, subscription.PushHosts{}, now)
	for _, f := range []struct {
		name  string
		fault *Fault
	}{
		{"SolicitudNoValida", badValue("los valores de «nivel» son precaucion y peligro")},
		{"ParqueNoEncontrado", (&Answers{catalogue: parks}).parkNotFound("torres-del-payne")},
		{"AlertaNoEncontrada", alertNotFound},
		{"MetodoNoPermitido", WrongMethod(http.Header{"Allow": {"GET, HEAD, OPTIONS"}})},
		{"LargoRequerido", lengthRequired},
		{"CuerpoDemasiadoGrande", bodyTooLarge},
		{"DemasiadasSolicitudes", &Fault{Code: "demasiadas_solicitudes", RetryAfter: 1,
			Text: "superó el máximo de solicitudes por minuto; espere los segundos que indica Retry-After"}},
		{"ErrorInterno", &Fault{Code: "error_interno", Text: "algo falló al responder; si se repite, avise al operador con la referencia 0a1b2c3d4e5f"}},
		{"SinDatos", (&Answers{}).noData(now)},
		{"JsonNoValido", badForm},
		{"OrigenNoPermitido", foreignOrigin},
		{"TipoNoAdmitido", unsupported(http.Header{})},
		{"DatosNoValidos", invalid(wrong)},
		{"DemasiadasSuscripciones", tooManyRequests(1)},
		{"SuscripcionNoEncontrada", unknownSubscription},
		{"CanalNoDisponible", closed},
		{"WebPushNoDisponible", signups.closed(subscription.WebPush)},
		{"NoDisponible", unavailable},
	} {
		named := "RateLimit RateLimit-Policy"
		if f.fault.RetryAfter > 0 {
			named = "Retry-After " + named
		}
		if f.fault.Status == http.StatusMethodNotAllowed {
			named = "Allow " + named
		}
		list.add(f.name, object{
			{"description", wording.Spanish.Text("api.respuesta." + f.name)}, headersNamed(named),
			content(jsonschema.Schema{Ref: reference("schemas", "Error")}, envelopeOf{Error: new(f.fault.Error()), Ts: exampleTime}),
		})
	}
	return list
}

// sample returns a snapshot of one park with one trail on a windy day, which the
// examples of answers are made from.
func sample(t testing.TB) *build {
	e := park(t, "rr"+strings.Repeat("v", 60))
	p, trail := &e.Catalogue.Parks[0], &e.Catalogue.Trails[0]
	p.Slug, p.Administrator, p.URL, p.Region, p.AreaHa = "torres-del-paine", "CONAF", "https://www.conaf.cl/", "Magallanes y de la Antártica Chilena", 227298
	e.Catalogue.Emergency = []catalogue.EmergencyNumber{{Number: "133", Name: "Carabineros"}}
	*trail = catalogue.Trail{
		Slug: "circuito-o", Name: "Circuito O", Kind: "circuito", LengthKm: 110, ClimbM: 1100, StartElevationM: 135, MaxElevationM: 1220,
		Difficulty: "muy_alta", MinHours: 28.5, MaxHours: 49.9, Points: []catalogue.Point{{Name: "Paso John Gardner", Exposure: hazard.Ridge, Critical: true}},
	}
	point := &trail.Points[0]
	point.Location.Latitude, point.Location.Longitude, point.Location.Elevation = -50.9, -73.15, 1220
	gust := hazard.Cause{Quantity: hazard.GustQuantity, Value: 94.7, Min: 81.2, Max: 108, Threshold: 90, Over: 3, Total: 4}
	present := &e.Trails[0].Hours[0]
	present.Confidence, present.Models = hazard.High, []hazard.Vote{{Model: "ecmwf_ifs025", Run: hour.Add(-7 * time.Hour), Lead: 7}}
	present.Medians = hazard.Medians{Temperature: 4.2, FeelsLike: -6.1, Wind: 58.3, Gust: 94.7, FreezingLevel: 1450, Sight: 24140, UV: 2.5}
	present.Sky = hazard.Sky{WindFrom: 268, Cloud: 87, Code: 3, Models: 4}
	present.Hazards[0].Confidence = hazard.High
	present.Hazards[0].SetCauses(gust)
	issued := hour.Add(-3 * time.Hour)
	e.Alerts = []alert.Alert{{
		ID: "torres-del-paine.20261121T10", Version: 1, Park: p.Slug, IssuedAt: issued, UpdatedAt: issued,
		Changes: []alert.Change{{Version: 1, At: issued, Level: alert.Danger, Start: hour.Add(-time.Hour), End: hour.Add(6 * time.Hour)}},
	}}
	e.Alerts[0].SetTracks([]alert.Track{{
		Trail: trail.Slug, Hazard: hazard.Wind, Level: alert.Danger, From: hour, To: hour.Add(5 * time.Hour),
		Reason: alert.Reason{On: alert.Danger, Level: alert.Danger, Confidence: hazard.High, Agree: 3, Total: 4,
			Causes: []alert.Cause{{Cause: gust, Trail: trail.Slug, Place: "Paso John Gardner", Hour: hour}}},
	}})
	e.Notices[notices.Closures] = notices.Batch{ObtainedAt: issued, Closures: []notices.Closure{{
		Park: p.Slug, Trail: trail.Slug, Situation: "restringido", Detail: "Paso John Gardner cerrado por viento", From: issued,
		Source: "CONAF", SourceURL: "https://www.conaf.cl/", ObtainedAt: issued,
	}}}
	e.Models = []store.ModelStatus{{Model: "ecmwf_ifs025", Run: hour.Add(-7 * time.Hour), State: "ok"}}
	e.StartedAt, e.WeightDay, e.DayLimit, e.FileBytes = hour.Add(-24*time.Hour), 1200, 10000, 1<<20
	e.History.Hours = []store.HistoryHour{{Hour: hour.Add(-time.Hour), Rows: []store.HistoryRow{{
		State: hazard.Red, Quality: hazard.Complete, Main: hazard.Wind, Confidence: hazard.High, Medians: present.Medians,
	}}}}
	return Builder{BaseURL: "https://parques.example.cl", Version: "v0.1.0-alpha", Subscriptions: closed{}, FileFault: func() error { return nil }, Jobs: func() []store.JobStatus { return nil }}.begin(e, now)
}

// held returns a subscription as its owner sees it.
func held() Subscription {
	return subscriptionOf(&subscription.Subscription{
		Channel: subscription.Email, Address: "ana@example.cl", CreatedAt: hour, ConfirmedAt: hour.Add(5 * time.Minute),
		Consent: subscription.Consent{At: hour, Policy: "2026-11-21"},
		Preferences: subscription.Preferences{Parks: []string{"torres-del-paine"}, Conditions: subscription.Conditions{
			MinLevel: alert.Caution, Quiet: &subscription.Quiet{From: 22 * 60, To: 6 * 60}, Trip: &subscription.Trip{From: "2026-12-01", To: "2026-12-09"},
		}},
	})
}
