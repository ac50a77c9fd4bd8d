package handlers

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// wire is a connection by HTTP/2 on which anything may be said.
type wire struct {
	*http2.Framer
	conn net.Conn
	next uint32 // stream
}

func (d *domainStand) wire() *wire {
	d.t.Helper()
	c, err := tls.Dial("tcp", d.secure, &tls.Config{RootCAs: d.certificate.roots, ServerName: domain, NextProtos: []string{"h2"}})
	if err != nil {
		d.t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(20 * time.Second))
	io.WriteString(c, http2.ClientPreface)
	w := &wire{Framer: http2.NewFramer(c, c), conn: c, next: 1}
	w.WriteSettings()
	return w
}

// fields are the head of a request.
func fields(method, path string, more ...string) []byte {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	for _, f := range [][2]string{{":method", method}, {":scheme", "https"}, {":authority", domain}, {":path", path}} {
		e.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]})
	}
	for i := 0; i < len(more); i += 2 {
		e.WriteField(hpack.HeaderField{Name: more[i], Value: more[i+1]})
	}
	return b.Bytes()
}

// open begins a stream.
func (w *wire) open(head []byte, ends bool) (stream uint32, err error) {
	stream, w.next = w.next, w.next+2
	return stream, w.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: head, EndHeaders: true, EndStream: ends})
}

// status reads on to the answer of a stream, and gives its status; "" when the stream or
// the connection ends without.
func (w *wire) status(stream uint32) string {
	w.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	for {
		f, err := w.ReadFrame()
		if err != nil {
			return ""
		}
		switch f := f.(type) {
		case *http2.MetaHeadersFrame:
			if f.StreamID == stream {
				return f.PseudoValue("status")
			}
		case *http2.RSTStreamFrame:
			if f.StreamID == stream {
				return ""
			}
		}
	}
}

// ended reads to the end of the connection, and tells whether the server ended it.
func (w *wire) ended() bool {
	_, err := io.Copy(io.Discard, w.conn)
	var ne net.Error
	return err == nil || !(errors.As(err, &ne) && ne.Timeout())
}

// Whatever is said by HTTP/2 to wear the server out, others are answered meanwhile, and
// nothing of it is kept; what is against its rules ends the connection.
func TestHostileByHTTP2(t *testing.T) {
	d := newDomainStand(t, newSnapshot(), nil)
	big := strings.Repeat("a", 8<<10)
	get := fields("GET", "/api/v1/parques")
	var before, after runtime.MemStats
	d.by("GET", "/api/v1/parques")
	runtime.GC()
	runtime.ReadMemStats(&before)
	for _, c := range []struct {
		name string
		// flood says one thing again and again until that fails.
		flood func(w *wire) error
		ends  bool // the connection
	}{
		{"streams opened and reset", func(w *wire) error {
			stream, err := w.open(get, true)
			if err == nil {
				err = w.WriteRSTStream(stream, http2.ErrCodeCancel)
			}
			return err
		}, false},
		{"streams opened and never ended", func(w *wire) error {
			_, err := w.open(fields("POST", signups, "content-type", "application/json", "content-length", "8000"), false)
			return err
		}, false},
		{"a head without end", func(w *wire) error {
			if w.next == 1 {
				w.next = 3
				return w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: get})
			}
			return w.WriteContinuation(1, false, fields("GET", "/", "x", big)[40:])
		}, true},
		{"settings", func(w *wire) error { return w.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1}) }, false},
		{"pings", func(w *wire) error { return w.WritePing(false, [8]byte{1}) }, false},
		{"empty data", func(w *wire) error {
			if w.next == 1 {
				_, err := w.open(fields("POST", signups, "content-type", "application/json"), false)
				return err
			}
			return w.WriteData(1, false, nil)
		}, false},
		{"windows of nothing", func(w *wire) error { return w.WriteWindowUpdate(0, 1<<31-1) }, true},
		{"garbage", func(w *wire) error { _, err := io.WriteString(w.conn, big); return err }, true},
	} {
		w := d.wire()
		ended := make(chan bool, 1)
		go func() { ended <- w.ended() }()
		times := 0
		for ; times < 5000 && c.flood(w) == nil; times++ {
		}
		if got := d.by("GET", "/api/v1/parques"); got.StatusCode != 200 {
			t.Errorf("%s: others get %d", c.name, got.StatusCode)
		}
		if !c.ends {
			w.conn.Close()
		}
		if over := <-ended; c.ends && !over {
			t.Errorf("%s: the connection goes on after %d times", c.name, times)
		}
		w.conn.Close()
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if after.HeapAlloc > before.HeapAlloc+16<<20 {
		t.Errorf("the heap had %d bytes before and %d after", before.HeapAlloc, after.HeapAlloc)
	}
	if said := d.logged(); strings.Contains(said, "panic") || strings.Contains(said, "127.0.0.1") {
		t.Errorf("logged: %s", said)
	}
}

// Bodies and heads that are too large get their answer by HTTP/2 too.
func TestTooLargeByHTTP2(t *testing.T) {
	d := newDomainStand(t, newSnapshot(), nil)
	for _, c := range []struct {
		name, want string
		head       []byte
	}{
		{"a gigabyte", "413", fields("POST", signups, "content-type", "application/json", "content-length", "1073741824")},
		{"a large head", "431", fields("GET", "/api/v1/parques", slices.Repeat([]string{"x", strings.Repeat("a", 400)}, 60)...)},
	} {
		w := d.wire()
		stream := w.next
		for first := true; len(c.head) > 0; first = false {
			part := c.head[:min(len(c.head), 16<<10)]
			if c.head = c.head[len(part):]; first {
				w.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: part, EndHeaders: len(c.head) == 0})
			} else {
				w.WriteContinuation(stream, len(c.head) == 0, part)
			}
		}
		if got := w.status(stream); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		w.conn.Close()
	}
}
