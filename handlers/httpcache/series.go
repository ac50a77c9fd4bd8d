package httpcache

import (
	"bytes"
	"net/http"
	"strconv"
)

// Series is a cold body of several lists of which a client may ask for the
// beginning only: the first hours of each trail's forecast, the last days of
// its history. A part is cut out of the kept bytes when asked for; nothing is
// encoded anew.
type Series struct {
	whole *Body
	ends  [][]int // for each list, the offset in the fixed part after its first n steps, n from 0
}

// NewSeries keeps a payload. ends has, for each list in the payload's order, the
// offsets in payload at which its first 0, 1, 2 … steps end; all lists have the
// same number of steps, and the last offset is the end of the list's items.
func NewSeries(payload []byte, ends [][]int) *Series {
	for _, list := range ends {
		for i := range list {
			list[i] += len(envelopeHead)
		}
	}
	return &Series{whole: JSONCold(payload), ends: ends}
}

// Serve answers with the first steps of every list; the whole when a list has
// no more than that.
func (s *Series) Serve(w http.ResponseWriter, r *http.Request, t Terms, steps int) {
	if len(s.ends) == 0 || steps >= len(s.ends[0])-1 {
		s.whole.Serve(w, r, t)
		return
	}
	part := &Body{
		etag:        []string{s.whole.etag[0][:len(s.whole.etag[0])-1] + "." + strconv.Itoa(steps) + `"`},
		contentType: s.whole.contentType,
		size:        s.whole.size,
		stamped:     true,
	}
	for _, list := range s.ends {
		part.size -= list[len(list)-1] - list[steps]
	}
	// Where its bytes are not needed, the plain length is as good a length as any.
	if r.Method != http.MethodHead && !isUnchanged(r.Header, part.etag[0], t.Modified) {
		part.plain = s.cut(steps, part.size)
		if part.size >= worthGzip && takesGzip(r.Header["Accept-Encoding"]) {
			part.packed = pack(part.plain, fastest, true)
		}
	}
	part.setLengths()
	part.Serve(w, r, t)
}

// cut returns the fixed part with only the first steps of each list.
func (s *Series) cut(steps, size int) []byte {
	var buffer bytes.Buffer
	buffer.Grow(s.whole.size)
	s.whole.packed.inflate(&buffer)
	whole, part, from := buffer.Bytes(), make([]byte, 0, size), 0
	for _, list := range s.ends {
		part = append(part, whole[from:list[steps]]...)
		from = list[len(list)-1]
	}
	return append(part, whole[from:]...)
}
