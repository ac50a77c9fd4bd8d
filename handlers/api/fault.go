package api

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vigia/handlers/httpcache"
	"vigia/store/catalogue"
)

// Fault is why a request is not answered with a resource: a status, a stable code, and a
// sentence in Spanish with what to do.
type Fault struct {
	Status     int
	Code, Text string
	RetryAfter int           // seconds, 0 for none
	MaxAge     time.Duration // how long the fault may be kept, 0 for not at all
}

// Error returns the error of the envelope.
func (f *Fault) Error() string { return f.Code + ": " + f.Text }

// Refuse answers a request with a fault, in the envelope.
func Refuse(w http.ResponseWriter, r *http.Request, now time.Time, f *Fault) {
	RefuseWith(w, r, now, f, httpcache.Error(f.Error()))
}

// RefuseWith is [Refuse] with a body made before, for faults that come in floods.
func RefuseWith(w http.ResponseWriter, r *http.Request, now time.Time, f *Fault, body *httpcache.Body) {
	if f.RetryAfter > 0 {
		w.Header()["Retry-After"] = []string{strconv.Itoa(f.RetryAfter)}
	}
	terms := httpcache.Terms{Status: f.Status, Now: now, CacheControl: httpcache.NoStore}
	if f.MaxAge > 0 {
		terms.CacheControl = httpcache.MaxAge(f.MaxAge)
	}
	body.Serve(w, r, terms)
}

// outage returns the fault of having no current data, with when there may be some.
func (s *Answers) outage(now time.Time, text string) *Fault {
	retry := time.Minute
	if wait := s.nextAt.Sub(now); !s.nextAt.IsZero() && wait > 0 {
		retry = min(wait, time.Hour)
	}
	return &Fault{
		Status: http.StatusServiceUnavailable, Code: "sin_datos", Text: text,
		RetryAfter: int((retry + time.Second - 1) / time.Second),
	}
}

func (s *Answers) noData(now time.Time) *Fault {
	return s.outage(now, "no hay estimaciones vigentes en este momento; que no haya datos no significa que no haya riesgo. "+
		"Vuelva a intentarlo más tarde y consulte a la administración del parque")
}

// LongestBody is how many bytes a request's body may have; no resource takes more.
const LongestBody = 8 << 10

// NotFound is the fault of a path that is no resource.
var NotFound = &Fault{
	Status: http.StatusNotFound, Code: "ruta_no_encontrada", Text: "no existe esta ruta; la lista de rutas está en /api/v1/openapi.json",
}

// The faults that are alike for every request, which nobody changes.
var (
	bodyTooLarge = &Fault{
		Status: http.StatusRequestEntityTooLarge, Code: "cuerpo_demasiado_grande", Text: fmt.Sprintf("el cuerpo admite como máximo %d bytes", LongestBody),
	}
	lengthRequired = &Fault{
		Status: http.StatusLengthRequired, Code: "largo_requerido", Text: "no se admite Transfer-Encoding; envíe el cuerpo con Content-Length",
	}
	// alertNotFound is the fault of an alert that never was, or that is no longer kept.
	alertNotFound = &Fault{
		Status: http.StatusNotFound, Code: "alerta_no_encontrada", MaxAge: time.Minute,
		Text: "no existe esa alerta, o terminó hace más de un mes; las activas están en " + Prefix + "/alertas",
	}
	// foreignOrigin is the fault of what a browser sends on behalf of another site's page.
	foreignOrigin = &Fault{
		Status: http.StatusForbidden, Code: "origen_no_permitido",
		Text: "un navegador envió esta solicitud desde la página de otro sitio; hágala desde este sitio, o desde un programa",
	}
	unknownSubscription = &Fault{
		Status: http.StatusNotFound, Code: "suscripcion_no_encontrada",
		Text: "no hay ninguna suscripción con ese código; puede que ya se haya cancelado o haya terminado",
	}
	unavailable = &Fault{
		Status: http.StatusServiceUnavailable, Code: "no_disponible", RetryAfter: storeRetry,
		Text: "en este momento no se puede atender la solicitud y no se guardó nada; vuelva a intentarlo en unos minutos",
	}
)

// Unacceptable returns the fault of what no resource takes: a body whose length is not
// stated (a way to smuggle requests past proxies) or is large. nil is no fault.
func Unacceptable(r *http.Request) *Fault {
	switch {
	case len(r.TransferEncoding) > 0:
		return lengthRequired
	case r.ContentLength > LongestBody:
		return bodyTooLarge
	}
	return nil
}

func (s *Answers) parkNotFound(slug string) *Fault {
	return &Fault{
		Status: http.StatusNotFound, Code: "parque_no_encontrado",
		Text: s.catalogue.UnknownPark(slug), MaxAge: time.Minute,
	}
}

func unknownParameter(name string, known []string) *Fault {
	text := "este recurso no tiene ese parámetro"
	if catalogue.LooksLikeSlug(name) {
		text = "este recurso no tiene el parámetro «" + name + "»"
	}
	if len(known) == 0 {
		text += "; no admite ninguno"
	} else {
		text += "; los que admite son: " + strings.Join(known, ", ")
	}
	return &Fault{Status: http.StatusBadRequest, Code: "parametro_desconocido", Text: text}
}

func repeatedParameter(name string) *Fault {
	return &Fault{
		Status: http.StatusBadRequest, Code: "parametro_repetido",
		Text: "el parámetro «" + name + "» viene más de una vez; indíquelo una sola",
	}
}

func badValue(text string) *Fault {
	return &Fault{Status: http.StatusBadRequest, Code: "valor_no_valido", Text: text}
}

func outOfRange(name string, low, high int) *Fault {
	return badValue(fmt.Sprintf("«%s» debe ser un número entero entre %d y %d", name, low, high))
}
