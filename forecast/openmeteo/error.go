package openmeteo

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Kind says in which way a question to the provider failed.
type Kind uint8

// The kinds of failure.
const (
	Unreachable Kind = iota + 1 // no connection, or it broke
	Timeout                     // no answer in time
	Refused                     // the provider does not accept the question; asking again is useless
	RateLimited                 // the provider says that a limit is used up; see Scope and RetryAt
	ServerFault                 // 5xx, a page instead of data, a redirect elsewhere
	Malformed                   // not JSON, or broken off
	Mismatch                    // JSON that does not fit the question: lengths, units, hours, places
	HeldBack                    // our own ledger forbids the call; see Scope and RetryAt
	Interrupted                 // the caller's context was cancelled
)

var kindNames = [...]string{
	"", "unreachable", "timeout", "refused", "rate limited", "server fault",
	"malformed answer", "mismatched answer", "held back", "interrupted",
}

// String gives the kind in English, for logs.
func (k Kind) String() string { return kindNames[k] }

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

var scopeNames = [...]string{"", "minute", "hour", "day", "month", "concurrent calls"}

// String gives the scope in English, for logs.
func (s Scope) String() string { return scopeNames[s] }

// Error is a failed question to the provider. Its text names no address and no
// key, so it may be logged and shown.
type Error struct {
	Op     string // what was tried: forecast, metadata, reserve
	Model  string // id of the model, or ""
	Kind   Kind
	Scope  Scope // of RateLimited and HeldBack
	Status int   // HTTP status, 0 when there was no answer
	// Reason is what exactly went wrong: the provider's own words when it gave
	// some, cut and cleaned.
	Reason string
	// RetryAt is when asking again makes sense. Zero: not known, or never.
	RetryAt time.Time
	Err     error // the cause, or nil

	unsent bool // it never reached the provider
}

// Error tells what was tried, on which model, and what went wrong.
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

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

var plainWords = [...]string{
	"", "no se pudo conectar con el proveedor", "el proveedor no respondió a tiempo",
	"el proveedor no aceptó la consulta", "el proveedor pide esperar: se usó la cuota",
	"el proveedor tiene una falla", "la respuesta del proveedor llegó rota o incompleta",
	"la respuesta del proveedor no corresponde a lo pedido",
	"consulta aplazada para no pasar la cuota del proveedor", "la consulta se interrumpió",
}

// Plain tells in Spanish, for the operator's pages, what went wrong.
func (e *Error) Plain() string { return plainWords[e.Kind] }

// of completes an error with what was tried and on which model.
func (e *Error) of(op, model string) *Error {
	e.Op, e.Model = op, model
	return e
}

func malformed(format string, args ...any) *Error {
	return &Error{Kind: Malformed, Reason: fmt.Sprintf(format, args...)}
}

func mismatch(format string, args ...any) *Error {
	return &Error{Kind: Mismatch, Reason: fmt.Sprintf(format, args...)}
}

func interrupted(err error) *Error {
	return &Error{Kind: Interrupted, Reason: err.Error(), Err: err, unsent: true}
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
