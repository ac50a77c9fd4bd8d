package api

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
)

// parseQuery reads a query string of the named parameters, each at most once. Others are
// refused.
func parseQuery(raw string, names ...string) (url.Values, *Fault) {
	if raw == "" {
		return nil, nil
	}
	q, err := url.ParseQuery(raw)
	if err != nil {
		return nil, badValue("la consulta está mal codificada; revise los signos %")
	}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if !slices.Contains(names, name) {
			return nil, unknownParameter(name, names)
		}
		if len(q[name]) > 1 {
			return nil, repeatedParameter(name)
		}
	}
	return q, nil
}

// number returns a whole number in [low, high] of a query; usual when it is left out.
func number(q url.Values, name string, low, high, usual int) (int, *Fault) {
	if !q.Has(name) {
		return usual, nil
	}
	n, err := strconv.Atoi(q.Get(name))
	if err != nil || n < low || n > high || q.Get(name) != strconv.Itoa(n) {
		return 0, outOfRange(name, low, high)
	}
	return n, nil
}
