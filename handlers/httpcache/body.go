// Package httpcache holds the bytes of answers, made once a publication and then only
// copied to clients.
//
// A payload goes in ([JSON], [JSONCold], [Static], [Error]) and a [Body] comes out: the
// plain and the gzip form, the weak ETag and the header values, all immutable.
// [Body.Serve] answers a request from it: negotiation of the encoding, conditional
// requests, HEAD, and for the API's envelope the time of the answer spliced in as its
// last member, in both forms, without encoding or compressing anything.
package httpcache

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The envelope around a payload. The time of the answer is its last member, so
// that everything before it is the same for every client.
const (
	envelopeHead = `{"data":`
	errorHead    = `{"data":null,"error":`
	envelopeTail = `,"error":null,"ts":"`
	errorTail    = `,"ts":"`
	stampLayout  = "2006-01-02T15:04:05.000Z"
	stampTail    = len(stampLayout) + len(`"}`)
)

// jsonType is the content type of the API.
const jsonType = "application/json; charset=utf-8"

// worthGzip is the size in bytes from which a gzip form is made: below it, the form's
// own frame and the client's work eat what it saves.
const worthGzip = 600

// Body is an answer's immutable bytes with what its header says of them. It may
// be served from any number of goroutines.
type Body struct {
	etag        []string // nil for an answer that is made for one request
	contentType []string
	plain       []byte  // fixed part, nil when only the gzip form is kept
	packed      *packed // nil when compressing does not pay
	size        int     // bytes of the fixed part
	stamped     bool    // the envelope's time follows the fixed part

	plainLength, packedLength []string
}

// JSON makes the answer {"data":payload,"error":null,"ts":…}; payload must be
// valid JSON. Nothing of payload is kept.
func JSON(payload []byte) *Body { return newBody(jsonType, envelope(payload), true, thorough) }

// JSONCold is [JSON] for big payloads that are asked for seldom: only the gzip form is
// kept, and a client that does not take gzip gets it inflated on the way.
func JSONCold(payload []byte) *Body {
	b := newBody(jsonType, envelope(payload), true, fastest)
	if b.packed != nil {
		b.plain = nil
	}
	return b
}

// Error makes the answer {"data":null,"error":text,"ts":…}. Bytes that are not UTF-8 become
// the replacement character, and <, > and & are escaped, so that no answer holds markup
// whoever embeds it.
func Error(text string) *Body {
	quoted, _ := json.Marshal(text) // a string always is JSON
	return newBody(jsonType, slices.Concat([]byte(errorHead), quoted, []byte(errorTail)), true, nil)
}

// Passing is [JSON] for an answer that is made for one request: it is neither
// compressed nor tagged.
func Passing(payload []byte) *Body { return newBody(jsonType, envelope(payload), true, nil) }

// Static makes an answer of exactly content: a page, a style sheet, a document.
func Static(contentType string, content []byte) *Body {
	return newBody(contentType, slices.Concat([]byte{}, content), false, thorough)
}

func envelope(payload []byte) []byte {
	return slices.Concat([]byte(envelopeHead), payload, []byte(envelopeTail))
}

// newBody makes the body of a fixed part; level is nil for an answer that is made for one
// request.
func newBody(contentType string, fixed []byte, stamped bool, level *compressor) *Body {
	b := &Body{contentType: []string{contentType}, plain: fixed, size: len(fixed), stamped: stamped}
	b.plainLength = []string{strconv.Itoa(b.length())}
	if level == nil {
		return b
	}
	b.etag = []string{weakTag(fixed)}
	if len(fixed) >= worthGzip && isCompressible(contentType) {
		if packed := pack(fixed, level, stamped); packed.length() < b.length() {
			b.packed, b.packedLength = packed, []string{strconv.Itoa(packed.length())}
		}
	}
	return b
}

// ContentType returns the type of the content, with its character set.
func (b *Body) ContentType() string { return b.contentType[0] }

// ETag returns the weak entity tag, made from everything but the time of the
// answer: two publications with the same payload have the same tag.
// It is "" for answers that are made for one request.
func (b *Body) ETag() string {
	if b.etag == nil {
		return ""
	}
	return b.etag[0]
}

// length returns the bytes of the plain form with its stamp.
func (b *Body) length() int {
	if b.stamped {
		return b.size + stampTail
	}
	return b.size
}

// appendStamp writes the time of the answer and closes the envelope.
func appendStamp(dst []byte, now time.Time) []byte {
	return append(now.UTC().AppendFormat(dst, stampLayout), `"}`...)
}

func weakTag(fixed []byte) string {
	sum := sha256.Sum256(fixed)
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}

func isCompressible(contentType string) bool {
	return slices.ContainsFunc([]string{"text/", "json", "javascript", "xml", "svg"}, func(part string) bool { return strings.Contains(contentType, part) })
}
