package handlers

import (
	"testing"
	"time"

	"vigia/handlers/api"
)

// BenchmarkPublication measures what an hour's publication costs: both forms of
// every answer for the default catalogue.
func BenchmarkPublication(b *testing.B) {
	e := fullSnapshot()
	for b.Loop() {
		api.Builder{}.Build(e, now, now)
		api.Builder{}.Build(e, e.ValidUntil, e.ValidUntil)
	}
}

// BenchmarkTurn measures the view that a request may have to wait for when the
// hour turns and the process was too busy to be ahead of it.
func BenchmarkTurn(b *testing.B) {
	e := fullSnapshot()
	for b.Loop() {
		api.Builder{}.Build(e, now.Add(time.Hour), now)
	}
}
