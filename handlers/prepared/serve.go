package prepared

import (
	"bytes"
	"net/http"
	"strconv"
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

// buffers are the bytes of answers on their way. Larger ones are left to the
// collector, so that one big answer does not pin its size for good.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const keptBuffer = 256 << 10

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
		if unchanged(r.Header, b.etag[0], t.Modified) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	header["Content-Type"] = b.contentType
	asGzip := b.zipped != nil && TakesGzip(r.Header["Accept-Encoding"])
	if asGzip {
		header["Content-Encoding"] = gzipEncoding
		header["Content-Length"] = b.zippedLength
	} else {
		header["Content-Length"] = b.plainLength
	}
	if t.Status != 0 {
		w.WriteHeader(t.Status)
	}
	if r.Method == http.MethodHead {
		return
	}
	b.write(w, t.Now, asGzip)
}

func (b *Body) write(w http.ResponseWriter, now time.Time, asGzip bool) {
	if !b.stamped && b.plain != nil { // nothing to splice: the bytes as they are
		if asGzip {
			w.Write(b.zipped.bytes)
		} else {
			w.Write(b.plain)
		}
		return
	}
	buffer := buffers.Get().(*bytes.Buffer)
	buffer.Reset()
	switch {
	case asGzip:
		buffer.Grow(b.zipped.length())
		buffer.Write(b.zipped.append(buffer.AvailableBuffer(), now))
	case b.plain != nil:
		buffer.Grow(b.length())
		buffer.Write(b.appendPlain(buffer.AvailableBuffer(), now))
	default:
		buffer.Grow(b.length())
		if err := b.zipped.inflate(buffer); err != nil {
			panic(err) // our own bytes, made in this process
		}
		buffer.Write(appendStamp(buffer.AvailableBuffer(), now))
	}
	w.Write(buffer.Bytes())
	if buffer.Cap() <= keptBuffer {
		buffers.Put(buffer)
	}
}

// LastModified gives the header value of an instant.
func LastModified(t time.Time) []string { return []string{t.UTC().Format(http.TimeFormat)} }

// maxAges are the values of Cache-Control by seconds, made once.
var maxAges = func() (values [3601]string) {
	for i := range values {
		values[i] = "public, max-age=" + strconv.Itoa(i)
	}
	return values
}()

// MaxAge gives the Cache-Control value of a public answer that holds for d,
// which is cut to between nothing and one hour.
func MaxAge(d time.Duration) []string {
	seconds := min(max(int(d/time.Second), 0), len(maxAges)-1)
	return maxAges[seconds : seconds+1 : seconds+1]
}

// NoStore is the Cache-Control value of an answer that nobody may keep.
var NoStore = []string{"no-store"}
