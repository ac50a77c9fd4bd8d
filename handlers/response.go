package handlers

import (
	"net/http"
	"strconv"
	"sync"
)

// response notes what becomes of an answer, for recovery and the log, and
// announces its body to a connection that writes once.
type response struct {
	http.ResponseWriter
	conn   *oneWriteConn // nil when the connection is another kind
	status int           // 0 until the head is written
	bytes  int
	route  string // its name, "" where no route has taken it
}

var responses = sync.Pool{New: func() any { return new(response) }}

func newResponse(w http.ResponseWriter, r *http.Request) *response {
	v := responses.Get().(*response)
	*v = response{ResponseWriter: w}
	v.conn, _ = r.Context().Value(connKey{}).(*oneWriteConn)
	return v
}

func (w *response) release() {
	w.ResponseWriter = nil
	responses.Put(w)
}

// Unwrap lets http.ResponseController reach the server's own writer.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *response) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	if w.conn != nil && w.bytes == 0 && w.whole(p) {
		w.conn.expect(len(p))
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += n
	return n, err
}

// whole reports whether p is all of a body of stated length.
func (w *response) whole(p []byte) bool {
	length := w.Header()["Content-Length"]
	if len(length) != 1 {
		return false
	}
	n, err := strconv.Atoi(length[0])
	return err == nil && n == len(p)
}
