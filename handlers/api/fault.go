package api

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vigia/handlers/prepared"
)

// Fault is a request that is not answered with a resource: a status, a stable
// code, and a sentence in Spanish that says what to do.
type Fault struct {
	Status     int
	Code, Text string
	RetryAfter int           // seconds, 0 for none
	MaxAge     time.Duration // how long the fault may be kept, 0 for not at all
}

// Error gives the string that stands in the envelope.
func (f *Fault) Error() string { return f.Code + ": " + f.Text }

// Refuse answers a request with a fault, in the envelope.
func Refuse(w http.ResponseWriter, r *http.Request, now time.Time, f *Fault) {
	RefuseWith(w, r, now, f, prepared.Error(f.Error()))
}

// RefuseWith is [Refuse] with a body made before, for faults that come in
// floods.
func RefuseWith(w http.ResponseWriter, r *http.Request, now time.Time, f *Fault, body *prepared.Body) {
	if f.RetryAfter > 0 {
		w.Header()["Retry-After"] = []string{strconv.Itoa(f.RetryAfter)}
	}
	terms := prepared.Terms{Status: f.Status, Now: now, CacheControl: prepared.NoStore}
	if f.MaxAge > 0 {
		terms.CacheControl = prepared.MaxAge(f.MaxAge)
	}
	body.Serve(w, r, terms)
}

// outage says that there is nothing current to answer with, and when to ask again.
func (s *Snapshot) outage(now time.Time, text string) *Fault {
	retry := time.Minute
	if wait := s.nextAt.Sub(now); !s.nextAt.IsZero() && wait > 0 {
		retry = min(wait, time.Hour)
	}
	return &Fault{
		Status: http.StatusServiceUnavailable, Code: "sin_datos", Text: text,
		RetryAfter: int((retry + time.Second - 1) / time.Second),
	}
}

func (s *Snapshot) noData(now time.Time) *Fault {
	return s.outage(now, "no hay estimaciones vigentes en este momento; que no haya datos no significa que no haya riesgo. "+
		"Vuelva a intentarlo más tarde y consulte a la administración del parque")
}

// NotFound is the fault of a path that is no resource.
func NotFound() *Fault {
	return &Fault{
		Status: http.StatusNotFound, Code: "ruta_no_encontrada",
		Text: "no existe esta ruta; la lista de rutas está en /api/v1/openapi.json",
	}
}

// parkNotFound names the park that was asked for only when it looks like the
// name of one, so that nothing else is ever echoed.
func (s *Snapshot) parkNotFound(slug string) *Fault {
	return &Fault{
		Status: http.StatusNotFound, Code: "parque_no_encontrado",
		Text: s.unknownPark(slug), MaxAge: time.Minute,
	}
}

func (s *Snapshot) unknownPark(slug string) string { return unknownPark(slug, s.slugs) }

// unknownPark says that there is no such park among those of some slugs.
func unknownPark(slug string, slugs []string) string {
	text := "no existe ese parque"
	if looksLikeSlug(slug) {
		text = "no existe el parque «" + slug + "»"
		if near := nearest(slug, slugs); near != "" {
			return text + "; ¿quiso decir «" + near + "»?"
		}
	}
	return text + "; la lista de parques está en /api/v1/parques"
}

func unknownParameter(name string, known []string) *Fault {
	text := "este recurso no tiene ese parámetro"
	if looksLikeSlug(name) {
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
