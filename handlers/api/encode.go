package api

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"vigia/handlers/httpcache"
)

// encode returns a value of this package's types as JSON.
func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil { // the types hold nothing that JSON cannot
		panic(fmt.Errorf("encoding %T: %w", v, err))
	}
	return data
}

// body returns the answer that carries a value of this package's types.
func body(v any) *httpcache.Body { return httpcache.JSON(encode(v)) }

// listOf returns what is made of each value, in their order. It is never nil: a list of the
// contract has no members where there are none, and is not null.
func listOf[T, U any](values []T, made func(T) U) []U {
	list := make([]U, len(values))
	for i, v := range values {
		list[i] = made(v)
	}
	return list
}

// orNull returns nil for the zero value, which stands for a missing one.
func orNull[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// instant cuts a time to the second, in UTC.
func instant(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// instantOrNull is instant, nil for the zero time.
func instantOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = instant(t)
	return &t
}

// ageAt returns the seconds from t to now, nil when t is not known and 0 when the clock
// was set back behind it.
func ageAt(t, now time.Time) *int {
	if t.IsZero() {
		return nil
	}
	return new(max(0, int(now.Sub(t)/time.Second)))
}

// decimal rounds x to so many decimals. It returns nil for what is not a number, or too
// large to be one of ours.
func decimal[T float32 | float64](x T, decimals int) *float64 {
	r := rounded(float64(x), decimals)
	if !(math.Abs(r) < 1e15) {
		return nil
	}
	return &r
}

// rounded is x with so many decimals, never -0.
func rounded(x float64, decimals int) float64 {
	unit := math.Pow10(decimals)
	return math.Round(x*unit)/unit + 0
}
