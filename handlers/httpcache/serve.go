package httpcache

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Terms are what an answer's header says beside the body itself. The slices are
// shared and never written to, so that a header costs no allocation.
type Terms struct {
	Status       int // 0 is 200
	Now          time.Time
	CacheControl []string
	LastModified []string  // nil when the answer has none
	Modified     time.Time // the instant of LastModified
}

var (
	varyEncoding = []string{"Accept-Encoding"}
	gzipEncoding = []string{"gzip"}
)

// Serve answers r from the body: with 304 when the client has it already (only
// where Terms.Status is 200), with the header alone for HEAD, else in one write
// with its exact length. An error of writing is the client's going away and is
// left to the connection.
func (b *Body) Serve(w http.ResponseWriter, r *http.Request, t Terms) {
	header := w.Header()
	header["Vary"] = varyEncoding
	if t.CacheControl != nil {
		header["Cache-Control"] = t.CacheControl
	}
	if b.etag != nil && (t.Status == 0 || t.Status == http.StatusOK) {
		header["Etag"] = b.etag
		if t.LastModified != nil {
			header["Last-Modified"] = t.LastModified
		}
		if isUnchanged(r.Header, b.etag[0], t.Modified) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	header["Content-Type"] = b.contentType
	asGzip := b.packed != nil && takesGzip(r.Header["Accept-Encoding"])
	if asGzip {
		header["Content-Encoding"] = gzipEncoding
		header["Content-Length"] = b.packedLength
	} else {
		header["Content-Length"] = b.plainLength
	}
	if t.Status != 0 {
		w.WriteHeader(t.Status)
	}
	if r.Method != http.MethodHead {
		b.write(w, t.Now, asGzip)
	}
}

// buffers are the bytes of answers on their way. Larger ones are left to the
// collector, so that one big answer does not pin its size for good.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const largestKept = 256 << 10

func (b *Body) write(w http.ResponseWriter, now time.Time, asGzip bool) {
	switch { // nothing to splice: the bytes as they are
	case !b.stamped && asGzip:
		w.Write(b.packed.bytes)
		return
	case !b.stamped:
		w.Write(b.plain)
		return
	}
	buffer := buffers.Get().(*bytes.Buffer)
	buffer.Reset()
	switch {
	case asGzip:
		buffer.Grow(b.packed.length())
		buffer.Write(b.packed.appendTo(buffer.AvailableBuffer(), now))
	case b.plain == nil:
		buffer.Grow(b.length())
		b.packed.inflate(buffer)
		buffer.Write(appendStamp(buffer.AvailableBuffer(), now))
	default:
		buffer.Grow(b.length())
		buffer.Write(b.plain)
		buffer.Write(appendStamp(buffer.AvailableBuffer(), now))
	}
	w.Write(buffer.Bytes())
	if buffer.Cap() <= largestKept {
		buffers.Put(buffer)
	}
}

// takesGzip reports whether a client takes gzip by its Accept-Encoding (RFC 9110,
// 12.5.3): named, or else by *, with a weight above 0. Without the header, or with a
// weight that cannot be read, the answer is plain, which every client can read.
func takesGzip(lines []string) bool {
	gzip, named := false, false
	for _, line := range lines {
		for item := range strings.SplitSeq(line, ",") {
			coding, weight, _ := strings.Cut(item, ";")
			switch coding = strings.ToLower(strings.TrimSpace(coding)); {
			case coding == "gzip" || coding == "x-gzip":
				gzip, named = isAboveZero(weight), true
			case coding == "*" && !named:
				gzip = isAboveZero(weight)
			}
		}
	}
	return gzip
}

// isAboveZero reads the weight in "q=0.5"; none is 1.
func isAboveZero(weight string) bool {
	weight = strings.TrimSpace(weight)
	if weight == "" {
		return true
	}
	q, err := strconv.ParseFloat(strings.TrimPrefix(strings.ToLower(weight), "q="), 64)
	return err == nil && q > 0 && q <= 1
}

// isUnchanged reports whether the client holds the answer already. If-None-Match
// goes before If-Modified-Since (RFC 9110, 13.2.2).
func isUnchanged(h http.Header, etag string, modified time.Time) bool {
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

// matchesTag compares weakly (RFC 9110, 8.8.3.2) with the tags of a list. A tag with
// its quotes can stand in the list as nothing but a tag.
func matchesTag(lines []string, etag string) bool {
	for _, line := range lines {
		if strings.TrimSpace(line) == "*" || strings.Contains(line, strings.TrimPrefix(etag, "W/")) {
			return true
		}
	}
	return false
}

// LastModified returns the header value of an instant.
func LastModified(t time.Time) []string { return []string{t.UTC().Format(http.TimeFormat)} }

// maxAges are the values of Cache-Control by seconds, made once.
var maxAges = func() (values [3601]string) {
	for i := range values {
		values[i] = "public, max-age=" + strconv.Itoa(i)
	}
	return values
}()

// MaxAge returns the Cache-Control value of a public answer that holds for d,
// which is cut to between 0 and one hour.
func MaxAge(d time.Duration) []string {
	seconds := min(max(int(d/time.Second), 0), len(maxAges)-1)
	return maxAges[seconds : seconds+1 : seconds+1]
}

// NoStore is the Cache-Control value of an answer that nobody may keep.
var NoStore = []string{"no-store"}
