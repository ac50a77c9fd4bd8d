package prepared

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// TakesGzip tells whether a client wants gzip by its Accept-Encoding (RFC 9110,
// 12.5.3): named or by *, with a weight above nothing and not below that of
// identity where that has one. Without the header, or with one that cannot be
// read, the answer is plain, which every client can read.
func TakesGzip(lines []string) bool {
	gzip, identity, any := -1.0, -1.0, -1.0
	for _, line := range lines {
		for line != "" {
			var item string
			item, line, _ = strings.Cut(line, ",")
			coding, parameters, _ := strings.Cut(item, ";")
			coding = strings.TrimSpace(coding)
			weight := weightOf(parameters)
			switch {
			case strings.EqualFold(coding, "gzip"), strings.EqualFold(coding, "x-gzip"):
				gzip = max(gzip, weight)
			case strings.EqualFold(coding, "identity"):
				identity = weight
			case coding == "*":
				any = weight
			}
		}
	}
	if gzip < 0 {
		gzip = any
	}
	return gzip > 0 && gzip >= identity
}

// weightOf reads ";q=0.5". No weight is 1; one that cannot be read is 0.
func weightOf(parameters string) float64 {
	parameters = strings.TrimSpace(parameters)
	if parameters == "" {
		return 1
	}
	name, value, _ := strings.Cut(parameters, "=")
	if !strings.EqualFold(strings.TrimSpace(name), "q") {
		return 0
	}
	weight, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !(weight >= 0 && weight <= 1) {
		return 0
	}
	return weight
}

// unchanged tells whether the client holds the answer already. If-None-Match
// goes before If-Modified-Since, as RFC 9110, 13.2.2 has it.
func unchanged(h http.Header, etag string, modified time.Time) bool {
	if lines, ok := h["If-None-Match"]; ok {
		return matchesTag(lines, etag)
	}
	since := h.Get("If-Modified-Since")
	if since == "" || modified.IsZero() {
		return false
	}
	held, err := http.ParseTime(since)
	return err == nil && !modified.Truncate(time.Second).After(held)
}

// matchesTag compares weakly (RFC 9110, 8.8.3.2) with each tag of a list. What
// follows something that is no tag is not read.
func matchesTag(lines []string, etag string) bool {
	opaque := strings.TrimPrefix(etag, "W/")
	for _, line := range lines {
		rest := strings.TrimLeft(line, " \t,")
		if strings.TrimSpace(rest) == "*" {
			return true
		}
		for rest != "" {
			rest = strings.TrimPrefix(rest, "W/")
			if rest == "" || rest[0] != '"' {
				break
			}
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				break
			}
			if rest[:end+2] == opaque {
				return true
			}
			rest = strings.TrimLeft(rest[end+2:], " \t,")
		}
	}
	return false
}
