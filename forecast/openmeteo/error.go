package openmeteo

import (
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
)

// Kind is a way in which a question to the provider fails.
type Kind uint8

// The kinds of failure.
const (
	Unreachable Kind = iota + 1 // no connection, or it broke
	Timeout                     // no answer in time
	Refused                     // the provider does not accept the question; asking again is useless
	RateLimited                 // a limit of the provider is used up; see Scope and RetryAt
	ServerFault                 // 5xx, a page instead of data, a redirect elsewhere
	Malformed                   // not JSON, or broken off
	Mismatch                    // JSON that does not fit the question: lengths, hours, number of places
	OtherPlace                  // weather of other places than asked, or in another order
	OtherUnits                  // values in other units than asked
	Unvarying                   // values that stand still, as no weather does
	HeldBack                    // our own ledger forbids the call; see Scope and RetryAt
	Interrupted                 // the caller's context was cancelled
)

// kinds holds, for each kind, its name for logs, its words for the operator's pages and
// what a call that ends so costs.
var kinds = [...]struct {
	name, plain string
	outcome     Outcome
}{
	Unreachable: {"unreachable", "no se pudo conectar con el proveedor", Unclear},
	Timeout:     {"timeout", "el proveedor no respondió a tiempo", Unclear},
	Refused:     {"refused", "el proveedor no aceptó la consulta", Refusal},
	RateLimited: {"rate limited", "el proveedor pide esperar: se usó la cuota", Refusal},
	ServerFault: {"server fault", "el proveedor tiene una falla", Refusal},
	Malformed:   {"malformed answer", "la respuesta del proveedor llegó rota o incompleta", Unclear},
	Mismatch:    {"mismatched answer", "la respuesta del proveedor no corresponde a lo pedido", Served},
	OtherPlace:  {"other place", "la respuesta del proveedor es de otro lugar: no se usa", Served},
	OtherUnits:  {"other units", "la respuesta del proveedor viene en otras unidades: no se usa", Served},
	Unvarying:   {"unvarying values", "la respuesta del proveedor repite un mismo valor en todas las horas: no se usa", Served},
	HeldBack:    {"held back", "consulta aplazada para no pasar la cuota del proveedor", Refusal},
	Interrupted: {"interrupted", "la consulta se interrumpió", Unclear},
}

// String returns the kind in English, for logs.
func (k Kind) String() string { return kinds[k].name }

// Scope is the limit that a RateLimited or HeldBack error is about.
type Scope uint8

// The limits of the provider.
const (
	NoScope Scope = iota
	Minute
	Hour
	Day
	Month
	Concurrent // calls running at once
)

// scopes holds the name of each scope for logs, and the provider's word for it.
var scopes = [...]struct{ name, word string }{
	Minute: {"minute", ""}, Hour: {"hour", "hourly"}, Day: {"day", "daily"}, Month: {"month", "monthly"},
	Concurrent: {"concurrent calls", "concurrent"},
}

// String returns the scope in English, for logs.
func (s Scope) String() string { return scopes[s].name }

// Error is a failed question to the provider. Its text names no address and no
// key, so it may be logged and shown.
type Error struct {
	Op     string // what was tried: forecast, metadata, reserve
	Model  string // id of the model, or ""
	Kind   Kind
	Scope  Scope // of RateLimited and HeldBack
	Status int   // HTTP status, 0 when there was no answer
	// Reason is the exact cause: the provider's own words where there are some, cut
	// and cleaned.
	Reason string
	// RetryAt is when asking again makes sense. Zero: not known, or never.
	RetryAt time.Time
	Err     error // the cause, or nil

	unsent bool // it never reached the provider
}

// Served reports whether the provider did the work, so that the call counted with its
// full weight though its answer is of no use.
func (e *Error) Served() bool { return outcomeOf(e) == Served }

// outcomeOf returns what a finished call costs.
func outcomeOf(err *Error) Outcome {
	switch {
	case err == nil:
		return Served
	case err.unsent:
		return Refusal
	}
	return kinds[err.Kind].outcome
}

// Error returns what was tried, on which model, and what went wrong, in English.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "openmeteo: %s", e.Op)
	if e.Model != "" {
		fmt.Fprintf(&b, " of %s", e.Model)
	}
	fmt.Fprintf(&b, ": %s", e.Kind)
	if e.Scope != NoScope {
		fmt.Fprintf(&b, " (%s)", e.Scope)
	}
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Reason != "" {
		fmt.Fprintf(&b, ": %s", e.Reason)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Plain returns in Spanish, for the operator's pages, what went wrong.
func (e *Error) Plain() string { return kinds[e.Kind].plain }

// of completes an error with what was tried and on which model.
func (e *Error) of(op, model string) *Error {
	e.Op, e.Model = op, model
	return e
}

func errorf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Reason: fmt.Sprintf(format, args...)}
}

func interrupted(err error) *Error {
	return &Error{Kind: Interrupted, Reason: err.Error(), Err: err, unsent: true}
}

// refusalError returns the error for an answer that is a refusal, by its status, which may
// be 200, and the provider's words.
func refusalError(status int, reason string) *Error {
	text := strings.ToLower(reason)
	limit := strings.Contains(text, "limit exceeded") || strings.Contains(text, "too many concurrent")
	fault := &Error{Kind: ServerFault, Status: status, Reason: reason}
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusOK && limit:
		fault.Kind, fault.Scope = RateLimited, scopeIn(text)
	case status == http.StatusOK && strings.Contains(reason, streamingFault):
		fault.Kind = Malformed
	case status == http.StatusOK, status >= 400 && status < 500:
		fault.Kind = Refused
	}
	return fault
}

// scopeIn returns the limit that a text in lower case names. One that names none is taken
// for the shortest: the next refusal may name it.
func scopeIn(text string) Scope {
	for scope := Concurrent; scope > Minute; scope-- {
		if strings.Contains(text, scopes[scope].word) {
			return scope
		}
	}
	return Minute
}

// maxReason is the number of characters of the provider's words that are kept.
const maxReason = 200

// cleanReason makes the provider's words fit to be logged and shown: one line
// of printable characters, not too long, without the key.
func cleanReason(text, key string) string {
	if key != "" {
		text = strings.ReplaceAll(text, key, "…")
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r) || r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxReason {
		text = string(runes[:maxReason]) + "…"
	}
	return text
}
