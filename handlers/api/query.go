package api

import (
	"net/url"
	"strconv"
	"strings"
)

// query reads a query string strictly: only the named parameters, each at most
// once. Values come in the order of names, "" with given false for those left
// out. (url.Values would take what is unknown, repeated or malformed.)
type query struct {
	value [2]string
	given [2]bool
}

func parseQuery(raw string, names ...string) (q query, fault *Fault) {
	for raw != "" {
		var part string
		part, raw, _ = strings.Cut(raw, "&")
		if part == "" {
			continue
		}
		key, value, _ := strings.Cut(part, "=")
		name, err := url.QueryUnescape(key)
		if err != nil {
			return q, badValue("la consulta tiene un carácter mal codificado; revise los signos %")
		}
		i := indexOf(names, name)
		if i < 0 {
			return q, unknownParameter(name, names)
		}
		if q.given[i] {
			return q, repeatedParameter(name)
		}
		q.given[i] = true
		if q.value[i], err = url.QueryUnescape(value); err != nil {
			return q, badValue("el valor de «" + name + "» está mal codificado; revise los signos %")
		}
	}
	return q, nil
}

func indexOf(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return -1
}

// number reads a whole number in [low, high]; the highest when it is left out.
func (q *query) number(i int, name string, low, high int) (int, *Fault) {
	if !q.given[i] {
		return high, nil
	}
	n, err := strconv.Atoi(q.value[i])
	if err != nil || n < low || n > high || q.value[i] != strconv.Itoa(n) {
		return 0, outOfRange(name, low, high)
	}
	return n, nil
}
