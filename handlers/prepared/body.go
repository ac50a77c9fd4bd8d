// Package prepared holds the bytes of answers, made once a publication and then
// only copied to clients.
//
// A payload goes in ([JSON], [JSONCold], [Static], [Error]) and a [Body] comes
// out: the plain and the gzip form, the weak ETag and the header values, all
// immutable. [Body.Serve] then answers a request from it: negotiation of the
// encoding, conditional requests, HEAD, and for the API's envelope the time of
// the answer spliced in as its last member, in both forms, without encoding or
// compressing anything. [Sheaf] does the same for a large body of which clients
// may ask for the first part of each list.
package prepared

import (
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"sync"
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

// worthZipping is the size in bytes from which a gzip form is made: below it,
// the form's own frame and the client's work eat what it saves.
const worthZipping = 600

// Body is an answer's immutable bytes with what its header says of them. It may
// be served from any number of goroutines.
type Body struct {
	etag        []string
	contentType []string
	plain       []byte  // fixed part, nil when only the compressed form is kept
	zipped      *zipped // nil when compressing does not pay
	size        int     // bytes of the fixed part
	stamped     bool    // the envelope's time follows the fixed part

	plainLength, zippedLength []string
}

// JSON makes the answer {"data":payload,"error":null,"ts":…}; payload must be
// valid JSON. Nothing of payload is kept.
func JSON(payload []byte) *Body {
	return newBody(jsonType, appendEnvelope(nil, payload), true, false)
}

// JSONCold is [JSON] for big payloads that are asked for seldom: only the
// compressed form is kept, and a client that does not take gzip gets it
// inflated on the way.
func JSONCold(payload []byte) *Body {
	// The plain form is megabytes that nobody needs afterwards.
	scratch := coldForms.Get().(*[]byte)
	defer coldForms.Put(scratch)
	*scratch = appendEnvelope((*scratch)[:0], payload)
	return newBody(jsonType, *scratch, true, true)
}

var coldForms = sync.Pool{New: func() any { return new([]byte) }}

func appendEnvelope(dst, payload []byte) []byte {
	dst = append(dst, envelopeHead...)
	dst = append(dst, payload...)
	return append(dst, envelopeTail...)
}

// Error makes the answer {"data":null,"error":text,"ts":…}.
func Error(text string) *Body {
	fixed := AppendString([]byte(errorHead), text)
	return passing(append(fixed, errorTail...))
}

// Passing is [JSON] for an answer that is made for one request: it is neither
// compressed nor tagged.
func Passing(payload []byte) *Body {
	return passing(appendEnvelope(nil, payload))
}

func passing(fixed []byte) *Body {
	b := &Body{contentType: []string{jsonType}, plain: fixed, size: len(fixed), stamped: true}
	b.plainLength = []string{strconv.Itoa(b.length())}
	return b
}

// Static makes an answer of exactly content: a page, a style sheet, a document.
func Static(contentType string, content []byte) *Body {
	return newBody(contentType, append([]byte{}, content...), false, false)
}

func newBody(contentType string, fixed []byte, stamped, cold bool) *Body {
	b := &Body{
		etag:        []string{weakTag(fixed)},
		contentType: []string{contentType},
		plain:       fixed,
		size:        len(fixed),
		stamped:     stamped,
	}
	level := pageLevel
	if cold {
		level = coldLevel
	}
	if cold || len(fixed) >= worthZipping && compressible(contentType) {
		b.zipped = zip(fixed, level, stamped)
	}
	switch {
	case cold:
		b.plain = nil
	case b.zipped != nil && b.zipped.length() >= b.length():
		b.zipped = nil
	}
	b.plainLength = []string{strconv.Itoa(b.length())}
	if b.zipped != nil {
		b.zippedLength = []string{strconv.Itoa(b.zipped.length())}
	}
	return b
}

// ContentType gives the type of the content, with its character set.
func (b *Body) ContentType() string { return b.contentType[0] }

// ETag gives the weak entity tag, made from everything but the time of the
// answer: two publications with the same payload have the same tag.
// It is "" for answers that are made for one request.
func (b *Body) ETag() string {
	if b.etag == nil {
		return ""
	}
	return b.etag[0]
}

// length gives the bytes of the plain form with its stamp.
func (b *Body) length() int {
	if b.stamped {
		return b.size + stampTail
	}
	return b.size
}

// appendPlain writes the plain form of a body that keeps one.
func (b *Body) appendPlain(dst []byte, now time.Time) []byte {
	dst = append(dst, b.plain...)
	if b.stamped {
		dst = appendStamp(dst, now)
	}
	return dst
}

// appendStamp writes the time of the answer and closes the envelope.
func appendStamp(dst []byte, now time.Time) []byte {
	return append(now.UTC().AppendFormat(dst, stampLayout), `"}`...)
}

func weakTag(fixed []byte) string {
	sum := sha256.Sum256(fixed)
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}
