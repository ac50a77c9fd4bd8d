package handlers

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vigia/handlers/metrics"
)

// The reading benchmarks send requests over kept-open loopback connections to
// the whole server and to a bare net/http handler with the same bytes, in turns
// within one run, and report the ratios of CPU time, of client and server together:
// only those carry over between machines, and hold on a busy one.

// cpuTime returns the CPU time of this process.
func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// load is one keep-alive connection that sends a request and reads the answer.
type load struct {
	conn    net.Conn
	reader  *bufio.Reader
	request []byte
}

func dial(b *testing.B, address, path string, headers string) *load {
	b.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	return &load{c, bufio.NewReaderSize(c, 64<<10), []byte("GET " + path + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n")}
}

var lengthHeader = []byte("Content-Length: ")

// round sends one request and reads the answer; it gives the status line.
func (l *load) round(b *testing.B) string {
	if _, err := l.conn.Write(l.request); err != nil {
		b.Fatal(err)
	}
	length, status := 0, ""
	for {
		line, err := l.reader.ReadSlice('\n')
		if err != nil {
			b.Fatal(err)
		}
		if status == "" {
			status = string(line[9:12])
		}
		if len(line) == 2 {
			break
		}
		if bytes.HasPrefix(line, lengthHeader) {
			length, _ = strconv.Atoi(string(bytes.TrimSpace(line[len(lengthHeader):])))
		}
	}
	if status == "304" {
		length = 0
	}
	if _, err := l.reader.Discard(length); err != nil {
		b.Fatal(err)
	}
	return status
}

func listen(b *testing.B, handler http.Handler, oneWrite bool) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := &http.Server{Handler: handler}
	wrapped := l
	if oneWrite {
		server.ConnContext, wrapped = withConn, oneWriteListener{l}
	}
	ended := make(chan struct{})
	go func() { server.Serve(wrapped); close(ended) }()
	b.Cleanup(func() { server.Shutdown(context.Background()); <-ended })
	return l.Addr().String()
}

func benchServer(limit int) *Server {
	s := New(withoutSite(Options{Clock: clockwork.NewRealClock(), Log: slog.New(slog.NewTextHandler(io.Discard, nil)), RateLimit: limit}))
	e := newSnapshot()
	shift := time.Since(e.IssuedAt)
	e.Hour = e.Hour.Add(shift.Truncate(time.Hour))
	e.IssuedAt, e.ValidUntil, e.NextAt = e.IssuedAt.Add(shift), e.ValidUntil.Add(shift), e.NextAt.Add(shift)
	for t := range e.Trails {
		for i := range e.Trails[t].Hours {
			e.Trails[t].Hours[i].Hour = e.Trails[t].Hours[i].Hour.Add(shift.Truncate(time.Hour))
		}
	}
	s.Publish(e)
	return s
}

// bare writes an answer's bytes with the least that net/http needs; same says to
// send the same header too.
func bare(content []byte, header http.Header) http.Handler {
	length := strconv.Itoa(len(content))
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		for name, values := range header {
			h[name] = values
		}
		h.Set("Content-Type", "application/json; charset=utf-8")
		h.Set("Content-Length", length)
		w.Write(content)
	})
}

func BenchmarkReading(b *testing.B) {
	s := benchServer(1 << 30)
	limited, metered := benchServer(1), benchServer(1<<30)
	metered.Meter = metrics.NewRequests()
	slug := ""
	for _, park := range newSnapshot().Catalogue.Parks[:weathers] { // the answer nearest to 8 KB
		if slug == "" || distance(s, park.Slug) < distance(s, slug) {
			slug = park.Slug
		}
	}
	path := "/api/v1/parques/" + slug
	plain := fetch(s, path, "")
	packed := fetch(s, path, "gzip")
	tag := plain.header.Get("Etag")
	b.Logf("%s: %d bytes, %d packed", path, len(plain.body), len(packed.body))
	one, two := listen(b, s, true), listen(b, s, false)
	forms := []struct {
		name string
		load *load
	}{
		{"bare", dial(b, listen(b, bare(plain.body, nil), false), path, "")},
		{"bare-same-header", dial(b, listen(b, bare(plain.body, plain.header), false), path, "")},
		{"plain", dial(b, one, path, "")},
		{"metered", dial(b, listen(b, metered, true), path, "")},
		{"plain-two-writes", dial(b, two, path, "")},
		{"gzip", dial(b, one, path, "Accept-Encoding: gzip\r\n")},
		{"304", dial(b, one, path, "If-None-Match: "+tag+"\r\n")},
		{"429", dial(b, listen(b, limited, true), path, "")},
	}
	took := make([]time.Duration, len(forms))
	rounds := 0
	const turn = 100
	for b.Loop() {
		for i, form := range forms {
			start := cpuTime(b)
			for range turn {
				form.load.round(b)
			}
			took[i] += cpuTime(b) - start
		}
		rounds += turn
	}
	for i, form := range forms {
		b.ReportMetric(float64(took[0])/float64(took[i]), form.name+"/bare")
		b.Logf("%-18s %6d ns of CPU a request", form.name, took[i].Nanoseconds()/int64(rounds))
	}
}

func distance(s *Server, slug string) int {
	return max(len(fetch(s, "/api/v1/parques/"+slug, "").body)-8192, 8192-len(fetch(s, "/api/v1/parques/"+slug, "").body))
}

// recorder keeps an answer without the cost of httptest's.
type recorder struct {
	header http.Header
	body   []byte
	status int
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(p []byte) (int, error) { r.body = append(r.body, p...); return len(p), nil }

func fetch(s *Server, path, encoding string) *recorder {
	r, _ := http.NewRequest("GET", path, nil)
	r.RemoteAddr = "192.0.2.7:1"
	if encoding != "" {
		r.Header.Set("Accept-Encoding", encoding)
	}
	w := &recorder{header: http.Header{}}
	s.ServeHTTP(w, r)
	return w
}

// A steady GET allocates little more than a bare handler that sends the same
// header over the same server.
func TestAllocationsOfAReading(t *testing.T) {
	s := benchServer(100)
	s.limits = newLimits(100)
	s.Meter = metrics.NewRequests() // which costs none
	r, _ := http.NewRequest("GET", "/api/v1/parques/torres-del-paine", nil)
	r.RemoteAddr = "192.0.2.7:1"
	w := &recorder{header: http.Header{}}
	handler := s
	handler.ServeHTTP(w, r)
	if w.status != 0 || len(w.body) == 0 {
		t.Fatalf("status %d", w.status)
	}
	got := testing.AllocsPerRun(50, func() {
		w.body = w.body[:0]
		handler.ServeHTTP(w, r)
	})
	t.Logf("%v allocations", got)
	if got > 2 && !raceEnabled {
		t.Errorf("%v allocations a request, beside those of net/http", got)
	}
}
